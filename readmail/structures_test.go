package readmail

import (
	"strings"
	"testing"

	"mailgap/readmail/session"
)

// What is remembered of messages is bounded, whatever senders write into names and parameters.
func TestStructureCacheIsBounded(t *testing.T) {
	ref := func(uid int) MessageRef {
		return MessageRef{Account: "default", Mailbox: "INBOX", UIDValidity: 1, UID: uint32(uid)}
	}
	long := strings.Repeat("x", maxStructureOctets)
	deep := &session.Part{MediaType: "multipart/mixed"}
	for range maxStructureOctets / partOctets {
		deep.Children = append(deep.Children, &session.Part{MediaType: "text/plain"})
	}
	var c structureCache
	for name, p := range map[string]*session.Part{
		"description": {Description: long}, "parameter": {Params: map[string]string{"name": long}}, "parameter name": {Params: map[string]string{long: ""}},
		"file name": {DispositionParams: map[string]string{"filename": long}}, "location": {Location: long}, "id": {ID: long}, "language": {Language: []string{long}},
		"in a part": {Children: []*session.Part{{Description: long}}}, "many parts": deep, "none": nil,
	} {
		if c.put(ref(1), p); c.get(ref(1)) != nil {
			t.Errorf("%s: a structure beyond the limit is kept", name)
		}
	}
	for uid := range maxStructures + 10 {
		c.put(ref(uid+1), &session.Part{MediaType: "text/plain"})
	}
	if len(c.m) != maxStructures || c.get(ref(1)) != nil || c.get(ref(maxStructures+10).Part("1")) == nil {
		t.Errorf("%d structures, want the newest %d", len(c.m), maxStructures)
	}
}
