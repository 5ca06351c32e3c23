// Package policy decides whether a proposed message may be sent at all, before anything else is done with it.
//
// # What it refuses
//
// Recipients that the operator's allowlist does not let through, look-alikes of its domains, more recipients than
// allowed, addresses that are anything but a bare addr-spec, subjects that hide something (encoded-words, line breaks,
// control and direction characters), bodies beyond the limits, and bodies in which a model left its own tool-call markup.
// Each refusal is one Code; Explain documents its cause, an example and the remedy.
//
// # Security model
//
// The operator's configuration is trusted, and no function here changes it. Everything in a Request is the caller's, and
// the caller may be a model that a stranger's mail talks to. Promised: an accepted recipient matches an entry exactly
// (after case folding and conversion to A-labels) and no denying entry; nothing returned that is meant for a model tells
// which entries exist or which address would have been right. An address on no entry and a denied one get the same code. A
// request with too many recipients gets no answers about single addresses, so the list cannot be probed in bulk.
// Decision.Rule and Decision.LookAlikeOf are for the operator and the person asked.
//
// A look-alike is told apart by a code of its own because the person must learn of it; that code does say that some listed
// domain resembles the one tried.
//
// # Divergences
//
// RFC 5321 §2.4 makes local parts case-sensitive; here two that differ in case are one recipient, for allowing and for
// denying. A denying entry also covers sub-addresses (name+tag) and subdomains, since most servers deliver those to the
// same place; an allowing entry covers neither. Provider habits such as ignored dots are not known here.
//
// Read Check first, then ParseAllowlist.
package policy
