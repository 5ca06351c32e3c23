// Package fingerprint says of two texts how much of one is in the other, and what a text names, without keeping either.
//
// It is pure: no disk, no clock, no network. The reader of mail keeps an [Index] of each text that it hands out and the
// [Identifiers] in it; the sender asks a [Query] of each text that is to leave against what was kept. Read [NewIndex] first, then
// [Normalise], [NewQuery], [Identifiers].
//
// # What it finds
//
// A run of 28 normalised octets that was copied, whatever was done to its spacing, case, quotation, look-alike letters and
// digits, invisible characters; and the same behind HTML references, percent, quoted-printable, base64 and hex, two deep,
// turned by thirteen, reversed, or with each word reversed. Not found: translation, paraphrase, first letters of lines, an
// answer of yes or no, a code of six digits that is respelt. The caller needs other means for these.
//
// # Security model
//
// The attacker writes the texts on both sides and knows this code, but not the keys. Hashes are keyed, so that nobody can
// write text of which unusual little is kept, and so that what is kept says nothing to who does not hold the key but which
// texts are alike. Time and memory are linear in the text, and the decoded views together are bounded; what a limit cut is
// said (Partly), never silent.
//
// # Divergences
//
// Skeleton and normalisation are in the manner of UTS #39 §4 and UAX #15, with the table of package addr. All combining marks are
// dropped, not only those beyond two. "m" is read as "rn", as UTS #39 does, and "w" as "vv".
package fingerprint
