package audit

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"strconv"
	"time"
)

// timeFormat is fixed so that lines compare and print alike.
const timeFormat = "2006-01-02T15:04:05.000000Z"

// genesis is the previous hash of the very first line: SHA-256 of nothing would be mistaken for a value.
const genesis = "0000000000000000000000000000000000000000000000000000000000000000"

// line is a record as JSON. Seq, Time and Prev come first in every line.
type line struct {
	Seq             uint64   `json:"seq"`
	Time            string   `json:"time"`
	Prev            string   `json:"prev"`
	Outcome         Outcome  `json:"outcome"`
	Tool            string   `json:"tool,omitempty"`
	Principal       string   `json:"principal,omitempty"`
	MessageID       string   `json:"message_id,omitempty"`
	Digest          string   `json:"digest,omitempty"`
	From            string   `json:"from,omitempty"`
	Recipients      []string `json:"recipients,omitempty"`
	RecipientsCount int      `json:"recipients_count,omitempty"`
	Subject         string   `json:"subject,omitempty"`
	Approval        string   `json:"approval,omitempty"`
	Code            string   `json:"code,omitempty"`
	Detail          string   `json:"detail,omitempty"`
	Attempt         int64    `json:"attempt,omitempty"`
	Size            int64    `json:"size,omitempty"`
	Keep            uint64   `json:"keep,omitempty"`       // rotated: first seq of the oldest file kept
	Torn            string   `json:"torn,omitempty"`       // repaired: SHA-256 of the line cut short
	TornSize        int      `json:"torn_bytes,omitempty"` // repaired: its length
}

// position is the end of the chain.
type position struct {
	seq  uint64
	hash string
}

// encode writes l as one line with its line end. Values are bounded here, whatever the caller gave.
func encode(l line) []byte {
	b := append(make([]byte, 0, 512), `{"seq":`...)
	b = strconv.AppendUint(b, l.Seq, 10)
	b = appendField(b, "time", l.Time, maxWordOctets)
	b = appendField(b, "prev", l.Prev, maxWordOctets)
	b = appendField(b, "outcome", string(l.Outcome), maxWordOctets)
	b = appendField(b, "tool", l.Tool, maxWordOctets)
	b = appendField(b, "principal", l.Principal, maxTextOctets)
	b = appendField(b, "message_id", l.MessageID, maxMessageIDOctets)
	b = appendField(b, "digest", l.Digest, maxWordOctets)
	b = appendField(b, "from", l.From, maxAddressOctets)
	b = appendRecipients(b, l.Recipients)
	b = appendNumber(b, "recipients_count", int64(l.RecipientsCount))
	b = appendField(b, "subject", l.Subject, maxTextOctets)
	b = appendField(b, "approval", l.Approval, maxWordOctets)
	b = appendField(b, "code", l.Code, maxWordOctets)
	b = appendField(b, "detail", l.Detail, maxTextOctets)
	b = appendNumber(b, "attempt", l.Attempt)
	b = appendNumber(b, "size", l.Size)
	b = appendNumber(b, "keep", int64(l.Keep))
	b = appendField(b, "torn", l.Torn, maxWordOctets)
	b = appendNumber(b, "torn_bytes", int64(l.TornSize))
	return append(b, '}', '\n')
}

func appendField(b []byte, name, value string, limit int) []byte {
	if value == "" {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return appendQuoted(b, value, limit)
}

func appendNumber(b []byte, name string, n int64) []byte {
	if n == 0 {
		return b
	}
	b = append(append(append(b, `,"`...), name...), `":`...)
	return strconv.AppendInt(b, n, 10)
}

func appendRecipients(b []byte, list []string) []byte {
	if len(list) == 0 {
		return b
	}
	b = append(b, `,"recipients":[`...)
	for i, r := range list[:min(len(list), maxRecipients)] {
		if i > 0 {
			b = append(b, ',')
		}
		b = appendQuoted(b, r, maxAddressOctets)
	}
	return append(b, ']')
}

// decode parses one line without its line end. Unknown keys and trailing text are errors: nothing but this package
// writes here. The hash covers the octets as they are, so a line is never rebuilt from what was parsed.
func decode(text []byte) (line, time.Time, error) {
	var l line
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(&l); err != nil {
		return l, time.Time{}, fmt.Errorf("audit: line: %v", err)
	}
	if _, err := d.Token(); err != io.EOF {
		return l, time.Time{}, fmt.Errorf("audit: line: text after the record")
	}
	at, err := time.Parse(timeFormat, l.Time)
	if err != nil || l.Seq == 0 || len(l.Prev) != len(genesis) || l.Outcome == "" {
		return l, at, fmt.Errorf("audit: line: seq, time, prev or outcome missing or malformed")
	}
	return l, at, nil
}

func hashLine(text []byte) string {
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:])
}

func (r Record) line() line {
	n := r.RecipientsCount
	if n == 0 {
		n = len(r.Recipients)
	}
	return line{Outcome: r.Outcome, Tool: r.Tool, Principal: r.Principal, MessageID: r.MessageID, Digest: r.Digest, From: r.From,
		Recipients: r.Recipients, RecipientsCount: n, Subject: r.Subject, Approval: r.Approval, Code: r.Code, Detail: r.Detail,
		Attempt: r.Attempt, Size: r.Size}
}

func (l line) record() Record {
	return Record{Outcome: l.Outcome, Tool: l.Tool, Principal: l.Principal, MessageID: l.MessageID, Digest: l.Digest, From: l.From,
		Recipients: l.Recipients, RecipientsCount: l.RecipientsCount, Subject: l.Subject, Approval: l.Approval, Code: l.Code,
		Detail: l.Detail, Attempt: l.Attempt, Size: l.Size}
}
