package authres

import (
	"testing"

	"mailgap/readmail/decode"
)

// verdictCase is one Authentication-Results field, read for ada@example.com with mx.example.net as trusted authserv-id.
type verdictCase struct {
	name   string
	field  string
	status Status
	reason Reason
}

func TestVerdict(t *testing.T) {
	for _, c := range []verdictCase{
		{"dmarc pass", `mx.example.net; dmarc=pass header.from=example.com`, Verified, ReasonDMARCPass},
		{"dmarc pass in capitals", `MX.Example.NET; DMARC=Pass Header.From=EXAMPLE.com`, Verified, ReasonDMARCPass},
		{"version one", `mx.example.net 1; dmarc=pass header.from=example.com`, Verified, ReasonDMARCPass},
		{"method version one", `mx.example.net; dmarc/1=pass header.from=example.com`, Verified, ReasonDMARCPass},
		{"subdomain is aligned", `mx.example.net; dmarc=pass header.from=mail.example.com`, Verified, ReasonDMARCPass},
		{"trailing dot", `mx.example.net; dmarc=pass header.from=example.com.`, Verified, ReasonDMARCPass},
		{"comment after result", `mx.example.net; dmarc=pass (p=REJECT sp=REJECT dis=NONE) header.from=example.com`, Verified, ReasonDMARCPass},
		{"comment touching result", `mx.example.net; dmarc=pass(p=quarantine) header.from=example.com`, Verified, ReasonDMARCPass},
		{"semicolon inside comment", `mx.example.net; dkim=pass (2048-bit key; unprotected) header.d=example.com header.i=@example.com header.b=AbC`, Verified, ReasonDKIMAligned},
		{"semicolon inside quotes", `mx.example.net; spf=fail reason="no; dmarc=pass header.from=example.com"; dmarc=pass header.from=example.com`, Verified, ReasonDMARCPass},
		{"quoted authserv-id", `"mx.example.net"; dmarc=pass header.from=example.com`, Verified, ReasonDMARCPass},
		{"comment before authserv-id", `(our own) mx.example.net (really); dmarc=pass header.from=example.com`, Verified, ReasonDMARCPass},
		{"folded", "mx.example.net;\r\n\tspf=pass smtp.mailfrom=x@example.org;\r\n dmarc=pass\r\n header.from=example.com", Verified, ReasonDMARCPass},
		{"white space everywhere", `mx.example.net ; dmarc = pass header . from = example.com`, Verified, ReasonDMARCPass},
		{"dkim header.d", `mx.example.net; dkim=pass header.d=example.com`, Verified, ReasonDKIMAligned},
		{"dkim header.i only", `mx.example.net; dkim=pass header.i=@example.com header.s=s1`, Verified, ReasonDKIMAligned},
		{"dkim header.i quoted", `mx.example.net; dkim=pass header.i="@example.com"`, Verified, ReasonDKIMAligned},
		{"second dkim", `mx.example.net; dkim=pass header.d=example.org; dkim=pass header.d=example.com`, Verified, ReasonDKIMAligned},
		{"dmarc none, dkim aligned", `mx.example.net; dmarc=none header.from=example.com; dkim=pass header.d=example.com`, Verified, ReasonDKIMAligned},
		{"spf mailfrom", `mx.example.net; spf=pass smtp.mailfrom=bounce+a=b.test@mail.example.com`, Verified, ReasonSPFAligned},
		{"spf mailfrom domain", `mx.example.net; spf=pass smtp.mailfrom=example.com smtp.helo=mail.example.com`, Verified, ReasonSPFAligned},
		{"trailing semicolon", `mx.example.net; dmarc=pass header.from=example.com;`, Verified, ReasonDMARCPass},

		{"dmarc fail", `mx.example.net; dmarc=fail (p=none) header.from=example.com`, Failed, ReasonDMARCFail},
		{"dmarc fail beats dkim", `mx.example.net; dkim=pass header.d=example.com; dmarc=fail header.from=example.com`, Failed, ReasonDMARCFail},
		{"dmarc twice, contradicting", `mx.example.net; dmarc=fail header.from=example.com; dmarc=pass header.from=example.com`, Unknown, ReasonConflict},

		{"pass in a comment", `mx.example.net; spf=none (dmarc=pass header.from=example.com)`, Unknown, ReasonNotAligned},
		{"pass in a nested comment", `mx.example.net (a (b; dmarc=pass header.from=example.com) c); spf=none`, Unknown, ReasonNotAligned},
		{"escaped bracket in a comment", `mx.example.net; spf=none (\) ; dmarc=pass header.from=example.com)`, Unknown, ReasonNotAligned},
		{"pass in a reason", `mx.example.net; spf=none reason="; dmarc=pass header.from=example.com"`, Unknown, ReasonNotAligned},
		{"pass in a local part", `mx.example.net; spf=softfail smtp.mailfrom="; dmarc=pass header.from=example.com"@example.org`, Unknown, ReasonNotAligned},
		{"pass as a property", `mx.example.net; spf=fail dmarc=pass header.from=example.com`, Unknown, ReasonNotAligned},
		{"other header.from", `mx.example.net; dmarc=pass header.from=example.org`, Unknown, ReasonNotAligned},
		{"no header.from", `mx.example.net; dmarc=pass`, Unknown, ReasonNotAligned},
		{"header.from twice", `mx.example.net; dmarc=pass header.from=example.org header.from=example.com`, Unknown, ReasonNotAligned},
		{"header.from of another method", `mx.example.net; dmarc=pass; spf=pass header.from=example.com`, Unknown, ReasonNotAligned},
		{"smtp.from is not header.from", `mx.example.net; dmarc=pass smtp.from=example.com`, Unknown, ReasonNotAligned},
		{"suffix is no subdomain", `mx.example.net; dmarc=pass header.from=notexample.com`, Unknown, ReasonNotAligned},
		{"domain as a label", `mx.example.net; dmarc=pass header.from=example.com.example.org`, Unknown, ReasonNotAligned},
		{"result with a tail", `mx.example.net; dmarc=passed header.from=example.com`, Unknown, ReasonNotAligned},
		{"best guess", `mx.example.net; dmarc=bestguesspass header.from=example.com`, Unknown, ReasonNotAligned},
		{"method of another version", `mx.example.net; dmarc/2=pass header.from=example.com`, Unknown, ReasonNotAligned},
		{"dkim d and i disagree", `mx.example.net; dkim=pass header.d=example.org header.i=@example.com`, Unknown, ReasonNotAligned},
		{"dkim fail", `mx.example.net; dkim=fail header.d=example.com`, Unknown, ReasonNotAligned},
		{"spf helo only", `mx.example.net; spf=pass smtp.helo=example.com`, Unknown, ReasonNotAligned},
		{"spf twice, contradicting", `mx.example.net; spf=pass smtp.mailfrom=example.com; spf=fail smtp.mailfrom=example.com`, Unknown, ReasonNotAligned},
		{"spf of a foreign domain", `mx.example.net; spf=pass smtp.mailfrom=a@example.org`, Unknown, ReasonNotAligned},
		{"none", `mx.example.net; none`, Unknown, ReasonNotAligned},
		{"no result", `mx.example.net`, Unknown, ReasonNotAligned},

		{"foreign authserv-id", `mx.example.org; dmarc=pass header.from=example.com`, Unknown, ReasonForeignField},
		{"authserv-id in a comment", `(mx.example.net;) mx.example.org; dmarc=pass header.from=example.com`, Unknown, ReasonForeignField},
		{"authserv-id with a tail", `mx.example.net.example.org; dmarc=pass header.from=example.com`, Unknown, ReasonForeignField},
		{"form without authserv-id", `spf=pass smtp.mailfrom=example.com; dmarc=pass header.from=example.com`, Unknown, ReasonForeignField},

		{"empty", ``, Unknown, ReasonUnreadable},
		{"version two", `mx.example.net 2; dmarc=pass header.from=example.com`, Unknown, ReasonUnreadable},
		{"two words as id", `mx.example.net extra; dmarc=pass header.from=example.com`, Unknown, ReasonUnreadable},
		{"NUL", "mx.example.net; dmarc=pass header.from=example.com\x00.example.org", Unknown, ReasonUnreadable},
		{"bare CR", "mx.example.net;\rdmarc=pass header.from=example.com", Unknown, ReasonUnreadable},
		{"line end that does not fold", "mx.example.net; spf=none\r\nX: y; dmarc=pass header.from=example.com", Unknown, ReasonUnreadable},
		{"line end between results", "mx.example.net; spf=none;\r\ndmarc=pass header.from=example.com", Unknown, ReasonUnreadable},
		{"invalid UTF-8 in a comment", "mx.example.net; (\xff) dmarc=pass header.from=example.com", Unknown, ReasonUnreadable},
		{"invalid UTF-8", "mx.example.net; dmarc=pass header.from=example.com\xff", Unknown, ReasonUnreadable},
		{"comment never closed", `mx.example.net; spf=none (; dmarc=pass header.from=example.com`, Unknown, ReasonUnreadable},
		{"comment closed twice", `mx.example.net; spf=none ()) ; dmarc=pass header.from=example.com`, Unknown, ReasonUnreadable},
		{"quote never closed", `mx.example.net; spf=none reason="; dmarc=pass header.from=example.com`, Unknown, ReasonUnreadable},
		{"none beside a result", `mx.example.net; none; dmarc=pass header.from=example.com`, Unknown, ReasonUnreadable},
		{"several domains", `mx.example.net; dmarc=pass header.from=example.org, example.com`, Unknown, ReasonUnreadable},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Verdict([]string{c.field}, []string{"mx.example.net"}, decode.Addresses("Ada <ada@example.com>"))
			if got.Status != c.status || got.Reason != c.reason {
				t.Errorf("got %s (%s), want %s (%s)", got.Status, got.Reason, c.status, c.reason)
			}
		})
	}
}

const passField = `mx.example.net; dmarc=pass header.from=example.com`

func TestVerdictOfAuthors(t *testing.T) {
	for _, c := range []struct {
		name, from string
		reason     Reason
	}{
		{"one", `ada@example.com`, ReasonDMARCPass},
		{"none", ``, ReasonNoFrom},
		{"two", `ada@example.com, eve@example.org`, ReasonSeveralFrom},
		{"two in a group", `g: ada@example.com, eve@example.org;`, ReasonSeveralFrom},
		{"two in brackets", `<ada@example.com> <eve@example.org>`, ReasonSeveralFrom},
		{"two at signs", `eve@example.org@example.com`, ReasonFromUnusable},
		{"name only", `Ada`, ReasonFromUnusable},
		{"two without a comma", `eve@example.org ada@example.com`, ReasonFromUnusable},
		{"bracket never closed", `Ada <ada@example.com`, ReasonFromUnusable},
		{"address literal", `ada@[192.0.2.1]`, ReasonFromUnusable},
		{"encoded address", `=?utf-8?Q?ada=40example=2Ecom?=`, ReasonFromUnusable},
		{"address in the name", `"ada@example.com" <eve@example.org>`, ReasonNotAligned},
	} {
		t.Run(c.name, func(t *testing.T) {
			got := Verdict([]string{passField}, []string{"mx.example.net"}, decode.Addresses(c.from))
			if got.Reason != c.reason {
				t.Errorf("reason = %s, want %s", got.Reason, c.reason)
			}
		})
	}
}

func TestVerdictOfInternationalDomain(t *testing.T) {
	from := decode.Addresses("ada@bücher.example")
	for _, field := range []string{"xn--bcher-kva.example", "bücher.example", "BÜCHER.example"} {
		got := Verdict([]string{"mx.example.net; dmarc=pass header.from=" + field}, []string{"mx.example.net"}, from)
		if got.Status != Verified || got.Domain != "xn--bcher-kva.example" {
			t.Errorf("header.from=%s: got %s for %q", field, got.Status, got.Domain)
		}
	}
}

func TestVerdictOfPublicSuffix(t *testing.T) {
	got := Verdict([]string{"mx.example.net; dmarc=pass header.from=b.co.uk"}, []string{"mx.example.net"}, decode.Addresses("x@a.co.uk"))
	if got.Status != Unknown {
		t.Errorf("two domains below a public suffix: got %s, want %s", got.Status, Unknown)
	}
}

func TestVerdictWithoutTrust(t *testing.T) {
	got := Verdict([]string{passField}, nil, decode.Addresses("ada@example.com"))
	if got.Status != Unknown || got.Reason != ReasonNoTrustedID {
		t.Errorf("got %s (%s), want %s (%s)", got.Status, got.Reason, Unknown, ReasonNoTrustedID)
	}
}

func TestVerdictOfExchangeOnline(t *testing.T) {
	field := `spf=pass (sender IP is 192.0.2.1)` + "\r\n" + ` smtp.mailfrom=example.com; dkim=pass (signature was verified)` +
		` header.d=example.com;dmarc=pass action=none header.from=example.com;compauth=pass reason=100`
	got := Verdict([]string{field}, []string{ExchangeOnline}, decode.Addresses("ada@example.com"))
	if got.Status != Verified || len(got.Results) != 4 {
		t.Errorf("got %s with %d results, want %s with 4", got.Status, len(got.Results), Verified)
	}
	named := Verdict([]string{"exchange-online; dmarc=pass header.from=example.com"}, []string{ExchangeOnline}, decode.Addresses("ada@example.com"))
	if named.Status != Unknown {
		t.Errorf("a field that calls itself %s: got %s, want %s", ExchangeOnline, named.Status, Unknown)
	}
}

func TestVerdictHeader(t *testing.T) {
	const (
		own     = "Received: from a.example.org by mx.example.net with ESMTP; Tue, 4 Mar 2025 10:15:00 +0100\r\n"
		hop     = "Received: by 2001:db8::1 with SMTP id x; Tue, 4 Mar 2025 10:15:00 +0100\r\n"
		foreign = "Received: from b.example.org (by mx.example.net) by a.example.org; Tue, 4 Mar 2025 10:14:00 +0100\r\n"
		pass    = "Authentication-Results: mx.example.net; dmarc=pass header.from=example.com\r\n"
		fail    = "Authentication-Results: mx.example.net; dmarc=fail header.from=example.com\r\n"
		other   = "Authentication-Results: mx.example.org; dmarc=fail header.from=example.com\r\n"
		arc     = "ARC-Authentication-Results: i=1; mx.example.net; dmarc=pass header.from=example.com\r\n"
		from    = "From: ada@example.com\r\n"
		second  = "From: eve@example.org\r\n"
		empty   = "From: \r\n"
	)
	for _, c := range []struct {
		name, header string
		status       Status
		reason       Reason
	}{
		{"above the trace", pass + own + from, Verified, ReasonDMARCPass},
		{"below the own trace", hop + own + pass + foreign + from, Verified, ReasonDMARCPass},
		{"forged field deeper", own + fail + foreign + pass + from, Failed, ReasonDMARCFail},
		{"forged field right below", own + fail + pass + from, Failed, ReasonDMARCFail},
		{"forged field below a foreign one", own + other + pass + from, Unknown, ReasonForeignField},
		{"only a forged field", own + foreign + pass + from, Unknown, ReasonNoField},
		{"below an unreadable trace field", own + "Received: (from x\r\n" + pass + from, Unknown, ReasonNoField},
		{"below a local trace field", "Received: (qmail 1 invoked by uid 2)\r\n" + own + pass + from, Verified, ReasonDMARCPass},
		{"ARC does not count", own + arc + from, Unknown, ReasonNoField},
		{"no field", own + from, Unknown, ReasonNoField},
		{"two From fields", own + pass + from + second, Unknown, ReasonSeveralFrom},
		{"an empty second From field", own + pass + from + empty, Unknown, ReasonSeveralFrom},
		{"no From field", own + pass, Unknown, ReasonNoFrom},
	} {
		t.Run(c.name, func(t *testing.T) {
			h, _ := decode.ParseHeader([]byte(c.header+"\r\n"), decode.Limits{})
			got := VerdictHeader(h, []string{"mx.example.net"})
			if got.Status != c.status || got.Reason != c.reason {
				t.Errorf("got %s (%s), want %s (%s)", got.Status, got.Reason, c.status, c.reason)
			}
		})
	}
}

func TestParse(t *testing.T) {
	f, err := Parse(`Mx.Example.NET 1; dkim=Pass reason="good; signature" header.b="a/b=" (x) policy.dmarc=none; iprev=pass policy.iprev=192.0.2.1`)
	if err != nil {
		t.Fatal(err)
	}
	if f.AuthservID != "mx.example.net" || f.Version != 1 || len(f.Results) != 2 {
		t.Fatalf("got %+v", f)
	}
	r := f.Results[0]
	if r.Method != "dkim" || r.Result != "pass" || r.Reason != "good; signature" || len(r.Properties) != 2 {
		t.Errorf("got %+v", r)
	}
	if got, _ := r.property("header", "b"); got != "a/b=" {
		t.Errorf("header.b = %q, want %q", got, "a/b=")
	}
}

func FuzzParse(f *testing.F) {
	f.Add(passField)
	f.Add(`(a(b\)) "x\"y" 1; dkim/1 = pass (c;) reason="r" header.d = "d.example"@x ; none`)
	f.Add("spf=pass smtp.mailfrom=; dmarc=pass action=none\r\n header.from=example.com")
	f.Fuzz(func(t *testing.T, body string) {
		field, err := Parse(body)
		if err != nil {
			return
		}
		if len(field.Results) > maxResults+1 {
			t.Errorf("%d results", len(field.Results))
		}
		// What stands in a comment has no effect: the same field with an empty comment in front reads the same.
		again, err := Parse("(dmarc=pass header.from=example.com;)" + body)
		if err != nil || again.AuthservID != field.AuthservID || len(again.Results) != len(field.Results) {
			t.Errorf("%q with a comment in front: %+v, %v; want %+v", body, again, err, field)
		}
	})
}
