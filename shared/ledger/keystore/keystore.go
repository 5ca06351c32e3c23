// Package keystore keeps the master key of the ledger in the key store of the operating system: the Secret Service on Linux, the
// Keychain on macOS, the Credential Manager on Windows. A key there is out of reach of whoever can only read files; a program that
// runs as the user can ask for it as this one does. Nothing else is kept by it. Read Store first.
package keystore

import (
	"encoding/base64"
	"errors"
	"fmt"

	"github.com/zalando/go-keyring"
)

// ErrStore says that the key store cannot be used, or holds something else under the name.
var ErrStore = errors.New("keystore: no usable key store")

// Store is the key store of the operating system. It implements ledger.KeyStore. Safe for concurrent use. A call may wait for a
// person who has to unlock the store.
type Store struct{}

// Get returns the key of service and user, nil if there is none. Errors wrap ErrStore.
func (Store) Get(service, user string) ([]byte, error) {
	text, err := keyring.Get(service, user)
	if errors.Is(err, keyring.ErrNotFound) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrStore, err)
	}
	key, err := base64.StdEncoding.DecodeString(text)
	if err != nil || len(key) == 0 {
		return nil, fmt.Errorf("%w: it holds something else under this name", ErrStore)
	}
	return key, nil
}

// Set keeps a key under service and user. Errors wrap ErrStore.
func (Store) Set(service, user string, key []byte) error {
	if err := keyring.Set(service, user, base64.StdEncoding.EncodeToString(key)); err != nil {
		return fmt.Errorf("%w: %v", ErrStore, err)
	}
	return nil
}
