package wire

import (
	"bufio"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net"
	"strings"
	"testing"
	"testing/synctest"
	"time"
)

// script answers each line with the next reply, then closes.
func script(conn net.Conn, replies []string) {
	in := bufio.NewReader(conn)
	for _, r := range replies {
		if _, err := io.WriteString(conn, r); err != nil {
			return
		}
		if _, err := in.ReadString('\n'); err != nil {
			return
		}
	}
	conn.Close()
}

func TestStartTLSRefusals(t *testing.T) {
	const offer = "250-x\r\n250 starttls\r\n"
	var reply *ReplyError
	for _, tc := range []struct {
		name    string
		replies []string
		want    error // nil: a ReplyError
	}{
		{"not offered", []string{"220 x\r\n", "250 x\r\n"}, ErrNoStartTLS},
		{"only the host is called so", []string{"220 x\r\n", "250 STARTTLS\r\n"}, ErrNoStartTLS},
		{"refused", []string{"220 x\r\n", offer, "454 no\r\n"}, ErrNoStartTLS},
		{"greeting refuses", []string{"554 no\r\n"}, nil},
		{"EHLO refused", []string{"220 x\r\n", "550 no\r\n"}, nil},
		{"injected behind the reply", []string{"220 x\r\n", offer, "220 go\r\n250 injected\r\n"}, ErrInjection},
		{"injected before the command", []string{"220 x\r\n", offer + "250 injected\r\n"}, ErrInjection},
		{"injected behind the greeting", []string{"220 x\r\n250 injected\r\n"}, ErrInjection},
		{"garbage", []string{"hello\r\n"}, ErrFraming},
		{"line too long", []string{strings.Repeat("220", 1000)}, ErrLimit},
		{"too many lines", []string{strings.Repeat("220-x\r\n", 101)}, ErrLimit},
		{"closed", []string{"220 x\r\n"}, ErrLost},
	} {
		t.Run(tc.name, func(t *testing.T) {
			client, server := net.Pipe()
			defer server.Close()
			go script(server, tc.replies)
			_, _, err := StartTLS(t.Context(), client, "x", &tls.Config{ServerName: "x.example"})
			if tc.want == nil && !errors.As(err, &reply) || tc.want != nil && !errors.Is(err, tc.want) {
				t.Errorf("got %v, want %v", err, tc.want)
			}
			if _, err := client.Write([]byte("x")); err == nil {
				t.Error("the connection is still open")
			}
		})
	}
}

func TestStartTLSEndsWithItsContext(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		client, server := net.Pipe()
		defer server.Close()
		ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
		defer cancel()
		start := time.Now()
		_, _, err := StartTLS(ctx, client, "x", &tls.Config{ServerName: "x.example"})
		if took := time.Since(start); !errors.Is(err, context.DeadlineExceeded) || took != time.Minute {
			t.Errorf("got %v after %v, want the deadline after a minute", err, took)
		}
	})
}
