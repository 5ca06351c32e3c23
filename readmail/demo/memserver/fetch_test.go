package memserver

import (
	"slices"
	"strings"
	"testing"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

var examined = &imap.SelectOptions{ReadOnly: true}

// deliver puts one message into Sent, opens it and fetches items of it.
func deliver(t *testing.T, raw string, options *imap.FetchOptions) *imapclient.FetchMessageBuffer {
	t.Helper()
	store, c := serve(t, Policy{ReadOnly: true})
	if _, err := store.Deliver("Sent", Message{Raw: []byte(raw)}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Select("Sent", examined).Wait(); err != nil {
		t.Fatal(err)
	}
	messages, err := c.Fetch(imap.UIDSetNum(1), options).Collect()
	if err != nil || len(messages) != 1 {
		t.Fatalf("got %d messages, %v", len(messages), err)
	}
	return messages[0]
}

// What go-imap's server would answer with no sender at all.
func TestEnvelopeKeepsEncodedWords(t *testing.T) {
	m := deliver(t, "From: =?x-unknown?Q?a=FFb?= =?x-unknown?Q?c?= <a@example.com>, \"B, C\" <b@example.org>\r\n"+
		"Subject: =?x-unknown?Q?d=FFe?=\r\n\r\n", &imap.FetchOptions{Envelope: true})
	if got, want := m.Envelope.Subject, "=?x-unknown?Q?d=FFe?="; got != want {
		t.Errorf("got subject %q, want %q", got, want)
	}
	want := []imap.Address{{Name: "=?x-unknown?Q?a=FFb?= =?x-unknown?Q?c?=", Mailbox: "a", Host: "example.com"},
		{Name: "B, C", Mailbox: "b", Host: "example.org"}}
	if got := m.Envelope.From; !slices.Equal(got, want) {
		t.Errorf("got From %q, want %q", got, want)
	}
}

// What would end the connection in go-imap's server.
func TestMultipartWithoutParts(t *testing.T) {
	for name, raw := range map[string]string{
		"no boundary":       "Content-Type: multipart/mixed\r\n\r\ntext\r\n",
		"boundary not used": "Content-Type: multipart/mixed; boundary=b\r\n\r\ntext\r\n",
		"nested":            "Content-Type: multipart/mixed; boundary=b\r\n\r\n--b\r\nContent-Type: multipart/related; boundary=c\r\n\r\n--b--\r\n",
		"in a message":      "Content-Type: message/rfc822\r\n\r\nContent-Type: multipart/mixed; boundary=c\r\n\r\n",
	} {
		t.Run(name, func(t *testing.T) {
			m := deliver(t, raw, &imap.FetchOptions{BodyStructure: &imap.FetchItemBodyStructure{Extended: true}})
			var leaves int
			m.BodyStructure.Walk(func(_ []int, part imap.BodyStructure) bool {
				if _, ok := part.(*imap.BodyStructureSinglePart); ok {
					leaves++
				}
				return true
			})
			if leaves == 0 {
				t.Errorf("got %+v, want a part in it", m.BodyStructure)
			}
		})
	}
}

func TestSearchKnowsCharsets(t *testing.T) {
	store, c := serve(t, Policy{ReadOnly: true})
	if _, err := store.Deliver("Sent", Message{Raw: []byte("Subject: =?koi8-r?B?8NLJ18XU?=\r\nContent-Type: text/plain; charset=koi8-r\r\n\r\n\xf0\xcf\xcb\xc1\r\n")}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Select("Sent", examined).Wait(); err != nil {
		t.Fatal(err)
	}
	for _, criteria := range []imap.SearchCriteria{
		{Header: []imap.SearchCriteriaHeaderField{{Key: "Subject", Value: "Привет"}}}, {Body: []string{"Пока"}},
	} {
		data, err := c.UIDSearch(&criteria, nil).Wait()
		if err != nil || len(data.AllUIDs()) != 1 {
			t.Errorf("%+v: got %v, %v, want one", criteria, data, err)
		}
	}
}

// Flags are answered as they are now, and every message is, also one that a client appended.
func TestFetchAfterChanges(t *testing.T) {
	store, c := serve(t, Policy{})
	if _, err := store.Deliver("INBOX", Message{Raw: []byte(message), Flags: []imap.Flag{"$Custom"}}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Select("INBOX", nil).Wait(); err != nil {
		t.Fatal(err)
	}
	change := &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{"$Other", imap.FlagSeen}, Silent: true}
	if err := c.Store(imap.UIDSetNum(1), change, nil).Close(); err != nil {
		t.Fatal(err)
	}
	flags := func() []string {
		messages, err := c.Fetch(imap.SeqSet{{Start: 1, Stop: 0}}, &imap.FetchOptions{UID: true, Flags: true}).Collect()
		if err != nil {
			t.Fatal(err)
		}
		var all []string
		for _, m := range messages {
			var one []string
			for _, f := range m.Flags {
				one = append(one, strings.ToLower(string(f)))
			}
			slices.Sort(one)
			all = append(all, strings.Join(one, " "))
		}
		return all
	}
	if got, want := flags(), []string{"$other \\seen", "$custom"}; !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	w := c.Append("INBOX", int64(len(message)), nil)
	if _, err := w.Write([]byte(message)); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := w.Wait(); err != nil {
		t.Fatal(err)
	}
	if got, want := flags(), []string{"$other \\seen", "$custom", ""}; !slices.Equal(got, want) {
		t.Errorf("after APPEND: got %q, want %q", got, want)
	}
}
