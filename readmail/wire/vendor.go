package wire

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// Request is a command that the layer sends itself. Only read-only verbs pass, as for the client.
type Request struct {
	Verb string // "UID SEARCH", "UID FETCH", ...
	// Args in order. Raw values are written as they are, strings as quoted strings or literals.
	Args []Arg
}

// Arg is one argument: Raw (atoms, lists, sets) or, if Raw is "", the string Text.
type Arg struct{ Raw, Text string }

// Replies is what the server answered to Do.
type Replies struct {
	Code, Text string    // of the tagged OK; untrusted
	Numbers    []uint32  // SEARCH, ESEARCH ALL, SORT: in the server's order for SORT, ascending otherwise
	Fetched    []Fetched // FETCH responses

	inOrder bool // Numbers are in the server's order
}

// Fetched is one FETCH response to Do.
type Fetched struct {
	Seq, UID uint32
	Items    map[string]Value // by item name in upper case
}

// Value is one value of a FETCH response: Text for atoms, numbers, quoted strings and literals; List for lists.
// All of it is untrusted.
type Value struct {
	Nil  bool
	Text string
	List []Value
}

// Do sends one command under the layer's own tag and returns the replies, which the client does not see; unsolicited
// data (EXISTS, EXPUNGE, FLAGS) still go to the client. The connection must be idle (ErrBusy), but for CAPABILITY and
// NOOP; meanwhile commands of the client wait. When ctx ends first the connection is closed. A tagged NO or BAD is a *ServerError.
func (c *Conn) Do(ctx context.Context, r Request) (*Replies, error) {
	switch verb := strings.ToUpper(r.Verb); verb {
	case "SEARCH", "UID SEARCH", "SORT", "UID SORT", "FETCH", "UID FETCH", "NOOP", "CAPABILITY":
		return c.do(ctx, verb, r.Args, nil)
	}
	return nil, forbidden("verb %.20q would change what the client believes", r.Verb)
}

// do runs a command of the layer. after, if not nil, runs on success while the client still cannot write.
func (c *Conn) do(ctx context.Context, verb string, args []Arg, after func()) (*Replies, error) {
	select {
	case c.gate <- struct{}{}:
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	case <-c.done:
		return nil, c.Err()
	}
	defer func() { <-c.gate }()
	if err := c.Err(); err != nil {
		return nil, err
	}
	stop := context.AfterFunc(ctx, func() { c.Abort(context.Cause(ctx)) })
	defer stop()
	if !c.settle() || len(c.ob.buf) > 0 {
		return nil, cmp.Or(c.Err(), ErrBusy)
	}
	cmd, err := c.build(verb, args)
	c.record(cmd, err != nil, true)
	if err != nil {
		return nil, err
	}
	v := &call{verb: cmd.verb, done: make(chan error, 1)}
	p := c.pendingFor(cmd)
	p.vendor = v
	if err := c.run(cmd, p); err != nil {
		c.fail(err)
		return nil, c.Err()
	}
	select {
	case err = <-v.done:
	case <-c.done:
		return nil, c.Err()
	}
	if err == nil && after != nil {
		after()
	}
	slices.Sort(v.replies.sorted())
	return &v.replies, err
}

// settle waits for CAPABILITY and NOOP, which go-imap's client sends by itself and which need no caller to read their
// results; false if something else is running.
func (c *Conn) settle() bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	for len(c.pend) > 0 || !c.greeted {
		for _, p := range c.pend {
			if p.verb != "CAPABILITY" && p.verb != "NOOP" {
				return false
			}
		}
		if c.err != nil {
			return false
		}
		c.cond.Wait()
	}
	return c.err == nil
}

func (c *Conn) run(cmd *command, p *pending) error {
	if needsSync(cmd.lits) {
		return c.sendLiterals(cmd, p)
	}
	c.begin(p)
	return c.send(cmd.raw)
}

// build writes a command and reads it back through the same checks as the client's.
func (c *Conn) build(verb string, args []Arg) (*command, error) {
	c.tags++
	raw := append([]byte("W"+strconv.Itoa(c.tags)+" "), verb...)
	caps := c.Capabilities()
	for _, a := range args {
		raw = append(raw, ' ')
		switch {
		case a.Raw != "":
			raw = append(raw, a.Raw...)
		case len(a.Text) <= maxQuotedOctets && quotable([]byte(a.Text)):
			raw = appendQuoted(raw, []byte(a.Text))
		default:
			plus := ""
			if slices.Contains(caps, "LITERAL+") || slices.Contains(caps, "LITERAL-") && len(a.Text) <= 4096 {
				plus = "+"
			}
			raw = append(raw, fmt.Sprintf("{%d%s}\r\n%s", len(a.Text), plus, a.Text)...)
		}
	}
	raw = append(raw, "\r\n"...)
	var o outbound
	if err := o.feed(raw); err != nil {
		return &command{verb: verb}, err
	}
	state, err := o.next()
	for state == outContinue && err == nil {
		state, err = o.next()
	}
	if err == nil && (state != outCommand || o.pos != len(raw)) {
		err = forbidden("more than one command")
	}
	if err != nil {
		return &command{verb: verb}, err
	}
	return parseCommand(raw, o.toks, o.lits, true)
}

// call is a running command of Do.
type call struct {
	verb    string
	replies Replies
	done    chan error
}

// takes reports whether untagged responses of this kind belong to the call.
func (v *call) takes(typ string) bool {
	return strings.HasSuffix(v.verb, typ) || typ == "ESEARCH" && strings.HasSuffix(v.verb, "SEARCH")
}

func (r *Replies) sorted() []uint32 {
	if r.inOrder {
		return nil
	}
	return r.Numbers
}

func (r *Replies) addRanges(set []numRange) {
	for _, s := range set {
		for n := uint64(s.from); n <= uint64(s.to); n++ {
			r.Numbers = append(r.Numbers, uint32(n))
		}
	}
}

// call returns the running command of Do, nil if there is none.
func (c *Conn) call() *call {
	c.mu.Lock()
	defer c.mu.Unlock()
	for _, p := range c.pend {
		if p.vendor != nil {
			return p.vendor
		}
	}
	return nil
}

// completeCall ends the running command of Do.
func (c *Conn) completeCall(p *pending, typ string, rest []byte) error {
	code, _, text := splitCode(rest)
	c.noteStatus(typ, code, text)
	kept := string(text[:min(len(text), maxTextOctets)])
	v := p.vendor
	switch {
	case typ != "OK":
		v.done <- &ServerError{Status: typ, Code: code, Text: kept}
		return nil
	case p.fail != "":
		v.done <- overLimit("result of " + v.verb)
		return nil
	}
	v.replies.Code, v.replies.Text = code, kept
	v.replies.inOrder = strings.HasSuffix(v.verb, "SORT")
	if v.verb == "COMPRESS" {
		c.in.inflate()
	}
	v.done <- nil
	return nil
}

// capture keeps a FETCH response for the call; false if it only tells flags and is meant for the client.
func (f *fetchWriter) capture(list int, v *call) bool {
	got := Fetched{Seq: f.seq, UID: f.uid, Items: map[string]Value{}}
	mine := false
	for k := f.t.child(list); k != 0; k = f.t.next(f.t.next(k)) {
		name, value := strings.ToUpper(string(f.t.raw(k))), f.t.next(k)
		if value == 0 || value == f.broken || !f.t.isAtom(k) {
			continue
		}
		got.Items[name] = f.value(value)
		mine = mine || name != "FLAGS" && name != "UID" && name != "MODSEQ"
	}
	if mine {
		v.replies.Fetched = append(v.replies.Fetched, got)
	}
	return mine
}

// value copies a value; its depth is that of the tree.
func (f *fetchWriter) value(id int) Value {
	switch {
	case f.t.isNil(id) || f.t.nodes[id].kind == nodeDeep:
		return Value{Nil: true}
	case !f.t.isList(id):
		return Value{Text: string(f.t.value(id))}
	}
	var v Value
	for k := f.t.child(id); k != 0; k = f.t.next(k) {
		v.List = append(v.List, f.value(k))
	}
	return v
}

func (c *Conn) offers(capability string) error {
	if !slices.Contains(c.Capabilities(), capability) {
		return fmt.Errorf("%w: %s", ErrUnsupported, capability)
	}
	return nil
}

// GmailSearch runs UID SEARCH X-GM-RAW with query (Gmail's own search language) in the mailbox that is open and
// returns the UIDs in ascending order. ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailSearch(ctx context.Context, query string) ([]uint32, error) {
	if err := c.offers("X-GM-EXT-1"); err != nil {
		return nil, err
	}
	args := []Arg{{Raw: "X-GM-RAW"}, {Text: query}}
	if !isASCII(query) {
		args = append([]Arg{{Raw: "CHARSET"}, {Raw: "UTF-8"}}, args...)
	}
	return c.uids(ctx, args)
}

func isASCII(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return r > 0x7e }) < 0
}

func (c *Conn) uids(ctx context.Context, args []Arg) ([]uint32, error) {
	r, err := c.Do(ctx, Request{Verb: "UID SEARCH", Args: args})
	if err != nil {
		return nil, err
	}
	return slices.Compact(r.Numbers), nil
}

// GmailIDs are Gmail's numbers for a message.
type GmailIDs struct {
	UID                 uint32
	MessageID, ThreadID uint64
	Labels              []string // modified UTF-7 decoded; untrusted
}

// maxVendorUIDs bounds the UIDs of one vendor FETCH.
const maxVendorUIDs = 10_000

// GmailThreadIDs fetches X-GM-MSGID, X-GM-THRID and X-GM-LABELS of the messages in uids (at most 10,000, else
// ErrLimit), in the server's order. ErrUnsupported without X-GM-EXT-1.
func (c *Conn) GmailThreadIDs(ctx context.Context, uids []uint32) ([]GmailIDs, error) {
	if err := c.offers("X-GM-EXT-1"); err != nil {
		return nil, err
	}
	r, err := c.fetch(ctx, uids, "(UID X-GM-MSGID X-GM-THRID X-GM-LABELS)")
	if err != nil {
		return nil, err
	}
	var ids []GmailIDs
	for _, f := range r.Fetched {
		id := GmailIDs{UID: f.UID}
		id.MessageID, _ = strconv.ParseUint(f.Items["X-GM-MSGID"].Text, 10, 64)
		id.ThreadID, _ = strconv.ParseUint(f.Items["X-GM-THRID"].Text, 10, 64)
		for _, l := range f.Items["X-GM-LABELS"].List {
			name, _ := shownName([]byte(l.Text))
			id.Labels = append(id.Labels, name)
		}
		if f.UID != 0 {
			ids = append(ids, id)
		}
	}
	return ids, nil
}

// fetch runs UID FETCH; no UIDs means no command.
func (c *Conn) fetch(ctx context.Context, uids []uint32, items string) (*Replies, error) {
	if len(uids) > maxVendorUIDs {
		return nil, overLimit("UIDs of one FETCH")
	}
	if len(uids) == 0 {
		return &Replies{}, nil
	}
	set := make([]byte, 0, 8*len(uids))
	for i, u := range uids {
		if i > 0 {
			set = append(set, ',')
		}
		set = strconv.AppendUint(set, uint64(u), 10)
	}
	ranges, _, ok := parseSet(set)
	if !ok {
		return nil, forbidden("UID 0")
	}
	return c.Do(ctx, Request{Verb: "UID FETCH", Args: []Arg{{Raw: string(appendSet(nil, ranges))}, {Raw: items}}})
}

// GmailThread returns the UIDs in the open mailbox that belong to the thread, ascending. ErrUnsupported without
// X-GM-EXT-1.
func (c *Conn) GmailThread(ctx context.Context, thread uint64) ([]uint32, error) {
	if err := c.offers("X-GM-EXT-1"); err != nil {
		return nil, err
	}
	return c.uids(ctx, []Arg{{Raw: "X-GM-THRID"}, {Raw: strconv.FormatUint(thread, 10)}})
}

// Preview fetches PREVIEW (RFC 8970) of the messages in uids (at most 10,000, else ErrLimit), by UID; messages for
// which the server has none are missing. The texts are untrusted. ErrUnsupported without PREVIEW.
func (c *Conn) Preview(ctx context.Context, uids []uint32) (map[uint32]string, error) {
	if err := c.offers("PREVIEW"); err != nil {
		return nil, err
	}
	r, err := c.fetch(ctx, uids, "(UID PREVIEW)")
	if err != nil {
		return nil, err
	}
	texts := map[uint32]string{}
	for _, f := range r.Fetched {
		if v, ok := f.Items["PREVIEW"]; ok && !v.Nil && f.UID != 0 {
			texts[f.UID] = v.Text
		}
	}
	return texts, nil
}
