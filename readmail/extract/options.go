package extract

import (
	"time"
	"unicode/utf8"
)

func (o Options) withDefaults() Options {
	setInt(&o.MaxInputOctets, DefaultMaxInputOctets)
	setInt(&o.MaxTextOctets, DefaultMaxTextOctets)
	setInt(&o.MaxPages, DefaultMaxPages)
	setInt(&o.MaxImageOctets, DefaultMaxImageOctets)
	if o.MaxMemoryOctets <= 0 {
		o.MaxMemoryOctets = DefaultMaxMemoryOctets
	}
	if o.Timeout <= 0 {
		o.Timeout = DefaultTimeout
	}
	if o.Location == nil {
		o.Location = time.Local
	}
	if o.Decode == nil {
		o.Decode = decodeDefault
	}
	return o
}

func setInt(p *int, v int) {
	if *p <= 0 {
		*p = v
	}
}

// decodeDefault takes octets as UTF-8 if they are valid, else as ISO 8859-1.
func decodeDefault(_ string, b []byte) string {
	if utf8.Valid(b) {
		return string(b)
	}
	runes := make([]rune, len(b))
	for i, c := range b {
		runes[i] = rune(c)
	}
	return string(runes)
}
