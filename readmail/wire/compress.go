package wire

import (
	"bufio"
	"bytes"
	"compress/flate"
	"context"
	"errors"
	"io"
)

// Compress switches both directions to DEFLATE (RFC 4978). The connection must be idle (ErrBusy). ErrUnsupported if
// COMPRESS=DEFLATE is not offered; *ServerError if refused: then the connection goes on uncompressed. What is
// inflated counts against the same limits as plain octets.
func (c *Conn) Compress(ctx context.Context) error {
	if err := c.offers("COMPRESS=DEFLATE"); err != nil {
		return err
	}
	var w *deflater
	var err error
	if w, err = newDeflater(&meter{c}); err != nil {
		return err
	}
	_, err = c.do(ctx, "COMPRESS", []Arg{{Raw: "DEFLATE"}}, func() { c.w = w })
	return err
}

// deflater compresses commands; Flush ends them with a sync marker and hands them over in one write.
type deflater struct {
	buf *bufio.Writer
	fw  *flate.Writer
}

func newDeflater(w io.Writer) (*deflater, error) {
	d := &deflater{buf: bufio.NewWriter(w)}
	var err error
	d.fw, err = flate.NewWriter(d.buf, flate.BestSpeed) // commands are short: speed and memory count, not ratio
	return d, err
}

func (d *deflater) Write(p []byte) (int, error) { return d.fw.Write(p) }

// Flush hands over what was written.
func (d *deflater) Flush() error {
	if err := d.fw.Flush(); err != nil {
		return err
	}
	return d.buf.Flush()
}

// inflate switches the input. What was read behind the tagged OK is compressed already.
func (in *inbound) inflate() {
	early := bytes.Clone(in.buf[in.r:])
	in.buf = in.buf[:in.r]
	in.src = &inflater{flate.NewReader(io.MultiReader(bytes.NewReader(early), in.src))}
}

// inflater gives errors of the decompressor their meaning here.
type inflater struct{ r io.Reader }

func (i *inflater) Read(p []byte) (int, error) {
	n, err := i.r.Read(p)
	var corrupt flate.CorruptInputError
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF):
		err = io.EOF
	case errors.As(err, &corrupt):
		err = badFraming("compressed data are damaged")
	}
	return n, err
}
