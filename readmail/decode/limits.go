package decode

// Limits bound what ParseMessage and ParseHeader keep. A zero field means its default. What lies beyond a limit is left
// out with a note; it is never an error.
type Limits struct {
	Octets       int // octets of the message looked at; default 64 MiB
	Depth        int // nesting of multiparts and messages; default 20
	Parts        int // entities in the tree; default 1000
	HeaderFields int // fields in one header; default 1000
	FieldOctets  int // octets of one field's body; default 64 KiB
}

const (
	defaultOctets       = 64 << 20 // Limit: larger than providers accept (Gmail 50 MB, Exchange Online 150 MB at most)
	defaultDepth        = 20       // Limit: real mail nests six deep; Dovecot gives up at 100
	defaultParts        = 1000     // Limit: a large digest holds some hundreds
	defaultHeaderFields = 1000     // Limit: long relay chains stay below 200
	defaultFieldOctets  = 64 << 10 // Limit: a To field with 1,500 addresses
)

func (l Limits) withDefaults() Limits {
	set := func(v *int, def int) {
		if *v <= 0 {
			*v = def
		}
	}
	set(&l.Octets, defaultOctets)
	set(&l.Depth, defaultDepth)
	set(&l.Parts, defaultParts)
	set(&l.HeaderFields, defaultHeaderFields)
	set(&l.FieldOctets, defaultFieldOctets)
	return l
}
