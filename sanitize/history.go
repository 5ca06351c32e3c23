package sanitize

import (
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"
)

// minFoldedLines is how many quoted lines in the middle of a text are folded: fewer are the question an answer is given to.
const minFoldedLines = 5

// foldHistory replaces earlier messages quoted in s by a note and returns how many characters that took away.
// Forwarded messages are what a message is about, so they stay; so does a text that is nothing but a quotation.
func foldHistory(s string) (string, int) {
	if !strings.Contains(s, "\n") {
		return s, 0
	}
	h := folder{lines: strings.SplitAfter(s, "\n")}
	for h.at < len(h.lines) {
		h.step()
	}
	if h.folded == 0 || !h.own {
		return s, 0
	}
	return h.out.String(), h.folded
}

type folder struct {
	lines  []string
	at     int
	out    strings.Builder
	own    bool // a line of the writer's own was seen
	folded int
}

func (h *folder) step() {
	line := h.lines[h.at]
	introduced := attribution(h.lines[h.at:])
	switch {
	case forwardMark(line):
		h.keep(len(h.lines) - h.at)
		h.own = true
	case h.own && (originalMark(line) || headerBlock(h.lines[h.at:])):
		h.fold(len(h.lines) - h.at)
	case h.own && introduced > 0:
		h.keep(introduced)
		if q := quoted(h.lines[h.at:]); q > 0 {
			h.fold(q)
		} else {
			h.fold(len(h.lines) - h.at)
		}
	case strings.HasPrefix(line, ">"):
		q := quoted(h.lines[h.at:])
		if h.own && (q >= minFoldedLines || blank(h.lines[h.at+q:])) {
			h.fold(q)
		} else {
			h.keep(q)
		}
	default:
		h.own = h.own || strings.TrimSpace(line) != "" && introduced == 0
		h.keep(1)
	}
}

func (h *folder) keep(n int) {
	for _, l := range h.lines[h.at : h.at+n] {
		h.out.WriteString(l)
	}
	h.at += n
}

func (h *folder) fold(n int) {
	chars := 0
	for _, l := range h.lines[h.at : h.at+n] {
		chars += utf8.RuneCountInString(l)
	}
	h.at += n
	if chars < 2*len(foldNote) && n < minFoldedLines {
		h.at -= n
		h.keep(n)
		return
	}
	h.folded += chars
	h.out.WriteString(foldNoteFor(chars))
	if h.at < len(h.lines) {
		h.out.WriteByte('\n')
	}
}

const foldNote = "[quoted history folded: "

func foldNoteFor(chars int) string { return foldNote + strconv.Itoa(chars) + " characters]" }

// quoted is how many lines at the start belong to one quotation: ">" lines, and blank lines between two of them.
func quoted(lines []string) int {
	n := 0
	for k, l := range lines {
		if strings.HasPrefix(l, ">") {
			n = k + 1
		} else if strings.TrimSpace(l) != "" {
			break
		}
	}
	return n
}

func blank(lines []string) bool {
	for _, l := range lines {
		if strings.TrimSpace(l) != "" {
			return false
		}
	}
	return true
}

// forwardMark reports the line that mail programs put above a forwarded message.
func forwardMark(line string) bool {
	if len(line) > 120 || len(line) < 8 {
		return false
	}
	l := strings.ToLower(strings.Trim(line, " \t\n-*_=>"))
	for _, m := range []string{"forwarded message", "begin forwarded message", "weitergeleitete nachricht", "anfang der weitergeleiteten", "message transféré", "début du message transféré", "mensaje reenviado",
		"inicio del mensaje reenviado", "mensagem encaminhada", "messaggio inoltrato", "inizio messaggio inoltrato", "doorgestuurd bericht", "wiadomość przekazana", "przekazana wiadomość", "пересылаемое сообщение",
		"пересланное сообщение", "转发的邮件", "转发邮件", "轉寄郵件", "転送されたメッセージ", "전달된 메시지", "yönlendirilen ileti", "vidarebefordrat meddelande", "رسالة معاد توجيهها"} {
		if strings.HasPrefix(l, m) {
			return true
		}
	}
	return false
}

// originalMark reports the line that Outlook and others put above the message that is answered.
func originalMark(line string) bool {
	if !strings.HasPrefix(line, "--") && !strings.HasPrefix(line, "__") {
		return false
	}
	l := strings.ToLower(strings.Trim(line, " \t\n-_"))
	switch l {
	case "original message", "original appointment", "ursprüngliche nachricht", "originalnachricht", "message d'origine", "message original", "mensaje original", "mensagem original", "messaggio originale",
		"oorspronkelijk bericht", "wiadomość oryginalna", "oryginalna wiadomość", "исходное сообщение", "оригинальное сообщение", "原始邮件", "原始郵件", "元のメッセージ", "원본 메시지", "özgün ileti", "ursprungligt meddelande":
		return true
	}
	return false
}

// headerBlock reports the header fields that Outlook writes above the message that is answered: a sender line, and a
// date and a subject within the next six lines.
func headerBlock(lines []string) bool {
	if !hasField(lines[0], "from:", "von:", "de:", "da:", "van:", "od:", "от:", "gönderen:", "kimden:", "från:", "发件人:", "寄件者:", "差出人:", "보낸 사람:", "من:", "प्रेषक:") {
		return false
	}
	date, subject := false, false
	for _, l := range lines[1:min(len(lines), 7)] {
		date = date || hasField(l, "sent:", "date:", "gesendet:", "datum:", "envoyé:", "enviado:", "enviado el:", "fecha:", "data:", "inviato:", "verzonden:", "wysłano:", "отправлено:", "дата:", "tarih:",
			"gönderildi:", "skickat:", "发送时间:", "日期:", "寄件日期:", "送信日時:", "日付:", "보낸 날짜:", "날짜:", "تاريخ:", "التاريخ:")
		subject = subject || hasField(l, "subject:", "betreff:", "objet:", "asunto:", "assunto:", "oggetto:", "onderwerp:", "temat:", "тема:", "konu:", "ämne:", "主题:", "主旨:", "件名:", "제목:", "الموضوع:")
	}
	return date && subject
}

// hasField reports a line that begins with one of names, a field name and its colon.
func hasField(line string, names ...string) bool {
	head := line[:min(len(line), 60)]
	end := strings.IndexByte(head, ':')
	if k := strings.Index(head, "："); k >= 0 && (end < 0 || k < end) {
		end = k
	}
	if end < 1 {
		return false
	}
	name := strings.ToLower(strings.Trim(head[:end], " \t*\u00a0")) + ":"
	return slices.Contains(names, name)
}

// attribution is how many lines at the start introduce a quotation ("On … wrote:"); mail programs break it over up to three.
func attribution(lines []string) int {
	joined := ""
	if !endsInColon(lines[:min(len(lines), 3)]) {
		return 0
	}
	for k, l := range lines[:min(len(lines), 3)] {
		l = strings.TrimSpace(l)
		if l == "" || strings.HasPrefix(l, ">") || len(joined) > 300 {
			return 0
		}
		joined += " " + l
		if strings.HasSuffix(l, ":") || strings.HasSuffix(l, "：") {
			if introduces(strings.ToLower(strings.TrimSpace(joined))) {
				return k + 1
			}
			return 0
		}
	}
	return 0
}

func endsInColon(lines []string) bool {
	for _, l := range lines {
		if l = strings.TrimRight(l, " \n"); strings.HasSuffix(l, ":") || strings.HasSuffix(l, "：") {
			return true
		}
	}
	return false
}

// introduces reports a sentence that says who wrote what follows, and when: a day or an address must be in it.
func introduces(l string) bool {
	if !strings.ContainsAny(l, "0123456789@") {
		return false
	}
	for _, p := range [][2]string{{"on ", "wrote"}, {"am ", "schrieb"}, {"le ", "a écrit"}, {"el ", "escribió"}, {"il ", "ha scritto"}, {"em ", "escreveu"}, {"a ", "escreveu"}, {"op ", "schreef"}, {"w dniu ", "napisał"},
		{"dnia ", "napisał"}, {"den ", "skrev"}, {"", "wrote:"}, {"", "schrieb:"}, {"", "a écrit :"}, {"", "escribió:"}, {"", "ha scritto:"}, {"", "escreveu:"}, {"", "schreef:"}, {"", "napisał(a):"}, {"", "написал"}, {"", "пишет"},
		{"", "yazdı:"}, {"", "写道"}, {"", "寫道"}, {"", "のメール"}, {"", "書きました"}, {"", "작성:"}, {"", "님이"}, {"", "كتب"}, {"", "ने लिखा"}} {
		if strings.HasPrefix(l, p[0]) && strings.Contains(l, p[1]) {
			return true
		}
	}
	return false
}
