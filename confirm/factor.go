package confirm

import "errors"

// ErrNotEnrolled says that a second factor is required and no device was enrolled. Nobody was asked.
var ErrNotEnrolled = errors.New("confirm: a second factor is required and none is enrolled")

// SecondFactor lets a person prove with a device that they are there. Safe for concurrent use.
type SecondFactor interface {
	// Assert begins a proof on a page of origin about the message with this digest. Errors: ErrNotEnrolled.
	Assert(origin string, digest [32]byte) (Proof, error)
}

// Enroller is a SecondFactor that takes new devices.
type Enroller interface {
	SecondFactor
	Enrolled() (int, error) // devices
	Enrol(origin string) (Proof, error)
}

// Proof is one exchange with a device. It is good for one Finish.
type Proof interface {
	Options() string            // JSON for the script of the page
	Finish(answer []byte) error // an error is a no; nil is given once
}

// needsFactor says whether a message is approved with the second factor alone.
func (o PageOptions) needsFactor(q Question) bool {
	return o.Factor != nil && q.Level() >= o.FactorFrom
}
