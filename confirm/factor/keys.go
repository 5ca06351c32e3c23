package factor

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"sync"

	"github.com/go-webauthn/webauthn/webauthn"
)

const (
	fileName       = "second-factor.json"
	maxFileOctets  = 256 << 10
	maxDevices     = 10
	userOctets     = 32
	nonceOctets    = 32
	relyingParty   = "localhost"
	displayName    = "smtp-mcp on this computer"
	userName       = "approver"
	privateForUser = 0o600
)

// Errors of the store and of a proof. All of them mean that nothing was approved or enrolled.
var (
	ErrFile    = errors.New("factor: the file of enrolled devices cannot be used")
	ErrRefused = errors.New("factor: the answer of the device was not accepted")
	ErrSpent   = errors.New("factor: this proof was used before")
	ErrMany    = errors.New("factor: too many devices are enrolled")
)

// Keys are the enrolled devices of one state directory. Safe for concurrent use in one process; the file is read for each proof, so a
// device that another process enrols counts at once.
type Keys struct {
	path   string
	random io.Reader
	mu     sync.Mutex
}

// Open returns the devices of a state directory. It reads nothing. random is crypto/rand.Reader outside tests.
func Open(dir string, random io.Reader) *Keys {
	return &Keys{path: filepath.Join(dir, fileName), random: random}
}

// person is the one user there is, with their devices. It is what the file holds.
type person struct {
	ID      []byte                `json:"user"`
	Devices []webauthn.Credential `json:"devices"`
}

// WebAuthnID implements webauthn.User.
func (p *person) WebAuthnID() []byte { return p.ID }

// WebAuthnName implements webauthn.User.
func (p *person) WebAuthnName() string { return userName }

// WebAuthnDisplayName implements webauthn.User.
func (p *person) WebAuthnDisplayName() string { return userName }

// WebAuthnCredentials implements webauthn.User.
func (p *person) WebAuthnCredentials() []webauthn.Credential { return p.Devices }

// Enrolled returns the number of devices. Errors: ErrFile.
func (k *Keys) Enrolled() (int, error) {
	p, err := k.load()
	if err != nil {
		return 0, err
	}
	return len(p.Devices), nil
}

// load reads the file; without one there is nobody.
func (k *Keys) load() (*person, error) {
	f, err := os.Open(k.path)
	if errors.Is(err, fs.ErrNotExist) {
		return &person{}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFile, err)
	}
	defer f.Close()
	info, err := f.Stat()
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: %v", ErrFile, err)
	case !info.Mode().IsRegular(), runtime.GOOS != "windows" && info.Mode().Perm()&0o077 != 0:
		return nil, fmt.Errorf("%w: others may read or write it", ErrFile) // Security: others could add a device
	case info.Size() > maxFileOctets:
		return nil, fmt.Errorf("%w: too large", ErrFile)
	}
	data, err := io.ReadAll(io.LimitReader(f, maxFileOctets))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrFile, err)
	}
	p := &person{}
	if err := json.Unmarshal(data, p); err != nil || len(p.ID) != userOctets || len(p.Devices) == 0 {
		return nil, fmt.Errorf("%w: damaged", ErrFile) // Security: an empty list is not "nobody enrolled"
	}
	return p, nil
}

// save replaces the file as a whole.
func (k *Keys) save(p *person) error {
	data, err := json.Marshal(p)
	if err != nil {
		return err
	}
	f, err := os.CreateTemp(filepath.Dir(k.path), fileName+".*") // of mode 0600
	if err != nil {
		return fmt.Errorf("%w: %v", ErrFile, err)
	}
	_, err = f.Write(data)
	err = errors.Join(err, f.Chmod(privateForUser), f.Sync(), f.Close())
	if err == nil {
		err = os.Rename(f.Name(), k.path)
	}
	if err != nil {
		return fmt.Errorf("%w: %v", ErrFile, errors.Join(err, os.Remove(f.Name())))
	}
	return nil
}
