// Package addr parses mail addresses strictly and compares them as a careful person would.
//
// # What it refuses
//
// An address here is one bare addr-spec: a dot-atom, @, a host name. RFC 5322 §3.4 allows much more around it (display names,
// comments, quoted local parts, source routes, groups, domain literals, folding), and each of those has been used to
// make a check look at one address and a mail server deliver to another. They are refused by name, never repaired.
//
// # Security model
//
// The attacker writes the address. What is promised: AddrSpec of a parsed address holds no character that ends or
// splits an SMTP path or a header field, no white space, no invisible character; the domain is in A-label form, so that two
// spellings of one domain are one string; a label mixes scripts only as the "highly restrictive" profile of UTS #39
// §5.2 does. What is not promised: that a mail server treats two keys as two mailboxes (many ignore case, and some ignore
// dots or "+tag"), or that two addresses of different skeletons are told apart by everybody.
//
// # Divergences
//
// RFC 5321 §4.1.2 allows quoted local parts and address literals, §4.1.1.3 source routes: refused. "%" and "!" in a local
// part are legal atoms and were once routing ("user%other@relay"): refused as ErrRoute, since an allowlist entry for a
// domain would otherwise reach beyond it. Local parts with other scripts (RFC 6531) may hold letters, marks and digits in NFKC
// only. Domains need two labels (RFC 5321 §2.3.5 asks for fully qualified names). The whole path is
// limited to 254 octets, which is the 256 of RFC 5321 §4.5.3.1.3 less the angle brackets.
//
// Skeleton follows UTS #39 §4 with a table of our own, made for lower-case host names after the classes of
// confusables.txt (letters of Cyrillic, Greek, Armenian, Latin extensions, digits of other scripts, some kana and ideographs).
// It goes further in three ways: combining marks are dropped, "rn", "vv" and "cl" are read as "m", "w" and "d",
// and "i" is taken for "l", because a domain may be shown in capitals. It is smaller than the full table.
//
// Read ParseSpec first, then Skeleton.
package addr
