package submit

import (
	"bytes"
	"testing"
	"testing/synctest"

	"mailgap/sendmail/smtptest"
)

// FuzzSend sends any content through a server with any fault and any reply: the claim agrees with the truth, and what was
// accepted is what was given, octet by octet and recipient by recipient.
func FuzzSend(f *testing.F) {
	f.Add([]byte("Subject: x\r\n\r\n.\r\n"), uint8(0), uint8(0), uint8(0), "", false)
	f.Add([]byte("a\r\n"), uint8(9), uint8(3), uint8(1), "250 fine", true)
	f.Add([]byte("a\r\n..\r\n"), uint8(9), uint8(2), uint8(1), "250-x\r\n421 y", true)
	f.Add([]byte("a\r\n"), uint8(6), uint8(3), uint8(2), "251 elsewhere", false)
	f.Add([]byte("a\r\n"), uint8(7), uint8(3), uint8(2), "250 what", false)
	f.Fuzz(func(t *testing.T, octets []byte, step, action, nth uint8, reply string, accept bool) {
		steps, actions := smtptest.Steps(), smtptest.Actions()
		fault := smtptest.Fault{Step: steps[int(step)%len(steps)], Action: actions[int(action)%len(actions)], Nth: int(nth % 4), Reply: reply, Accept: accept}
		if wrongTruth(fault) {
			return
		}
		synctest.Test(t, func(t *testing.T) {
			srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: fault, BodyOctets: 1})
			given := bytes.Clone(octets)
			out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), envelope, octets, Hooks{})
			srv.Release()
			srv.Wait()
			checkTruth(t, out, err, srv.Messages(), envelope, given)
			if !bytes.Equal(octets, given) {
				t.Error("the message was changed")
			}
		})
	})
}

// wrongTruth leaves out servers that lie: they say that they took what they did not, or the reverse.
func wrongTruth(f smtptest.Fault) bool {
	custom := f.Reply != "" && (f.Action == smtptest.Transient || f.Action == smtptest.Permanent)
	switch {
	case f.Step == smtptest.StepBody && (f.Action == smtptest.Surplus || custom && f.Reply[0] == '2'):
		return true // a 250 that nobody asked for and that crosses the dot on its way is taken for the answer to it
	case f.Step == smtptest.StepDot && custom:
		positive := len(f.Reply) > 0 && f.Reply[0] == '2'
		return positive != f.Accept
	case f.Step == smtptest.StepDot:
		return f.Accept && (f.Action == smtptest.Transient || f.Action == smtptest.Permanent || f.Action == smtptest.Closing)
	}
	return f.Step == smtptest.StepRcpt && custom // the fake forgets a recipient that it said yes to
}
