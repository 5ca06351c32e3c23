package sasl

import (
	"errors"
	"strings"
	"testing"
)

// TestSCRAMVector is the exchange of RFC 7677 §3.
func TestSCRAMVector(t *testing.T) {
	c := NewSCRAM("user", "pencil")
	c.nonce = "rOprNGfwEbeRWgbNEkqO"
	_, first, _ := c.Start()
	if want := "n,,n=user,r=rOprNGfwEbeRWgbNEkqO"; string(first) != want {
		t.Errorf("got %q, want %q", first, want)
	}
	final, err := c.Next([]byte("r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"))
	if err != nil {
		t.Fatal(err)
	}
	want := "c=biws,r=rOprNGfwEbeRWgbNEkqO%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,p=dHzbZapWIk4jUhN+Ute9ytag9zjfMHgsqmmiz7AndVQ="
	if string(final) != want {
		t.Errorf("got %q, want %q", final, want)
	}
	if _, err := c.Next([]byte("v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=")); err != nil || !c.proven {
		t.Errorf("got %v, proven %v, want the server proven", err, c.proven)
	}
}

func TestSCRAMRefusesBadServers(t *testing.T) {
	const salt = "s=W22ZaJ0SNY7soEsUEjb6gQ=="
	for name, first := range map[string]string{
		"foreign nonce":       "r=other," + salt + ",i=4096",
		"nonce not extended":  "r={n}," + salt + ",i=4096",
		"few iterations":      "r={n}x," + salt + ",i=1",
		"endless iterations":  "r={n}x," + salt + ",i=999999999",
		"no salt":             "r={n}x,s=,i=4096",
		"mandatory extension": "m=ext,r={n}x," + salt + ",i=4096",
		"nothing":             "",
		"too long":            "r={n}x," + salt + ",i=4096," + strings.Repeat("x", scramMaxOctets),
	} {
		c := NewSCRAM("user", "pencil")
		c.Start()
		if _, err := c.Next([]byte(strings.ReplaceAll(first, "{n}", c.nonce))); !errors.Is(err, ErrProtocol) {
			t.Errorf("%s: got %v, want ErrProtocol", name, err)
		}
	}
	c := NewSCRAM("user", "pencil")
	c.Start()
	if _, err := c.Next([]byte("r=" + c.nonce + "x," + salt + ",i=4096")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Next([]byte("v=AAAA")); !errors.Is(err, ErrServer) || c.proven {
		t.Errorf("got %v, proven %v, want ErrServer", err, c.proven)
	}
}

func FuzzSCRAMServerFirst(f *testing.F) {
	f.Add([]byte("r=nonceX,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096"))
	f.Add([]byte("r=nonce,,,"))
	f.Fuzz(func(t *testing.T, msg []byte) {
		nonce, salt, n, err := parseServerFirst(msg, "nonce")
		if err == nil && (!strings.HasPrefix(nonce, "nonce") || nonce == "nonce" || len(salt) == 0 || n < scramMinIterations || n > scramMaxIterations) {
			t.Errorf("accepted %q", msg)
		}
	})
}

func TestSaslPrep(t *testing.T) {
	for in, want := range map[string]string{"I\u00adX": "IX", "user": "user", "\u00aa": "a", "\u2168": "IX", "a\u00a0b": "a b"} { // RFC 4013 §3
		if got := saslPrep(in); got != want {
			t.Errorf("saslPrep(%q): got %q, want %q", in, got, want)
		}
	}
}

// A server that asks again after the end must not be answered.
func TestSurplusQuestions(t *testing.T) {
	for name, c := range map[string]interface{ Next([]byte) ([]byte, error) }{
		"PLAIN": NewPlain("u", "p"), "LOGIN": NewLogin("u", "p"), "XOAUTH2": NewXOAuth2("u", "t"), "OAUTHBEARER": NewOAuthBearer("u", "t", "h", 1), "SCRAM": NewSCRAM("u", "p"),
	} {
		var err error
		for range 4 {
			_, err = c.Next(nil)
		}
		if !errors.Is(err, ErrSurplus) || !IsFault(err) {
			t.Errorf("%s: got %v, want ErrSurplus", name, err)
		}
	}
}

func TestOAuthMessages(t *testing.T) {
	_, got, _ := NewXOAuth2("u@example.com", "tok").Start()
	if want := "user=u@example.com\x01auth=Bearer tok\x01\x01"; string(got) != want {
		t.Errorf("got %q, want %q", got, want)
	}
	c := NewOAuthBearer("a=b,c", "tok", "mail.example", 587)
	_, got, _ = c.Start()
	if want := "n,a=a=3Db=2Cc,\x01host=mail.example\x01port=587\x01auth=Bearer tok\x01\x01"; string(got) != want { // RFC 7628 §4.1
		t.Errorf("got %q, want %q", got, want)
	}
	long := strings.Repeat("x", 2*maxDetailOctets)
	if answer, err := c.Next([]byte(long)); err != nil || string(answer) != "\x01" || len(c.DetailRaw()) != maxDetailOctets {
		t.Errorf("got %q, %v, detail of %d octets", answer, err, len(c.DetailRaw()))
	}
}
