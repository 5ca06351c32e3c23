package sanitize

import (
	"slices"
	"sync"
)

// Cues are what mails say around a secret without naming it: what it is ("these digits"), what to do with it ("type"),
// what for ("to finish signing in"), and how to treat it ("works once", "tell nobody"). One cue means little; two different
// ones beside a number that stands alone, or beside a link with a token, rarely mean anything else.
type cue uint8

const (
	cueThing  cue = 1 << iota // digits, number, code
	cueEntry                  // type, enter, copy
	cueSignIn                 // sign in, confirm that it is you
	cueCare                   // expires, once, do not share
)

// cues says which kinds of cue stand in s.
func cues(s string) cue {
	var c cue
	for i := range len(s) {
		for k, x := range cueIndexes() {
			if x.at(s, i) {
				c |= 1 << k
			}
		}
	}
	return c
}

// two reports cues of at least two kinds.
func (c cue) two() bool { return c&(c-1) != 0 }

// cueIndexes has the lists in the order of the constants.
var cueIndexes = sync.OnceValue(func() []*wordIndex {
	return []*wordIndex{
		newWordIndex(slices.Concat(thingWords(), codeNouns())),
		newWordIndex(typingVerbs()),
		newWordIndex(signInWords()),
		newWordIndex(careWords()),
	}
})

// thingWords call a code by what it consists of.
func thingWords() []string {
	return []string{"digit", "these numbers", "this number", "following number", "number below", "the numbers", "characters below", "combination",
		"ziffer", "zahl", "nummer unten", "zeichenfolge", "kombination", "chiffre", "nombre", "numéro ci", "ce numéro", "combinaison", "dígito", "cifra", "número", "este número", "combinación",
		"algarismo", "combinação", "cifre", "numero", "questo numero", "combinazione", "cijfer", "getal", "nummer", "cyfr", "liczb", "numer", "kombinacj", "цифр", "число", "числа", "комбинаци",
		"цифри", "комбінаці", "sayı", "rakam", "sayıyı", "siffr", "siffer", "tal ", "ciffer", "číslic", "číslo", "numero", "luku", "数字", "数码", "號碼", "番号", "숫자", "번호", "الرقم", "الأرقام", "رقم", "संख्या", "अंक", "नंबर", "המספר", "מספר", "הספרות"}
}

// typingVerbs ask for something to be typed where the reader already is; "use" is not among them.
func typingVerbs() []string {
	return []string{"type", "enter", "paste", "copy", "key in", "key this in", "key it in", "fill in", "punch in", "eingeben", "geben sie", "gib ", "tippe", "eintipp", "trage", "tragen sie", "eintragen", "übertrage", "kopiere",
		"saisi", "entrez", "tapez", "tape ", "recopi", "copiez", "renseign", "indiquez", "escrib", "introdu", "ingres", "teclea", "copia", "pega", "digite", "digita", "insira", "insere", "escreva", "copie", "informe",
		"inseri", "scrivi", "riporta", "copi", "incolla", "voer", "vul ", "typ ", "tik ", "kopieer", "neem", "wpisz", "przepisz", "podaj", "wprowad", "skopiuj", "введ", "впиш", "наберите", "скопир", "укажите",
		"введі", "впиші", "yaz", "girin", "gir ", "kopyala", "skriv", "ange ", "mata in", "fyll i", "knappa", "indtast", "tast", "syötä", "kirjoita", "zadej", "opište", "输入", "填写", "填入", "輸入", "入力", "記入", "입력", "적어",
		"اكتب", "أدخل", "ادخل", "دخّل", "लिखें", "दर्ज", "डालें", "टाइप", "הקלד", "הזינו", "הזן", "הכנס"}
}

// signInWords say that somebody gets in, or proves who they are.
func signInWords() []string {
	return []string{"sign in", "sign-in", "signing in", "signin", "log in", "log-in", "login", "logging in", "logging into", "get into", "get back into", "let you in", "access to", "verify", "verification", "confirm", "authenticat", "is you", "is really you", "it was you", "it's you", "it’s you", "your identity", "your account", "new device", "approve", "authoris", "authoriz", "freigabe", "autoris", "autoriz", "zatwierdz", "godkänn", "onaylam", "security check", "two-step", "two-factor",
		"anmeld", "einlogg", "zugang", "bestätig", "verifizier", "dein konto", "ihr konto", "neuen gerät", "neues gerät", "freischalt", "connexion", "connecter", "accéder", "accès", "vérifi", "confirm", "votre compte", "identifi", "iniciar sesión", "inicio de sesión", "acceder", "acceso", "entrar", "verific", "tu cuenta", "su cuenta", "identidad",
		"acessar", "acesso", "sua conta", "é você", "identidade", "acced", "access", "accesso", "confermare", "conferma", "il tuo account", "sei tu", "inlog", "te loggen", "aanmeld", "toegang", "bevestig", "verifi", "je account", "binnen te komen", "logowa", "zalog", "dostęp", "potwierd", "weryfik", "twoje konto",
		"вход", "войти", "войд", "авториз", "подтвер", "аккаунт", "увійти", "вхід", "підтвер", "giriş", "oturum", "doğrula", "onayla", "hesab", "logga in", "inlogg", "bekräft", "verifier", "ditt konto", "logge ind", "log ind", "bekræft", "logge inn", "bekreft", "kirjaudu", "vahvista", "přihlás", "ověř",
		"登录", "登入", "验证", "驗證", "认证", "身份", "ログイン", "サインイン", "認証", "本人", "確認を", "로그인", "인증", "본인", "تسجيل الدخول", "الدخول", "تأكيد", "تحقق", "هويتك", "حسابك", "लॉगिन", "लॉग इन", "साइन इन", "सत्याप", "पुष्टि", "पहचान", "להתחבר", "הכניסה", "כניסה", "לאמת", "אימות"}
}

// careWords say how long something works and who may know it.
func careWords() []string {
	return []string{"expire", "valid for", "valid until", "good for", "works once", "work once", "works for", "stop working", "stops working", "only once", "single use", "one time", "do not share", "don't share", "don’t share", "never share", "never give", "tell nobody", "tell no one", "do not give", "keep it to yourself", "with anyone", "to anyone", "within the next",
		"gültig", "läuft ab", "verfällt", "nur einmal", "nicht weiter", "niemandem", "innerhalb von", "expire", "valable", "une seule fois", "qu'une fois", "qu’une fois", "à personne", "ne partagez", "ne communiquez", "caduca", "vence", "válid", "vale por", "una sola vez", "con nadie", "a nadie", "no compart", "expira", "vale ", "uma única vez", "uma vez", "com ninguém", "a ninguém", "não compart",
		"scad", "valid", "valgono", "una sola volta", "con nessuno", "a nessuno", "non condivid", "geldig", "verloop", "werken ze niet meer", "eenmalig", "met niemand", "deel dit", "deel deze", "ważn", "wygas", "jednoraz", "nikomu", "nie udostępn", "действ", "истека", "годен", "один раз", "никому", "не сообщ", "чинн", "дійсн", "нікому",
		"geçerli", "sona er", "tek kullanım", "kimseyle", "paylaşma", "gäller", "giltig", "en gång", "aldrig", "dela inte", "gælder", "gyldig", "del ikke", "voimassa", "platí", "platn", "有效", "过期", "失效", "一次性", "请勿", "勿告", "不要告", "有効", "無効", "一度だけ", "教えない", "유효", "만료", "동안", "알려주지", "공유하지", "한 번만",
		"صالح", "تنتهي", "لا تشارك", "لأحد", "أي شخص", "मान्य", "समाप्त", "साझा न", "किसी को", "किसी के साथ", "תקף", "בתוקף", "לאף אחד"}
}

// passwordWords are words for a password; beside a link with a token they mean that it sets one.
func passwordWords() []string {
	return []string{"password", "passphrase", "kennwort", "passwort", "mot de passe", "contraseña", "clave", "senha", "palavra-passe", "wachtwoord", "hasło", "hasła", "парол", "şifre", "parola", "lösenord", "adgangskode", "passord", "salasana", "heslo", "密码", "密碼", "パスワード", "비밀번호", "كلمة المرور", "كلمة السر", "पासवर्ड", "סיסמה", "סיסמא"}
}

// accountWords say what a link that confirms something confirms.
func accountWords() []string {
	return []string{"address", "e-mail", "email", "account", "registration", "membership", "konto", "adresse", "registrierung", "compte", "inscription", "correo", "cuenta", "dirección", "registro", "conta", "endereço", "cadastro", "indirizzo", "registrazione", "adres", "rejestrac",
		"почт", "адрес", "аккаунт", "регистрац", "пошт", "hesab", "e-posta", "üyelik", "adress", "邮箱", "账户", "账号", "帐号", "注册", "メール", "アカウント", "登録", "이메일", "계정", "가입", "البريد", "حساب", "ईमेल", "खाते", "खाता", "אימייל", "חשבון"}
}

// Indexes of the lists that are asked for one at a time.
var (
	passwordIndex = sync.OnceValue(func() *wordIndex { return newWordIndex(passwordWords()) })
	cueIndex      = sync.OnceValue(func() *wordIndex { return newWordIndex(slices.Concat(thingWords(), signInWords())) })
	accountIndex  = sync.OnceValue(func() *wordIndex { return newWordIndex(accountWords()) })
)
