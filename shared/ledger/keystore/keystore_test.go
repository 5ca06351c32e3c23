package keystore_test

import (
	"bytes"
	"errors"
	"testing"

	"github.com/zalando/go-keyring"

	"mailgap/shared/ledger/keystore"
)

func TestStore(t *testing.T) {
	keyring.MockInit()
	var s keystore.Store
	if key, err := s.Get("mailgap", "a"); key != nil || err != nil {
		t.Errorf("Get of nothing = %v, %v; want none", key, err)
	}
	want := bytes.Repeat([]byte{0, 255, '\n'}, 11)
	if err := s.Set("mailgap", "a", want); err != nil {
		t.Fatalf("Set: %v", err)
	}
	if key, err := s.Get("mailgap", "a"); !bytes.Equal(key, want) || err != nil {
		t.Errorf("Get = %x, %v; want %x", key, err, want)
	}
	if err := keyring.Set("mailgap", "b", "no base64!"); err != nil {
		t.Fatal(err)
	}
	if key, err := s.Get("mailgap", "b"); key != nil || !errors.Is(err, keystore.ErrStore) {
		t.Errorf("Get of something else = %v, %v; want ErrStore", key, err)
	}
}

func TestStoreIsDown(t *testing.T) {
	keyring.MockInitWithError(errors.New("locked"))
	defer keyring.MockInit()
	var s keystore.Store
	if key, err := s.Get("mailgap", "a"); key != nil || !errors.Is(err, keystore.ErrStore) {
		t.Errorf("Get = %v, %v; want ErrStore", key, err)
	}
	if err := s.Set("mailgap", "a", []byte("x")); !errors.Is(err, keystore.ErrStore) {
		t.Errorf("Set = %v, want ErrStore", err)
	}
}
