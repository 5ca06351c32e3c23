package mcpserve

import (
	"crypto/sha256"
	"crypto/subtle"
	"mime"
	"net/http"
	"slices"
	"strings"

	"github.com/mark3labs/mcp-go/mcp"
)

// guard refuses what must not get further. It answers, and returns false, in this order: host, page, token, path, method,
// type of the body. Who has no token learns nothing but that one is needed.
func (h *endpoint) guard(w http.ResponseWriter, r *http.Request) bool {
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("X-Content-Type-Options", "nosniff")
	status, text := h.verdict(r)
	if status == 0 {
		return true
	}
	switch status {
	case http.StatusUnauthorized:
		w.Header().Set("WWW-Authenticate", "Bearer") // RFC 6750 §3
	case http.StatusMethodNotAllowed:
		w.Header().Set("Allow", "POST, DELETE") // RFC 9110 §15.5.6
	}
	h.log.Warn("http request refused", "status", status)
	http.Error(w, text, status)
	return false
}

// verdict returns the status and the words of a refusal, or 0.
func (h *endpoint) verdict(r *http.Request) (status int, text string) {
	switch {
	case !slices.Contains(h.hosts, strings.ToLower(r.Host)):
		// Security: DNS rebinding. A page of a foreign name that resolves to this machine names its own host here.
		return http.StatusForbidden, "this server answers to its loopback address only"
	case !h.sameOrigin(r.Header):
		return http.StatusForbidden, "requests of web pages are refused"
	case !h.authorized(r.Header):
		return http.StatusUnauthorized, "send the token of the configuration: Authorization: Bearer TOKEN"
	case r.URL.Path != HTTPPath:
		return http.StatusNotFound, "the protocol is served at " + HTTPPath
	case r.Method == http.MethodDelete && !mcp.IsModernProtocol(r.Header.Get(mcp.HeaderProtocolVersion)):
		return 0, ""
	case r.Method != http.MethodPost:
		return http.StatusMethodNotAllowed, "only POST is served; there is no stream without a request"
	}
	return contentVerdict(r.Header)
}

// sameOrigin accepts what is no browser page, and pages of this server, of which there are none yet.
func (h *endpoint) sameOrigin(header http.Header) bool {
	for _, origin := range header.Values("Origin") {
		host, plain := strings.CutPrefix(strings.ToLower(origin), "http://")
		if !plain || !slices.Contains(h.hosts, host) {
			return false
		}
	}
	site := header.Get("Sec-Fetch-Site")
	return site == "" || site == "same-origin" || site == "none"
}

// authorized compares digests, so that the time says nothing about the token.
func (h *endpoint) authorized(header http.Header) bool {
	values := header.Values("Authorization")
	if len(values) != 1 {
		return false
	}
	scheme, token, _ := strings.Cut(values[0], " ")
	sum := sha256.Sum256([]byte(token))
	return strings.EqualFold(scheme, "Bearer") && subtle.ConstantTimeCompare(sum[:], h.token[:]) == 1
}

// contentVerdict checks that a body is JSON, uncompressed, and that the client reads what is answered.
func contentVerdict(header http.Header) (status int, text string) {
	kind, _, err := mime.ParseMediaType(header.Get("Content-Type"))
	if err != nil || kind != "application/json" || header.Get("Content-Encoding") != "" {
		return http.StatusUnsupportedMediaType, "send application/json"
	}
	accept := strings.ToLower(strings.Join(header.Values("Accept"), ","))
	if accept != "" && !strings.Contains(accept, "*/*") && (!strings.Contains(accept, "application/json") || !strings.Contains(accept, "text/event-stream")) {
		return http.StatusNotAcceptable, "accept application/json and text/event-stream"
	}
	v := header.Get(mcp.HeaderProtocolVersion)
	if v != "" && !mcp.IsValidProtocolVersion(v) && !mcp.IsModernProtocol(v) {
		return http.StatusBadRequest, "this protocol version is not served"
	}
	return 0, ""
}
