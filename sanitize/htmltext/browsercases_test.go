package htmltext

import (
	"encoding/json"
	"strings"
	"testing"
	"unicode"
)

// prepare makes all letters equally wide, so that swapping letters moves nothing else, and stops animations at their end.
const prepare = `(() => {
	const s = document.createElement('style');
	s.textContent = '* { font-family: monospace !important; text-rendering: optimizeSpeed !important }';
	(document.head || document.documentElement).appendChild(s);
	for (const a of document.getAnimations()) a.finish();
	return true;
})()`

// probe finds a word: how large its letters are painted, and swaps them for others of the same width.
const probe = `((word) => {
	const res = {found: false, height: 0, width: 0};
	const walk = (root) => {
		const it = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
		for (let n = it.nextNode(); n; n = it.nextNode()) {
			const at = n.data.indexOf(word);
			if (at < 0) continue;
			res.found = true;
			const r = document.createRange();
			r.setStart(n, at); r.setEnd(n, at + word.length);
			for (const box of r.getClientRects()) {
				res.height = Math.max(res.height, box.height); res.width = Math.max(res.width, box.width);
			}
			n.data = n.data.replaceAll(word, word.replace(/[^ ]/g, 'W'));
		}
		for (const img of root.querySelectorAll('img')) {
			if (!(img.alt || '').includes(word)) continue;
			res.found = true;
			const box = img.getBoundingClientRect();
			res.height = box.height; res.width = box.width;
			img.alt = img.alt.replaceAll(word, word.replace(/[^ ]/g, 'W'));
		}
	};
	walk(document.documentElement);
	return res;
})(WORD)`

// sees asks the browser whether a person can see word: pixels must change when its letters do, and the letters must be
// larger than what nobody can read.
func (b *browser) sees(doc, word string) bool {
	b.t.Helper()
	b.load(doc)
	b.eval(prepare, nil)
	before := b.screenshot()
	quoted, err := json.Marshal(word)
	if err != nil {
		b.t.Fatal(err)
	}
	var res struct {
		Found         bool
		Height, Width float64
	}
	b.eval(strings.Replace(probe, "WORD", string(quoted), 1), &res)
	if !res.Found || res.Height <= 3 || res.Width <= 3 {
		return false
	}
	return pixelsDiffer(b.t, before, b.screenshot()) >= 4
}

// TestHiddenTechniquesInBrowser asks Chromium about each case and its twin. Where it sees what we withhold, the case
// must say why we are right for mail.
func TestHiddenTechniquesInBrowser(t *testing.T) {
	b := startBrowser(t)
	for _, c := range readCases(t, "hidden", 80) {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			excuse := c.lines("browser")
			for _, w := range c.lines("hidden") {
				if got := b.sees(c.input(), w); got != (len(excuse) > 0) {
					if got {
						t.Errorf("Chromium shows %q, we withhold it", w)
					} else {
						t.Errorf("Chromium does not show %q: the excuse %q is stale", w, excuse[0])
					}
				}
				if !b.sees(twin(t, c), w) {
					t.Errorf("Chromium does not show %q in the twin, we do", w)
				}
			}
			b.load(c.input())
			b.eval(prepare, nil)
			var shown string
			b.eval(laidOut, &shown)
			for _, w := range c.lines("visible") {
				if !strings.Contains(lettersOf(shown), lettersOf(w)) {
					t.Errorf("Chromium does not show %q, we do", w)
				}
			}
		})
	}
}

// TestHarmlessInBrowser: Chromium sees the harmless cases too.
func TestHarmlessInBrowser(t *testing.T) {
	b := startBrowser(t)
	for name, doc := range harmless() {
		t.Run(name, func(t *testing.T) {
			b.t = t
			if !b.sees(doc, "some words") {
				t.Error("Chromium does not show it, we do")
			}
		})
	}
}

// laidOut collects the text that the browser lays out where it can be seen, by its own computed styles and boxes.
const laidOut = `(() => {
	const out = [];
	const small = (el) => {
		for (; el; el = el.parentElement) {
			const s = getComputedStyle(el), box = el.getBoundingClientRect();
			if (s.overflow !== 'visible' && s.display !== 'inline' && !s.display.startsWith('table') && (box.height <= 2 || box.width <= 2)) return true;
		}
		return false;
	};
	const it = document.createTreeWalker(document.documentElement, NodeFilter.SHOW_TEXT);
	for (let n = it.nextNode(); n; n = it.nextNode()) {
		if (!n.data.trim()) continue;
		const el = n.parentElement;
		if (!el.checkVisibility({opacityProperty: true, visibilityProperty: true})) continue;
		const r = document.createRange();
		r.selectNodeContents(n);
		if (![...r.getClientRects()].some(b => b.height > 3 && b.width > 0)) continue;
		if (small(el)) continue;
		out.push(n.data);
	}
	return out.join(' ');
})()`

// TestOrdinaryMailInBrowser: what Chromium lays out in the ordinary mails is, letter for letter, what we show.
func TestOrdinaryMailInBrowser(t *testing.T) {
	b := startBrowser(t)
	for _, c := range readCases(t, "ordinary", 40) {
		t.Run(c.name, func(t *testing.T) {
			b.t = t
			b.load(c.input())
			var want string
			b.eval(laidOut, &want)
			if want == "" {
				t.Fatal("Chromium lays out nothing")
			}
			var got strings.Builder
			for _, s := range mustConvert(t, c.input()).Segments {
				if s.Kind == Text {
					got.WriteString(s.Text)
				}
			}
			if g, w := lettersOf(got.String()), lettersOf(want); g != w {
				t.Errorf("we show\n%s\nChromium shows\n%s", g, w)
			}
		})
	}
}

// lettersOf drops white space and what has no shape.
func lettersOf(s string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsSpace(r) || unicode.Is(unicode.Mn, r) || unicode.Is(unicode.Cf, r) {
			return -1
		}
		return r
	}, s)
}
