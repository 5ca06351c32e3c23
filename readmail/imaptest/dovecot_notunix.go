//go:build !unix

package imaptest

import (
	"errors"
	"os/exec"
	"os/user"
)

// Dovecot runs on Unix only; StartDovecot skips before these are called.

func mailUser() (*user.User, string, error) { return nil, "", errors.ErrUnsupported }

func (d *Dovecot) asMailUser(*exec.Cmd) {}

func inGroup(*exec.Cmd) {}

func killGroup(*exec.Cmd) error { return errors.ErrUnsupported }

func giveToMailUser(string) error { return errors.ErrUnsupported }
