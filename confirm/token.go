package confirm

import (
	"errors"
	"regexp"

	"mailgap/shared/mcpserve"
)

// TokenNotice is said in every result of the token path.
func TokenNotice() mcpserve.SafeText {
	return mcpserve.Constant("No person approved this message: asking is switched off (ELICITATION=false), and the token only shows that the message did not change between two calls.")
}

// tokenForm is 128 bits as hexadecimal digits.
var tokenForm = regexp.MustCompile(`^[0-9a-f]{32}$`)

// IssueToken keeps payload and returns the token under which RedeemToken gives it out once. Only for servers whose operator
// switched asking off; a token is not an approval by a person. Errors: ErrRandom.
func (g *Gate[T]) IssueToken(b Binding, payload T) (string, error) {
	g.mu.Lock()
	ended := g.sweep()
	token, evicted, err := g.add(&entry[T]{kindToken, b, payload, g.o.Now().Add(g.o.Lifetime), false}, tokenOctets)
	g.mu.Unlock()
	g.report(append(ended, evicted...))
	return token, err
}

// RedeemToken takes the message under token out of the gate and returns it if it verifies under b. A token that is not known
// consumes nothing, but after five in a row every token is dropped, so that guessing has an end. The token of another
// message, tool or principal is spent by the attempt.
//
// Errors, all matching ErrNotApproved: ErrTokenForm, ErrTokenWrong, ErrTokenAttempts, ErrSpent, ErrExpired, ErrOtherMessage,
// ErrOtherTool, ErrOtherPrincipal.
func (g *Gate[T]) RedeemToken(token string, b Binding) (Approval[T], error) {
	if !tokenForm.MatchString(token) {
		return Approval[T]{}, ErrTokenForm
	}
	e, err := g.take(kindToken, token, b, Approved)
	if errors.Is(err, ErrUnknown) {
		return Approval[T]{}, g.wrongToken()
	}
	if err != nil {
		return Approval[T]{}, err
	}
	g.mu.Lock()
	g.wrong = 0
	g.mu.Unlock()
	return Approval[T]{e.payload, PathToken, true}, nil
}

// wrongToken counts a wrong token.
func (g *Gate[T]) wrongToken() error {
	g.mu.Lock()
	var ended []settled[T]
	g.wrong++
	tooMany := g.wrong >= maxWrongTokens
	if tooMany {
		g.wrong = 0
		for k, e := range g.entries {
			if e.kind == kindToken {
				ended = append(ended, g.drop([]key{k}, TokenWrong)...)
			}
		}
	}
	g.mu.Unlock()
	g.report(ended)
	if tooMany {
		return ErrTokenAttempts
	}
	return ErrTokenWrong
}
