package htmltext

import (
	"encoding/json"
	"errors"
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

// find finds a word and says where its letters are painted, and the height of the page.
const find = `((word) => {
	const res = {found: false, letterWidth: 0, letterHeight: 0, near: {x: 0, y: 0, width: 0, height: 0}, page: 600, shown: LAIDOUT};
	let left = 1e9, top = 1e9, right = 0, bottom = 0;
	const add = (box) => {
		res.letterHeight = Math.max(res.letterHeight, box.height); res.letterWidth = Math.max(res.letterWidth, box.width);
		left = Math.min(left, box.left); top = Math.min(top, box.top); right = Math.max(right, box.right); bottom = Math.max(bottom, box.bottom);
	};
	const root = document.documentElement;
	const it = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	for (let n = it.nextNode(); n; n = it.nextNode()) {
		const at = n.data.indexOf(word);
		if (at < 0) continue;
		res.found = true;
		const r = document.createRange();
		r.setStart(n, at); r.setEnd(n, at + word.length);
		for (const box of r.getClientRects()) add(box);
	}
	for (const img of root.querySelectorAll('img')) {
		if (!(img.alt || '').includes(word)) continue;
		res.found = true;
		add(img.getBoundingClientRect());
	}
	res.page = Math.min(4000, Math.max(600, root.scrollHeight));
	left = Math.max(0, Math.floor(left) - 4); top = Math.max(0, Math.floor(top) - 4);
	right = Math.min(800, Math.ceil(right) + 4); bottom = Math.min(res.page, Math.ceil(bottom) + 4);
	if (right > left && bottom > top) res.near = {x: left, y: top, width: right - left, height: bottom - top};
	return res;
})(WORD)`

// swap replaces the letters of a word by others of the same width.
const swap = `((word) => {
	const root = document.documentElement, other = word.replace(/[^ ]/g, 'W');
	const it = document.createTreeWalker(root, NodeFilter.SHOW_TEXT);
	for (let n = it.nextNode(); n; n = it.nextNode()) n.data = n.data.replaceAll(word, other);
	for (const img of root.querySelectorAll('img')) img.alt = (img.alt || '').replaceAll(word, other);
	return true;
})(WORD)`

// sees asks the browser whether a person can see word: pixels must change when its letters do, and the letters must be
// larger than what nobody can read. Where we expect that they are seen, the place where the letters are is looked at first,
// which is quicker than looking at the whole page; what is not expected may show anywhere.
// shown is all the text that it lays out where it can be seen.
func (b *browser) sees(t testing.TB, doc, word string, expected bool) (seen bool, shown string) {
	t.Helper()
	b.again(t, func() (err error) {
		if expected {
			if seen, err = b.changes(t, doc, word, true, &shown); err != nil || seen {
				return err
			}
		}
		seen, err = b.changes(t, doc, word, false, &shown)
		return err
	})
	return seen, shown
}

func (b *browser) changes(t testing.TB, doc, word string, near bool, shown *string) (bool, error) {
	quoted, err := json.Marshal(word)
	if err != nil {
		return false, err
	}
	var at struct {
		Found                     bool
		LetterWidth, LetterHeight float64
		Near                      area
		Page                      float64
		Shown                     string
	}
	script := strings.NewReplacer("WORD", string(quoted), "LAIDOUT", laidOut).Replace(find)
	if err := errors.Join(b.load(doc), b.eval(script, &at)); err != nil {
		return false, err
	}
	*shown = at.Shown
	if !at.Found || at.LetterHeight <= 3 || at.LetterWidth <= 3 {
		return false, nil
	}
	where := area{Width: viewWidth, Height: at.Page}
	if near && at.Near.Width > 0 {
		where = at.Near
	}
	before, err1 := b.picture(where)
	err2 := b.eval(strings.Replace(swap, "WORD", string(quoted), 1), nil)
	after, err3 := b.picture(where)
	if err := errors.Join(err1, err2, err3); err != nil {
		return false, err
	}
	return pixelsDiffer(t, before, after) >= 4, nil
}

// laysOut is the text that the browser lays out where it can be seen.
func (b *browser) laysOut(t testing.TB, doc string) (shown string) {
	t.Helper()
	b.again(t, func() error {
		if err := b.load(doc); err != nil {
			return err
		}
		return b.eval(laidOut, &shown)
	})
	return shown
}

// TestBrowser asks one Chromium about every technique, its harmless twin, every ordinary mail and random style sheets.
func TestBrowser(t *testing.T) {
	b := startBrowser(t)
	t.Run("hidden", func(t *testing.T) { hiddenInBrowser(t, b) })
	t.Run("harmless", func(t *testing.T) {
		for name, doc := range harmless() {
			if seen, _ := b.sees(t, doc, "some words", true); !seen {
				t.Errorf("%s: Chromium does not show it, we do", name)
			}
		}
	})
	t.Run("ordinary", func(t *testing.T) { ordinaryInBrowser(t, b) })
	t.Run("random", func(t *testing.T) { randomInBrowser(t, b) })
}

// hiddenInBrowser: where Chromium sees what we withhold, the case must say why we are right for mail.
func hiddenInBrowser(t *testing.T, b *browser) {
	for _, c := range readCases(t, "hidden", 80) {
		t.Run(c.name, func(t *testing.T) {
			excuse, all := c.lines("browser"), ""
			for _, w := range c.lines("hidden") {
				seen, shown := b.sees(t, c.input(), w, len(excuse) > 0)
				all = lettersOf(shown)
				if seen != (len(excuse) > 0) {
					if seen {
						t.Errorf("Chromium shows %q, we withhold it", w)
					} else {
						t.Errorf("Chromium does not show %q: the excuse %q is stale", w, excuse[0])
					}
				}
				if seen, _ := b.sees(t, twin(t, c), w, true); !seen {
					t.Errorf("Chromium does not show %q in the twin, we do", w)
				}
			}
			for _, w := range c.lines("visible") {
				if !strings.Contains(all, lettersOf(w)) {
					t.Errorf("Chromium does not show %q, we do", w)
				}
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

// ordinaryInBrowser: what Chromium lays out in the ordinary mails is, letter for letter, what we show.
func ordinaryInBrowser(t *testing.T, b *browser) {
	for _, c := range readCases(t, "ordinary", 40) {
		t.Run(c.name, func(t *testing.T) {
			want := b.laysOut(t, c.input())
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
