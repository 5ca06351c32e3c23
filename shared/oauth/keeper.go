package oauth

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"time"

	"mailgap/shared/audit/filelock"
	"mailgap/shared/config"
)

const (
	lockTime       = 30 * time.Second // for another process to finish its refresh
	maxGrantOctets = 32 << 10         // of a file
)

// ErrLoose is returned for a file that others may read or write.
var ErrLoose = errors.New("oauth: others may read or write the file with the sign-in; run chmod 600 on it")

// InStore keeps a grant in an entry of the key store. The lock is a file in the directory lockDir.
func InStore(store config.Store, entry, lockDir string) Keeper {
	sum := sha256.Sum256([]byte(entry))
	return &storeKeeper{store, entry, filepath.Join(lockDir, "sign-in-"+hex.EncodeToString(sum[:8])+".lock")}
}

type storeKeeper struct {
	store config.Store
	entry string
	lock  string
}

func (k *storeKeeper) Load(ctx context.Context) (string, bool, error) {
	return k.store.Get(ctx, k.entry)
}
func (k *storeKeeper) Save(ctx context.Context, text string) error {
	return k.store.Set(ctx, k.entry, text)
}
func (k *storeKeeper) Delete(ctx context.Context) error { return k.store.Delete(ctx, k.entry) }
func (k *storeKeeper) Lock(ctx context.Context) (func(), error) {
	return lockFile(ctx, k.lock)
}

// InFile keeps a grant in a file of its own, mode 0600, replaced as a whole. Beside it lies a lock.
func InFile(path string) Keeper { return fileKeeper(path) }

type fileKeeper string

// Load reads the file. Security: one that others may write to could sign in somebody else.
func (k fileKeeper) Load(context.Context) (string, bool, error) {
	f, err := os.Open(string(k))
	if errors.Is(err, os.ErrNotExist) {
		return "", false, nil
	}
	if err != nil {
		return "", false, errKeptFile
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return "", false, errKeptFile
	}
	if runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0 {
		return "", false, ErrLoose
	}
	text, err := io.ReadAll(io.LimitReader(f, maxGrantOctets))
	if err != nil {
		return "", false, errKeptFile
	}
	return string(text), true, nil
}

var errKeptFile = errors.New("oauth: the file with the sign-in cannot be used; check its directory and rights")

// Save writes a new file and puts it in place of the old one.
func (k fileKeeper) Save(_ context.Context, text string) error {
	dir := filepath.Dir(string(k))
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return errKeptFile
	}
	f, err := os.CreateTemp(dir, ".sign-in-*") // mode 0600
	if err != nil {
		return errKeptFile
	}
	_, err = io.WriteString(f, text)
	if err = errors.Join(err, f.Sync(), f.Close()); err == nil {
		err = os.Rename(f.Name(), string(k))
	}
	if err != nil {
		_ = os.Remove(f.Name())
		return errKeptFile
	}
	return nil
}

func (k fileKeeper) Delete(context.Context) error {
	if err := os.Remove(string(k)); err != nil && !errors.Is(err, os.ErrNotExist) {
		return errKeptFile
	}
	return nil
}

func (k fileKeeper) Lock(ctx context.Context) (func(), error) {
	return lockFile(ctx, string(k)+".lock")
}

// lockFile takes the lock of path, which it makes, and waits for it half a minute.
func lockFile(ctx context.Context, path string) (func(), error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return nil, fmt.Errorf("%w: no directory for its lock can be made", ErrKeep)
	}
	f, err := os.OpenFile(path, os.O_CREATE|os.O_RDWR, 0o600)
	if err != nil {
		return nil, fmt.Errorf("%w: its lock cannot be opened", ErrKeep)
	}
	within, cancel := context.WithTimeout(ctx, lockTime)
	defer cancel()
	if err := filelock.Lock(within, f); err != nil {
		_ = f.Close()
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		return nil, fmt.Errorf("%w: another process holds its lock", ErrKeep)
	}
	return func() { _ = f.Close() }, nil
}
