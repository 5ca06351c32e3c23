package sanitize

import (
	"fmt"
	"strings"
	"testing"

	xhtml "golang.org/x/net/html"
)

// plainMB is about one megabyte of ordinary English mail text.
func plainMB() string {
	var b strings.Builder
	for i := 0; b.Len() < 1<<20; i++ {
		fmt.Fprintf(&b, "Dear colleague, the figures for week %d are in: we sold %d units (up 4.2%%), and the meeting is on Tuesday at 10:30 in room B.\n"+
			"Please read the minutes before then, and write to anna@example.org if something is missing. Thanks, and see you soon.\n\n", i, i*37)
	}
	return b.String()
}

func cyrillicMB() string {
	return strings.Repeat("Добрый день, отчёт за неделю готов, встреча во вторник в 10:30 в кабинете Б. Спасибо и до встречи!\n", 1<<20/180)
}

// newsletter is about 120 kB of table markup with inline styles, as the common template kits write it.
func newsletter() string {
	var b strings.Builder
	b.WriteString(`<!doctype html><html><head><title>News</title><style>.a{color:#333}.h{display:none}@media (max-width:480px){.m{width:100%!important}}</style></head><body style="margin:0;background-color:#ffffff"><div class="h">Preview line</div>`)
	for i := range 150 {
		fmt.Fprintf(&b, `<table role="presentation" width="600" cellpadding="0" cellspacing="0" style="width:600px;border-collapse:collapse;background:#ffffff"><tr><td align="left" style="padding:10px 25px;font-family:Arial,sans-serif;font-size:14px;line-height:20px;color:#333333"><h2 style="margin:0;font-size:18px">Item %d</h2><p class="a" style="margin:0 0 10px">Here is what happened this week in the <b>shop</b>: we have new bread, and it costs <span style="color:#aa0000">4.20</span>.</p><a href="https://shop.example/item/%d?utm_source=news" style="color:#0055aa;text-decoration:none">Read more</a><img src="https://shop.example/i/%d.png" alt="Bread" width="120" height="80" style="display:block"></td></tr></table>`, i, i, i)
	}
	b.WriteString("</body></html>")
	return b.String()
}

func BenchmarkForModel(b *testing.B) {
	for name, text := range map[string]string{"plain 1MB": plainMB(), "cyrillic 1MB": cyrillicMB()} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				ForModel(text, Options{MaxChars: -1})
			}
		})
	}
}

// BenchmarkHTML compares with a bare parse of the same newsletter, which is the floor for anything on the tree.
func BenchmarkHTML(b *testing.B) {
	src := newsletter()
	b.Run("parse only", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			if _, err := xhtml.Parse(strings.NewReader(src)); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("HTML", func(b *testing.B) {
		b.SetBytes(int64(len(src)))
		b.ReportAllocs()
		for b.Loop() {
			HTML(src, Options{MaxChars: -1})
		}
	})
}

func BenchmarkPasses(b *testing.B) {
	text := plainMB()
	for name, pass := range map[string]func(){
		"normalise": func() { normalise(text, nil) },
		"signals":   func() { Signals(text, Clean{}) },
		"blobs":     func() { foldBlobs(text, nil) },
		"weave":     func() { w := weaver{src: text}; w.run() },
		"mask":      func() { maskCodes(text, nil) },
		"fold":      func() { foldHistory(text) },
		"words":     func() { confusableWords(text) },
	} {
		b.Run(name, func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			b.ReportAllocs()
			for b.Loop() {
				pass()
			}
		})
	}
}
