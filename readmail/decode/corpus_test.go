package decode

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"golang.org/x/net/html"
)

// repoRoot returns the directory that holds go.mod.
func repoRoot(t testing.TB) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		if dir == filepath.Dir(dir) {
			t.Fatal("no go.mod above the test")
		}
		dir = filepath.Dir(dir)
	}
}

// sharedDir returns a directory of shared test data. Without the data the test is skipped, except in CI.
func sharedDir(t testing.TB, name string) string {
	t.Helper()
	base := os.Getenv("MAILGAP_SHARED")
	if base == "" {
		base = filepath.Join(repoRoot(t), "..", "shared")
	}
	dir := filepath.Join(base, name)
	if _, err := os.Stat(dir); err != nil {
		if os.Getenv("CI") == "true" {
			t.Fatalf("test data missing: %v", err)
		}
		t.Skipf("test data missing (set MAILGAP_SHARED): %v", err)
	}
	return dir
}

// corpusExpect are the keys of the index that this package can answer.
type corpusExpect struct {
	Subject         *string  `json:"subject"`
	SubjectContains string   `json:"subject_contains"`
	From            *string  `json:"from"`
	FromName        *string  `json:"from_name"`
	FromCount       *int     `json:"from_count"`
	ReplyTo         *string  `json:"reply_to"`
	Text            []string `json:"text_contains"`
	TextUnwrapped   []string `json:"text_contains_after_unwrap"`
	HTML            []string `json:"html_text_contains"`
	Order           []string `json:"order"`
	Links           []string `json:"link_targets"`
	Attachments     *int     `json:"attachments"`
	Names           []string `json:"attachment_names"`
	NamesAsSent     []string `json:"attachment_names_as_sent"`
	Sizes           []int    `json:"attachment_sizes"`
	SHA256          []string `json:"attachment_sha256"`
	PartTypes       []string `json:"part_types"`
	Charset         *string  `json:"charset"`
	DateUTC         *string  `json:"date_utc"`
	OneLine         []string `json:"one_line"`
	NoChars         []string `json:"name_no_chars"`
	NoPath          []string `json:"name_no_path"`
	BodyNote        string   `json:"body_note"`
}

// notAnswered are keys that other packages answer: visibility of HTML, threads, the shape of a tool's answer.
var notAnswered = []string{"text_absent", "thread", "robust", "normalise"}

func TestCorpus(t *testing.T) {
	dir := sharedDir(t, "testmail")
	index, err := os.ReadFile(filepath.Join(dir, "INDEX.json"))
	if err != nil {
		t.Fatal(err)
	}
	var entries []struct {
		File   string          `json:"file"`
		Expect json.RawMessage `json:"expect"`
	}
	if err := json.Unmarshal(index, &entries); err != nil {
		t.Fatal(err)
	}
	if len(entries) < 98 {
		t.Errorf("index holds %d messages, want at least 98", len(entries))
	}
	for _, entry := range entries {
		t.Run(entry.File, func(t *testing.T) {
			octets, err := os.ReadFile(filepath.Join(dir, entry.File))
			if err != nil {
				t.Fatal(err)
			}
			var want corpusExpect
			if err := json.Unmarshal(entry.Expect, &want); err != nil {
				t.Fatal(err)
			}
			checkKeysKnown(t, entry.Expect)
			newCorpusReading(octets).check(t, want)
		})
	}
}

// checkKeysKnown fails on a key that no check below reads, so that a new key cannot pass unseen.
func checkKeysKnown(t *testing.T, raw json.RawMessage) {
	t.Helper()
	dec := json.NewDecoder(strings.NewReader(string(raw)))
	dec.DisallowUnknownFields()
	var known corpusExpect
	var all map[string]json.RawMessage
	if err := json.Unmarshal(raw, &all); err != nil {
		t.Fatal(err)
	}
	for _, k := range notAnswered {
		delete(all, k)
	}
	rest, err := json.Marshal(all)
	if err != nil {
		t.Fatal(err)
	}
	dec = json.NewDecoder(strings.NewReader(string(rest)))
	dec.DisallowUnknownFields()
	if err := dec.Decode(&known); err != nil {
		t.Errorf("key without a check: %v", err)
	}
}

// corpusReading is what the package reads from one message.
type corpusReading struct {
	root  *Entity
	body  Body
	from  []Address
	plain string // all plain parts, as read
	raw   string // the same before format=flowed lines are joined
	html  string // text of the HTML parts, tags removed
	links string
}

func newCorpusReading(octets []byte) corpusReading {
	r := corpusReading{root: ParseMessage(octets, Limits{})}
	r.body = Bodies(r.root.Node())
	for _, f := range r.root.Header.All("From") {
		r.from = append(r.from, Addresses(f)...)
	}
	for _, n := range r.body.Plain {
		e := r.root.Find(n.PartNumber)
		text, _ := e.Text(0)
		r.plain += text + "\n"
		octets, _ := e.Decoded(0)
		unjoined, _ := Text(e.Params["charset"], octets)
		r.raw += unjoined + "\n"
	}
	for _, n := range r.body.HTML {
		text, _ := r.root.Find(n.PartNumber).Text(0)
		words, links := stripTags(text)
		r.html += words + "\n"
		r.links += links
	}
	return r
}

// stripTags removes tags; what is visible is not this package's matter.
func stripTags(doc string) (text, links string) {
	var b, l strings.Builder
	z := html.NewTokenizer(strings.NewReader(doc))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return b.String(), l.String()
		case html.TextToken:
			b.Write(z.Text())
		case html.StartTagToken, html.SelfClosingTagToken:
			tok := z.Token()
			for _, a := range tok.Attr {
				if a.Key == "href" {
					l.WriteString(a.Val + "\n")
				}
			}
			if tok.Data == "br" || tok.Data == "p" || tok.Data == "td" || tok.Data == "div" {
				b.WriteByte(' ')
			}
		}
	}
}

func fold(s string) string { return strings.Join(strings.Fields(s), " ") }

func (r corpusReading) check(t *testing.T, want corpusExpect) {
	t.Helper()
	r.checkHeader(t, want)
	r.checkText(t, want)
	r.checkAttachments(t, want)
	for _, typ := range want.PartTypes {
		if !hasType(r.root.Node(), typ) {
			t.Errorf("no part of type %s", typ)
		}
	}
	if want.Charset != nil {
		if got := firstCharset(r.root.Node()); !strings.EqualFold(got, *want.Charset) {
			t.Errorf("charset = %q, want %q", got, *want.Charset)
		}
	}
	if want.BodyNote != "" && len(r.root.Notes) == 0 && len(r.body.Plain)+len(r.body.HTML) > 0 {
		t.Errorf("no note about the body, want one about %q", want.BodyNote)
	}
	checkUTF8(t, r.root)
}

func (r corpusReading) subject() string {
	s, _ := r.root.Header.Get("Subject")
	return Unstructured(s)
}

func (r corpusReading) checkHeader(t *testing.T, want corpusExpect) {
	t.Helper()
	equal := func(what, got string, want *string) {
		t.Helper()
		if want != nil && fold(got) != fold(*want) {
			t.Errorf("%s = %q, want %q", what, fold(got), fold(*want))
		}
	}
	var first Address
	if len(r.from) > 0 {
		first = r.from[0]
	}
	equal("subject", r.subject(), want.Subject)
	if !strings.Contains(r.subject(), want.SubjectContains) {
		t.Errorf("subject = %q, want it to hold %q", r.subject(), want.SubjectContains)
	}
	equal("from", strings.ToLower(first.AddrSpec()), want.From)
	equal("from_name", first.DisplayName, want.FromName)
	if want.FromCount != nil && len(r.from) != *want.FromCount {
		t.Errorf("from_count = %d, want %d", len(r.from), *want.FromCount)
	}
	if want.ReplyTo != nil {
		f, _ := r.root.Header.Get("Reply-To")
		if got := Addresses(f); len(got) == 0 || !strings.EqualFold(got[0].AddrSpec(), *want.ReplyTo) {
			t.Errorf("reply_to = %v, want %q", got, *want.ReplyTo)
		}
	}
	if want.DateUTC != nil {
		f, _ := r.root.Header.Get("Date")
		got, err := Date(f)
		if err != nil {
			t.Errorf("date %q: %v", f, err)
		}
		s := got.UTC().Format("2006-01-02T15:04:05Z")
		equal("date_utc", s, want.DateUTC)
	}
	for _, value := range []string{first.DisplayName, r.subject()} {
		if strings.ContainsFunc(value, breaksLine) {
			t.Errorf("%q holds a line end or control character", value)
		}
	}
}

func (r corpusReading) checkText(t *testing.T, want corpusExpect) {
	t.Helper()
	text := fold(r.raw)
	if len(r.body.Plain) == 0 {
		text = fold(r.html)
	}
	holds := func(what, text string, parts []string) {
		t.Helper()
		for _, p := range parts {
			if !strings.Contains(text, fold(p)) {
				t.Errorf("%s lacks %q; it starts %.200q", what, p, text)
			}
		}
	}
	holds("text", text, want.Text)
	holds("unwrapped text", fold(r.plain), want.TextUnwrapped)
	holds("HTML text", fold(r.html), want.HTML)
	holds("links", r.links, want.Links)
	at := 0
	for _, p := range want.Order {
		i := strings.Index(text[at:], fold(p))
		if i < 0 {
			t.Errorf("%q is missing or out of order", p)
			continue
		}
		at += i
	}
}

func (r corpusReading) checkAttachments(t *testing.T, want corpusExpect) {
	t.Helper()
	var raw, safe, sums []string
	var sizes []int
	for _, n := range r.body.Attachments {
		name := n.Filename()
		raw, safe = append(raw, name.Raw), append(safe, name.Safe)
		octets, _ := r.root.Find(n.PartNumber).Decoded(0)
		sum := sha256.Sum256(octets)
		sums, sizes = append(sums, hex.EncodeToString(sum[:])), append(sizes, len(octets))
	}
	if want.Attachments != nil && len(raw) != *want.Attachments {
		t.Errorf("attachments = %d %q, want %d", len(raw), raw, *want.Attachments)
	}
	lacks(t, "names", safe, want.Names)
	lacks(t, "names as sent", raw, want.NamesAsSent)
	lacks(t, "sizes", sizes, want.Sizes)
	lacks(t, "digests", sums, want.SHA256)
	for _, name := range safe {
		for _, no := range slices.Concat(want.NoChars, want.NoPath) {
			if strings.Contains(name, no) {
				t.Errorf("name %q holds %q", name, no)
			}
		}
	}
}

func lacks[T comparable](t *testing.T, what string, got, want []T) {
	t.Helper()
	for _, w := range want {
		if !slices.Contains(got, w) {
			t.Errorf("%s = %v, want them to hold %v", what, got, w)
		}
	}
}

func hasType(n Node, typ string) bool {
	return n.MediaType == typ || slices.ContainsFunc(n.Children, func(c Node) bool { return hasType(c, typ) })
}

func firstCharset(n Node) string {
	if strings.HasPrefix(n.MediaType, "text/") && n.Params["charset"] != "" {
		return n.Params["charset"]
	}
	for _, c := range n.Children {
		if s := firstCharset(c); s != "" {
			return s
		}
	}
	return ""
}

func checkUTF8(t testing.TB, e *Entity) {
	t.Helper()
	text, _ := e.Text(1 << 20)
	if !utf8.ValidString(text) || strings.Contains(text, "\x00") {
		t.Errorf("part %s: text is not valid UTF-8 without NUL", e.PartNumber)
	}
	for _, c := range e.Children {
		checkUTF8(t, c)
	}
}
