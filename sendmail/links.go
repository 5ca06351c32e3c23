package sendmail

import (
	"cmp"
	"strings"

	"mailgap/confirm"
	"mailgap/sanitize"
)

// maxPreviewLinks bounds the list of a preview. Limit: some ten thousand characters.
const maxPreviewLinks = 100

// messageLinks are the places a message leads to.
type messageLinks struct {
	list    []sanitize.Link // of the HTML part, then those that the text alone has, each once
	further int             // of the text, beyond what package sanitize lists
}

// links reads them from the frozen octets.
func (p *prepared) links() messageLinks {
	var m messageLinks
	seen := map[string]bool{}
	add := func(l sanitize.Link) {
		target := l.Target.String()
		key := target
		if misleads(l) { // under each of its names
			key += "\n" + l.Text.String()
		}
		if seen[key] || l.Unverified {
			return
		}
		seen[key], seen[target] = true, true
		m.list = append(m.list, l)
	}
	if p.part != nil {
		for _, l := range p.part.seen.Links {
			add(l)
		}
	}
	text := sanitize.ForModel(p.message.Facts.Text, sanitize.Options{MaxChars: -1, RevealSecrets: true})
	for _, l := range text.Links {
		add(l)
	}
	if n := len(text.Links); n > 0 {
		m.further = max(0, strings.Count(text.Text.String(), "⟦link ")-n)
	}
	return m
}

// misleads reports a link that its reader may take for another.
func misleads(l sanitize.Link) bool { return l.Mismatch || l.Confusable || l.Userinfo }

// shownFor is what a reader sees in place of the target.
func shownFor(l sanitize.Link) sanitize.Clean { return cmp.Or(l.Text, l.UnicodeHost, l.Target) }

// asked is the list for the question, in exact spelling: a person has to be able to compare it, and package confirm makes visible
// what would act.
func (m messageLinks) asked() []confirm.Link {
	var out []confirm.Link
	for _, l := range m.list {
		out = append(out, confirm.Link{Host: fanged(l.Host), Target: fanged(l.Target), Text: fanged(l.Text), Misleads: misleads(l)})
		if last := &out[len(out)-1]; last.Misleads {
			last.Text = fanged(shownFor(l))
		}
	}
	return out
}

// notes say first what the list says in full.
func (m messageLinks) notes(add func(confirm.Level, confirm.Sentence, ...string)) {
	var wrong []string
	for _, l := range m.list {
		if misleads(l) && len(wrong) < 20 {
			wrong = append(wrong, sanitize.Sprintf("%s leads to %s", shownFor(l), l.Host).String())
		}
	}
	if len(wrong) > 0 {
		add(confirm.LevelElevated, confirm.Say("Links show another site than they lead to, or imitate one:"), wrong...)
	}
}

// fanged undoes what sanitize.Defang did.
func fanged(c sanitize.Clean) string {
	s := strings.NewReplacer("[:]", ":", "[.]", ".", "[at]", "@", "[localhost]", "localhost").Replace(c.String())
	if rest, ok := strings.CutPrefix(s, "hxxp"); ok {
		return "http" + rest
	}
	return s
}

// preview are the links for the caller, and how many are left out.
func (m messageLinks) preview() ([]sanitize.Link, int) {
	n := min(len(m.list), maxPreviewLinks)
	return m.list[:n], len(m.list) - n + m.further
}

// linkLine is one link in the text of a preview.
func linkLine(l sanitize.Link) sanitize.Clean {
	host := cmp.Or(l.Host, sanitize.Literal("no host"))
	if misleads(l) {
		return sanitize.Sprintf("Link that shows another site or imitates one: %s, leads to %s – %s", shownFor(l), host, l.Target)
	}
	return sanitize.Sprintf("Link: %s – %s", host, l.Target)
}
