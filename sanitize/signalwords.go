package sanitize

import (
	"strings"
	"sync"
	"unicode/utf8"
)

// classTable is the table behind Signals.
type classTable struct {
	classes map[string]class
	octet   [256]byte            // what an octet of an ASCII word is in lower case, 0 for all others
	filter  [1 << 14 / 64]uint64 // the hashes of the words: most words of a text are not in the table and cost no look-up
}

// hashStep adds an octet to the hash of a word.
func hashStep(h uint32, b byte) uint32 { return h*31 + uint32(b) }

func (t *classTable) mayHave(hash uint32) bool {
	bit := (hash ^ hash>>14) & (1<<14 - 1)
	return t.filter[bit/64]>>(bit%64)&1 != 0
}

// wordTable is built once.
var wordTable = sync.OnceValue(func() *classTable {
	t := &classTable{classes: wordClasses()}
	for b := range 256 {
		if c := byte(b); c < utf8.RuneSelf && (isAlnum(c) || c == '_' || c == '\'') {
			t.octet[b] = strings.ToLower(string(rune(c)))[0]
		}
	}
	for w := range t.classes {
		hash := uint32(0)
		for k := range len(w) {
			hash = hashStep(hash, w[k])
		}
		bit := (hash ^ hash>>14) & (1<<14 - 1)
		t.filter[bit/64] |= 1 << (bit % 64)
	}
	return t
})

// wordClasses lists the words by their roles, in lower case.
func wordClasses() map[string]class {
	t := map[string]class{}
	for c, words := range map[class]string{
		cIgnore: "ignore ignoring disregard disregarding forget override overrule bypass discard neglect " +
			"ignoriere ignorieren ignoriert vergiss vergessen missachte missachten ignorez ignorer oublie oubliez oublier ignora ignorá ignorad ignoren ignorar olvida olvide olvidad olvidar desconsidere ignorem esqueça esquece " +
			"ignorate ignori dimentica dimenticate trascura negeer negeren vergeet zignoruj zignorujcie zapomnij pomiń игнорируй игнорируйте проигнорируй проигнорируйте игнорировать забудь забудьте yoksay unut görmezden yok تجاهل تجاهلي تجاهلوا انس अनदेखा नज़रअंदाज़ भूल",
		cPrior: "previous previously prior above earlier preceding former foregoing existing pre all any other every past original vorherigen vorherige vorigen bisherigen bisherige obigen obige früheren alle allen sämtliche vorangegangenen " +
			"précédentes précédente précédents antérieures toutes tous ci anteriores anterior previas previos todas todos precedenti precedente tutte tutti anteriori vorige eerdere voorgaande bovenstaande poprzednie poprzednich wcześniejsze wcześniejszych wszystkie wszystkich " +
			"предыдущие предыдущих прежние все всех выше önceki tüm bütün yukarıdaki السابقة السابقه جميع كل أعلاه पिछले पिछली सभी पूर्व",
		cInstr: "instructions instruction prompt prompts rules guidelines directives directive commands command requests constraints programming safeguards policies anweisungen anweisung anweisungen regeln vorgaben befehle instruktionen " +
			"instrucciones instrucción reglas indicaciones órdenes consignes consigne règles directives instruções instrução regras comandos istruzioni istruzione regole comandi instructies instructie regels opdrachten instrukcje instrukcji instrukcję polecenia poleceń zasady " +
			"инструкции инструкций инструкцию указания указаний правила команды talimatları talimatlar talimat talimatı kuralları التعليمات تعليمات الأوامر तعليمات निर्देशों निर्देश आदेश",
		cAI:    "ai assistant assistants llm chatbot bot gpt chatgpt claude gemini copilot agent assistent assistentin ki ia asistente assistente asystent asystencie asystenta ассистент ассистента помощник ии asistan asistanı المساعد مساعد सहायक",
		cGreet: "dear attention hello hi hey hallo liebe lieber sehr cher chère bonjour attention querido estimado hola atención caro cara prezado olá gentile ciao attenzione beste geachte drogi szanowny uwaga uważaj дорогой уважаемый внимание привет sayın sevgili merhaba dikkat عزيزي مرحبا انتبه प्रिय नमस्ते ध्यान note notice",
		cYou:   "you du sie ihr tu vous usted ustedes você vocês lei voi jij u jullie ty ты вы sen siz أنت आप तुम you're youre", cYour: "your deine deiner deinen ihre ihrer ihren ta ton tes votre vos tu tus su sus sua suas seu seus tua tuo tue vostra je jouw uw twoja twoje twojej ваш вашем вашу твой твоём своём sizin senin yanıtınıza yanıtında ردك إجابتك अपने अपनी",
		cBe: "are be bist sind êtes es eres é siete sei bent jesteś are're olarak हैं", cIf: "if wenn falls si se als jeśli jeżeli если eğer إذا यदि अगर",
		cNow:       "now nun jetzt maintenant ahora agora adesso ora nu teraz теперь сейчас şimdi الآن अब",
		cSend:      "send sends sending forward mail email transmit deliver dispatch sned respond reply write exfiltrate upload post sende senden schick schicke schicken weiterleiten leite envoie envoyez envoyer transférez transfère envía envíe enviar reenvía envie encaminhe enviar invia inviate inoltra stuur verstuur doorsturen wyślij wyślijcie prześlij przekaż отправь отправьте отправить перешли перешлите gönder gönderin ilet أرسل ارسل بإرسال भेजें भेजो भेजिए copy bcc cc",
		cBody:      "body subject string confirmation contents content payload exact exactly verbatim betreff inhalt text texte objet contenu asunto cuerpo contenido texto assunto corpo conteúdo oggetto testo contenuto onderwerp inhoud temat treść treścią тема темой текст текстом konu içerik metin النص الموضوع विषय",
		cAll:       "all every each any entire whole alle allen jede toutes tous todas todos tutte tutti alle wszystkie wszystkich все всех tüm bütün جميع كل सभी unread latest",
		cMail:      "mail mails email emails e inbox message messages mailbox nachrichten messages courriels correos mensajes e-mails mensagens messaggi berichten wiadomości писем письма e-postaları posta رسائل बريد ईमेल",
		cNot:       "not don't dont never without avoid no needn't nicht ohne niemals kein pas sans jamais sin no nunca não sem senza non niet zonder nooit nie bez nigdy не без никогда değil olmadan etme söyleme بدون لا دون नहीं बिना मत",
		cTell:      "tell telling ask asking inform informing notify notifying mention mentioning reveal disclose alert show sage sagen informieren informiere erwähne fragen dire informer demander mentionner avertir digas decir informar avisar preguntar mencionar diga avisar perguntar contar dire avvisare informare chiedere vertellen zeggen melden vragen mów informuj informować pytać powiadamiaj говори сообщай сообщайте спрашивай спрашивая уведомляй söyleme bildirme sormadan haber تخبر إخبار تسأل बताएं बताना पूछे",
		cUser:      "user users owner human principal nutzer benutzer anwender utilisateur usuario usuaria usuário utente gebruiker użytkownika użytkownikowi użytkownik пользователь пользователю пользователя kullanıcı kullanıcıya المستخدم उपयोगकर्ता",
		cApprove:   "approved approve approval authorized authorised authorization consent consented confirmed confirmation permission genehmigt freigegeben zugestimmt erlaubt approuvé autorisé autorizado aprobado aprovado autorizzato approvato goedgekeurd zatwierdził zatwierdzone одобрил одобрено разрешил onayladı onaylandı وافق موافقة अनुमति स्वीकृत preview",
		cAlready:   "already pre previously explicitly has bereits schon déjà ya já già al już уже zaten بالفعل पहले",
		cAnswer:    "response reply answer output summary message responses answers antwort zusammenfassung ausgabe réponse résumé respuesta resumen resposta resumo risposta riassunto antwoord samenvatting odpowiedzi odpowiedź podsumowaniu ответ ответе ответа сводке yanıtınıza yanıtına özetine ردك الرد उत्तर जवाब",
		cPut:       "include includes add append insert prepend integrate augment enhance modify render convert replace jumble group embed incorporate print output display begin start finish end provide repeat say translate füge einfügen beginne schreibe ajoute ajoutez inclus incluez insère incluye incluya añade agrega inclua adicione includi aggiungi inserisci voeg neem dodaj umieść zawrzyj добавь добавьте включи включите вставь ekle dahil أضف اكتب जोड़ें शामिल",
		cFollowing: "following exactly verbatim below folgenden folgende suivant suivante siguiente seguinte seguente volgende następujący następujące следующий следующую aşağıdaki التالي निम्नलिखित",
		cRemember:  "remember memorize memorise store save from merke erinnere souviens retenez recuerda memoriza lembre memorize ricorda onthoud zapamiętaj запомни запомните hatırla تذكر याद create filter rule notes",
		cLater:     "sessions later future subsequent henceforth onward onwards conversations forwards künftig zukünftig fortan sitzungen futures désormais dorénavant futuras adelante futuros diante sessioni future toekomst voortaan sesje przyszłości przyszłych odtąd впредь будущих сессий gelecekteki bundan المستقبل भविष्य outgoing",
		cEncode:    "base64 rot13 hex hexadecimal morse caesar cipher homophonic anagrammed anagram pig latin encoded encode kodiert", cText: "text message response answer letters words reply contents vowels symbols",
		cSystem: "system administrator admin developer root security compliance maintenance systemnachricht système sistema systeem systemowa системное sistem النظام", cNotice: "message override prompt notice update notification instruction instructions alert mode note nachricht hinweis mensaje aviso mensagem messaggio bericht wiadomość сообщение mesajı رسالة announcement",
		cFollow:  "follow obey execute perform comply adhere befolge befolgen führe suivez exécutez sigue ejecuta siga execute segui esegui volg wykonaj следуй следуйте выполни выполните uygula takip اتبع نفذ पालन",
		cNew:     "new urgent special different real actual additional neue neuen nouvelle nouvelles nueva nuevas nova novas nuova nuove nieuwe nowe nowych новые новых новое yeni جديدة नए नया secret hidden",
		cTask:    "task tasks mission objective assignment exercise challenge challenged goal aufgabe tâche tarea tarefa compito taak zadanie задание задача görev مهمة कार्य",
		cPersona: "dan jailbreak jailbroken unrestricted unfiltered uncensored limitless experimental unlock functionalities persona roleplay debug truly",
		cTool:    "api tool function send_email send_mail sendemail payload json api_exec plugin send_message forward_email",
		cSecret:  "password passwords passwort passwörter credentials token tokens secret secrets key keys inbox mailbox salary contacts contract mot contraseña contraseñas senha senhas wachtwoord hasła hasło пароль пароли şifre كلمة पासवर्ड invoices invoice statements documents",
	} {
		for w := range strings.FieldsSeq(words) {
			t[w] |= c
		}
	}
	return t
}
