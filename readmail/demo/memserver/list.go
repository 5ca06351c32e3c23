package memserver

import (
	"maps"
	"slices"
	"strings"

	"github.com/emersion/go-imap/v2"
	"github.com/emersion/go-imap/v2/imapserver"
)

// specialUse are the attributes of RFC 6154 §2 and RFC 8457 §3: answered to whoever asks with RETURN (SPECIAL-USE),
// and also in a plain LIST, as RFC 6154 §5.1 allows and most servers do.
func specialUse(attr imap.MailboxAttr) bool {
	switch attr {
	case imap.MailboxAttrAll, imap.MailboxAttrArchive, imap.MailboxAttrDrafts, imap.MailboxAttrFlagged,
		imap.MailboxAttrJunk, imap.MailboxAttrSent, imap.MailboxAttrTrash, imap.MailboxAttrImportant:
		return true
	}
	return false
}

func (s *Store) attrs(name string) []imap.MailboxAttr {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.boxes[name]
}

func (s *Store) setAttrs(name string, attrs []imap.MailboxAttr) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.boxes[name] = attrs
}

func (s *Store) forget(name string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	delete(s.boxes, name)
}

// names returns the mailbox names in order, INBOX first.
func (s *Store) names() []string {
	s.mu.Lock()
	defer s.mu.Unlock()
	names := slices.Sorted(maps.Keys(s.boxes))
	slices.SortStableFunc(names, func(a, b string) int {
		switch {
		case a == b:
			return 0
		case a == "INBOX":
			return -1
		case b == "INBOX":
			return 1
		}
		return strings.Compare(a, b)
	})
	return names
}

// List implements imapserver.Session. go-imap's own List knows no special use.
func (s *session) List(w *imapserver.ListWriter, ref string, patterns []string, options *imap.ListOptions) error {
	if len(patterns) == 0 || options.SelectSubscribed {
		return s.UserSession.List(w, ref, patterns, options)
	}
	names := s.store.names()
	for _, name := range names {
		if !matchAny(name, ref, patterns) {
			continue
		}
		data, err := s.listData(name, names, options)
		if err != nil {
			return err
		}
		if data == nil {
			continue
		}
		if err := w.WriteList(data); err != nil {
			return err
		}
	}
	return nil
}

func matchAny(name, ref string, patterns []string) bool {
	return slices.ContainsFunc(patterns, func(p string) bool {
		return imapserver.MatchList(name, HierarchyDelimiter, ref, p)
	})
}

// listData describes one mailbox; nil means that the selection options leave it out.
func (s *session) listData(name string, names []string, options *imap.ListOptions) (*imap.ListData, error) {
	data := &imap.ListData{Mailbox: name, Delim: HierarchyDelimiter, Attrs: slices.Clone(s.store.attrs(name))}
	if options.SelectSpecialUse && !slices.ContainsFunc(data.Attrs, specialUse) {
		return nil, nil
	}
	data.Attrs = append(data.Attrs, childAttr(name, names))
	if options.ReturnStatus == nil || slices.Contains(data.Attrs, imap.MailboxAttrNoSelect) {
		return data, nil
	}
	status, err := s.Status(name, options.ReturnStatus)
	if err != nil {
		return nil, err
	}
	data.Status = status
	return data, nil
}

// childAttr tells whether name has children (RFC 3348 §3).
func childAttr(name string, names []string) imap.MailboxAttr {
	if slices.ContainsFunc(names, func(n string) bool { return strings.HasPrefix(n, name+string(HierarchyDelimiter)) }) {
		return imap.MailboxAttrHasChildren
	}
	return imap.MailboxAttrHasNoChildren
}
