package memserver

import (
	"bytes"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
	// Without it go-imap's server finds no text, and no sender, in messages that are not in UTF-8.
	_ "github.com/emersion/go-message/charset"
)

// record is what a session needs to know about a message to answer FETCH.
type record struct {
	Message
	uid imap.UID
	seq uint32
}

// key names a message for good: a mailbox made anew has another UIDVALIDITY.
type key struct {
	mailbox     string
	uidValidity uint32
	uid         imap.UID
}

// keep remembers a message that was added.
func (s *Store) keep(mailbox string, data *imap.AppendData, m Message) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.messages[key{mailbox, data.UIDValidity, data.UID}] = m
	s.learnFlags(m.Flags)
}

// addFlags makes flags known that a client stores.
func (s *Store) addFlags(flags []imap.Flag) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.learnFlags(flags)
}

// learnFlags needs mu.
func (s *Store) learnFlags(flags []imap.Flag) {
	for _, f := range flags {
		s.flags[imap.Flag(strings.ToLower(string(f)))] = struct{}{}
	}
}

// Fetch implements imapserver.Session. A body item without PEEK would set \Seen.
//
// go-imap's own Fetch decodes the header fields of ENVELOPE and encodes them again, which hides what was wrong with
// them, and ends the connection at a multipart without parts. This one answers as a real server would: encoded words as
// they came, an empty text part where there is none. It stands aside for messages that did not come by Deliver.
func (s *session) Fetch(w *imapserver.FetchWriter, numSet imap.NumSet, options *imap.FetchOptions) error {
	if !peeks(options) {
		if err := s.refused("FETCH without PEEK"); err != nil {
			return err
		}
		return s.UserSession.Fetch(w, numSet, options)
	}
	records, err := s.records(numSet, options.Flags)
	if err != nil {
		return err
	}
	if records == nil {
		return s.UserSession.Fetch(w, numSet, options)
	}
	for _, r := range records {
		if err := r.write(w.CreateMessage(r.seq), options); err != nil {
			return err
		}
	}
	return nil
}

func peeks(options *imap.FetchOptions) bool {
	return !slices.ContainsFunc(options.BodySection, func(i *imap.FetchItemBodySection) bool { return !i.Peek }) &&
		!slices.ContainsFunc(options.BinarySection, func(i *imap.FetchItemBinarySection) bool { return !i.Peek })
}

// records looks the messages of numSet up; nil if one of them is not known.
func (s *session) records(numSet imap.NumSet, flags bool) ([]record, error) {
	seqs, uids, err := s.find(numSet, "")
	if err != nil {
		return nil, err
	}
	records := make([]record, 0, len(seqs))
	s.store.mu.Lock()
	for i, seq := range seqs { // what this session was not told of yet has no sequence number and comes last
		m, ok := s.store.messages[key{s.mailbox, s.uidValidity, uids[i]}]
		if !ok {
			s.store.mu.Unlock()
			return nil, nil
		}
		m.Flags = nil
		records = append(records, record{m, uids[i], seq})
	}
	s.store.mu.Unlock()
	if flags {
		return records, s.addFlags(numSet, records)
	}
	return records, nil
}

// addFlags sets the flags as they are now.
func (s *session) addFlags(numSet imap.NumSet, records []record) error {
	for _, flag := range s.store.knownFlags() {
		_, uids, err := s.find(numSet, flag)
		if err != nil {
			return err
		}
		for i := range records {
			if _, has := slices.BinarySearch(uids, records[i].uid); has {
				records[i].Flags = append(records[i].Flags, flag)
			}
		}
	}
	return nil
}

// knownFlags returns the flags that a message can have, in order.
func (s *Store) knownFlags() []imap.Flag {
	s.mu.Lock()
	defer s.mu.Unlock()
	flags := make([]imap.Flag, 0, len(s.flags))
	for f := range s.flags {
		flags = append(flags, f)
	}
	slices.Sort(flags)
	return flags
}

// find returns the sequence numbers and UIDs of the messages of numSet, in order; with flag, of those that have it.
func (s *session) find(numSet imap.NumSet, flag imap.Flag) (seqs []uint32, uids []imap.UID, err error) {
	criteria := func() *imap.SearchCriteria {
		c := new(imap.SearchCriteria)
		switch set := numSet.(type) {
		case imap.SeqSet:
			c.SeqNum = []imap.SeqSet{slices.Clone(set)}
		case imap.UIDSet:
			c.UID = []imap.UIDSet{slices.Clone(set)}
		}
		if flag != "" {
			c.Flag = []imap.Flag{flag}
		}
		return c
	}
	byUID, err := s.UserSession.Search(imapserver.NumKindUID, criteria(), &imap.SearchOptions{})
	if err != nil {
		return nil, nil, err
	}
	uids = byUID.AllUIDs()
	if flag != "" {
		return nil, uids, nil
	}
	bySeq, err := s.UserSession.Search(imapserver.NumKindSeq, criteria(), &imap.SearchOptions{})
	if err != nil {
		return nil, nil, err
	}
	return bySeq.AllSeqNums(), uids, nil
}

// write answers for one message.
func (r record) write(w *imapserver.FetchResponseWriter, options *imap.FetchOptions) error {
	w.WriteUID(r.uid)
	if options.Flags {
		w.WriteFlags(r.Flags)
	}
	if options.InternalDate {
		w.WriteInternalDate(r.InternalDate)
	}
	if options.RFC822Size {
		w.WriteRFC822Size(int64(len(r.Raw)))
	}
	if options.Envelope {
		w.WriteEnvelope(envelope(r.Raw))
	}
	if options.BodyStructure != nil {
		w.WriteBodyStructure(structure(r.Raw))
	}
	for _, item := range options.BodySection {
		octets := imapserver.ExtractBodySection(bytes.NewReader(r.Raw), item)
		if err := writeSection(w.WriteBodySection(item, int64(len(octets))), octets); err != nil {
			return err
		}
	}
	for _, item := range options.BinarySection {
		octets := imapserver.ExtractBinarySection(bytes.NewReader(r.Raw), item)
		if err := writeSection(w.WriteBinarySection(item, int64(len(octets))), octets); err != nil {
			return err
		}
	}
	for _, item := range options.BinarySectionSize {
		w.WriteBinarySectionSize(item, imapserver.ExtractBinarySectionSize(bytes.NewReader(r.Raw), item))
	}
	return w.Close()
}
