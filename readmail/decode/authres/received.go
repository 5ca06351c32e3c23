package authres

import (
	"slices"
	"strings"
)

// receivedBy returns the host in the "by" clause of a Received field (RFC 5321 §4.4), lower case; "" if there is none. ok is false if the
// field cannot be read.
func receivedBy(body string) (host string, ok bool) {
	p := parser{s: body}
	var words []string
	for p.space(); !p.done() && !p.failed && len(words) < 64; p.space() {
		if p.peek() == ';' || p.peek() == ')' {
			break
		}
		words = append(words, strings.ToLower(p.word("")))
	}
	if i := slices.Index(words, "by"); i >= 0 && i+1 < len(words) {
		return strings.Trim(words[i+1], "[]."), !p.failed
	}
	return "", !p.failed
}

// ownServer reports whether host belongs to the server that reads for us. Names that the public DNS cannot hold, and addresses, are hops inside
// one system: large providers write them between their own machines.
func ownServer(host string, trusted []string) bool {
	if host == "" || !strings.Contains(host, ".") || strings.Contains(host, ":") || strings.Trim(host, "0123456789.") == "" {
		return true
	}
	for _, private := range []string{".internal", ".local", ".localdomain", ".lan", ".intern", ".corp", ".home.arpa"} {
		if strings.HasSuffix(host, private) {
			return true
		}
	}
	org := orgDomain(host)
	return slices.ContainsFunc(trusted, func(t string) bool {
		if t == ExchangeOnline {
			return slices.Contains([]string{"outlook.com", "exchangelabs.com", "office365.com", "office.com"}, org)
		}
		t = strings.ToLower(strings.TrimSpace(t))
		return t != "" && (t == host || orgDomain(t) == org)
	})
}
