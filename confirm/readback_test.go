package confirm

import (
	"encoding/hex"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// readBack reads a rendered question as a careful person would: a line that begins with > is a value, every other line is the
// program's. It fails t if a line of the program is not one of those it can write.
func readBack(t testing.TB, text string) Question {
	t.Helper()
	p := &parser{t: t, lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")}
	return p.question()
}

type parser struct {
	t     testing.TB
	lines []string
}

var (
	purposeLine    = regexp.MustCompile(`^(Send this e-mail\?|Send this reply\?|Forward this message\?) It leaves at once and cannot be taken back\.$`)
	noteLine       = regexp.MustCompile(`^(Note|CAUTION|WARNING): (.*)$`)
	recipientLine  = regexp.MustCompile(`^(To|Cc|Bcc \(hidden from the others\)) (\d+)/(\d+), (written by the AI assistant|taken from the message that is answered|added by the operator's configuration), (allowed by its exact address|allowed because every address at its domain is|allowed because every address is|not subject to the list of allowed addresses):$`)
	blockLine      = regexp.MustCompile(`^(Text, written by the AI assistant|Quoted original, handed over by the AI assistant|Signature, set by the operator|The HTML part as its reader sees it, written by the AI assistant), (\d+) characters? in (\d+) lines?, all shown:$`)
	cutLine        = regexp.MustCompile(`^(Text), written by the AI assistant, (\d+) characters? in (\d+) lines?, of which (\d+) in the middle are NOT shown. Its beginning:$`)
	cutMiddle      = regexp.MustCompile(`^\d+ characters are NOT shown here. The end:$`)
	countLine      = regexp.MustCompile(`^\d+ recipients?: \d+ To, \d+ Cc, \d+ Bcc\.$`)
	htmlLine       = regexp.MustCompile(`^There is an HTML part of (\d+) bytes; most readers see it instead of the text\.$`)
	removedCut     = regexp.MustCompile(`^\d+ characters of what was removed are NOT shown\.$`)
	removalLine    = regexp.MustCompile(`^Removed from the HTML part (\d+)/(\d+): (.*)$`)
	linkCount      = regexp.MustCompile(`^\d+ links? in all\.$|^\d+ characters of these links are NOT shown; \[cut\] says where\.$|^\d+ further links are NOT shown\.$`)
	attachmentLine = regexp.MustCompile(`^(?:Attachment|(Inline image)) (\d+/\d+)(?:, shown inside the HTML part)?, (\d+) bytes, SHA-256 ([0-9a-f]{64}), with this name and type:$`)
)

// values reads the values that follow, with pieces joined and marks undone.
func (p *parser) values() []string {
	vs := p.marked()
	for i := range vs {
		vs[i] = unseen(vs[i])
	}
	return vs
}

// marked is values with the marks as they are shown.
func (p *parser) marked() []string {
	var vs []string
	for len(p.lines) > 0 && strings.HasPrefix(p.lines[0], ">") {
		l := p.lines[0]
		p.lines = p.lines[1:]
		if more, ok := strings.CutPrefix(l, ">> "); ok && len(vs) > 0 {
			vs[len(vs)-1] += more
		} else if v, ok := strings.CutPrefix(l, "> "); ok {
			vs = append(vs, v)
		} else {
			p.t.Errorf("value line %q: want one of the two prefixes", l)
		}
	}
	if len(p.lines) > 0 {
		if p.lines[0] != "" {
			p.t.Errorf("after values: got %q, want a blank line", p.lines[0])
		}
		p.lines = p.lines[1:]
	}
	return vs
}

func (p *parser) one() string {
	vs := p.values()
	if len(vs) != 1 {
		p.t.Errorf("values: got %q, want one", vs)
		return ""
	}
	return vs[0]
}

func (p *parser) question() (q Question) {
	var lastTo *[]Recipient
	for first := true; len(p.lines) > 0; first = false {
		l := p.lines[0]
		p.lines = p.lines[1:]
		if first && !purposeLine.MatchString(l) {
			p.t.Errorf("first line: got %q", l)
		}
		switch {
		case first || l == "" || strings.HasPrefix(l, "Lines that begin with > show what others wrote;") || l == "End of the message. Nothing is sent unless you choose to.":
		case l == "From, set by the operator:":
			q.From = p.one()
		case l == "Subject, written by the AI assistant:":
			q.Subject = p.one()
		case l == "The same address as the network sees it:":
			(*lastTo)[len(*lastTo)-1].ASCII = p.one()
		case l == "Text, written by the AI assistant: none":
		case l == "The HTML part as its reader sees it, written by the AI assistant: none":
		case strings.HasPrefix(l, "CAUTION: Links that show"):
			vs := p.marked()
			for i := 0; i+1 < len(vs); i += 2 {
				q.Links = append(q.Links, p.link(vs[i+1], vs[i], true))
			}
		case l == "Links: host – target, each on a line:":
			for _, v := range p.marked() {
				q.Links = append(q.Links, p.link(v, "", false))
			}
		case noteLine.MatchString(l):
			m := noteLine.FindStringSubmatch(l)
			q.Notes = append(q.Notes, Note{Level: map[string]Level{"Note": LevelNormal, "CAUTION": LevelElevated, "WARNING": LevelSevere}[m[1]], Text: Sentence{m[2]}, Values: p.values()})
		case recipientLine.MatchString(l):
			lastTo = p.recipient(&q, recipientLine.FindStringSubmatch(l))
		case blockLine.MatchString(l):
			p.block(&q, blockLine.FindStringSubmatch(l))
		case cutLine.MatchString(l):
			q.Text += strings.Join(p.values(), "\n")
		case cutMiddle.MatchString(l):
			q.Text += "…" + strings.Join(p.values(), "\n")
		case removedCut.MatchString(l), countLine.MatchString(l):
		case htmlLine.MatchString(l):
			q.HTML = &HTML{}
			q.HTML.Octets, _ = strconv.Atoi(htmlLine.FindStringSubmatch(l)[1])
		case removalLine.MatchString(l):
			r := Removal{What: Sentence{removalLine.FindStringSubmatch(l)[3]}}
			if vs := p.values(); len(vs) > 0 {
				r.Detail = vs[0]
			}
			q.HTML.Removals = append(q.HTML.Removals, r)
		case attachmentLine.MatchString(l):
			m := attachmentLine.FindStringSubmatch(l)
			a := Attachment{}
			a.Octets, _ = strconv.ParseInt(m[3], 10, 64)
			sum, _ := hex.DecodeString(m[4])
			copy(a.SHA256[:], sum)
			if vs := p.values(); len(vs) == 2 {
				a.Name, a.MediaType = vs[0], vs[1]
			} else {
				p.t.Errorf("attachment: got %q, want name and type", vs)
			}
			a.Inline = m[1] != ""
			q.Attachments = append(q.Attachments, a)
		case linkCount.MatchString(l):
		default:
			p.t.Errorf("a line that the program cannot have written: %q", l)
		}
	}
	return q
}

func (p *parser) link(line, text string, misleads bool) Link {
	host, target, ok := strings.Cut(line, " – ")
	if !ok {
		p.t.Errorf("link %q: want a host and a target", line)
	}
	if host == noHost {
		host = ""
	}
	return Link{Host: unseen(host), Target: unseen(target), Text: unseen(text), Misleads: misleads}
}

func (p *parser) recipient(q *Question, m []string) *[]Recipient {
	to := map[string]*[]Recipient{"To": &q.To, "Cc": &q.Cc}[m[1]]
	if to == nil {
		to = &q.Bcc
	}
	r := Recipient{Address: p.one()}
	for _, o := range []Origin{OriginCaller, OriginParent, OriginOperator} {
		if o.words() == m[4] {
			r.Origin = o
		}
	}
	for _, rule := range []Rule{RuleAny, RuleDomain, RuleExact, RuleNone} {
		if rule.words() == m[5] {
			r.Rule = rule
		}
	}
	*to = append(*to, r)
	if m[2] != fmt.Sprint(len(*to)) {
		p.t.Errorf("recipient number: got %s, want %d", m[2], len(*to))
	}
	return to
}

func (p *parser) block(q *Question, m []string) {
	vs := p.values()
	if m[3] != fmt.Sprint(len(vs)) {
		p.t.Errorf("%s: said to have %s lines, shows %d", m[1], m[3], len(vs))
	}
	text := strings.Join(vs, "\n")
	switch m[1][:4] {
	case "Text":
		q.Text = text
	case "Quot":
		q.Quote = text
	case "Sign":
		q.Signature = text
	default:
		q.HTML.AsRead = text
	}
}

var mark = regexp.MustCompile(`\[(?:U\+([0-9A-F]{4,6})(?: x([0-9]+))?|0x([0-9A-F]{2}))\]`)

// unseen undoes visible.
func unseen(s string) string {
	return mark.ReplaceAllStringFunc(s, func(m string) string {
		parts := mark.FindStringSubmatch(m)
		if parts[3] != "" {
			n, _ := strconv.ParseUint(parts[3], 16, 8)
			return string([]byte{byte(n)})
		}
		n, _ := strconv.ParseInt(parts[1], 16, 32)
		times := 1
		if parts[2] != "" {
			times, _ = strconv.Atoi(parts[2])
		}
		return strings.Repeat(string(rune(n)), times)
	})
}
