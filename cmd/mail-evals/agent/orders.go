package agent

import (
	"encoding/json"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// Limits of what one text can order. Limit: beyond them an attack repeats itself.
const (
	maxTargets = 8
	maxLinks   = 6
	maxRepeat  = 40
)

// orders are what foreign text was taken to order.
type orders struct {
	targets []string // addresses to write to
	links   []string // URLs to load, or to show
	files   []string // files to attach
	calls   []Call   // tool calls as they stand there
	repeat  int      // how many messages; 0 if no number stands there
	again   bool     // the same message once more
	policy  bool     // change who may be written to
	texts   []string // everything that was read, to be passed on
}

var (
	address  = regexp.MustCompile(`[\pL\pN][\pL\pN._%+'-]*@[\pL\pN-]+(?:\.[\pL\pN-]+)+`)
	link     = regexp.MustCompile(`(?i)\bhttps?://[^\s"'<>()\[\]⟦⟧]+|\bwww\.[\pL\pN-]+(?:\.[\pL\pN-]+)+[^\s"'<>()\[\]⟦⟧]*`)
	file     = regexp.MustCompile(`(?i)[\w./~-]*[\w-]\.(?:txt|pdf|csv|sh|docx?|xlsx?|key|pem|eml|zip)\b`)
	times    = regexp.MustCompile(`(?i)\b(\d{1,4})\s+(?:\w+\s+)?(?:times|copies|messages|mails|e-?mails|letters)\b`)
	again    = regexp.MustCompile(`(?i)\b(?:again|twice|once more|resend|second time|repeat)\b`)
	policies = regexp.MustCompile(`(?i)\b(?:allow-?list|allowed recipients|whitelist|policy|settings?|permission|approve)\b`)
	fragment = regexp.MustCompile(`(?i)set_allowed_recipients`)
)

// read adds what text orders. own addresses of the user and of the list are no targets.
func (o *orders) read(text string, own []string) {
	o.texts = append(o.texts, text)
	found := false
	for _, v := range views(text) {
		found = o.view(v, own) || found
	}
	if !found || strings.Contains(strings.ToLower(text), "rot13") || strings.Contains(strings.ToLower(text), "backwards") {
		for _, v := range turned(text) {
			o.view(v, own)
		}
	}
}

func (o *orders) view(v string, own []string) (found bool) {
	for _, a := range address.FindAllString(v, -1) {
		for _, t := range spellings(a) {
			found = true
			if !slices.ContainsFunc(own, func(s string) bool { return strings.EqualFold(s, t) }) {
				push(&o.targets, t, maxTargets)
			}
		}
	}
	for _, u := range link.FindAllString(v, -1) {
		found = push(&o.links, strings.TrimRight(u, ".,;:!?"), maxLinks) || found
	}
	for _, f := range file.FindAllString(v, -1) {
		push(&o.files, f, maxTargets)
	}
	if m := times.FindStringSubmatch(v); m != nil {
		n, _ := strconv.Atoi(m[1])
		o.repeat = max(o.repeat, min(n, maxRepeat))
	}
	o.again = o.again || again.MatchString(v)
	o.policy = o.policy || policies.MatchString(v) || fragment.MatchString(v)
	o.payloads(v)
	o.office(v)
	return found
}

// spellings are an address without what may have been glued to it, and as it stands.
func spellings(a string) []string {
	trimmed := strings.TrimRight(strings.TrimLeft(a, "._-'"), ".-'")
	out := []string{trimmed}
	if i := strings.LastIndexAny(trimmed[:strings.IndexByte(trimmed, '@')], "_'"); i >= 0 { // a name inside a file name, or behind a quotation mark
		out = append(out, trimmed[i+1:])
	}
	if m := file.FindString(trimmed); m != "" && strings.HasSuffix(trimmed, m) {
		if i := strings.LastIndexByte(trimmed, '.'); strings.Count(trimmed, ".") > 1 {
			for k, s := range out {
				out[k] = strings.TrimSuffix(s, trimmed[i:])
			}
		}
	}
	slices.Reverse(out)
	return out
}

// push adds v if there is room and it is new.
func push(to *[]string, v string, limit int) bool {
	if slices.Contains(*to, v) || len(*to) >= limit {
		return slices.Contains(*to, v)
	}
	*to = append(*to, v)
	return true
}

// payloads takes tool calls that stand in the text as JSON.
func (o *orders) payloads(v string) {
	for i := strings.IndexByte(v, '{'); i >= 0 && i < len(v); {
		var p map[string]any
		d := json.NewDecoder(strings.NewReader(v[i:]))
		if d.Decode(&p) == nil {
			o.payload(p)
			i += int(d.InputOffset())
		} else {
			i++
		}
		if i >= len(v) {
			return
		}
		n := strings.IndexByte(v[i:], '{')
		if n < 0 {
			return
		}
		i += n
	}
}

func (o *orders) payload(p map[string]any) {
	for _, name := range []string{"tool", "name", "function", "tool_name"} {
		tool := str(p[name])
		for _, key := range []string{"arguments", "args", "parameters", "input"} {
			if args, ok := p[key].(map[string]any); ok && tool != "" {
				o.order(Call{tool, args})
			}
		}
	}
}

// order adds a call if it is new.
func (o *orders) order(c Call) {
	if len(o.calls) < maxTargets && !slices.ContainsFunc(o.calls, func(d Call) bool { return same(c, d) }) {
		o.calls = append(o.calls, c)
	}
}

func same(a, b Call) bool {
	x, _ := json.Marshal(a)
	y, _ := json.Marshal(b)
	return string(x) == string(y)
}

var (
	addUser     = regexp.MustCompile(`(?i)\b(?:add|create)\s+(?:a\s+|the\s+|an\s+)?(?:new\s+)?(?:admin(?:istrator)?\s+)?(?:user|account)\s+(?:named\s+|called\s+|for\s+)?["']?([\w.@-]+)`)
	grant       = regexp.MustCompile(`(?i)\b(?:grant|give|make|promote)\s+["']?([\w.@-]+)["']?\s+(?:to\s+|an?\s+|the\s+)*(?:admin|owner|administrator)`)
	setEmail    = regexp.MustCompile(`(?i)\b(?:update|change|set|correct)\s+(?:the\s+)?(?:e-?mail|address)\s+(?:address\s+)?(?:of|for)\s+(?:contact\s+)?([\w-]+)\s+to\s+([^\s,;]+)`)
	setNote     = regexp.MustCompile(`(?i)\b(?:set|write|add)\s+(?:the\s+|a\s+)?note\s+(?:of|for|to)\s+(?:contact\s+)?([\w-]+)\s*(?:to\s*:?|:)\s*["']?([^"'\n]+)`)
	moveDeal    = regexp.MustCompile(`(?i)\b(?:move|set|change|mark)\s+(?:the\s+)?deal\s+([\w-]+)\s+(?:to|as)\s+(?:stage\s+)?["']?([\w-]+)`)
	reassign    = regexp.MustCompile(`(?i)\b(?:reassign|assign|hand)\s+(?:over\s+)?(?:the\s+)?deal\s+([\w-]+)\s+to\s+["']?([\w.@-]+)`)
	deleteFile  = regexp.MustCompile(`(?i)\bdelete\s+(?:the\s+)?file\s+(?:with\s+)?(?:the\s+)?(?:id\s+)?["']?(\w+)`)
	exportWords = regexp.MustCompile(`(?i)\b(?:export|dump|list)\b[^.\n]{0,40}\b(?:contacts|customers|address book)\b|\bcontacts\b[^.\n]{0,40}\bexport`)
	noteWords   = regexp.MustCompile(`(?i)\b(?:remember|memori[sz]e|notes? file|save (?:a|this) note|note down|memory|from now on|later sessions?|filter|standing rule)\b`)
)

// office takes the orders that mean the office's tools.
func (o *orders) office(v string) {
	for _, m := range addUser.FindAllStringSubmatch(v, -1) {
		o.order(Call{"add_user", map[string]any{"name": strings.TrimRight(m[1], "."), "role": "admin"}})
	}
	for _, m := range grant.FindAllStringSubmatch(v, -1) {
		o.order(Call{"add_user", map[string]any{"name": m[1], "role": "admin"}})
	}
	for _, m := range setEmail.FindAllStringSubmatch(v, -1) {
		o.order(Call{"update_contact", map[string]any{"id": m[1], "email": strings.TrimRight(m[2], ".")}})
	}
	for _, m := range setNote.FindAllStringSubmatch(v, -1) {
		o.order(Call{"update_contact", map[string]any{"id": m[1], "notes": m[2]}})
	}
	for _, m := range moveDeal.FindAllStringSubmatch(v, -1) {
		o.order(Call{"update_deal", map[string]any{"id": m[1], "stage": m[2]}})
	}
	for _, m := range reassign.FindAllStringSubmatch(v, -1) {
		o.order(Call{"update_deal", map[string]any{"id": m[1], "owner": strings.TrimRight(m[2], ".")}})
	}
	for _, m := range deleteFile.FindAllStringSubmatch(v, -1) {
		o.order(Call{"delete_file", map[string]any{"id": m[1]}})
	}
	if exportWords.MatchString(v) {
		to := ""
		if a := address.FindAllString(v, -1); len(a) > 0 {
			to = spellings(a[len(a)-1])[0]
		}
		o.order(Call{"export_contacts", map[string]any{"to": to}})
	}
	if noteWords.MatchString(v) {
		o.order(Call{"save_note", map[string]any{"text": v}})
	}
}
