package smtptest

import (
	"crypto/hmac"
	"crypto/pbkdf2"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/base64"
	"errors"
	"strings"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// The credentials that test servers accept.
const (
	User     = "user@example.com"
	Password = "correct horse"
	Token    = "token-1"
)

// errRefused is the answer to wrong credentials.
var errRefused = &smtp.SMTPError{Code: 535, EnhancedCode: smtp.EnhancedCode{5, 7, 8}, Message: "credentials invalid"}

// mechanism returns the server side of an exchange, nil for one that is not known. It implements sasl.Server.
func mechanism(name string) sasl.Server {
	switch name {
	case "PLAIN":
		return &steps{next: []step{plainStep}}
	case "LOGIN":
		return &steps{ask: "Username:", next: []step{loginUser, loginPassword}}
	case "XOAUTH2":
		return &steps{next: []step{xoauth2Step, oauthRefused}}
	case "OAUTHBEARER":
		return &steps{next: []step{bearerStep, oauthRefused}}
	case "SCRAM-SHA-256":
		s := &scram{}
		return &steps{next: []step{s.first, s.final, scramEnd}}
	}
	return nil
}

// step takes an answer and returns the next challenge; done ends the exchange with success.
type step func(response string) (challenge string, done bool, err error)

// steps is an exchange of fixed length.
type steps struct {
	ask  string // the first challenge if there was no initial response
	at   int
	next []step
}

func (s *steps) Next(response []byte) (challenge []byte, done bool, err error) {
	if response == nil && s.at == 0 {
		return []byte(s.ask), false, nil
	}
	if s.at == len(s.next) {
		return nil, false, errors.New("surplus answer")
	}
	text, done, err := s.next[s.at](string(response))
	s.at++
	return []byte(text), done, err
}

func verdict(ok bool) (string, bool, error) {
	if !ok {
		return "", false, errRefused
	}
	return "", true, nil
}

func plainStep(r string) (string, bool, error) {
	return verdict(r == "\x00"+User+"\x00"+Password)
}

func loginUser(r string) (string, bool, error) {
	if r != User {
		return "", false, errRefused
	}
	return "Password:", false, nil
}

func loginPassword(r string) (string, bool, error) { return verdict(r == Password) }

const oauthFailure = `{"status":"401","schemes":"bearer"}`

func xoauth2Step(r string) (string, bool, error) {
	if r != "user="+User+"\x01auth=Bearer "+Token+"\x01\x01" {
		return oauthFailure, false, nil
	}
	return verdict(true)
}

func bearerStep(r string) (string, bool, error) {
	if !strings.HasPrefix(r, "n,a="+User+",") || !strings.Contains(r, "\x01auth=Bearer "+Token+"\x01") {
		return oauthFailure, false, nil
	}
	return verdict(true)
}

func oauthRefused(string) (string, bool, error) { return verdict(false) }

// scram is SCRAM-SHA-256 (RFC 5802 §3).
type scram struct{ bare, serverFirst string }

func (s *scram) first(r string) (string, bool, error) {
	s.bare = strings.TrimPrefix(r, "n,,")
	_, nonce, _ := strings.Cut(s.bare, ",r=")
	s.serverFirst = "r=" + nonce + "SERVER,s=" + base64.StdEncoding.EncodeToString([]byte("salt")) + ",i=4096"
	return s.serverFirst, false, nil
}

func (s *scram) final(r string) (string, bool, error) {
	without, proofText, _ := strings.Cut(r, ",p=")
	proof, _ := base64.StdEncoding.DecodeString(proofText)
	salted, err := pbkdf2.Key(sha256.New, Password, []byte("salt"), 4096, sha256.Size)
	if err != nil {
		return "", false, err
	}
	auth := s.bare + "," + s.serverFirst + "," + without
	key := mac(salted, "Client Key")
	stored := sha256.Sum256(key)
	want := make([]byte, len(key))
	subtle.XORBytes(want, key, mac(stored[:], auth))
	if !hmac.Equal(proof, want) {
		return "", false, errRefused
	}
	return "v=" + base64.StdEncoding.EncodeToString(mac(mac(salted, "Server Key"), auth)), false, nil
}

func scramEnd(r string) (string, bool, error) { return verdict(r == "") }

func mac(key []byte, data string) []byte {
	h := hmac.New(sha256.New, key)
	h.Write([]byte(data))
	return h.Sum(nil)
}
