package trail_test

import (
	"fmt"
	"strings"
	"testing"

	"mailgap/sendmail/provenance"
	"mailgap/shared/addr"
)

// fixture is a header, and who an answer to it goes to.
type fixture struct {
	name   string
	header string
	choice provenance.Choice
	want   string // the one right target; "" for none that is not raised
}

// from is a From field and the domain that its server would confirm.
type from struct{ name, field, domain, want string }

// plainAuthors are ways in which ordinary programs write one author.
func plainAuthors() []from {
	const kim = "kim@example.com"
	return []from{
		{"bare", "From: kim@example.com", "example.com", kim},
		{"in brackets", "From: <kim@example.com>", "example.com", kim},
		{"with a name", "From: Kim <kim@example.com>", "example.com", kim},
		{"with a quoted name", `From: "Kim, of the board" <kim@example.com>`, "example.com", kim},
		{"with quotes in the name", `From: "Kim \"the boss\" Lee" <kim@example.com>`, "example.com", kim},
		{"with an encoded name", "From: =?utf-8?Q?Kim_M=C3=BCller?= <kim@example.com>", "example.com", kim},
		{"with a name in base64", "From: =?utf-8?B?S2ltIE3DvGxsZXI=?= <kim@example.com>", "example.com", kim},
		{"with a name in Latin 1", "From: =?iso-8859-1?Q?M=FCller?= <kim@example.com>", "example.com", kim},
		{"with a raw name", "From: Kim Müller <kim@example.com>", "example.com", kim},
		{"with its address as the name", `From: "kim@example.com" <kim@example.com>`, "example.com", kim},
		{"with a comment", "From: Kim (office) <kim@example.com>", "example.com", kim},
		{"with a comment as the name", "From: kim@example.com (Kim)", "example.com", kim},
		{"in capitals", "From: KIM <Kim@Example.COM>", "example.com", "Kim@example.com"},
		{"lower-case field name", "from: Kim <kim@example.com>", "example.com", kim},
		{"with a sub-address", "From: Kim <kim+news@example.com>", "example.com", "kim+news@example.com"},
		{"folded", "From: Kim of the\r\n board <kim@example.com>", "example.com", kim},
		{"at a subdomain", "From: Kim <kim@mail.example.com>", "mail.example.com", "kim@mail.example.com"},
		{"at an A-label domain", "From: Kim <kim@xn--bcher-kva.example>", "xn--bcher-kva.example", "kim@xn--bcher-kva.example"},
		{"of a list", `From: "Kim via the team" <team@lists.example.com>`, "lists.example.com", "team@lists.example.com"},
		{"of a machine", "From: no-reply@example.com", "example.com", "no-reply@example.com"},
		{"with an apostrophe", "From: O'Neil <o'neil@example.com>", "example.com", "o'neil@example.com"},
		{"with a dot in the name", "From: Kim B. Lee <kim@example.com>", "example.com", kim},
	}
}

// confirmations are ways in which a mail server says that it confirmed a domain.
func confirmations(d string) map[string]string {
	id := "Authentication-Results: " + authservID
	return map[string]string{
		"dmarc":            id + "; dmarc=pass header.from=" + d + "\r\n",
		"all three":        id + "; spf=pass smtp.mailfrom=" + d + "; dkim=pass header.d=" + d + " header.s=a; dmarc=pass (p=reject dis=none) header.from=" + d + "\r\n",
		"folded":           id + ";\r\n\tdkim=pass (2048-bit key)\r\n\theader.d=" + d + ";\r\n\tdmarc=pass header.from=" + d + "\r\n",
		"dkim":             id + "; dkim=pass header.d=" + d + "\r\n",
		"others below":     id + "; dmarc=pass header.from=" + d + "\r\nReceived: from a by " + authservID + "; Mon, 4 May 2026 08:00:00 +0000\r\nAuthentication-Results: other.example; dmarc=fail header.from=" + d + "\r\n",
		"forged one below": id + "; dmarc=pass header.from=" + d + "\r\nReceived: from a by " + authservID + "; Mon, 4 May 2026 08:00:00 +0000\r\n" + id + "; dmarc=pass header.from=bank.example\r\n",
	}
}

// trickyAuthors are ways to have a header say one thing and an answer go elsewhere. None of them may be answered without the person
// being told, and none at the bank at all.
func trickyAuthors() []from {
	return []from{
		{"two fields", "From: Boss <boss@bank.example>\r\nFrom: eve@evil.example", "evil.example", ""},
		{"two fields, the other way", "From: eve@evil.example\r\nFrom: Boss <boss@bank.example>", "evil.example", ""},
		{"a field with a space before its colon", "From : boss@bank.example\r\nFrom: eve@evil.example", "evil.example", ""},
		{"fields in different case", "FROM: boss@bank.example\r\nFrom: eve@evil.example", "evil.example", ""},
		{"two addresses", "From: eve@evil.example, boss@bank.example", "evil.example", ""},
		{"two addresses and a Sender", "From: boss@bank.example, eve@evil.example\r\nSender: eve@evil.example", "evil.example", ""},
		{"another address as the name", `From: "boss@bank.example" <eve@evil.example>`, "evil.example", ""},
		{"another address as the name, encoded", "From: =?utf-8?B?Ym9zc0BiYW5rLmV4YW1wbGU=?= <eve@evil.example>", "evil.example", ""},
		{"another address as the name, in brackets", `From: "Boss <boss@bank.example>" <eve@evil.example>`, "evil.example", ""},
		{"another address as the name, full width", "From: =?utf-8?B?Ym9zc++8oGJhbmsuZXhhbXBsZQ==?= <eve@evil.example>", "evil.example", ""},
		{"another address in a comment", "From: eve@evil.example (boss@bank.example)", "evil.example", ""},
		{"another address in a comment before", "From: (boss@bank.example) <eve@evil.example>", "evil.example", ""},
		{"quoted local part", `From: "boss@bank.example"@evil.example`, "evil.example", ""},
		{"quoted local part with a bracket", `From: "boss@bank.example>"@evil.example`, "evil.example", ""},
		{"route", "From: <@bank.example:eve@evil.example>", "evil.example", ""},
		{"route with a list", "From: Boss <@bank.example,@b.example:eve@evil.example>", "evil.example", ""},
		{"percent", "From: <boss%bank.example@evil.example>", "evil.example", ""},
		{"group", "From: bank: boss@bank.example;", "bank.example", ""},
		{"group of the attacker", "From: boss@bank.example: eve@evil.example;", "evil.example", ""},
		{"empty group", "From: undisclosed-recipients:;", "evil.example", ""},
		{"empty", "From: ", "evil.example", ""},
		{"none", "X-From: boss@bank.example", "bank.example", ""},
		{"NUL", "From: boss@bank.example\x00 <eve@evil.example>", "evil.example", ""},
		{"bare CR", "From: boss@bank.example\r <eve@evil.example>", "evil.example", ""},
		{"encoded comma", "From: =?utf-8?Q?boss=40bank.example,?= <eve@evil.example>", "evil.example", ""},
		{"encoded word as the address", "From: =?utf-8?Q?boss=40bank.example?=", "bank.example", ""},
		{"mixed script", "From: Boss <boss@bаnk.example>", "xn--bnk-6cd.example", ""},
		{"nested brackets", "From: Boss <<boss@bank.example>eve@evil.example>", "evil.example", ""},
		{"no domain", "From: boss", "bank.example", ""},
		{"address literal", "From: boss@[192.0.2.1]", "evil.example", ""},
		{"trailing text", "From: <eve@evil.example> boss@bank.example", "evil.example", ""},
		{"two signs", "From: boss@bank.example@evil.example", "evil.example", ""},
	}
}

// forgeries are Authentication-Results that the account's own server did not write, or that do not confirm.
func forgeries(d string) map[string]string {
	id := "Authentication-Results: " + authservID
	received := "Received: from a by mx.evil.example; Mon, 4 May 2026 08:00:00 +0000\r\n"
	return map[string]string{
		"none":                           "",
		"of another server":              "Authentication-Results: other.example; dmarc=pass header.from=" + d + "\r\n",
		"of a server with a longer name": id + ".evil.example; dmarc=pass header.from=" + d + "\r\n",
		"failed":                         id + "; dmarc=fail header.from=" + d + "\r\n",
		"another domain":                 id + "; dmarc=pass header.from=evil.example\r\n",
		"spf of another domain":          id + "; spf=pass smtp.mailfrom=evil.example\r\n",
		"dkim of another domain":         id + "; dkim=pass header.d=evil.example\r\n",
		"in a comment":                   id + "; dmarc=fail (a; dmarc=pass header.from=" + d + ") header.from=" + d + "\r\n",
		"in a quoted string":             id + `; spf=pass smtp.mailfrom="a; dmarc=pass header.from=` + d + `"` + "\r\n",
		"two that differ":                id + "; dmarc=pass header.from=" + d + "; dmarc=fail header.from=" + d + "\r\n",
		"temporary error":                id + "; dmarc=temperror header.from=" + d + "\r\n",
		"below the own server's stamp":   received + id + "; dmarc=pass header.from=" + d + "\r\n",
	}
}

func fixtures() (legitimate, tricky []fixture) {
	for _, f := range plainAuthors() {
		for name, results := range confirmations(f.domain) {
			legitimate = append(legitimate, fixture{name: f.name + ", " + name, header: results + f.field + "\r\n", want: f.want})
		}
	}
	const listed = "List-Post: <mailto:team@example.com>\r\n"
	kim := pass("example.com") + "From: Kim <kim@example.com>\r\n"
	legitimate = append(legitimate,
		fixture{"requested", kim + "Reply-To: desk@example.org\r\n", provenance.ChoiceRequested, "desk@example.org"},
		fixture{"requested, with a name", kim + "Reply-To: The desk <desk@example.org>\r\n", provenance.ChoiceRequested, "desk@example.org"},
		fixture{"not requested", kim + "Reply-To: desk@example.org\r\n", "", "kim@example.com"},
		fixture{"list", kim + listed, provenance.ChoiceList, "team@example.com"},
		fixture{"not to the list", kim + listed, "", "kim@example.com"})
	for _, f := range trickyAuthors() {
		for _, results := range []string{pass(f.domain), pass("bank.example"), ""} {
			tricky = append(tricky, fixture{name: f.name + ", " + results, header: results + f.field + "\r\n"})
		}
	}
	for _, f := range []string{"From: boss@bank.example", "From: Boss <boss@bank.example>"} {
		for name, results := range forgeries("bank.example") {
			tricky = append(tricky, fixture{name: f + ", " + name, header: results + f + "\r\n"})
		}
	}
	eve := pass("evil.example") + "From: eve@evil.example\r\n"
	tricky = append(tricky,
		fixture{"request of somebody who is not confirmed", "From: kim@example.com\r\nReply-To: eve@evil.example\r\n", provenance.ChoiceRequested, ""},
		fixture{"two requests", kim + "Reply-To: desk@example.org\r\nReply-To: eve@evil.example\r\n", provenance.ChoiceRequested, ""},
		fixture{"several in a request", kim + "Reply-To: desk@example.org, eve@evil.example\r\n", provenance.ChoiceRequested, ""},
		fixture{"request with the author as its name", kim + "Reply-To: \"kim@example.com\" <eve@evil.example>\r\n", provenance.ChoiceRequested, ""},
		fixture{"group in a request", kim + "Reply-To: desk: eve@evil.example;\r\n", provenance.ChoiceRequested, ""},
		fixture{"list of others", eve + "List-Post: <mailto:all@bank.example>\r\n", provenance.ChoiceList, ""},
		fixture{"list that is a page", kim + "List-Post: <https://example.com/post>\r\n", provenance.ChoiceList, ""},
		fixture{"list with further fields", kim + "List-Post: <mailto:team@example.com?cc=eve@evil.example>\r\n", provenance.ChoiceList, ""})
	return legitimate, tricky
}

// TestReplyTargets: from the header on the mail server to the target of an answer.
func TestReplyTargets(t *testing.T) {
	legitimate, tricky := fixtures()
	var inbox [][]byte
	for i, f := range append(legitimate, tricky...) {
		inbox = append(inbox, mail(f.header+fmt.Sprintf("To: %s\r\nSubject: %d\r\nDate: Mon, 4 May 2026 08:00:00 +0000\r\nMessage-ID: <%d@a.example>\r\n", me, i, i), "Hello."))
	}
	w := newWorld(t, serve(t, inbox...))
	own, err := addr.ParseSpec(me)
	if err != nil {
		t.Fatal(err)
	}
	resolve := func(uid int, f fixture) (provenance.Target, error) {
		m := w.read(uid)
		row, ok, err := w.book.Message(t.Context(), m.Ref)
		if err != nil || !ok {
			t.Fatalf("%s: not recorded: %t, %v", f.name, ok, err)
		}
		return provenance.Resolve(row.Facts, f.choice, own)
	}
	right := 0
	for i, f := range legitimate {
		target, err := resolve(i+1, f)
		switch {
		case err != nil:
			t.Logf("%s: %v", f.name, err)
		case len(target.To) != 1 || target.To[0].AddrSpec() != f.want:
			t.Errorf("%s: WRONG target %v, want %s", f.name, target.To, f.want)
		case target.Finding == provenance.CodeUnconfirmed:
			t.Logf("%s: not confirmed", f.name)
		default:
			right++
		}
	}
	unsaid := 0
	for i, f := range tricky {
		target, err := resolve(len(legitimate)+i+1, f)
		if err != nil {
			continue
		}
		if target.Finding == "" {
			unsaid++
			t.Errorf("%s: WRONG: answered to %v and nothing is said\n%s", f.name, target.To, f.header)
		}
		if strings.Contains(target.To[0].AddrSpec(), "bank.example") && !strings.Contains(f.header, "From: boss@bank.example\r\n") && !strings.Contains(f.header, "From: Boss <boss@bank.example>\r\n") {
			t.Errorf("%s: WRONG: answered to %v\n%s", f.name, target.To, f.header)
		}
	}
	t.Logf("%d fixtures: %d of %d legitimate ones resolved and confirmed, %d of %d tricky ones answered without a word", len(inbox), right, len(legitimate), unsaid, len(tricky))
	if len(inbox) < 200 || float64(right) < 0.9*float64(len(legitimate)) {
		t.Errorf("%d of %d legitimate headers resolved, %d fixtures in all; want 90 %% and 200", right, len(legitimate), len(inbox))
	}
}
