package submit

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"mailgap/sendmail/smtptest"
)

func TestCancel(t *testing.T) {
	for _, tc := range []struct {
		name  string
		fault smtptest.Fault
		hook  bool // cancel inside BeforeDot
		want  State
	}{
		{"before connecting", smtptest.Fault{Step: smtptest.StepConnect, Action: smtptest.Stall}, false, StateFailed},
		{"waiting for the greeting", smtptest.Fault{Step: smtptest.StepGreeting, Action: smtptest.Stall}, false, StateFailed},
		{"during RCPT", smtptest.Fault{Step: smtptest.StepRcpt, Action: smtptest.Stall, Nth: 2}, false, StateFailed},
		{"during the body", smtptest.Fault{Step: smtptest.StepBody, Action: smtptest.Stall}, false, StateFailed},
		{"in the hook", smtptest.Fault{}, true, StateFailed},
		{"after the dot, then accepted", smtptest.Fault{Step: smtptest.StepDot, Action: smtptest.Late, Accept: true}, false, StateSent},
		{"after the dot, never answered", smtptest.Fault{Step: smtptest.StepDot, Action: smtptest.Stall, Accept: true}, false, StateUnknown},
	} {
		t.Run(tc.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: tc.fault})
				ctx, cancel := context.WithCancel(t.Context())
				if !tc.hook {
					time.AfterFunc(time.Second, cancel) // while the server stalls
				}
				if tc.fault.Action == smtptest.Late {
					time.AfterFunc(9*time.Minute, srv.Release)
				}
				start := time.Now()
				octets := message()
				out, err := newClient(t, loggedIn(srv.Dialer())).Send(ctx, envelope, octets, Hooks{BeforeDot: func() error {
					if tc.hook {
						cancel()
						synctest.Wait()
					}
					return nil
				}})
				took := time.Since(start)
				srv.Release()
				srv.Wait()
				checkTruth(t, out, err, srv.Messages(), envelope, octets)
				switch {
				case out.State != tc.want:
					t.Errorf("got %+v, %v, want %s", out, err, tc.want)
				case tc.want == StateFailed && (!errors.Is(err, context.Canceled) || took > time.Second):
					t.Errorf("got %v after %v, want context.Canceled at once", err, took)
				case tc.want == StateUnknown && took != 10*time.Minute:
					t.Errorf("waited %v for the reply, want 10m", took)
				}
				cancel()
			})
		})
	}
}

func TestStallsEndInTime(t *testing.T) {
	for _, tc := range []struct {
		step smtptest.Step
		want time.Duration
	}{
		{smtptest.StepConnect, 30 * time.Second}, {smtptest.StepGreeting, 2 * time.Minute}, {smtptest.StepEHLO, 2 * time.Minute},
		{smtptest.StepAuth, 2 * time.Minute}, {smtptest.StepMail, 2 * time.Minute}, {smtptest.StepRcpt, 2 * time.Minute},
		{smtptest.StepData, 2 * time.Minute}, {smtptest.StepBody, 2 * time.Minute}, {smtptest.StepDot, 10 * time.Minute}, {smtptest.StepQuit, 3 * time.Second},
	} {
		t.Run(string(tc.step), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				srv := smtptest.NewScripted(t, smtptest.ScriptOptions{Fault: smtptest.Fault{Step: tc.step, Action: smtptest.Stall}})
				start := time.Now()
				out, err := newClient(t, loggedIn(srv.Dialer())).Send(t.Context(), envelope, message(), Hooks{})
				if took := time.Since(start); took != tc.want {
					t.Errorf("got %v, want %v (%+v, %v)", took, tc.want, out, err)
				}
				if tc.step != smtptest.StepQuit && !errors.Is(err, ErrTimeout) {
					t.Errorf("got %v, want ErrTimeout", err)
				}
			})
		})
	}
}
