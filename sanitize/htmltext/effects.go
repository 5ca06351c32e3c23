package htmltext

import "strings"

// blurLimitPx is the blur radius from which text of ordinary size cannot be read.
const blurLimitPx = 6

// applyFilter reads the filter functions that can make text vanish.
func (s *style) applyFilter(list string) {
	if list == "" || list == "none" {
		return
	}
	for _, f := range fieldsOutside(list) {
		name, arg, ok := strings.Cut(strings.TrimSuffix(f, ")"), "(")
		if !ok {
			continue
		}
		v, ok := parseNumber(arg)
		if !ok {
			v = value{n: 1}
		}
		amount := v.n
		if v.u == unitPercent {
			amount /= 100
		}
		switch name {
		case "opacity":
			s.opacity *= min(max(amount, 0), 1)
		case "blur":
			if v.px(s.font, 0) >= blurLimitPx {
				s.hide(Filtered)
			}
		case "invert":
			if amount > 0.9 {
				s.inverted = !s.inverted
			}
		case "contrast", "brightness":
			if amount <= 0.05 || amount >= 50 {
				s.doubtIf(Filtered)
			}
		}
	}
	if s.opacity <= minOpacity {
		s.hide(Filtered)
	}
}

// doubtIf labels what is inside as possibly hidden.
func (s *style) doubtIf(t Technique) {
	if s.doubt == "" {
		s.doubt = t
	}
}

// filtered applies the colour filters in force to a colour.
func (s *style) filtered(c colour) colour {
	if s.inverted {
		return colour{255 - c.r, 255 - c.g, 255 - c.b, c.a}
	}
	return c
}

// applyMask: a mask that is transparent everywhere hides; an image cannot be judged.
func (s *style) applyMask(m string) {
	stops := gradientColours(firstGradient(m))
	if len(stops) == 0 {
		s.doubtIf(Masked)
		return
	}
	for _, c := range stops {
		if c.a > minOpacity {
			return
		}
	}
	s.hide(Masked)
}

func firstGradient(s string) string {
	for _, f := range fieldsOutside(s) {
		if strings.Contains(f, "gradient(") {
			return f
		}
	}
	return ""
}

// Limits of custom properties.
const (
	maxVarDepth = 8    // references through references
	maxVarLen   = 1024 // octets of a resolved value
	maxVarScope = 64   // nested elements that set custom properties; deeper ones do not
)

func newVarScope(parent *varScope, props map[string]customProp) *varScope {
	v := &varScope{parent: parent, props: props}
	if parent != nil {
		v.depth = parent.depth + 1
		if v.depth > maxVarScope {
			return parent
		}
	}
	return v
}

// resolveVars replaces declarations that hold var() by what they come to. One that comes to nothing valid counts as unset
// (CSS Custom Properties Level 1 §3.1).
func (j *judge) resolveVars(s *style, w *winners) {
	for p := range propCount {
		if !w.has(p) || w.d[p].v.kind != kindVar {
			continue
		}
		name, text, _ := strings.Cut(w.d[p].v.word, ":")
		v := value{kind: kindInitial, word: "unset"}
		if text, ok := substitute(text, s.vars, 0); ok {
			var b block
			toks, _ := lexCSS(text, maxVarLen)
			parseProperty(&b, name, joinTokens(trimTokens(toks)), false, j.quirks)
			for i := range b.decls {
				if b.decls[i].p == p && b.decls[i].v.kind != kindVar {
					v = b.decls[i].v
				}
			}
		}
		w.d[p].v = v
	}
}

// substitute replaces var() and env() by their values or fallbacks; attr() has no value here.
func substitute(text string, vars *varScope, depth int) (string, bool) {
	var b strings.Builder
	for depth <= maxVarDepth && b.Len()+len(text) <= maxVarLen {
		at, open := findVar(text)
		if at < 0 {
			b.WriteString(text)
			return b.String(), true
		}
		end, level := open, 1
		for ; end < len(text) && level > 0; end++ {
			switch text[end] {
			case '(':
				level++
			case ')':
				level--
			}
		}
		args := text[open:end]
		if level == 0 {
			args = text[open : end-1]
		}
		val, ok := lookupVar(text[at:open], args, vars, depth)
		if !ok {
			return "", false
		}
		b.WriteString(text[:at])
		b.WriteString(val)
		text = text[end:]
	}
	return "", false
}

// findVar finds the first reference: where it begins and where its argument does.
func findVar(text string) (at, open int) {
	at = -1
	for _, f := range []string{"var(", "env(", "attr("} {
		if i := strings.Index(text, f); i >= 0 && (at < 0 || i < at) {
			at, open = i, i+len(f)
		}
	}
	return at, open
}

func lookupVar(function, args string, vars *varScope, depth int) (string, bool) {
	name, fallback, hasFallback := strings.Cut(args, ",")
	if function == "var(" {
		if val, ok := vars.get(strings.TrimSpace(name)); ok && val != "initial" {
			if val, ok := substitute(val, vars, depth+1); ok {
				return val, true
			}
		}
	}
	if !hasFallback {
		return "", false
	}
	return substitute(fallback, vars, depth+1)
}
