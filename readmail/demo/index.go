package demo

import (
	"embed"
	"encoding/json"
	"fmt"
	"time"

	"github.com/emersion/go-imap/v2"

	"mailgap/readmail/demo/memserver"
)

//go:embed mail
var files embed.FS

// entry is one line of mail/index.json.
type entry struct {
	File    string      `json:"file"`              // in mail/
	Mailbox string      `json:"mailbox"`           // decoded name
	Minutes int         `json:"minutes_before"`    // internal date, counted back from Now
	Flags   []imap.Flag `json:"flags,omitempty"`   // none: unread
	Shows   string      `json:"shows"`             // what the message is there for
	Hostile bool        `json:"hostile,omitempty"` // made to deceive
}

// mailboxes in the order of their UIDVALIDITY, with special use (RFC 6154 §2).
func mailboxes() []memserver.Mailbox {
	return []memserver.Mailbox{
		{Name: "INBOX"},
		{Name: "Sent", Attrs: []imap.MailboxAttr{imap.MailboxAttrSent}},
		{Name: "Drafts", Attrs: []imap.MailboxAttr{imap.MailboxAttrDrafts}},
		{Name: "Archive", Attrs: []imap.MailboxAttr{imap.MailboxAttrArchive}},
		{Name: "Junk", Attrs: []imap.MailboxAttr{imap.MailboxAttrJunk}},
		{Name: "Trash", Attrs: []imap.MailboxAttr{imap.MailboxAttrTrash}},
		{Name: "Projects", Attrs: []imap.MailboxAttr{imap.MailboxAttrNoSelect}},
		{Name: "Projects/2026"},
		{Name: "Vorschläge & 提案"},
	}
}

// Mailboxes returns the content of the demo mailbox. Two calls return equal values. An error means that the files in
// the binary do not fit together.
func Mailboxes() ([]memserver.Mailbox, error) {
	entries, err := index()
	if err != nil {
		return nil, err
	}
	boxes := mailboxes()
	byName := map[string]*memserver.Mailbox{}
	for i := range boxes {
		byName[boxes[i].Name] = &boxes[i]
	}
	for _, e := range entries {
		box := byName[e.Mailbox]
		if box == nil {
			return nil, fmt.Errorf("demo: %s is in a mailbox that does not exist", e.File)
		}
		raw, err := files.ReadFile("mail/" + e.File)
		if err != nil {
			return nil, fmt.Errorf("demo: %w", err)
		}
		at := Now().Add(-time.Duration(e.Minutes) * time.Minute)
		box.Messages = append(box.Messages, memserver.Message{Raw: raw, Flags: e.Flags, InternalDate: at})
	}
	return boxes, nil
}

func index() ([]entry, error) {
	text, err := files.ReadFile("mail/index.json")
	if err != nil {
		return nil, fmt.Errorf("demo: %w", err)
	}
	var entries []entry
	if err := json.Unmarshal(text, &entries); err != nil {
		return nil, fmt.Errorf("demo: index: %w", err)
	}
	return entries, nil
}
