package extract

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"time"

	"mailgap/readmail/extract/internal/document"
)

// One request and one reply pass between parent and child. Each is a frame: four octets that name it, the length of a JSON
// header, the header, and the octets that the header announces (the attachment, or the text). Both sides check every
// length before they allocate. Between the two the child says that it is ready to take in the attachment: what came
// before is loading of our own code, which takes long on a slow machine and is not the document's doing.
const (
	requestMagic    = "MGX1"
	readySign       = "MGS1"
	replyMagic      = "MGR1"
	maxHeaderOctets = 64 << 10
)

// request is what the parent asks. Its data follows the header.
type request struct {
	Kind            Kind          `json:"kind"`
	DataOctets      int           `json:"data_octets"`
	MaxTextOctets   int           `json:"max_text_octets"`
	MaxPages        int           `json:"max_pages"`
	FirstPage       int           `json:"first_page"`
	MaxMemoryOctets int64         `json:"max_memory_octets"`
	StartTimeout    time.Duration `json:"start_timeout"`
	Timeout         time.Duration `json:"timeout"` // from the ready sign on
	CacheDir        string        `json:"cache_dir"`
}

func (r request) limits() document.Limits {
	return document.Limits{MaxTextOctets: r.MaxTextOctets, MaxPages: r.MaxPages, FirstPage: r.FirstPage}
}

// reply is what the child answers. Its text follows the header.
type reply struct {
	Failure    string   `json:"failure,omitempty"` // code of a failure; empty means the text follows
	Detail     string   `json:"detail,omitempty"`
	Title      string   `json:"title,omitempty"`
	Pages      int      `json:"pages,omitempty"`
	FirstPage  int      `json:"first_page,omitempty"`
	LastPage   int      `json:"last_page,omitempty"`
	Truncated  bool     `json:"truncated,omitempty"`
	Hidden     int      `json:"hidden,omitempty"`
	Notes      []string `json:"notes,omitempty"`
	TextOctets int      `json:"text_octets"`
}

var errProtocol = errors.New("extract: frame is not well formed")

// writeFrame writes magic, header and payload.
func writeFrame(w io.Writer, magic string, header any, payload []byte) error {
	h, err := json.Marshal(header)
	if err != nil {
		return err
	}
	if len(h) > maxHeaderOctets {
		return fmt.Errorf("%w: header of %d octets", errProtocol, len(h))
	}
	head := binary.BigEndian.AppendUint32([]byte(magic), uint32(len(h)))
	if _, err := w.Write(append(head, h...)); err != nil {
		return err
	}
	_, err = w.Write(payload)
	return err
}

// readHeader reads magic and header.
func readHeader(r io.Reader, magic string, header any) error {
	head := make([]byte, len(magic)+4)
	if _, err := io.ReadFull(r, head); err != nil {
		return fmt.Errorf("%w: %w", errProtocol, err)
	}
	n := binary.BigEndian.Uint32(head[len(magic):])
	if string(head[:len(magic)]) != magic || n > maxHeaderOctets {
		return errProtocol
	}
	h := make([]byte, n)
	if _, err := io.ReadFull(r, h); err != nil {
		return fmt.Errorf("%w: %w", errProtocol, err)
	}
	d := json.NewDecoder(bytes.NewReader(h))
	d.DisallowUnknownFields()
	if err := d.Decode(header); err != nil {
		return fmt.Errorf("%w: %w", errProtocol, err)
	}
	return nil
}

// readReady waits for the ready sign.
func readReady(r io.Reader) error {
	b, err := readPayload(r, len(readySign), len(readySign))
	if err == nil && string(b) != readySign {
		err = errProtocol
	}
	return err
}

// readPayload reads exactly n octets, which must not be more than limit.
func readPayload(r io.Reader, n, limit int) ([]byte, error) {
	if n < 0 || n > limit {
		return nil, fmt.Errorf("%w: payload of %d octets", errProtocol, n)
	}
	b := make([]byte, n)
	if _, err := io.ReadFull(r, b); err != nil {
		return nil, fmt.Errorf("%w: %w", errProtocol, err)
	}
	return b, nil
}
