package confirm

import (
	"slices"
	"strings"
	"unicode/utf8"
)

// noHost stands where a target has no host. A host cannot read like it: its blanks are made visible.
const noHost = "(no host)"

// links lists where the message leads, those that mislead first. What is left out of the list or of a line is counted.
func (w *writer) links(all []Link, further int) {
	if len(all)+further == 0 {
		return
	}
	list := append(linksThat(all, true), linksThat(all, false)...)
	list = list[:min(len(list), maxLinks)]
	misleading, plain := linksThat(list, true), linksThat(list, false)
	hidden := 0
	if len(misleading) > 0 {
		w.say("CAUTION: Links that show their reader another site, or imitate one. Each is two lines: what its reader sees, then host – target:")
		for _, l := range misleading {
			hidden += w.start(l.Text)
			hidden += w.link(l)
		}
		w.say("")
	}
	if len(plain) > 0 {
		w.say("Links: host – target, each on a line:")
		for _, l := range plain {
			hidden += w.link(l)
		}
		w.say("")
	}
	if hidden > 0 {
		w.say("%d characters of these links are NOT shown; [cut] says where.", hidden)
	}
	if more := len(all) - len(list) + further; more > 0 {
		w.say("%d further links are NOT shown.", more)
	}
	w.say("%s in all.", count(len(all)+further, "link"))
	w.say("")
}

// linksThat are those that mislead, or all the others.
func linksThat(all []Link, mislead bool) []Link {
	return slices.DeleteFunc(slices.Clone(all), func(l Link) bool { return l.Misleads != mislead })
}

// link writes one link on one line and returns how many characters of its target it left out. The first " – " is ours: a host
// with blanks shows them as marks.
func (w *writer) link(l Link) (hidden int) {
	host := noHost
	if l.Host != "" {
		parts := strings.Split(l.Host, " ")
		for i := range parts {
			parts[i] = visible(parts[i])
		}
		host = strings.Join(parts, "[U+0020]")
	}
	target, hidden := headOf(l.Target)
	w.written(host + " – " + target)
	return hidden
}

// start writes the start of a value on one line and returns how many characters it left out.
func (w *writer) start(v string) (hidden int) {
	head, hidden := headOf(v)
	w.written(head)
	return hidden
}

// headOf makes the start of v visible and counts the characters after it.
func headOf(v string) (head string, hidden int) {
	n := 0
	for at := range v {
		if n == maxTargetChars {
			return visible(v[:at]) + cutMark, utf8.RuneCountInString(v[at:])
		}
		n++
	}
	return visible(v), 0
}
