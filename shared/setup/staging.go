package setup

import (
	"context"
	"errors"
	"maps"
	"slices"
	"sync"

	"mailgap/shared/config"
)

// staging is a key store that keeps in memory what it is given, until commit. It reads through to the real one, and never
// changes it. It is safe for concurrent use.
type staging struct {
	real config.Store

	mu   sync.Mutex
	kept map[string]string
}

func newStaging(real config.Store) *staging { return &staging{real: real, kept: map[string]string{}} }

// Get implements config.Store.
func (s *staging) Get(ctx context.Context, entry string) (string, bool, error) {
	s.mu.Lock()
	secret, ok := s.kept[entry]
	s.mu.Unlock()
	if ok || s.real == nil {
		return secret, ok, nil
	}
	return s.real.Get(ctx, entry)
}

// Set implements config.Store.
func (s *staging) Set(_ context.Context, entry, secret string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.kept[entry] = secret
	return nil
}

// Delete implements config.Store. Only what was not committed can be deleted.
func (s *staging) Delete(_ context.Context, entry string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.kept, entry)
	return nil
}

// works says whether the real store can be asked.
func (s *staging) works(ctx context.Context, entry string) bool {
	if s.real == nil {
		return false
	}
	_, _, err := s.real.Get(ctx, entry)
	return err == nil
}

// only returns what is kept, if it is one entry.
func (s *staging) only() (string, bool) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, secret := range s.kept {
		return secret, len(s.kept) == 1
	}
	return "", false
}

// commit moves everything into the real store, or nothing.
func (s *staging) commit(ctx context.Context, real config.Store) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	before := map[string]string{}
	for _, entry := range slices.Sorted(maps.Keys(s.kept)) {
		old, ok, err := real.Get(ctx, entry)
		if err == nil {
			err = real.Set(ctx, entry, s.kept[entry])
		}
		if err != nil {
			return errors.Join(err, restore(ctx, real, before))
		}
		if ok {
			before[entry] = old
		} else {
			before[entry] = ""
		}
	}
	return nil
}

// restore takes back what commit did; an empty secret stands for none.
func restore(ctx context.Context, real config.Store, before map[string]string) error {
	var errs []error
	for entry, secret := range before {
		if secret == "" {
			errs = append(errs, real.Delete(ctx, entry))
		} else {
			errs = append(errs, real.Set(ctx, entry, secret))
		}
	}
	return errors.Join(errs...)
}
