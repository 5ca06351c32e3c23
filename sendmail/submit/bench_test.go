package submit

import (
	"bytes"
	"errors"
	"testing"

	"github.com/emersion/go-smtp"

	"mailgap/sendmail/smtptest"
)

// The price of the wire layer: one send with everything, against the bare library.
func BenchmarkSend(b *testing.B) {
	srv := smtptest.New(b, smtptest.Options{})
	c := newClient(b, serverConfig(srv))
	for name, octets := range map[string][]byte{"42kB": message(), "4MB": bytes.Repeat(message(), 100)} {
		b.Run("submit/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(octets)))
			for b.Loop() {
				if _, err := c.Send(b.Context(), envelope, octets, Hooks{}); err != nil {
					b.Fatal(err)
				}
			}
		})
		b.Run("bare/"+name, func(b *testing.B) {
			b.SetBytes(int64(len(octets)))
			for b.Loop() {
				if err := bare(srv.Addr(), octets); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

func bare(addr string, octets []byte) error {
	c, err := smtp.Dial(addr)
	if err != nil {
		return err
	}
	defer c.Close()
	err = c.SendMail(envelope.ReversePath, envelope.ForwardPaths, bytes.NewReader(octets))
	return errors.Join(err, c.Quit())
}
