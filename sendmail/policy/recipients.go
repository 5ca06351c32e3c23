package policy

import (
	"errors"

	"mailgap/shared/addr"
	"mailgap/shared/guardswitch"
)

// CheckRecipients judges the recipients of a request only. The other fields of req are not looked at.
func CheckRecipients(req Request, rules Rules) Verdict {
	var v Verdict
	limit := rules.Limits.withDefaults().MaxRecipients
	if n := len(req.To) + len(req.Cc) + len(req.Bcc); n == 0 {
		v.refuse(CodeNoRecipient, "", 0, nil)
		return v
	} else if n > max(maxRawRecipients, limit) {
		v.refuse(CodeTooManyRecipients, "", 0, nil)
		return v
	}
	c := recipientCheck{rules: rules, own: addr.NewShape(rules.OwnDomain), seen: map[string]bool{}, v: &v}
	c.list(To, req.To)
	c.list(Cc, req.Cc)
	c.list(Bcc, req.Bcc)
	if c.distinct > limit {
		// Security: with answers, one call could ask about a thousand guesses.
		return Verdict{Duplicates: v.Duplicates, Refusals: []*Refusal{{Code: CodeTooManyRecipients}}}
	}
	return v
}

type recipientCheck struct {
	rules    Rules
	own      addr.Shape
	seen     map[string]bool
	distinct int
	v        *Verdict
}

func (c *recipientCheck) list(kind Kind, specs []string) {
	for k, spec := range specs {
		c.one(kind, k, spec)
	}
}

func (c *recipientCheck) one(kind Kind, index int, spec string) {
	a, err := addr.ParseSpec(spec)
	if err != nil {
		c.distinct++
		c.no(kind, index, addressCode(err), err)
		return
	}
	repeated := c.seen[a.Key()]
	if repeated {
		c.v.Duplicates++
	} else {
		c.seen[a.Key()] = true
		c.distinct++
	}
	d := c.decide(a)
	if !d.Allowed {
		c.no(kind, index, d.Code, nil)
		return
	}
	c.v.Answers = append(c.v.Answers, Answer{Kind: kind, Index: index, Allowed: true})
	if !repeated {
		c.v.Recipients = append(c.v.Recipients, Recipient{Kind: kind, Address: a, Rule: d.Rule})
	}
}

// decide adds to the allowlist what it cannot know: the sender's own domain, which "*" would leave unprotected.
func (c *recipientCheck) decide(a addr.Address) Decision {
	d := c.rules.Allowlist.Check(a)
	if d.Rule == RuleEveryone && !guardswitch.Off(guardswitch.Recipients) && addr.NewShape(a.Domain).LooksLike(c.own) {
		return Decision{Code: CodeLookAlike, LookAlikeOf: c.rules.OwnDomain}
	}
	return d
}

func (c *recipientCheck) no(kind Kind, index int, code Code, cause error) {
	c.v.Answers = append(c.v.Answers, Answer{Kind: kind, Index: index, Code: code, Cause: cause})
	c.v.refuse(code, string(kind), index, cause)
}

func addressCode(err error) Code {
	switch {
	case errors.Is(err, addr.ErrDisplayName):
		return CodeDisplayName
	case errors.Is(err, addr.ErrNotUTF8):
		return CodeNotUTF8
	}
	return CodeRecipientMalformed
}
