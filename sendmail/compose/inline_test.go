package compose

import (
	"bytes"
	"encoding/hex"
	"errors"
	"strings"
	"testing"
)

// ids are two content ids as NewContentID makes them.
func ids(from uint64, domain string) (first, second string) {
	r := &counter{n: from}
	first, _ = NewContentID(r, domain)
	second, _ = NewContentID(r, domain)
	return first, second
}

// withImages gives a draft HTML that shows one image twice and another once.
func withImages(d *Draft) { withImagesOf(d, 100) }

func withImagesOf(d *Draft, from uint64) {
	a, b := ids(from, "example.com")
	d.HTML = `<p>Hello <img src="cid:` + a + `" alt="A"> and <img src="cid:` + b + `"> <img src="cid:` + a + `"></p>` + "\n"
	d.Inline = []InlineImage{
		{Attachment{"logo.png", "image/png", []byte("\x89PNG\r\n\x1a\n one")}, a},
		{Attachment{"Überblick über das Jahr.jpg", "image/jpeg", []byte("\xff\xd8\xff two")}, b},
	}
}

func TestInlineReadsBack(t *testing.T) {
	d := draft(t)
	withImages(&d)
	d.Attachments = []Attachment{{"plan.pdf", "application/pdf", []byte("%PDF-1.7")}}
	f := mustCompose(t, d, fixed()).Facts
	if len(f.Inline) != 2 || len(f.Attachments) != 1 || f.HTML != d.HTML || f.Attachments[0].Name != "plan.pdf" {
		t.Fatalf("got %+v", f)
	}
	for k, want := range d.Inline {
		got := f.Inline[k]
		if got.Name != want.Name || got.MediaType != want.MediaType || got.Size != int64(len(want.Octets)) || got.ContentID != want.ContentID {
			t.Errorf("image %d: got %+v, want %+v", k, got, want)
		}
	}
}

func TestNewContentID(t *testing.T) {
	for domain, want := range map[string]string{"example.com": "example.com", "xn--bcher-kva.example": "xn--bcher-kva.example", "[192.0.2.1]": "image.invalid", "[IPv6:2001:db8::1]": "image.invalid"} {
		id, err := NewContentID(&counter{}, domain)
		if err != nil || id != "00000000000000010000000000000002@"+want || !validContentID(id) || !ValidMessageID(id) {
			t.Errorf("%s: got %q, %v", domain, id, err)
		}
	}
	if _, err := NewContentID(strings.NewReader("short"), "example.com"); !errors.Is(err, ErrRandom) {
		t.Errorf("got %v, want %v", err, ErrRandom)
	}
}

func TestInlineRefused(t *testing.T) {
	tests := []struct {
		name   string
		change func(*Draft)
		want   error
	}{
		{"as it is", func(*Draft) {}, nil},
		{"no HTML", func(d *Draft) { d.HTML = "" }, ErrInline},
		{"not shown", func(d *Draft) { d.HTML = strings.ReplaceAll(d.HTML, d.Inline[1].ContentID, "other@example.com") }, ErrInline},
		{"named in the text alone", func(d *Draft) { d.HTML = "<p>cid:" + d.Inline[0].ContentID + " cid:" + d.Inline[1].ContentID + "</p>" }, ErrInline},
		{"SVG", func(d *Draft) { d.Inline[0].MediaType = "image/svg+xml" }, ErrInline},
		{"HTML", func(d *Draft) { d.Inline[0].MediaType = "text/html" }, ErrInline},
		{"TIFF", func(d *Draft) { d.Inline[0].MediaType = "image/tiff" }, ErrInline},
		{"one id for two", func(d *Draft) { d.Inline[1].ContentID = d.Inline[0].ContentID }, ErrInline},
		{"no id", func(d *Draft) { d.Inline[0].ContentID = "" }, ErrInline},
		{"id of a caller", func(d *Draft) { setID(d, "logo.png") }, ErrInline},
		{"id with a break", func(d *Draft) { setID(d, d.Inline[0].ContentID+"\r\nBcc: x@example.net") }, ErrInline},
		{"id with a bracket", func(d *Draft) { setID(d, d.Inline[0].ContentID+"> <a@b") }, ErrInline},
		{"id with capitals", func(d *Draft) { setID(d, strings.Replace(d.Inline[0].ContentID, "0", "A", 1)) }, ErrInline},
		{"file name with a break", func(d *Draft) { d.Inline[0].Name = "a\r\nX: y" }, ErrAttachment},
		{"too many", func(d *Draft) {
			r := &counter{n: 500}
			for range maxAttachments {
				id, _ := NewContentID(r, "example.com")
				d.HTML += `<img src="cid:` + id + `">`
				d.Inline = append(d.Inline, InlineImage{d.Inline[0].Attachment, id})
			}
		}, ErrInline},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			d := draft(t)
			withImages(&d)
			tc.change(&d)
			if _, err := Compose(d, fixed()); !errors.Is(err, tc.want) || (err == nil) != (tc.want == nil) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
		})
	}
}

// setID changes an id in its image and in the HTML.
func setID(d *Draft, id string) {
	d.HTML = strings.ReplaceAll(d.HTML, d.Inline[0].ContentID, id)
	d.Inline[0].ContentID = id
}

// The ids of images are new each time a message is composed; what it says is not.
func TestInlineIdentity(t *testing.T) {
	of := func(change func(*Draft)) [32]byte {
		d := draft(t)
		withImages(&d)
		change(&d)
		return mustCompose(t, d, fixed()).Identity
	}
	base := of(func(*Draft) {})
	if got := of(func(d *Draft) { withImagesOf(d, 9000) }); got != base {
		t.Error("other ids change the identity")
	}
	seen := map[[32]byte]string{base: "base"}
	for name, change := range map[string]func(*Draft){
		"another image": func(d *Draft) { d.Inline[0].Octets = []byte("other") },
		"another name":  func(d *Draft) { d.Inline[0].Name = "x.png" },
		"another type":  func(d *Draft) { d.Inline[0].MediaType = "image/gif" },
		"places exchanged": func(d *Draft) {
			a, b := d.Inline[0].ContentID, d.Inline[1].ContentID
			d.HTML = strings.NewReplacer(a, b, b, a).Replace(d.HTML)
		},
		"images exchanged": func(d *Draft) {
			d.Inline[0].Attachment, d.Inline[1].Attachment = d.Inline[1].Attachment, d.Inline[0].Attachment
		},
		"shown once less": func(d *Draft) {
			d.HTML = strings.Replace(d.HTML, `<img src="cid:`+d.Inline[0].ContentID+`"></p>`, "</p>", 1)
		},
		"text between":          func(d *Draft) { d.HTML = strings.Replace(d.HTML, " and ", " or ", 1) },
		"also as an attachment": func(d *Draft) { d.Attachments = []Attachment{d.Inline[0].Attachment} },
		"place by hand": func(d *Draft) {
			d.HTML = strings.Replace(d.HTML, ` <img src="cid:`+d.Inline[0].ContentID+`"></p>`, ` <img src=0></p>`, 1)
		},
	} {
		got := of(change)
		if twin, found := seen[got]; found {
			t.Errorf("%s and %s have one identity", name, twin)
		}
		seen[got] = name
	}
}

// TestIdentityWithoutImages: a journal that was written before messages could hold images knows the same messages.
func TestIdentityWithoutImages(t *testing.T) {
	d := draft(t)
	d.HTML = `<p>"cid:x@y"</p>`
	f := mustCompose(t, d, fixed()).Facts
	if got := f.htmlPieces(); len(got) != 1 || got[0] != f.HTML {
		t.Errorf("got %q, want the HTML in one piece", got)
	}
	// Taken before there were inline images.
	if got, want := hex.EncodeToString(firstOctets(f.Identity(nil))), "057a91e76636bee3"; got != want {
		t.Errorf("identity: got %s, want %s", got, want)
	}
}

func firstOctets(id [32]byte) []byte { return id[:8] }

// TestReadBackRefusesOtherImages: each change around the images is seen.
func TestReadBackRefusesOtherImages(t *testing.T) {
	d := draft(t)
	withImages(&d)
	d.Attachments = []Attachment{{"a.txt", "text/plain", []byte("x")}}
	good := string(mustCompose(t, d, fixed()).Octets)
	if _, err := ReadBack([]byte(good)); err != nil {
		t.Fatal(err)
	}
	replace := func(old, new string) string {
		if !strings.Contains(good, old) {
			t.Fatalf("no %q in the message", old)
		}
		return strings.Replace(good, old, new, 1)
	}
	related, alternative := "=_00000000000000070000000000000008", "=_00000000000000050000000000000006"
	a, b := ids(100, "example.com")
	tests := []struct{ name, in string }{
		{"type of another root", replace(`type="text/html"`, `type="image/png"`)},
		{"no type", replace(` type="text/html";`, "")},
		{"a start that names another root", replace(`type="text/html";`, `type="text/html"; start="<`+b+`>";`)},
		{"related as mixed", replace("multipart/related", "multipart/mixed")},
		{"alternative as related", replace("multipart/alternative;", `multipart/related; type="text/html";`)},
		{"attached image", replace("Content-Disposition: inline", "Content-Disposition: attachment")},
		{"attachment inline", replace("Content-Disposition: attachment", "Content-Disposition: inline")},
		{"no disposition", replace("Content-Disposition: inline; filename=\"logo.png\"\r\n", "")},
		{"no name", replace("; filename=\"logo.png\"", "")},
		{"no id", replace("Content-ID: <"+a+">\r\n", "")},
		{"id without brackets", replace("Content-ID: <"+a+">", "Content-ID: "+a)},
		{"another id", replace("Content-ID: <"+a+">", "Content-ID: <"+strings.Replace(a, "0", "1", 1)+">")},
		{"the id twice", replace("Content-ID: <"+a+">", "Content-ID: <"+a+">\r\nContent-ID: <"+a+">")},
		{"two images of one id", replace("Content-ID: <"+b+">", "Content-ID: <"+a+">")},
		{"id of an attachment", replace("Content-Disposition: attachment", "Content-ID: <"+a+">\r\nContent-Disposition: attachment")},
		{"id of the HTML", replace("Content-Type: text/html; charset=utf-8\r\n", "Content-Type: text/html; charset=utf-8\r\nContent-ID: <"+a+">\r\n")},
		{"id of a multipart", replace("Content-Type: multipart/related;", "Content-ID: <"+a+">\r\nContent-Type: multipart/related;")},
		{"SVG", replace("Content-Type: image/png", "Content-Type: image/svg+xml")},
		{"another name in the type", replace("Content-Type: image/png", `Content-Type: image/png; name="a.exe"`)},
		{"location", replace("Content-ID: <"+a+">", "Content-Location: https://example.net/\r\nContent-ID: <"+a+">")},
		{"text before the images", replace("--"+related+"\r\n", "hidden\r\n--"+related+"\r\n")},
		{"text after the images", replace("--"+related+"--\r\n", "--"+related+"--\r\nhidden\r\n")},
		{"text after the alternatives", replace("--"+alternative+"--\r\n", "--"+alternative+"--\r\nhidden\r\n")},
		{"no images", good[:strings.Index(good, "--"+related+"\r\nContent-Type: image/png")] + good[strings.Index(good, "--"+related+"--"):]},
		{"HTML shows another", strings.ReplaceAll(good, "cid:"+a, "cid:"+strings.Replace(a, "0", "1", 1))},
	}
	for _, tc := range tests {
		t.Run(tc.name, func(t *testing.T) {
			if tc.in == good {
				t.Fatal("nothing was changed")
			}
			if got, err := ReadBack([]byte(tc.in)); !errors.Is(err, ErrNotFaithful) {
				t.Errorf("got %v %+v, want %v", err, got, ErrNotFaithful)
			}
		})
	}
}

// A message with images keeps the limits of all messages.
func TestInlineCounts(t *testing.T) {
	d := draft(t)
	withImages(&d)
	d.Inline[0].Octets = bytes.Repeat([]byte("x"), 3000)
	o := fixed()
	o.MaxBytes = 3500
	if _, err := Compose(d, o); !errors.Is(err, ErrTooLarge) {
		t.Errorf("got %v, want %v", err, ErrTooLarge)
	}
	o.MaxBytes = 6500
	if m := mustCompose(t, d, o); len(m.Octets) < 4000 || m.Facts.Inline[0].Size != 3000 {
		t.Errorf("got %d octets, image of %d", len(m.Octets), m.Facts.Inline[0].Size)
	}
}
