package imaptest

import (
	"bytes"
	"compress/flate"
	"crypto/tls"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapclient"
)

func dovecotMail() []Mailbox {
	return []Mailbox{
		{Name: "INBOX", Messages: []Message{
			{Raw: []byte("Subject: one\r\n\r\nfirst\r\n"), Flags: []imap.Flag{imap.FlagSeen, "$Work"}, InternalDate: time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC)},
			{Raw: []byte("Subject: two\r\n\r\nsecond\r\n"), InternalDate: time.Date(2026, 3, 2, 10, 0, 0, 0, time.UTC)},
		}},
		{Name: "Entwürfe & Co/日本", Messages: []Message{{Raw: []byte("Subject: three\r\n\r\nthird\r\n")}}},
		{Name: "Sent", Attrs: []imap.MailboxAttr{imap.MailboxAttrSent}},
	}
}

func dialDovecot(t *testing.T, d *Dovecot) *imapclient.Client {
	t.Helper()
	c, err := imapclient.DialInsecure(d.Addr(), nil)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	if err := c.Login(User, Password).Wait(); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestDovecotServesWhatWasPutThere(t *testing.T) {
	t.Parallel()
	d := StartDovecot(t, DovecotOptions{Mailboxes: dovecotMail()})
	c := dialDovecot(t, d)
	data, err := c.Select("INBOX", &imap.SelectOptions{ReadOnly: true}).Wait()
	if err != nil {
		t.Fatal(err)
	}
	if data.NumMessages != 2 || data.UIDValidity != DovecotUIDValidity || data.UIDNext != 3 {
		t.Errorf("INBOX = %d messages, UIDVALIDITY %d, UIDNEXT %d; want 2, %d, 3", data.NumMessages, data.UIDValidity, data.UIDNext, DovecotUIDValidity)
	}
	got, err := c.Fetch(imap.UIDSetNum(1), &imap.FetchOptions{Flags: true, InternalDate: true}).Collect()
	if err != nil || len(got) != 1 {
		t.Fatalf("fetch = %d messages, %v", len(got), err)
	}
	if want := []imap.Flag{imap.FlagSeen, "$Work"}; !slices.Equal(got[0].Flags, want) {
		t.Errorf("flags = %v, want %v", got[0].Flags, want)
	}
	if want := time.Date(2026, 3, 1, 10, 0, 0, 0, time.UTC); !got[0].InternalDate.Equal(want) {
		t.Errorf("internal date = %v, want %v", got[0].InternalDate, want)
	}
	boxes, err := c.List("", "*", nil).Collect()
	if err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, b := range boxes {
		names = append(names, b.Mailbox)
	}
	slices.Sort(names)
	if want := []string{"Entwürfe & Co/日本", "INBOX", "Sent"}; !slices.Equal(names, want) {
		t.Errorf("mailboxes = %q, want %q", names, want)
	}
}

func TestDovecotSeesWrites(t *testing.T) {
	t.Parallel()
	tests := []struct {
		name string
		do   func(c *imapclient.Client) error
		want []string
	}{
		{"select", func(c *imapclient.Client) error { _, err := c.Select("INBOX", nil).Wait(); return err }, []string{"command SELECT is not"}},
		{"store", func(c *imapclient.Client) error {
			if _, err := c.Select("INBOX", nil).Wait(); err != nil {
				return err
			}
			return c.Store(imap.UIDSetNum(2), &imap.StoreFlags{Op: imap.StoreFlagsAdd, Flags: []imap.Flag{imap.FlagSeen}}, nil).Close()
		}, []string{"command UID STORE is not", "message INBOX 2 changed", "file ", "mailbox INBOX changed"}},
		{"body without peek", func(c *imapclient.Client) error {
			if _, err := c.Select("INBOX", nil).Wait(); err != nil {
				return err
			}
			return c.Fetch(imap.UIDSetNum(2), &imap.FetchOptions{BodySection: []*imap.FetchItemBodySection{{}}}).Close()
		}, []string{"without PEEK", "message INBOX 2 changed"}},
		{"create", func(c *imapclient.Client) error { return c.Create("Extra", nil).Wait() }, []string{"command CREATE is not", "mailbox Extra was added"}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			t.Parallel()
			d := StartDovecot(t, DovecotOptions{Mailboxes: dovecotMail(), Unchecked: true})
			if err := tt.do(dialDovecot(t, d)); err != nil {
				t.Fatal(err)
			}
			got := strings.Join(d.ReadOnlyFaults(t), "\n")
			for _, want := range tt.want {
				if !strings.Contains(got, want) {
					t.Errorf("faults lack %q; got:\n%s", want, got)
				}
			}
		})
	}
}

func TestDovecotHidesCapabilities(t *testing.T) {
	t.Parallel()
	d := StartDovecot(t, DovecotOptions{HideCaps: []imap.Cap{"SORT", imap.CapESearch, imap.CapListStatus}, Compress: true})
	caps := dialDovecot(t, d).Caps()
	for c, want := range map[imap.Cap]bool{"SORT": false, imap.CapESearch: false, imap.CapListStatus: false, imap.CapCondStore: true, "COMPRESS=DEFLATE": true} {
		if _, got := caps[c]; got != want {
			t.Errorf("%s announced = %t, want %t", c, got, want)
		}
	}
}

func TestDovecotTLS(t *testing.T) {
	t.Parallel()
	d := StartDovecot(t, DovecotOptions{})
	config := &tls.Config{RootCAs: d.Cert.Pool(), ServerName: "localhost"}
	for name, dial := range map[string]func() (*imapclient.Client, error){
		"implicit": func() (*imapclient.Client, error) {
			return imapclient.DialTLS(d.TLSAddr(), &imapclient.Options{TLSConfig: config})
		},
		"starttls": func() (*imapclient.Client, error) {
			return imapclient.DialStartTLS(d.Addr(), &imapclient.Options{TLSConfig: config})
		},
	} {
		c, err := dial()
		if err != nil {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if err := c.Login(User, Password).Wait(); err != nil {
			t.Errorf("%s: login: %v", name, err)
		}
		c.Close()
	}
	if got, want := d.Connections(), 2; got != want {
		t.Errorf("connections = %d, want %d", got, want)
	}
}

func TestTeeReadsThroughCompression(t *testing.T) {
	var sent bytes.Buffer
	sent.WriteString("1 LOGIN a b\r\n2 COMPRESS DEFLATE\r\n")
	w, err := flate.NewWriter(&sent, flate.BestSpeed)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := w.Write([]byte("3 SELECT INBOX\r\n4 UID SEARCH SUBJECT {3+}\r\nabc\r\n5 IDLE\r\nDONE\r\n6 half")); err != nil {
		t.Fatal(err)
	}
	if err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, c := range commandsOf(1, &sent) {
		got = append(got, c.String())
	}
	want := []string{"LOGIN " + redacted, "COMPRESS DEFLATE", "SELECT INBOX", "UID SEARCH SUBJECT {3+}\r\nabc", "IDLE", "DONE"}
	if !slices.Equal(got, want) {
		t.Errorf("commands = %q, want %q", got, want)
	}
}
