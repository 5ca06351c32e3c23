package sanitize

import "strings"

// secretTarget reports a link that signs in, confirms or resets: its words say so and it carries a long random token.
func secretTarget(t target, words string) bool {
	if t.scheme != "" && t.scheme != "http" && t.scheme != "https" || t.host == "" {
		return false
	}
	inPath, inQuery := hasToken(t.path), hasToken(t.query)
	if !inPath && !inQuery && len(t.query) < 8 && !tokenParameter(t.query) && !hasShortToken(t.path) {
		return false
	}
	path := strings.ToLower(t.path + "?" + t.query)
	if containsAnyText(path, []string{"unsubscribe", "optout", "opt-out", "abmeld", "desinscri", "preferences"}) {
		return false
	}
	named := containsAnyText(path, secretPaths())
	if containsAnyText(path, []string{"password-reset", "reset-password", "reset_password", "password_reset", "magic-link", "magiclink"}) && len(t.query) >= 8 {
		return true
	}
	if named && (tokenParameter(t.query) || hasShortToken(t.path)) {
		return true
	}
	if !inPath && !inQuery {
		return false
	}
	words = strings.ToLower(words)
	return named || containsAnyText(words, secretPhrases()) || opensSomething(words)
}

// opensSomething reports words beside a link with a token that speak of a password, or of getting in together with how
// long that works or what it opens.
func opensSomething(words string) bool {
	if passwordIndex().has(words) {
		return true
	}
	c := cues(words)
	return c&cueSignIn != 0 && (c&cueCare != 0 || accountIndex().has(words))
}

// hasShortToken reports a last path segment of at least six characters that mixes letters and digits.
func hasShortToken(path string) bool {
	path = strings.TrimRight(path, "/")
	last := path[strings.LastIndexByte(path, '/')+1:]
	digits := 0
	for k := 0; k < len(last); k++ {
		if !isAlnum(last[k]) {
			return false
		}
		if isDigit(last[k]) {
			digits++
		}
	}
	return len(last) >= 6 && digits >= 2 && len(last)-digits >= 2
}

// tokenParameter reports a query parameter that is called a token or a code and has a value.
func tokenParameter(query string) bool {
	for part := range strings.SplitSeq(strings.ToLower(query), "&") {
		name, value, _ := strings.Cut(part, "=")
		if len(value) >= 4 && containsAnyText(name, []string{"token", "code", "otp", "ticket", "nonce", "secret"}) {
			return true
		}
	}
	return false
}

func containsAnyText(s string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(s, p) {
			return true
		}
	}
	return false
}

// hasToken reports a run of at least 12 letters and digits that mixes both, or of at least 24 characters.
func hasToken(s string) bool {
	run, digits, letters := 0, 0, 0
	for k := 0; k <= len(s); k++ {
		if k < len(s) && (isAlnum(s[k]) || s[k] == '-' || s[k] == '_' || s[k] == '.') {
			run++
			if isDigit(s[k]) {
				digits++
			} else if isAlpha(s[k]) {
				letters++
			}
			continue
		}
		if run >= 12 && digits >= 2 && letters >= 2 || run >= 32 && digits > 0 {
			return true
		}
		run, digits, letters = 0, 0, 0
	}
	return false
}
