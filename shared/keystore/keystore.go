package keystore

import (
	"context"
	"errors"
	"time"

	"github.com/zalando/go-keyring"
)

// patience is how long a key store may take. Limit: a person may have to find the password that unlocks it.
const patience = 2 * time.Minute

// Errors of a Store.
var (
	ErrUnavailable = errors.New("there is no key store in this session; keep the secret in a file (_FILE) or a command (_COMMAND)")
	ErrTooLong     = errors.New("the key store takes no secret of that length; keep it in a file")
	ErrTimeout     = errors.New("the key store did not answer; unlock it and try again")
	ErrFailed      = errors.New("the key store refused; unlock it, or keep the secret in a file (_FILE)")
)

// backend is what a Store needs of a key store.
type backend interface {
	Get(service, entry string) (string, error)
	Set(service, entry, secret string) error
	Delete(service, entry string) error
}

// Store holds the entries of one service. It is safe for concurrent use.
type Store struct {
	service string
	backend backend
	ready   func() bool
}

// New returns the entries of service in the operating system's key store. Nothing is asked before the first call.
func New(service string) *Store { return &Store{service, system{}, hasSession} }

// Get returns a secret. ok is false if there is no such entry. Errors are ErrUnavailable, ErrTimeout and ErrFailed.
func (s *Store) Get(ctx context.Context, entry string) (secret string, ok bool, err error) {
	err = s.do(ctx, func() error {
		var err error
		secret, err = s.backend.Get(s.service, entry)
		return err
	})
	if errors.Is(err, keyring.ErrNotFound) {
		return "", false, nil
	}
	if err != nil {
		return "", false, err
	}
	return secret, true, nil
}

// Set keeps a secret, in place of an earlier one. Errors are those of Get, and ErrTooLong.
func (s *Store) Set(ctx context.Context, entry, secret string) error {
	return s.do(ctx, func() error { return s.backend.Set(s.service, entry, secret) })
}

// Delete removes a secret. It is no error if there is none.
func (s *Store) Delete(ctx context.Context, entry string) error {
	err := s.do(ctx, func() error { return s.backend.Delete(s.service, entry) })
	if errors.Is(err, keyring.ErrNotFound) {
		return nil
	}
	return err
}

// do runs f and waits for it as long as ctx and patience allow.
func (s *Store) do(ctx context.Context, f func() error) error {
	if !s.ready() {
		return ErrUnavailable
	}
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	done := make(chan error, 1)
	go func() { done <- f() }()
	select {
	case err := <-done:
		return explain(err)
	case <-ctx.Done():
		return ErrTimeout
	}
}

// explain replaces what a library says, which may name the entry.
func explain(err error) error {
	switch {
	case err == nil, errors.Is(err, keyring.ErrNotFound):
		return err
	case errors.Is(err, keyring.ErrUnsupportedPlatform):
		return ErrUnavailable
	case errors.Is(err, keyring.ErrSetDataTooBig):
		return ErrTooLong
	}
	return ErrFailed
}

// system is the key store of the operating system.
type system struct{}

func (system) Get(service, entry string) (string, error) { return keyring.Get(service, entry) }
func (system) Set(service, entry, secret string) error   { return keyring.Set(service, entry, secret) }
func (system) Delete(service, entry string) error        { return keyring.Delete(service, entry) }
