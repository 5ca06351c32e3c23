package imaptest

import (
	"bufio"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

// Each ugly value is one value: what is wrong with it is inside it, or ReplaceItem would not do what it says.
func TestQuirksAreWhole(t *testing.T) {
	values := map[string]string{
		"StructureStrayQuotes": StructureStrayQuotes, "StructureChildless": StructureChildless,
		"StructureEmptyParameters": StructureEmptyParameters, "StructureTwoChildless": StructureTwoChildless,
		"StructureNilEncoding": StructureNilEncoding, "StructureNilNumbers": StructureNilNumbers,
		"StructureNilSubtype": StructureNilSubtype, "StructureShortMessage": StructureShortMessage,
		"StructureShortGlobal": StructureShortGlobal, "StructureNoLines": StructureNoLines,
		"StructureOddParameters": StructureOddParameters, "StructureStringDisposition": StructureStringDisposition,
		"StructureRawName": StructureRawName, "StructureSpaces": StructureSpaces,
		"EnvelopeNilHost": EnvelopeNilHost, "EnvelopeRawOctets": EnvelopeRawOctets, "EnvelopeShort": EnvelopeShort,
		"EnvelopeForgedLine": EnvelopeForgedLine, "InternalDateImpossible": InternalDateImpossible,
		"InternalDateEmpty": InternalDateEmpty, "InternalDateISO": InternalDateISO, "FlagsOdd": FlagsOdd,
		"NestedStructure": NestedStructure(50),
	}
	for name, value := range values {
		if got := valueEnd([]byte(value+" FLAGS"), 0); got != len(value) {
			t.Errorf("%s ends at %d, want %d", name, got, len(value))
		}
	}
	for _, line := range []string{ListModifiedUTF7, ListAtom, ListLiteral, ListLoneAmpersand, ListRawUTF8, ListTurkish,
		ListNilDelimiter, ListLowerCase, ListEmptyName, ListNoName, ListLineBreak} {
		got, err := readResponse(bufio.NewReader(strings.NewReader(line + "\r\n* 1 EXISTS\r\n")))
		if string(got) != line+"\r\n" || err != nil {
			t.Errorf("got %q, %v, want %q", got, err, line)
		}
	}
}

// These structures end the connection of a client that takes them as they are. If one no longer does, the comment
// beside it, and the repair made for it, can be looked at again.
func TestQuirksHurtABareClient(t *testing.T) {
	for name, value := range map[string]string{"stray quotes": StructureStrayQuotes, "childless": StructureChildless,
		"two childless": StructureTwoChildless, "nil numbers": StructureNilNumbers,
		"string disposition": StructureStringDisposition, "odd parameters": StructureOddParameters} {
		t.Run(name, func(t *testing.T) {
			s := New(t, Options{Mailboxes: inbox(helloMessage()), Rewrite: ReplaceItem(1, "BODYSTRUCTURE", value)})
			c := connect(t, s)
			examine(t, c)
			if err := fetchStructure(c); err == nil {
				t.Error("got no error")
			}
		})
	}
}

func fetchStructure(c *imapclient.Client) error {
	options := &imap.FetchOptions{BodyStructure: &imap.FetchItemBodyStructure{Extended: true}}
	_, err := c.Fetch(imap.UIDSetNum(1), options).Collect()
	return err
}
