package factor

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"sync"

	"github.com/go-webauthn/webauthn/protocol"
	"github.com/go-webauthn/webauthn/webauthn"

	"mailgap/confirm"
)

var _ confirm.Enroller = (*Keys)(nil)

// proof is one exchange.
type proof struct {
	options string
	mu      sync.Mutex
	finish  func([]byte) error // nil when it was used
}

// Options implements confirm.Proof.
func (p *proof) Options() string { return p.options }

// Finish implements confirm.Proof. Errors: ErrRefused, ErrSpent, ErrFile.
func (p *proof) Finish(answer []byte) error {
	p.mu.Lock()
	finish := p.finish
	p.finish = nil // Security: good for one look, whatever comes of it
	p.mu.Unlock()
	if finish == nil {
		return ErrSpent
	}
	return finish(answer)
}

func newProof(options any, finish func([]byte) error) (confirm.Proof, error) {
	data, err := json.Marshal(options)
	if err != nil {
		return nil, err
	}
	return &proof{options: string(data), finish: finish}, nil
}

// party is the library, set to one origin.
func party(origin string) (*webauthn.WebAuthn, error) {
	return webauthn.New(&webauthn.Config{RPID: relyingParty, RPDisplayName: displayName, RPOrigins: []string{origin}})
}

// Assert implements confirm.SecondFactor. Errors: confirm.ErrNotEnrolled, ErrFile, confirm.ErrRandom.
func (k *Keys) Assert(origin string, digest [32]byte) (confirm.Proof, error) {
	user, err := k.load()
	if err != nil {
		return nil, err
	}
	if len(user.Devices) == 0 {
		return nil, confirm.ErrNotEnrolled
	}
	challenge, err := k.challenge(digest)
	if err != nil {
		return nil, err
	}
	rp, err := party(origin)
	if err != nil {
		return nil, err
	}
	options, session, err := rp.BeginLogin(user, webauthn.WithChallenge(challenge), webauthn.WithUserVerification(protocol.VerificationRequired))
	if err != nil {
		return nil, err
	}
	return newProof(options.Response, func(answer []byte) error { return k.asserted(rp, origin, *session, answer) })
}

// challenge is SHA-256(nonce || digest): fresh, and good for this message alone.
func (k *Keys) challenge(digest [32]byte) ([]byte, error) {
	nonce := make([]byte, nonceOctets)
	if _, err := io.ReadFull(k.random, nonce); err != nil {
		return nil, fmt.Errorf("%w: %v", confirm.ErrRandom, err)
	}
	sum := sha256.Sum256(append(nonce, digest[:]...))
	return sum[:], nil
}

// asserted checks an answer of an enrolled device and keeps its counter.
func (k *Keys) asserted(rp *webauthn.WebAuthn, origin string, session webauthn.SessionData, answer []byte) error {
	parsed, err := protocol.ParseCredentialRequestResponseBytes(answer)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrRefused, err)
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	user, err := k.load()
	if err != nil {
		return err
	}
	device, err := rp.ValidateLogin(user, session, parsed)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrRefused, err)
	}
	flags := parsed.Response.AuthenticatorData.Flags
	// Security: the library compares origins as it does for the web at large; this is one process on one port.
	if parsed.Response.CollectedClientData.Origin != origin || !flags.UserVerified() || !flags.UserPresent() || device.Authenticator.CloneWarning {
		return ErrRefused
	}
	for i := range user.Devices {
		if bytes.Equal(user.Devices[i].ID, device.ID) {
			user.Devices[i] = *device
		}
	}
	return k.save(user)
}

// Enrol implements confirm.Enroller. Whoever calls it has seen an enrolled device, if there is one. Errors: ErrMany, ErrFile.
func (k *Keys) Enrol(origin string) (confirm.Proof, error) {
	user, err := k.load()
	if err != nil {
		return nil, err
	}
	if len(user.Devices) >= maxDevices {
		return nil, ErrMany
	}
	if user.ID == nil {
		user.ID = make([]byte, userOctets)
		if _, err := io.ReadFull(k.random, user.ID); err != nil {
			return nil, fmt.Errorf("%w: %v", confirm.ErrRandom, err)
		}
	}
	rp, err := party(origin)
	if err != nil {
		return nil, err
	}
	options, session, err := rp.BeginRegistration(user, webauthn.WithConveyancePreference(protocol.PreferNoAttestation),
		webauthn.WithExclusions(webauthn.Credentials(user.Devices).CredentialDescriptors()),
		webauthn.WithAuthenticatorSelection(protocol.AuthenticatorSelection{UserVerification: protocol.VerificationRequired, ResidentKey: protocol.ResidentKeyRequirementDiscouraged}))
	if err != nil {
		return nil, err
	}
	return newProof(options.Response, func(answer []byte) error { return k.enrolled(rp, origin, user, *session, answer) })
}

// enrolled takes a new device, if no other was enrolled meanwhile.
func (k *Keys) enrolled(rp *webauthn.WebAuthn, origin string, user *person, session webauthn.SessionData, answer []byte) error {
	parsed, err := protocol.ParseCredentialCreationResponseBytes(answer)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrRefused, err)
	}
	device, err := rp.CreateCredential(user, session, parsed)
	if err != nil {
		return fmt.Errorf("%w: %v", ErrRefused, err)
	}
	if parsed.Response.CollectedClientData.Origin != origin || !device.Flags.UserVerified {
		return ErrRefused
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	now, err := k.load()
	if err != nil {
		return err
	}
	if len(now.Devices) != len(user.Devices) || len(now.Devices) > 0 && !bytes.Equal(now.ID, user.ID) {
		return fmt.Errorf("%w: another device was enrolled meanwhile", ErrRefused)
	}
	user.Devices = append(user.Devices, *device)
	return k.save(user)
}
