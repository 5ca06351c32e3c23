package mcpserve

import (
	"bytes"
	"encoding/json"
	"errors"
	"strconv"
	"unicode/utf8"
)

const (
	maxDepth        = 64  // nested containers in one message; the deepest schema in use has about five
	maxNumberOctets = 64  // a 64-bit integer has 20, a float64 in full 24
	maxExponent     = 400 // float64 ends at 1e308
)

// What strictJSON refuses. The texts are sent to clients as they are.
var (
	errNotJSON     = errors.New("the message is not valid JSON")
	errNotUTF8     = errors.New("the message is not valid UTF-8")
	errSurrogate   = errors.New(`the message has a \u escape that is half of a surrogate pair; write the character itself`)
	errTooDeep     = errors.New("the message is nested too deeply")
	errHugeNumber  = errors.New("the message has a number that is too long or too large")
	errEscapedNull = errors.New(`the message has a \u0000 escape in a key`)
)

// duplicateKeyError says that an object has a key twice. Which of the two counts would depend on the parser.
type duplicateKeyError struct{ path []string }

func (e *duplicateKeyError) Error() string { return "the message has the same key twice in one object" }

// strictJSON refuses what encoding/json accepts but parsers disagree about: repeated keys, invalid UTF-8, lone surrogates,
// and numbers so large that exact arithmetic on them (done by the schema validator) would take all memory.
func strictJSON(data []byte) error { return scan(data, false) }

// scan is strictJSON. With later set, what is below params.arguments is only measured, not judged: a tool call judges its
// arguments itself, so that the refusal is a result which the model reads.
func scan(data []byte, later bool) error {
	if !utf8.Valid(data) {
		return errNotUTF8
	}
	if !json.Valid(data) {
		return errNotJSON
	}
	s := scanner{data: data, later: later}
	return s.run()
}

// scanner walks JSON that is known to be valid.
type scanner struct {
	data  []byte
	pos   int
	stack []container
	later bool
}

// skips says whether the current place is left to a later check.
func (s *scanner) skips() bool {
	return s.later && len(s.stack) > 2 && s.stack[0].key == "params" && s.stack[1].key == "arguments"
}

// container is an object (keys is not nil) or an array that is open.
type container struct {
	keys      map[string]struct{}
	expectKey bool
	key       string
}

func (s *scanner) run() error {
	for s.pos < len(s.data) {
		if err := s.step(); err != nil {
			return err
		}
	}
	return nil
}

// step consumes one token.
func (s *scanner) step() error {
	switch c := s.data[s.pos]; c {
	case '{':
		return s.open(container{keys: map[string]struct{}{}, expectKey: true})
	case '[':
		return s.open(container{})
	case '}', ']':
		s.stack = s.stack[:len(s.stack)-1]
	case ',':
		if top := s.top(); top.keys != nil {
			top.expectKey = true
		}
	case '"':
		return s.str()
	case '-', '0', '1', '2', '3', '4', '5', '6', '7', '8', '9':
		return s.number()
	}
	s.pos++
	return nil
}

func (s *scanner) top() *container { return &s.stack[len(s.stack)-1] }

func (s *scanner) open(c container) error {
	if len(s.stack) == maxDepth {
		return errTooDeep
	}
	s.stack = append(s.stack, c)
	s.pos++
	return nil
}

func (s *scanner) str() error {
	start := s.pos
	s.pos++
	escaped := false
	for s.data[s.pos] != '"' {
		if s.data[s.pos] == '\\' {
			escaped = true
			s.pos++
		}
		s.pos++
	}
	s.pos++
	raw := s.data[start:s.pos]
	isKey := len(s.stack) > 0 && s.top().expectKey
	if isKey {
		s.top().expectKey = false
	}
	switch {
	case s.skips():
		return nil
	case escaped && hasLoneSurrogate(raw):
		return errSurrogate
	case isKey:
		return s.key(raw, escaped)
	}
	return nil
}

func (s *scanner) key(raw []byte, escaped bool) error {
	k := string(raw[1 : len(raw)-1])
	if escaped && json.Unmarshal(raw, &k) != nil {
		return errNotJSON
	}
	if bytes.IndexByte([]byte(k), 0) >= 0 {
		return errEscapedNull
	}
	top := s.top()
	top.key = k
	if _, twice := top.keys[k]; twice {
		return &duplicateKeyError{path: s.path()}
	}
	top.keys[k] = struct{}{}
	return nil
}

// path lists the keys from the outermost object to the current one; arrays have no part in it.
func (s *scanner) path() []string {
	var p []string
	for _, c := range s.stack {
		if c.keys != nil {
			p = append(p, c.key)
		}
	}
	return p
}

func (s *scanner) number() error {
	start, exp := s.pos, -1
	for ; s.pos < len(s.data) && bytes.IndexByte([]byte("+-.0123456789eE"), s.data[s.pos]) >= 0; s.pos++ {
		if c := s.data[s.pos]; c == 'e' || c == 'E' {
			exp = s.pos + 1
		}
	}
	if s.skips() {
		return nil
	}
	if s.pos-start > maxNumberOctets {
		return errHugeNumber
	}
	if exp < 0 {
		return nil
	}
	n, err := strconv.Atoi(string(s.data[exp:s.pos]))
	if err != nil || n > maxExponent || n < -maxExponent {
		return errHugeNumber
	}
	return nil
}

// hasLoneSurrogate looks at the \u escapes of a JSON string. encoding/json would replace a lone one without a word.
func hasLoneSurrogate(raw []byte) bool {
	for i := 0; i < len(raw); i++ {
		if raw[i] != '\\' {
			continue
		}
		i++
		if raw[i] != 'u' {
			continue
		}
		u := hex4(raw[i+1:])
		i += 4
		if u < 0xD800 || u > 0xDFFF {
			continue
		}
		if u > 0xDBFF || i+6 >= len(raw) || raw[i+1] != '\\' || raw[i+2] != 'u' {
			return true
		}
		if low := hex4(raw[i+3:]); low < 0xDC00 || low > 0xDFFF {
			return true
		}
		i += 6
	}
	return false
}

// hex4 reads four hexadecimal digits of valid JSON.
func hex4(b []byte) uint64 {
	n, err := strconv.ParseUint(string(b[:4]), 16, 32)
	if err != nil {
		return 0xD800 // cannot happen in valid JSON; treated as a lone surrogate, so it is refused
	}
	return n
}
