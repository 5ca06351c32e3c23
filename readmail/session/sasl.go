package session

import gosasl "github.com/emersion/go-sasl"

// lateStart is for servers without SASL-IR. Quirk: some ask for the initial response with "+ =", which is an empty challenge
// and not the absence of one.
type lateStart struct {
	gosasl.Client
	initial []byte
	sent    bool
}

func (c *lateStart) Start() (string, []byte, error) {
	mech, initial, err := c.Client.Start()
	c.initial = initial
	return mech, initial, err
}

func (c *lateStart) Next(challenge []byte) ([]byte, error) {
	first := !c.sent
	c.sent = true
	if first && len(challenge) == 0 {
		return c.initial, nil
	}
	return c.Client.Next(challenge)
}
