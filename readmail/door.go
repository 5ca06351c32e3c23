package readmail

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"

	"mailgap/sanitize"
	"mailgap/shared/ledger"
	"mailgap/shared/mcpserve"
)

// The door through which every result leaves. Each tool is made by define and each resource by defineResource, and those put on
// record what strangers wrote in a result before it goes. What is in a result is found in the result itself, not in what a handler
// says of it: each field of text has a tag place, and the entries of messages know their message.
//
//	place:"body"   text of the message around it, seen in this place (a word of placeWords)
//	place:"server" words of the mail server, such as the name of a mailbox
//	place:"error"  our sentence, in which words of the mail server may stand after wordsMark
//	place:"-"      our own words, or text that the call itself brought
//
// On a struct, the tag says where "body" is in it.

// Recorder keeps what is handed out. writer.Writer is one.
type Recorder interface {
	// Record returns when records are on the disk. After an error nothing may be handed out.
	Record(ctx context.Context, records []ledger.Record) error
}

// handedOut is implemented by the parts of results that are about one message.
type handedOut interface {
	// origin is the message.
	origin() ledger.Facts
}

// wordsMark stands before the words of the mail server in our sentences; see serverWords and explainAuth.
const wordsMark = "words (untrusted): "

// errRecord says that a result was withheld because it could not be recorded.
var errRecord = errors.New("readmail: not recorded")

// define makes a tool whose results are recorded before they leave.
func define[In, Out any](s *Server, spec mcpserve.Spec, handler func(context.Context, *mcpserve.Call, In) (mcpserve.Result[Out], error)) mcpserve.Tool {
	return mcpserve.Define(spec, recorded(s, handler))
}

// recorded records what handler returns before it is returned.
func recorded[In, Out any](s *Server, handler func(context.Context, *mcpserve.Call, In) (mcpserve.Result[Out], error)) func(context.Context, *mcpserve.Call, In) (mcpserve.Result[Out], error) {
	return func(ctx context.Context, call *mcpserve.Call, in In) (mcpserve.Result[Out], error) {
		r, err := handler(ctx, call, in)
		var lost error
		if err != nil {
			lost = s.recordError(ctx, err)
		} else {
			lost = s.record(ctx, reflect.ValueOf(&r.Structured).Elem())
		}
		if lost != nil {
			return mcpserve.Result[Out]{}, lost
		}
		return r, err
	}
}

// defineResource makes a resource template; of finds the server for a reference. What is read is recorded as the tools record it.
func defineResource(spec mcpserve.ResourceSpec, of func(uri string) *Server) mcpserve.Resource {
	return mcpserve.DefineResource(spec, func(ctx context.Context, uri string) (mcpserve.SafeText, error) {
		return of(uri).readResource(ctx, uri)
	})
}

// record puts on record what strangers wrote in a result.
func (s *Server) record(ctx context.Context, result reflect.Value) error {
	if s.cfg.Ledger == nil {
		return nil
	}
	g := gatherer{account: s.accountRef()}
	g.walk(result, nil, "")
	return s.keep(ctx, g.records)
}

// recordError puts on record the words of the mail server in an error for the model.
func (s *Server) recordError(ctx context.Context, err error) error {
	var te *mcpserve.ToolError
	if s.cfg.Ledger == nil || !errors.As(err, &te) || te.Text == nil {
		return nil
	}
	g := gatherer{account: s.accountRef()}
	g.text(nil, ledger.PlaceHeader, afterMark(te.Text.SafeText()))
	return s.keep(ctx, g.records)
}

func (s *Server) keep(ctx context.Context, records []ledger.Record) error {
	if len(records) == 0 {
		return nil
	}
	if err := s.cfg.Ledger.Record(ctx, records); err != nil {
		s.log.Error("result withheld: it could not be recorded", "error", err)
		return explain(fmt.Errorf("%w: %w", errRecord, err))
	}
	return nil
}

// accountRef names the mail server of the account in the ledger, for words that are of no message.
func (s *Server) accountRef() ledger.Facts {
	return ledger.Facts{Ref: "imap://" + escapeRef(s.cfg.Account) + "/", Account: s.cfg.Account}
}

// gatherer collects the records of one result.
type gatherer struct {
	account ledger.Facts
	records []ledger.Record
}

// walk goes through a value. owner is the message it is about, nil for none; place is what "body" means in it.
func (g *gatherer) walk(v reflect.Value, owner *ledger.Facts, place string) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			g.walk(v.Elem(), owner, place)
		}
	case reflect.Slice, reflect.Array:
		for i := range v.Len() {
			g.walk(v.Index(i), owner, place)
		}
	case reflect.Struct:
		if v.CanInterface() {
			if h, ok := v.Interface().(handedOut); ok {
				f := h.origin()
				owner = &f
				g.records = append(g.records, ledger.Record{Facts: f})
			}
		}
		for i := range v.NumField() {
			g.field(v.Type().Field(i), v.Field(i), owner, place)
		}
	}
}

// field takes the text of a field, or goes on within it.
func (g *gatherer) field(sf reflect.StructField, v reflect.Value, owner *ledger.Facts, place string) {
	tag := sf.Tag.Get("place")
	switch {
	case !sf.IsExported() && !sf.Anonymous, tag == "-":
	case isClean(sf.Type):
		g.tagged(tag, v.Interface().(sanitize.Clean), owner, place)
	case isCleanList(sf.Type):
		for i := range v.Len() {
			g.tagged(tag, v.Index(i).Interface().(sanitize.Clean), owner, place)
		}
	case tag != "":
		g.walk(v, owner, tag)
	default:
		g.walk(v, owner, place)
	}
}

// tagged takes the text of a field with this tag. A field without one is taken for text of its message.
func (g *gatherer) tagged(tag string, c sanitize.Clean, owner *ledger.Facts, place string) {
	if tag == "body" && place != "" {
		tag = place
	}
	switch tag {
	case "server":
		g.text(nil, ledger.PlaceHeader, c.String())
	case "error":
		g.text(nil, ledger.PlaceHeader, afterMark(c.String()))
	default:
		p, ok := placeWords()[tag]
		if !ok {
			p = ledger.PlaceHeader
		}
		g.text(owner, p, c.String())
	}
}

// text adds a text of a message, or of the mail server if owner is nil.
func (g *gatherer) text(owner *ledger.Facts, p ledger.Place, text string) {
	if text == "" {
		return
	}
	if owner == nil {
		owner = &g.account
	}
	t := ledger.Text{Place: p, Text: refang(text)}
	for i := len(g.records) - 1; i >= 0; i-- {
		if g.records[i].Ref == owner.Ref {
			g.records[i].Texts = append(g.records[i].Texts, t)
			return
		}
	}
	g.records = append(g.records, ledger.Record{Facts: *owner, Texts: []ledger.Text{t}})
}

// placeWords are the tags that name places.
func placeWords() map[string]ledger.Place {
	return map[string]ledger.Place{
		"from": ledger.PlaceFrom, "reply-to": ledger.PlaceReplyTo, "to": ledger.PlaceTo, "cc": ledger.PlaceCc, "subject": ledger.PlaceSubject,
		"body": ledger.PlaceBody, "hidden": ledger.PlaceHidden, "link": ledger.PlaceLink, "attachment": ledger.PlaceAttachment,
		"file name": ledger.PlaceFileName, "header": ledger.PlaceHeader,
	}
}

// afterMark returns the words of the mail server in a sentence of ours.
func afterMark(s string) string {
	_, words, _ := strings.Cut(s, wordsMark)
	words, _, _ = strings.Cut(words, " hint: ")
	return words
}

// refang undoes what makes links harmless, so that what is recorded is what a model would write.
func refang(s string) string {
	if !strings.Contains(s, "[") {
		return s
	}
	return strings.NewReplacer("hxxp", "http", "[:]", ":", "[.]", ".", "[@]", "@").Replace(s)
}

func isClean(t reflect.Type) bool     { return t == reflect.TypeFor[sanitize.Clean]() }
func isCleanList(t reflect.Type) bool { return t.Kind() == reflect.Slice && isClean(t.Elem()) }
