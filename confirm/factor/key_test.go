package factor

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/x509"
	"encoding/base64"
	"errors"
	"testing"
)

// otherKey is a key that was never enrolled, as the browser takes it.
func otherKey(t testing.TB) string {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	der, err := x509.MarshalPKCS8PrivateKey(key)
	if err != nil {
		t.Fatal(err)
	}
	return base64.StdEncoding.EncodeToString(der)
}

// TestOnce: a proof is looked at once, whatever comes of it.
func TestOnce(t *testing.T) {
	p, err := newProof(nil, func([]byte) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	if err := p.Finish(nil); err != nil {
		t.Fatal(err)
	}
	if err := p.Finish(nil); !errors.Is(err, ErrSpent) {
		t.Errorf("got %v, want ErrSpent", err)
	}
}

// FuzzAnswers: no octets are an answer of a device.
func FuzzAnswers(f *testing.F) {
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","authenticatorData":"AA","signature":"AA"}}`))
	f.Add([]byte(`{"id":"AA","rawId":"AA","type":"public-key","response":{"clientDataJSON":"e30","attestationObject":"oA"}}`))
	f.Fuzz(func(t *testing.T, answer []byte) {
		k := Open(t.TempDir(), rand.Reader)
		p, err := k.Enrol("http://localhost:1")
		if err != nil {
			t.Fatal(err)
		}
		if p.Finish(answer) == nil {
			t.Errorf("%q enrolled a device", answer)
		}
	})
}
