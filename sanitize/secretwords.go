package sanitize

import (
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

func (x *wordIndex) has(s string) bool {
	for i := range len(s) {
		if x.at(s, i) {
			return true
		}
	}
	return false
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
	unitIndex  = sync.OnceValue(func() *wordIndex { return newWordIndex(unitWords()) })
)

// Word lists, lower case. Each is a function so that nothing can change it at run time.

// codeWords name a one-time code in sixteen languages.
func codeWords() []string {
	return []string{
		"verification code", "security code", "login code", "log-in code", "sign-in code", "access code", "confirmation code",
		"one-time", "one time", "passcode", "otp", "2fa", "two-factor", "authentication code", "auth code", "your code", "code is", "code:",
		"this code", "following code", "the code", "code below", "code to", "pin:", "pin is", "pin code", "pin-code", "is your", "single-use code", "enter code", "code for your",
		"bestätigungscode", "sicherheitscode", "verifizierungscode", "einmalcode", "einmalpasswort", "einmalkennwort", "anmeldecode", "zugangscode", "tan:", "tan lautet", "smstan", "mtan",
		"code lautet", "ihr code", "dein code", "code ein", "folgenden code", "diesen code", "prüfcode", "aktivierungscode",
		"code de vérification", "code de sécurité", "code de connexion", "code de confirmation", "code à usage unique", "code d'accès", "votre code", "ton code", "code est", "code suivant", "code secret", "code :",
		"código de verificación", "código de seguridad", "código de acceso", "código de un solo uso", "tu código", "su código", "código es", "código:", "este código", "siguiente código", "código de confirmación", "clave de un solo uso", "contraseña de un solo uso",
		"código de verificação", "código de segurança", "código de acesso", "código de uso único", "seu código", "o código", "código é", "código de confirmação", "código abaixo",
		"codice di verifica", "codice di sicurezza", "codice di accesso", "codice monouso", "tuo codice", "suo codice", "codice è", "codice:", "seguente codice", "questo codice", "codice otp", "codice di conferma",
		"verificatiecode", "beveiligingscode", "inlogcode", "eenmalige code", "je code", "uw code", "code in:", "bevestigingscode", "toegangscode",
		"kod weryfikacyjny", "kod bezpieczeństwa", "kod jednorazowy", "jednorazowy kod", "twój kod", "kod logowania", "kod:", "kod to", "kodu weryfikacyjnego", "kod dostępu", "hasło jednorazowe", "kod potwierdzający", "poniższy kod",
		"код подтверждения", "проверочный код", "одноразовый код", "одноразовый пароль", "ваш код", "код для входа", "код:", "код безопасности", "этот код", "код доступа", "код входа", "код —", "код -",
		"код підтвердження", "doğrulama kodu", "güvenlik kodu", "tek kullanımlık", "kodunuz", "giriş kodu", "onay kodu",
		"verifieringskod", "engångskod", "säkerhetskod", "bekräftelsekod", "din kod",
		"验证码", "校验码", "动态码", "動態碼", "驗證碼", "一次性密码", "动态密码", "安全码", "登录码",
		"認証コード", "確認コード", "認証番号", "ワンタイムパスワード", "セキュリティコード", "ログインコード", "検証コード", "パスコード", "暗証番号",
		"인증번호", "인증 번호", "인증코드", "인증 코드", "확인 코드", "보안 코드", "일회용 비밀번호", "로그인 코드",
		"رمز التحقق", "رمز الدخول", "رمز التأكيد", "رمز الأمان", "كود التحقق", "رمزك", "كلمة المرور لمرة واحدة", "رمز لمرة واحدة", "رمز تسجيل الدخول",
		"ओटीपी", "सत्यापन कोड", "वन-टाइम", "पुष्टि कोड", "सुरक्षा कोड", "लॉगिन कोड",
		"קוד האימות", "קוד אימות", "רמז אימות",
	}
}

// loginWords say that a message is about signing in.
func loginWords() []string {
	return []string{"sign in", "log in", "login", "signing in", "expire", "valid for", "minutes", "verify", "do not share", "don't share", "anmeld", "gültig", "minuten",
		"connexion", "valable", "expira", "válido", "caduca", "scade", "valido", "verloopt", "geldig", "ważny", "wygasa", "действителен", "минут", "有效", "分钟", "分鐘", "有効", "유효", "صالح", "दक़ीक़े", "मिनट"}
}

// otherNumbers name numbers and codes that are not secrets.
func otherNumbers() []string {
	return []string{
		"order", "invoice", "ticket", "case", "booking", "reference", "ref.", "ref:", "ref no", "tracking", "customer", "account number", "account no", "policy", "discount", "promo", "coupon", "voucher",
		"gift card", "zip", "postcode", "postal", "area code", "error", "status code", "http", "exit code", "dress code", "source code", "qr code", "product code", "model", "serial", "sku", "item",
		"flight", "room", "gate", "version", "build", "iso", "rfc", "article no", "phone", "tel", "fax", "call us", "mobile", "total", "price", "amount", "vat", "iban", "bic", "sort code", "member", "country code", "code of conduct", "use code", "with code", "apply code", "save", "off with",
		"bestell", "rechnung", "kunden", "vorgang", "ticketnummer", "auftrag", "rabatt", "gutschein", "aktionscode", "plz", "postleitzahl", "sendung", "telefon", "betrag", "summe", "vertrag", "buchung", "artikel", "fehlercode", "zimmer", "az.", "aktenzeichen",
		"commande", "facture", "client", "réservation", "dossier", "code postal", "remise", "réduction", "code promo", "téléphone", "tél", "montant", "numéro de suivi", "erreur", "colis",
		"pedido", "factura", "cliente", "reserva", "descuento", "código postal", "promocional", "teléfono", "importe", "seguimiento", "cupón",
		"encomenda", "fatura", "desconto", "cep", "telefone", "rastreio", "cupom", "valor", "protocolo",
		"ordine", "fattura", "prenotazione", "sconto", "codice postale", "cap:", "codice fiscale", "telefono", "importo", "spedizione", "codice cliente",
		"bestelling", "factuur", "klant", "korting", "boeking", "telefoon", "bedrag", "zending", "bestelnummer",
		"zamówieni", "faktur", "klient", "rabat", "kod pocztowy", "rezerwac", "przesyłk", "kwota", "numer zgłoszenia", "nip",
		"заказ", "счёт", "счет", "клиент", "скидк", "промокод", "индекс", "бронь", "брониров", "телефон", "сумма", "трек", "обращени", "накладн", "тел.", "тел:",
		"sipariş", "fatura", "indirim", "müşteri", "takip", "posta kodu",
		"订单", "訂單", "单号", "發票", "发票", "邮编", "快递", "电话", "金额", "优惠", "客户", "房间", "航班", "编号",
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
		"unlock", "onetime", "one-time", "auth/", "/auth", "sso", "accept-invite", "invitation", "set-pass", "token-login", "access_token", "email-link", "oobcode"}
}

// secretPhrases stand before or in links that sign in, confirm or reset.
func secretPhrases() []string {
	return []string{"reset your password", "reset password", "choose a new password", "set a new password", "new password", "sign in", "log in to", "log in", "magic link", "confirm your email", "verify your email", "confirm your address",
		"verify your", "activate your", "confirm my", "verify my", "passwort zurücksetzen", "neues passwort", "passwort ändern", "anmelde", "e-mail bestätigen", "e-mail-adresse bestätigen", "konto aktivieren",
		"réinitialiser", "mot de passe", "se connecter", "connexion", "confirmer votre", "confirmez votre", "activer votre", "restablecer", "contraseña", "iniciar sesión", "confirmar tu", "confirma tu", "verificar tu", "activar tu",
		"redefinir", "senha", "confirmar seu", "confirme seu", "entrar na", "reimposta", "password dimenticata", "conferma il tuo", "conferma la tua", "accedi", "wachtwoord", "inloggen", "bevestig je", "bevestig uw",
		"zresetuj", "hasło", "hasła", "zaloguj", "potwierdź", "сброс", "парол", "войти", "подтвердить", "подтвердите", "şifre", "parola", "giriş yap", "återställ", "lösenord",
		"重置密码", "重設密碼", "登录", "登入", "确认邮箱", "验证邮箱", "パスワード", "ログイン", "メールアドレスの確認", "비밀번호", "로그인", "이메일 인증", "كلمة المرور", "تسجيل الدخول", "تأكيد بريدك", "पासवर्ड", "लॉग इन", "साइन इन"}
}
