package sanitize

import (
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// wordIndex finds any of many words in one walk over a text, by their first two octets.
type wordIndex struct {
	pairs  [1 << 16 / 64]uint64 // which first two octets there are
	byPair map[[2]byte][]string
}

func newWordIndex(words []string) *wordIndex {
	x := &wordIndex{byPair: map[[2]byte][]string{}}
	for _, w := range words {
		if len(w) == 1 {
			w += " "
		}
		pair := [2]byte{w[0], w[1]}
		x.pairs[int(w[0])<<2|int(w[1])>>6] |= 1 << (w[1] & 63)
		x.byPair[pair] = append(x.byPair[pair], w)
	}
	return x
}

// at reports that a word begins at s[i:]. One that is written in an alphabet must not begin inside another word.
func (x *wordIndex) at(s string, i int) bool {
	if i+1 >= len(s) || x.pairs[int(s[i])<<2|int(s[i+1])>>6]>>(s[i+1]&63)&1 == 0 || i > 0 && isAlpha(s[i]) && isAlpha(s[i-1]) {
		return false
	}
	for _, w := range x.byPair[[2]byte{s[i], s[i+1]}] {
		if !strings.HasPrefix(s[i:], w) {
			continue
		}
		before, _ := utf8.DecodeLastRuneInString(s[:i])
		if first, _ := utf8.DecodeRuneInString(w); i == 0 || first > 0x2E80 || !unicode.IsLetter(before) {
			return true
		}
	}
	return false
}

func (x *wordIndex) has(s string) bool { return x.first(s) >= 0 }

// first is where the first of the words begins in s, -1 if there is none.
func (x *wordIndex) first(s string) int {
	for i := range len(s) {
		if x.at(s, i) {
			return i
		}
	}
	return -1
}

// last is where the last of the words begins in s, -1 if there is none.
func (x *wordIndex) last(s string) int {
	for i := len(s) - 1; i >= 0; i-- {
		if x.at(s, i) {
			return i
		}
	}
	return -1
}

// find lists where words begin.
func (x *wordIndex) find(s string) []int {
	var found []int
	for i := range len(s) {
		if x.at(s, i) {
			found = append(found, i)
		}
	}
	return found
}

// The lists as indexes, built once.
var (
	codeIndex  = sync.OnceValue(func() *wordIndex { return newWordIndex(codeWords()) })
	otherIndex = sync.OnceValue(func() *wordIndex { return newWordIndex(otherNumbers()) })
	nounIndex  = sync.OnceValue(func() *wordIndex { return newWordIndex(codeNouns()) })
	ownIndex   = sync.OnceValue(func() *wordIndex { return newWordIndex(possessives()) })
	verbIndex  = sync.OnceValue(func() *wordIndex { return newWordIndex(entryVerbs()) })
	wantIndex  = sync.OnceValue(func() *wordIndex { return newWordIndex(intentWords()) })
	hintIndex  = sync.OnceValue(func() *wordIndex {
		return newWordIndex(slices.Concat(codeWords(), codeNouns(), entryVerbs(), typingVerbs()))
	})
	unitIndex = sync.OnceValue(func() *wordIndex { return newWordIndex(unitWords()) })
)

// Word lists, lower case. Each is a function so that nothing can change it at run time.

// codeWords name a one-time code in sixteen languages.
func codeWords() []string {
	return []string{
		"verification code", "security code", "login code", "log-in code", "sign-in code", "access code", "confirmation code",
		"one-time", "one time", "passcode", "otp", "2fa", "backup code", "confirm it's you", "confirm it’s you", "code d'authentification", "code d’authentification", "recovery code", "temporary code", "login pin", "otp code", "single use code", "six-digit code", "6-digit code", "four-digit code", "4-digit code", "two-factor", "authentication code", "auth code",
		"口令", "open it with", "unlock it with", "opens with", "single-use code", "pickup code", "pick-up code", "collection code", "unlock code", "door code", "abholcode", "türcode", "code de retrait", "code de déverrouillage", "código de recogida", "código de retirada", "código de levantamento",
		"codice di ritiro", "afhaalcode", "ophaalcode", "kod odbioru", "код получения", "код отримання", "teslim kodu", "hämtkod", "utlämningskod", "hentekode", "取件码", "取货码", "取貨碼", "受取コード", "受け取りコード", "수령 코드", "픽업 코드",
		"bestätigungscode", "sicherheitscode", "verifizierungscode", "einmalcode", "einmalpasswort", "einmalkennwort", "anmeldecode", "zugangscode", "tan:", "tan lautet", "smstan", "mtan",
		"prüfcode", "wiederherstellungscode", "backup-code", "zahlencode", "aktivierungscode",
		"code de vérification", "code de récupération", "codes de secours", "code de sécurité", "code de connexion", "code de confirmation", "code à usage unique", "code d'accès",
		"código de verificación", "código de respaldo", "código de recuperación", "pin temporal", "código de seguridad", "código de acceso", "código de un solo uso", "código de confirmación", "clave de un solo uso", "contraseña de un solo uso",
		"código de verificação", "código de segurança", "código de acesso", "código de uso único", "código de confirmação",
		"codice di verifica", "codici di backup", "codice di recupero", "codice di sicurezza", "codice di accesso", "codice monouso", "codice otp", "codice di conferma",
		"verificatiecode", "herstelcode", "beveiligingscode", "inlogcode", "eenmalige code", "bevestigingscode", "toegangscode",
		"kod weryfikacyjny", "kody zapasowe", "kod bezpieczeństwa", "kod jednorazowy", "jednorazowy kod", "kod logowania", "kodu weryfikacyjnego", "kod dostępu", "hasło jednorazowe", "kod potwierdzający",
		"код подтверждения", "резервные коды", "проверочный код", "одноразовый код", "одноразовый пароль", "код для входа", "код безопасности", "код доступа", "код входа",
		"код підтвердження", "doğrulama kodu", "güvenlik kodu", "tek kullanımlık", "giriş kodu", "onay kodu",
		"verifieringskod", "engångskod", "säkerhetskod", "bekräftelsekod",
		"验证码", "恢复码", "校验码", "动态码", "動態碼", "驗證碼", "一次性密码", "动态密码", "安全码", "登录码",
		"認証コード", "バックアップコード", "ログイン用コード", "確認コード", "認証番号", "ワンタイムパスワード", "ワンタイムコード", "セキュリティコード", "ログインコード", "検証コード", "パスコード", "暗証番号",
		"인증번호", "인증 번호", "인증코드", "인증 코드", "확인 코드", "보안 코드", "일회용 비밀번호", "로그인 코드",
		"رمز التحقق", "كود التفعيل", "رمز التفعيل", "رمز الدخول", "رمز التأكيد", "رمز الأمان", "كود التحقق", "كلمة المرور لمرة واحدة", "رمز لمرة واحدة", "رمز تسجيل الدخول",
		"ओटीपी", "सत्यापन कोड", "वन-टाइम", "पुष्टि कोड", "सुरक्षा कोड", "लॉगिन कोड",
		"קוד האימות", "קוד אימות", "רמז אימות",
	}
}

// codeNouns can mean a code that signs in, and much else.
func codeNouns() []string {
	return []string{"code", "pin", "tan", "şifreniz", "şifre:", "kode", "kód", "kod", "kodu", "kodem", "kody", "koda", "koden", "kodunuz", "код", "кода", "коду", "código", "codigo", "codice", "codici", "clave", "コード", "码", "碼", "코드", "رمز", "كود", "कोड", "קוד"}
}

// linkingVerbs stand between "code" and the number.
func linkingVerbs() []string {
	return []string{" is the", " is", " est le", " est", " es el", " es", " ist der", " ist", " lautet", " è il", " è", " é o", " é", " är", " to", " هو", "は", "是", "为", "為", " है"}
}

// possessives stand before a noun that is handed to one person.
func possessives() []string {
	return []string{"your", "dein", "ihr", "votre", "ton", "tu", "su", "seu", "o", "tuo", "suo", "il", "je", "uw", "twój", "ваш", "твой", "din", "您的", "你的", "あなたの", "आपका", "login", "account", "temporary", "new"}
}

// entryVerbs ask for something to be typed.
func entryVerbs() []string {
	return []string{"use", "enter", "type", "submit", "geben sie", "gib", "eingeben", "nutze", "nutzen sie", "verwenden sie", "saisissez", "utilisez", "entrez", "tapez", "usa", "use o", "usar", "introduce", "introduzca", "ingresa", "ingrese", "digite", "insira", "informe",
		"inserisci", "inserire", "digita", "gebruik", "voer", "vul", "użyj", "wpisz", "podaj", "введите", "используйте", "укажите", "girin", "kullanın", "ange", "skriv", "输入", "輸入", "入力", "입력", "أدخل", "استخدم", "दर्ज"}
}

// intentWords say that a message is about signing in or proving who one is.
func intentWords() []string {
	return []string{"sign in", "sign-in", "signing in", "log in", "log-in", "login", "logging in", "verify", "verification", "to confirm", "confirm your identity", "confirm it", "authenticat", "authoriz", "authoris", "regain access", "aan te melden", "two-step", "2-step", "two-factor", "identity", "expires", "expire in", "valid for", "do not share", "don't share", "never share", "don’t share",
		"anmeld", "einlogg", "bestätig", "verifizier", "gültig", "fortzufahren", "identität", "connexion", "connecter", "vérif", "pour confirmer", "valider", "identité", "expire dans", "ne le communiquez", "iniciar sesión", "verifica", "para confirmar", "identidad", "acceder", "caduca", "no lo compartas", "no compartas",
		"para entrar", "identidade", "verificar", "não compartilhe", "accedere", "accesso", "per confermare", "identità", "scade", "non condivider", "inloggen", "te loggen", "bevestig", "verifi", "verloopt", "deel deze", "logowan", "zalogować", "potwierdz", "weryfik", "nie podawaj", "nie udostępniaj",
		"подтвержд", "авториз", "входа", "войти", "вход ", "не сообщайте", "doğrula", "giriş", "paylaşmayın", "logga in", "bekräfta", "验证", "驗證", "登录", "登入", "泄露", "認証", "ログイン", "本人確認", "인증", "로그인", "본인확인", "تحقق", "تفعيل", "تسجيل الدخول", "تأكيد", "सत्यापन", "लॉगिन", "लॉग इन", "אימות", "כניסה"}
}

// otherNumbers name numbers and codes that are not secrets.
func otherNumbers() []string {
	return []string{
		"order", "invoice", "ticket ", "ticket:", "ticket#", "ticket no", "ticket number", "case no", "case number", "case id", "case #", "booking code", "booking number", "booking ref", "booking no", "booking:", "reservation", "reference", "ref.", "ref:", "ref no", "tracking", "customer number", "customer no", "customer id", "customer:", "customer code", "account number", "account no", "policy", "discount", "promo", "coupon", "voucher",
		"employee no", "employee number", "staff no", "staff number", "student id", "student number", "user id", "username", "contract", "meeting id", "conference id", "personalnummer", "matrikel", "benutzername", "matricule", "número de empleado", "matricola", "personeelsnummer", "numer pracownika", "табельн", "договор", "工号", "学号", "用户名", "卡号", "合同", "社員番号", "契約番号", "사번", "계약번호",
		"gift card", "zip", "postcode", "postal", "area code", "error", "status code", "http", "exit code", "dress code", "source code", "qr code", "product code", "branch code", "company code", "cost c", "tax code", "swift", "ifsc", "job code", "department code", "project code", "reference code", "model", "serial", "sku", "item",
		"flight", "room", "gate", "version", "build", "iso", "rfc", "article no", "phone", "tel.", "tel:", "telephone", "fax", "call us", "mobile number", "mobile:", "total", "price", "amount", "vat", "iban", "bic", "sort code", "member code", "member no", "member id", "member number", "membership", "country code", "code of conduct", "next purchase", "checkout", "barcode", "code review", "source code", "lines", "line", "commit", "port", "pr ",
		"bestell", "rechnung", "kundennummer", "kunden-nr", "kundennr", "kundenkonto", "vorgang", "ticketnummer", "auftrag", "rabatt", "gutschein", "aktionscode", "plz", "postleitzahl", "sendung", "telefon", "betrag", "summe", "vertrag", "buchung", "artikel", "fehlercode", "zimmer", "az.", "aktenzeichen",
		"commande", "facture", "code client", "client n", "numéro client", "réservation", "dossier", "code postal", "remise", "réduction", "code promo", "téléphone", "tél", "montant", "numéro de suivi", "erreur", "colis",
		"pedido", "factura", "código de cliente", "cliente n", "número de cliente", "reserva", "descuento", "código postal", "promocional", "teléfono", "importe", "seguimiento", "cupón",
		"encomenda", "fatura", "desconto", "cep", "telefone", "rastreio", "cupom", "valor", "protocolo",
		"ordine", "fattura", "prenotazione", "sconto", "codice postale", "cap:", "codice fiscale", "telefono", "importo", "spedizione", "codice cliente",
		"bestelling", "factuur", "klantnummer", "klantnr", "korting", "boeking", "telefoon", "bedrag", "zending", "bestelnummer",
		"zamówieni", "faktur", "numer klienta", "nr klienta", "rabat", "kod pocztowy", "rezerwac", "przesyłk", "kwota", "numer zgłoszenia", "nip",
		"заказ", "счёт", "счет", "номер клиента", "код клиента", "скидк", "промокод", "индекс", "бронь", "брониров", "телефон", "сумма", "трек", "обращени", "накладн", "тел.", "тел:",
		"sipariş", "fatura", "indirim", "müşteri no", "takip", "posta kodu",
		"订单", "訂單", "单号", "發票", "发票", "邮编", "快递", "电话", "金额", "优惠", "客户号", "客户编号", "房间", "航班", "编号",
		"注文", "請求", "予約", "郵便番号", "電話", "金額", "クーポン", "割引", "追跡", "お客様番号", "会員番号", "品番", "伝票",
		"주문", "송장", "예약", "우편번호", "전화", "금액", "쿠폰", "할인", "운송장", "고객번호",
		"طلب رقم", "رقم الطلب", "فاتورة", "خصم", "الهاتف", "هاتف", "الرمز البريدي", "المبلغ", "الشحنة", "رقم الحجز", "حجز رقم", "رقم العميل",
		"ऑर्डर", "चालान", "कूपन", "छूट", "फ़ोन", "पिन कोड", "राशि", "बुकिंग",
		"הזמנה", "חשבונית", "קופון",
	}
}

// unitWords follow a number that counts something.
func unitWords() []string {
	return []string{"eur", "usd", "gbp", "chf", "pln", "zł", "rub", "руб", "yen", "km", "kg", "gb", "mb", "ml", "kwh", "people", "users", "points", "items", "days", "pieces", "stück", "personen", "punkte",
		"pages", "words", "miles", "meter", "metres", "visitors", "subscribers", "downloads", "rows", "points", "euros", "dollars", "percent", "pkt", "uhr", "seats", "customers", "employees",
		"personas", "puntos", "personnes", "punti", "punten", "punktów", "баллов", "человек", "円", "元", "원", "人", "명", "ポイント", "积分", "نقطة", "अंक", "रुपये", "liter"}
}

// secretPaths stand in the path or query of links that sign in, confirm or reset.
func secretPaths() []string {
	return []string{"reset", "password", "passwd", "passwort", "magic", "verify", "verif", "confirm", "activat", "login", "log-in", "signin", "sign-in", "sign_in", "otp", "recover",
		"unlock", "onetime", "one-time", "auth/", "/auth", "sso", "invite", "invitation", "set-pass", "token-login", "access_token", "email-link", "oobcode"}
}

// secretPhrases stand before or in links that sign in, confirm or reset.
func secretPhrases() []string {
	return []string{"confirm your", "verify it", "bestätigen sie", "bestätige dein", "conferma l", "potwierdź swoj", "reset your password", "reset password", "choose a new password", "set a new password", "new password", "sign in", "log in to", "log in", "magic link", "sign-in link", "login link", "one-time link", "confirm your email", "verify your email", "confirm your address",
		"verify your", "activate your", "confirm my", "verify my", "passwort zurücksetzen", "neues passwort", "passwort ändern", "anmelde", "e-mail bestätigen", "e-mail-adresse bestätigen", "konto aktivieren",
		"réinitialiser", "mot de passe", "se connecter", "connexion", "confirmer votre", "confirmez votre", "activer votre", "restablecer", "contraseña", "iniciar sesión", "confirmar tu", "confirma tu", "verificar tu", "activar tu",
		"redefinir", "senha", "confirmar seu", "confirme seu", "entrar na", "reimposta", "password dimenticata", "conferma il tuo", "conferma la tua", "accedi", "wachtwoord", "inloggen", "bevestig je", "bevestig uw",
		"zresetuj", "hasło", "hasła", "zaloguj", "potwierdź", "сброс", "парол", "войти", "подтвердить", "подтвердите", "şifre", "parola", "giriş yap", "återställ", "lösenord",
		"重置密码", "重設密碼", "登录", "登入", "确认邮箱", "验证邮箱", "パスワード", "ログイン", "メールアドレスの確認", "비밀번호", "로그인", "이메일 인증", "كلمة المرور", "تسجيل الدخول", "تأكيد بريدك", "पासवर्ड", "लॉग इन", "साइन इन"}
}
