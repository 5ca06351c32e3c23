package submit

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"

	"mailgap/sendmail/smtptest"
)

// want says what a fault must lead to: the state, and whether the message may have been accepted.
func want(f smtptest.Fault) State {
	refusal := f.Action == smtptest.Transient || f.Action == smtptest.Permanent
	switch {
	case f.Step == smtptest.StepRset || f.Step == smtptest.StepQuit:
		return StateSent // after the fact; RSET is not even said
	case f.Step != smtptest.StepDot:
		return StateFailed
	case refusal || f.Action == smtptest.Closing:
		return StateFailed
	case f.Action == smtptest.Surplus:
		return StateSent
	}
	return StateUnknown
}

// faults lists every step with every action, for each of three recipients, and at the dot with and without acceptance.
func faults() []smtptest.Fault {
	var all []smtptest.Fault
	for _, step := range smtptest.Steps() {
		for _, action := range smtptest.Actions() {
			f := smtptest.Fault{Step: step, Action: action}
			all = append(all, f)
			switch step {
			case smtptest.StepRcpt:
				for n := 2; n <= len(envelope.ForwardPaths); n++ {
					f.Nth = n
					all = append(all, f)
				}
			case smtptest.StepDot:
				if action != smtptest.Transient && action != smtptest.Permanent && action != smtptest.Closing {
					f.Accept = true
					all = append(all, f)
				}
			}
		}
	}
	return all
}

func name(f smtptest.Fault) string {
	s := fmt.Sprintf("%s/%s", f.Step, f.Action)
	if f.Nth > 0 {
		s += fmt.Sprintf("/%d", f.Nth)
	}
	if f.Accept {
		s += "/accepted"
	}
	return s
}

func TestFaultMatrix(t *testing.T) {
	cert := smtptest.NewCertificate(t)
	for _, mode := range []struct {
		name   string
		server smtptest.TLSMode
		client TLSMode
	}{{"plain", smtptest.PlainText, TLSNone}, {"starttls", smtptest.StartTLS, TLSStartTLS}, {"implicit", smtptest.ImplicitTLS, TLSImplicit}} {
		for _, f := range faults() {
			if f.Step == smtptest.StepTLS && mode.server == smtptest.PlainText {
				continue
			}
			t.Run(mode.name+"/"+name(f), func(t *testing.T) {
				synctest.Test(t, func(t *testing.T) {
					srv := smtptest.NewScripted(t, smtptest.ScriptOptions{TLS: mode.server, Cert: cert, Fault: f})
					cfg := loggedIn(srv.Dialer())
					cfg.TLS, cfg.Fingerprint = mode.client, cert.SHA256
					runFault(t, srv, cfg, f)
				})
			})
		}
	}
}

func runFault(t *testing.T, srv *smtptest.Scripted, cfg Config, f smtptest.Fault) {
	octets := message()
	out, err := newClient(t, cfg).Send(t.Context(), envelope, octets, Hooks{})
	srv.Release()
	srv.Wait()
	checkTruth(t, out, err, srv.Messages(), envelope, octets)
	wanted := want(f)
	tcp := srv.Addr() != ""
	if f.Step == smtptest.StepBody && tcp && out.DotSent && out.State == StateUnknown {
		wanted = StateUnknown // the whole message fitted into the buffers of the sockets before the fault was heard of
	}
	if f.Step == smtptest.StepConnect && cfg.TLS == TLSNone && f.Action == smtptest.Surplus {
		wanted = out.State // a second greeting may arrive before or after EHLO was sent
	}
	if out.State != wanted {
		t.Errorf("got %s at %s (%v), want %s", out.State, out.Stage, err, wanted)
	}
	if n := srv.Counts().Data; n > 1 {
		t.Errorf("got %d DATA commands, want at most one", n)
	}
	if f.Step == smtptest.StepBody && out.DotSent && !tcp {
		t.Error("the dot left after a broken body")
	}
}

// The same over real sockets, where FIN and RST differ.
func TestFaultMatrixTCP(t *testing.T) {
	for _, f := range faults() {
		if f.Action == smtptest.Stall || f.Step == smtptest.StepTLS {
			continue // time is real here
		}
		if f.Step == smtptest.StepBody && f.Action == smtptest.Surplus {
			continue // a 250 on its way while the dot leaves cannot be told from the answer to the dot
		}
		t.Run(name(f), func(t *testing.T) {
			t.Parallel()
			srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: f})
			runFault(t, srv, loggedIn(srv.Listen(t)), f)
		})
	}
}

func TestNoQuitAfterBrokenData(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		srv := smtptest.NewScripted(t, smtptest.ScriptOptions{})
		stop := errors.New("stop")
		out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), envelope, message(), Hooks{BeforeDot: func() error { return stop }})
		srv.Wait()
		if out.State != StateFailed || out.Stage != StageBeforeDot || out.DotSent || !errors.Is(err, stop) || !errors.Is(err, ErrBeforeDot) {
			t.Errorf("got %+v, %v, want failed before the dot", out, err)
		}
		if got := srv.Commands(); got[len(got)-1] != "DATA" {
			t.Errorf("got %q, want nothing after DATA", got)
		}
		if n := len(srv.Messages()); n != 0 {
			t.Errorf("got %d messages, want none", n)
		}
	})
}
