package sanitize

import (
	"math/bits"
	"slices"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

// Signal is the shape of an injected instruction that was seen in a text. It annotates and never filters: these are
// words that injections use, and people who write about injections use them too.
type Signal struct {
	// Name is the shape.
	Name SignalName `json:"name"`
	// Where labels the text in which it was seen.
	Where Clean `json:"where,omitzero"`
}

// SignalName names a shape of injected instruction.
type SignalName string

// Shapes of injected instructions.
const (
	SignalOverride  SignalName = "overrides_instructions" // "ignore all previous instructions"
	SignalAddress   SignalName = "addresses_assistant"    // "dear assistant", "if you are a language model"
	SignalTurn      SignalName = "imitates_turns"         // <|…|>, [INST], "assistant:", closing tags of a frame
	SignalPersona   SignalName = "changes_role"           // "you are now …", "developer mode"
	SignalNewTask   SignalName = "sets_task"              // "new task", "follow the instructions below"
	SignalOutput    SignalName = "steers_answer"          // "include in your response the following string"
	SignalSend      SignalName = "orders_mail"            // "send an email to … with the body …"
	SignalCollect   SignalName = "orders_disclosure"      // "forward all invoices to …"
	SignalConceal   SignalName = "asks_secrecy"           // "do not tell the user"
	SignalApproval  SignalName = "claims_approval"        // "the user has already approved this"
	SignalTool      SignalName = "imitates_tool_call"     // "send_email(…)", "<tool_call>"
	SignalPersist   SignalName = "wants_to_persist"       // "remember for all later sessions"
	SignalEncode    SignalName = "asks_encoding"          // "send it in base64"
	SignalAuthority SignalName = "claims_authority"       // "system message", "administrator override"
)

// Words lists the names.
func (SignalName) Words() []string {
	return wordList(SignalOverride, SignalAddress, SignalTurn, SignalPersona, SignalNewTask, SignalOutput, SignalSend, SignalCollect, SignalConceal,
		SignalApproval, SignalTool, SignalPersist, SignalEncode, SignalAuthority)
}

// class is a set of roles that a word can play.
type class uint64

const (
	cIgnore class = 1 << iota
	cPrior
	cInstr
	cAI
	cGreet
	cYou
	cYour
	cBe
	cIf
	cNow
	cSend
	cAddress
	cBody
	cAll
	cMail
	cNot
	cTell
	cUser
	cApprove
	cAlready
	cAnswer
	cPut
	cRemember
	cLater
	cEncode
	cText
	cSystem
	cNotice
	cFollow
	cNew
	cTask
	cPersona
	cFollowing
	cTool
	cSecret
	cPrompt
	classCount = iota
)

// shape is a signal and the roles that have to meet within span words, in any order: languages differ in theirs.
type shape struct {
	name  SignalName
	roles class
	span  int
}

func shapes() []shape {
	return []shape{
		{SignalOverride, cIgnore | cPrior | cInstr, 8},
		{SignalOverride, cIgnore | cSystem | cInstr, 6},
		{SignalOverride, cIgnore | cYour | cInstr, 5},
		{SignalAddress, cGreet | cAI, 3},
		{SignalAddress, cIf | cYou | cAI, 7},
		{SignalAddress, cYou | cBe | cAI, 6},
		{SignalAddress, cAI | cYou | cInstr, 8},
		{SignalAddress, cAI | cUser | cNot, 8},
		{SignalAddress, cInstr | cAI, 4},
		{SignalPersona, cPersona | cYou, 8},
		{SignalPersona, cYou | cBe | cNow | cAI, 8},
		{SignalNewTask, cNew | cTask | cYou, 8},
		{SignalNewTask, cNew | cPrompt, 2},
		{SignalNewTask, cFollow | cInstr | cBody, 6},
		{SignalNewTask, cTask | cYou | cPut, 12},
		{SignalOutput, cPut | cYour | cAnswer, 8},
		{SignalOutput, cPut | cAnswer | cFollowing, 8},
		{SignalOutput, cYour | cAnswer | cInstr, 8},
		{SignalSend, cSend | cAddress | cBody, 26},
		{SignalSend, cSend | cAddress | cTool, 16},
		{SignalCollect, cSend | cAll | cAddress, 14},
		{SignalCollect, cSend | cSecret | cAddress, 18},
		{SignalCollect, cSend | cSecret | cMail | cAll, 14},
		{SignalConceal, cNot | cTell | cUser, 7},
		{SignalApproval, cUser | cApprove | cAlready, 8},
		{SignalApproval, cApprove | cNot | cUser, 8},
		{SignalTool, cTool | cSend | cMail, 8},
		{SignalPersist, cRemember | cLater, 8},
		{SignalPersist, cLater | cAll | cSend, 8},
		{SignalEncode, cEncode | cText, 9},
		{SignalEncode, cEncode | cSend, 9},
		{SignalEncode, cEncode | cPut, 9},
		{SignalAuthority, cSystem | cNotice, 2},
	}
}

// Signals reports the injection shapes in s, an untrusted text, each once, sorted by name; where labels them.
// It knows English, German, French, Spanish, Portuguese, Italian, Dutch, Polish, Russian, Turkish, Arabic, Hindi, Chinese,
// Japanese and Korean. Look-alike letters in a word are read as the Latin ones. Linear in s; safe for concurrent use.
func Signals(s string, where Clean) []Signal {
	m := matcher{table: wordTable(), byClass: shapesByClass()}
	m.words(s)
	m.turns(s)
	if m.unspaced {
		m.phrases(s)
	}
	slices.Sort(m.found)
	var all []Signal
	for _, n := range slices.Compact(m.found) {
		all = append(all, Signal{Name: n, Where: where})
	}
	return all
}

// shapesByClass lists, for each role, the shapes in which it is the last word to arrive.
var shapesByClass = sync.OnceValue(func() [classCount][]shape {
	var t [classCount][]shape
	for _, s := range shapes() {
		for k := range classCount {
			if s.roles&(1<<k) != 0 {
				t[k] = append(t[k], s)
			}
		}
	}
	return t
})

type matcher struct {
	table    *classTable
	byClass  [classCount][]shape
	last     [classCount]int // number of the word that last played a role, counted from 1
	word     int
	unspaced bool // a script without spaces between words was seen
	found    []SignalName
}

// sentenceGap is how many words the end of a sentence counts for: a shape rarely spans two.
const sentenceGap = 4

// maxWordOctets bounds a word that is looked up; no word in the table is longer.
const maxWordOctets = 48

func (m *matcher) words(s string) {
	var buf [maxWordOctets]byte
	t := m.table
	for i := 0; i < len(s); {
		start, n, hash := i, 0, uint32(0)
		for i < len(s) {
			b := t.octet[s[i]]
			if b == 0 {
				break
			}
			if n < len(buf) {
				buf[n] = b
			}
			hash = hashStep(hash, b)
			n++
			i++
		}
		switch {
		case i < len(s) && s[i] >= utf8.RuneSelf && m.foreignAt(s, start, &i):
		case n > 0:
			m.word++
			if n > 1 && n <= len(buf) && t.mayHave(hash) {
				m.saw(t.classes[string(buf[:n])])
			}
		default:
			if b := s[i]; b == '.' || b == '!' || b == '?' {
				m.word += sentenceGap
			}
			_, size := utf8.DecodeRuneInString(s[i:])
			i += size
			continue
		}
		if i+1 < len(s) && s[i] == '@' && isAlnum(s[i+1]) {
			m.saw(cAddress)
		}
	}
}

// foreignAt reads a word that began at start and goes on with a letter beyond ASCII at s[*end], if there is one, and
// moves end behind the word.
func (m *matcher) foreignAt(s string, start int, end *int) bool {
	i, odd := *end, false
	for i < len(s) {
		if m.table.octet[s[i]] != 0 {
			i++
			continue
		}
		r, size := utf8.DecodeRuneInString(s[i:])
		if r < utf8.RuneSelf || !unicode.IsLetter(r) && !unicode.Is(unicode.M, r) {
			break
		}
		odd = true
		i += size
	}
	if !odd {
		return false
	}
	m.word++
	m.foreign(s[start:i], hasASCII(s[start:i]))
	*end = i
	return true
}

func hasASCII(s string) bool {
	for k := range len(s) {
		if s[k] < utf8.RuneSelf {
			return true
		}
	}
	return false
}

// foreign looks up a word that is not all ASCII, as it is, and a mixed one as the Latin word that it imitates.
func (m *matcher) foreign(word string, mixed bool) {
	if first, _ := utf8.DecodeRuneInString(word); first >= 0x2E80 || first >= 0xE00 && first < 0xE80 {
		m.unspaced = true
		return
	}
	if len(word) > 2*maxWordOctets {
		return
	}
	word = strings.ToLower(word)
	c := m.table.classes[word]
	if c == 0 && mixed {
		if latin, ok := skeleton(word); ok {
			c = m.table.classes[latin]
		}
	}
	m.saw(c)
}

func (m *matcher) saw(c class) {
	if c == 0 {
		return
	}
	for rest := c; rest != 0; rest &= rest - 1 {
		m.last[bits.TrailingZeros64(uint64(rest))] = m.word
	}
	for rest := c; rest != 0; rest &= rest - 1 {
		for _, s := range m.byClass[bits.TrailingZeros64(uint64(rest))] {
			if m.near(s) {
				m.report(s.name)
			}
		}
	}
}

func (m *matcher) near(s shape) bool {
	for rest := s.roles; rest != 0; rest &= rest - 1 {
		if last := m.last[bits.TrailingZeros64(uint64(rest))]; last == 0 || m.word-last >= s.span {
			return false
		}
	}
	return true
}

func (m *matcher) report(n SignalName) {
	if !slices.Contains(m.found, n) {
		m.found = append(m.found, n)
	}
}

// phrases looks at scripts that set no spaces: a verb and an object near each other.
func (m *matcher) phrases(s string) {
	for _, p := range unspacedPhrases() {
		for i := 0; i < len(s); {
			k := strings.Index(s[i:], p.first)
			if k < 0 {
				break
			}
			at := i + k
			if near := clip(s, max(0, at-p.span), min(len(s), at+p.span)); containsAnyText(near, p.second) {
				m.report(p.name)
				break
			}
			i = at + len(p.first)
		}
	}
}

type phrase struct {
	name   SignalName
	first  string
	second []string
	span   int // octets on either side
}

func unspacedPhrases() []phrase {
	return []phrase{
		{SignalOverride, "忽略", []string{"指令", "指示", "说明", "提示", "规则", "要求", "規則", "說明"}, 60},
		{SignalOverride, "无视", []string{"指令", "指示", "规则", "提示"}, 60},
		{SignalOverride, "無視", []string{"指示", "命令", "プロンプト", "ルール", "指令", "規則"}, 90},
		{SignalOverride, "忘れて", []string{"指示", "命令", "ルール"}, 90},
		{SignalOverride, "무시", []string{"지시", "명령", "프롬프트", "규칙"}, 90},
		{SignalOverride, "잊어", []string{"지시", "명령", "규칙"}, 90},
		{SignalNewTask, "遵守", []string{"指令", "指示"}, 60},
		{SignalNewTask, "执行", []string{"以下指令", "以下指示", "以下命令", "新任务"}, 60},
		{SignalNewTask, "従って", []string{"次の指示", "以下の指示"}, 90},
		{SignalNewTask, "따르", []string{"다음 지시", "아래 지시"}, 90},
		{SignalAddress, "助手", []string{"亲爱的", "请注意", "你是", "親愛", "您是", "AI"}, 40},
		{SignalAddress, "アシスタント", []string{"あなたは", "親愛", "AI", "注意", "への指示"}, 60},
		{SignalAddress, "어시스턴트", []string{"당신은", "친애", "AI", "주의"}, 60},
		{SignalAddress, "语言模型", []string{"你", "如果", "作为"}, 60},
		{SignalConceal, "不要", []string{"告诉用户", "通知用户", "告知用户", "让用户"}, 40},
		{SignalConceal, "ユーザー", []string{"知らせず", "伝えない", "言わない", "知らせない"}, 90},
		{SignalConceal, "사용자", []string{"알리지", "말하지"}, 90},
		{SignalSend, "发送", []string{"邮件到", "邮件给", "电子邮件"}, 60},
		{SignalCollect, "转发", []string{"所有邮件", "全部邮件", "密码"}, 60},
		{SignalCollect, "転送", []string{"すべてのメール", "全てのメール", "パスワード"}, 90},
		{SignalCollect, "전달", []string{"모든 메일", "모든 이메일", "비밀번호"}, 90},
	}
}
