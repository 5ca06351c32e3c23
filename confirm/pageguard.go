package confirm

import (
	"crypto/subtle"
	"net"
	"net/http"
	"strings"
)

// The two paths; each is followed by a secret.
const (
	openPath    = "/open/"    // GET, once
	messagePath = "/message/" // GET to look, POST to answer
)

// refused is a request that is not served, and why. The reason goes to the log; the sender learns the status alone.
type refused struct {
	status int
	why    string
}

// ServeHTTP implements http.Handler.
func (s *sheet) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	harden(w.Header())
	serve, no := s.route(r)
	if no != nil {
		s.refuse(w, no)
		return
	}
	serve(w, r)
}

// harden sets what every response has.
func harden(h http.Header) {
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Security-Policy", "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'; sandbox")
	h.Set("Cross-Origin-Opener-Policy", "same-origin")
	h.Set("Cross-Origin-Resource-Policy", "same-origin")
	h.Set("Cross-Origin-Embedder-Policy", "require-corp")
	h.Set("Origin-Agent-Cluster", "?1")
	// Not no-referrer: a form sends "Origin: null" under that, and the origin is checked. Nothing leads to other origins.
	h.Set("Referrer-Policy", "same-origin")
	h.Set("X-Content-Type-Options", "nosniff")
	h.Set("X-Frame-Options", "DENY")
	h.Set("X-DNS-Prefetch-Control", "off")
	h.Set("X-Robots-Tag", "noindex, nofollow, noarchive")
	h.Set("Permissions-Policy", "camera=(), microphone=(), geolocation=(), clipboard-read=(), display-capture=(), payment=()")
}

// route decides what serves r. All checks are here, in one view; what passes has the right secret in its path.
func (s *sheet) route(r *http.Request) (http.HandlerFunc, *refused) {
	// Security: a name that was made to point to this machine (DNS rebinding) is another Host. One form alone is served.
	if r.Host != s.host {
		return nil, &refused{http.StatusMisdirectedRequest, "host"}
	}
	if r.Method != http.MethodGet && r.Method != http.MethodPost {
		return nil, &refused{http.StatusMethodNotAllowed, "method"}
	}
	if r.Method == http.MethodGet && (r.ContentLength != 0 || len(r.TransferEncoding) > 0) {
		return nil, &refused{http.StatusBadRequest, "body"}
	}
	// Security: what a browser fetches ahead of a person (prefetch, prerender, preview) is not a person's visit.
	for _, h := range []string{"Sec-Purpose", "Purpose", "X-Purpose", "X-Moz"} {
		if len(r.Header.Values(h)) > 0 {
			return nil, &refused{http.StatusForbidden, "prefetch"}
		}
	}
	// Security: only a whole page that the browser navigates to, so no frame, image, script or fetch. A browser that does not
	// say is refused: whether it was sent by another site could not be told.
	if only(r, "Sec-Fetch-Mode") != "navigate" || only(r, "Sec-Fetch-Dest") != "document" {
		return nil, &refused{http.StatusForbidden, "fetch metadata"}
	}
	site := only(r, "Sec-Fetch-Site")
	switch {
	case r.Method == http.MethodGet && same(r.RequestURI, openPath+s.capability):
		// Security: "none" is a person's or the system's doing. No page leads here, so a link that does is not ours.
		if site != "none" {
			return nil, &refused{http.StatusForbidden, "site"}
		}
		return s.serveOpen, nil
	case r.Method == http.MethodGet && same(r.RequestURI, messagePath+s.message):
		if site != "none" && site != "same-origin" { // redirected to, or loaded again
			return nil, &refused{http.StatusForbidden, "site"}
		}
		return s.serveMessage, nil
	case r.Method == http.MethodPost && same(r.RequestURI, messagePath+s.message):
		if site != "same-origin" || only(r, "Origin") != s.origin {
			return nil, &refused{http.StatusForbidden, "origin"}
		}
		return s.serveAnswer, nil
	}
	return nil, &refused{http.StatusNotFound, "path"}
}

// only is the value of a field that is there once; empty otherwise.
func only(r *http.Request, field string) string {
	if v := r.Header.Values(field); len(v) == 1 {
		return v[0]
	}
	return ""
}

// same compares in a time that does not depend on where the two differ.
func same(a, b string) bool { return subtle.ConstantTimeCompare([]byte(a), []byte(b)) == 1 }

// refuse answers with the status alone.
func (s *sheet) refuse(w http.ResponseWriter, no *refused) {
	s.mu.Lock()
	s.refused++
	if s.refused <= maxLogged {
		s.o.Logger.Warn("approval page refused a request", "status", no.status, "check", no.why)
	}
	s.mu.Unlock()
	if no.status == http.StatusMethodNotAllowed {
		w.Header().Set("Allow", "GET, POST")
	}
	w.Header().Set("Content-Type", "text/plain; charset=utf-8")
	w.WriteHeader(no.status)
	if no.why == "fetch metadata" {
		_, _ = w.Write([]byte("This page opens in a current browser only. Nothing was sent.\n")) // the peer may be gone
		return
	}
	_, _ = w.Write([]byte(strings.ToLower(http.StatusText(no.status)) + "\n"))
}

// stranger says whether a connection is known to come from another user of this machine.
func (s *sheet) stranger(c net.Conn) bool {
	if !otherUser(c.RemoteAddr(), c.LocalAddr()) {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.refused++
	if s.refused <= maxLogged {
		s.o.Logger.Warn("approval page refused a connection of another user of this machine")
	}
	return true
}
