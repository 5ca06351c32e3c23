package main

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/simplifiedchinese"

	"mailgap/readmail/imaptest"
)

// Needles that are in no message but those that the generator put them into.
const (
	needleSubject  = "zanzibarquokka"   // in subjects, ASCII
	needleJapanese = "見積書"              // in subjects and bodies, ISO-2022-JP and UTF-8
	needleRussian  = "накладная"        // in bodies, KOI8-R in quoted-printable
	needleAccent   = "Überweisungsträg" // in subjects, as raw UTF-8 and as windows-1252 words
	needlePhrase   = "seven green boats"
)

// uglyBox is a generated mailbox and what is true of it.
type uglyBox struct {
	messages []imaptest.Message
	subject  map[string][]int // needle to UIDs, rising
	body     map[string][]int
	unread   []int
	flagged  []int
}

// ugly generates n messages in the manner of a mailbox of many years: all charsets and structures, broken ones among
// them, dates that mostly rise with the UIDs. The same n gives the same mailbox.
func ugly(t *testing.T, n int) *uglyBox {
	t.Helper()
	r := rand.New(rand.NewPCG(1, 2))
	u := &uglyBox{subject: map[string][]int{}, body: map[string][]int{}}
	for uid := 1; uid <= n; uid++ {
		g := &uglyMessage{t: t, r: r, uid: uid, subject: prose(r, 4), charset: "utf-8"}
		kind := uglyKinds()[r.IntN(len(uglyKinds()))]
		kind(g)
		g.needles(u)
		m := imaptest.Message{Raw: []byte(strings.ReplaceAll(g.octets(), "\n", "\r\n")), InternalDate: uglyDate(r, uid)}
		if r.IntN(20) == 0 {
			u.unread = append(u.unread, uid)
		} else {
			m.Flags = append(m.Flags, imap.FlagSeen)
		}
		if r.IntN(50) == 0 {
			m.Flags = append(m.Flags, imap.FlagFlagged)
			u.flagged = append(u.flagged, uid)
		}
		u.messages = append(u.messages, m)
	}
	return u
}

// uglyDate rises with uid, but one message in forty was moved here long after it came, and some came in one second.
func uglyDate(r *rand.Rand, uid int) time.Time {
	minutes := uid / 3 * 21
	if r.IntN(40) == 0 {
		minutes = r.IntN(minutes + 1)
	}
	return time.Date(2024, 1, 1, 6, minutes, 0, 0, time.UTC)
}

// uglyMessage is a message in the making. Line ends are LF until it is done.
type uglyMessage struct {
	t                *testing.T
	r                *rand.Rand
	uid              int
	subject, charset string // decoded subject; charset of subject and text
	rawSubject       bool   // write the subject without encoding it
	text             string // body of a single part
	date             string // Date field if not a good one
	structure        func(g *uglyMessage) string
}

// uglyKinds are the ways a message is made.
func uglyKinds() []func(*uglyMessage) {
	plain := func(charset string) func(*uglyMessage) {
		return func(g *uglyMessage) { g.charset = charset }
	}
	structured := func(f func(*uglyMessage) string) func(*uglyMessage) {
		return func(g *uglyMessage) { g.structure = f }
	}
	return []func(*uglyMessage){
		plain("utf-8"), plain("utf-8"), plain("iso-2022-jp"), plain("koi8-r"), plain("windows-1252"), plain("gb18030"),
		func(g *uglyMessage) { g.rawSubject = true },
		func(g *uglyMessage) { g.date = "Wed, 99 Foo 2026 99:99:99 +9999" },
		func(g *uglyMessage) { g.date = "yesterday" },
		structured(func(g *uglyMessage) string {
			return "Content-Type: multipart/alternative; boundary=b\n\n--b\n" + g.part() + "\n--b\nContent-Type: text/html; charset=utf-8\n\n<p>" + prose(g.r, 30) + "</p>\n--b--\n"
		}),
		structured(func(g *uglyMessage) string {
			return "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + g.part() + "\n"
		}), // never closed
		structured(func(g *uglyMessage) string {
			return "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + g.part() +
				"\n--b\nContent-Type: application/pdf\nContent-Disposition: attachment; filename=Annual report.pdf\nContent-Transfer-Encoding: base64\n\nJVBERi0=\n--b--\n"
		}),
		structured(func(g *uglyMessage) string {
			return "Content-Type: multipart/mixed; boundary=b\n\n--b\n" + g.part() +
				"\n--b\nContent-Type: message/rfc822\n\nFrom: x@example.net\nSubject: inner\n\nInner.\n--b--\n"
		}),
		structured(func(g *uglyMessage) string { return "Content-Type: multipart/mixed\n\n" + prose(g.r, 20) + "\n" }), // no boundary
		structured(func(g *uglyMessage) string {
			return "Content-Type: text\nContent-Transfer-Encoding: 9bit\n\n" + prose(g.r, 20) + "\n"
		}),
	}
}

// needles puts each needle into some messages and notes which.
func (g *uglyMessage) needles(u *uglyBox) {
	put := func(in map[string][]int, needle string) { in[needle] = append(in[needle], g.uid) }
	switch {
	case g.r.IntN(60) == 0:
		g.subject += " " + needleSubject
		put(u.subject, needleSubject)
	case g.charset == "iso-2022-jp" && g.r.IntN(6) == 0:
		g.subject, g.text = "ご依頼の"+needleJapanese+"です", prose(g.r, 10)+"\n"+needleJapanese+"を送ります。\n"
		put(u.subject, needleJapanese)
		put(u.body, needleJapanese)
	case g.charset == "utf-8" && g.structure == nil && g.r.IntN(10) == 0:
		g.text = prose(g.r, 10) + "\n" + needleJapanese + "を送ります。\n"
		put(u.body, needleJapanese)
	case g.charset == "koi8-r" && g.r.IntN(6) == 0:
		g.text = "Прилагается " + needleRussian + ".\n"
		put(u.body, needleRussian)
	case (g.charset == "windows-1252" || g.rawSubject) && g.r.IntN(5) == 0:
		g.subject = "Ihr " + needleAccent + "er"
		put(u.subject, needleAccent)
	case g.r.IntN(80) == 0 && g.structure == nil:
		g.text = "We saw " + needlePhrase + " there.\n"
		put(u.body, needlePhrase)
	case g.r.IntN(80) == 0 && g.structure == nil:
		g.text = "We saw boats, green ones, seven of them.\n" // the words, not the phrase
	}
}

func (g *uglyMessage) octets() string {
	date := g.date
	if date == "" {
		date = time.Date(2024, 1, 1, 6, g.uid*7, 0, 0, time.UTC).Format(time.RFC1123Z)
	}
	subject := g.subject
	if !g.rawSubject {
		subject = g.word(subject)
	}
	header := fmt.Sprintf("From: %s <p%d@example.com>\nTo: reader@example.com\nSubject: %s\nDate: %s\nMessage-ID: <ugly-%d@example.com>\nMIME-Version: 1.0\n",
		prose(g.r, 2), g.r.IntN(50), subject, date, g.uid)
	if g.structure != nil {
		return header + g.structure(g)
	}
	return header + g.part()
}

// part is the text with its header.
func (g *uglyMessage) part() string {
	if g.text == "" {
		g.text = prose(g.r, 40) + "\n"
	}
	return "Content-Type: text/plain; charset=" + g.charset + "\nContent-Transfer-Encoding: base64\n\n" +
		base64.StdEncoding.EncodeToString([]byte(g.encode(g.text))) + "\n"
}

func (g *uglyMessage) encode(s string) string {
	e := map[string]encoding.Encoding{"iso-2022-jp": japanese.ISO2022JP, "koi8-r": charmap.KOI8R, "windows-1252": charmap.Windows1252,
		"gb18030": simplifiedchinese.GB18030}[g.charset]
	if e == nil {
		return s
	}
	out, err := e.NewEncoder().String(s)
	if err != nil {
		g.t.Fatal(err)
	}
	return out
}

// word is an encoded word of RFC 2047, or s itself if that is ASCII.
func (g *uglyMessage) word(s string) string {
	if strings.IndexFunc(s, func(c rune) bool { return c > 126 }) < 0 {
		return s
	}
	return "=?" + g.charset + "?B?" + base64.StdEncoding.EncodeToString([]byte(g.encode(s))) + "?="
}

// prose is n words.
func prose(r *rand.Rand, n int) string {
	words := strings.Fields("report meeting room invoice garden winter paper letter order train ticket house music copper river stone")
	var out []string
	for range n {
		out = append(out, words[r.IntN(len(words))])
	}
	return strings.Join(out, " ")
}
