package sanitize

// Link is one link of a text: what is shown, and where it leads.
type Link struct {
	// Number is the number in the mark that stands in the text.
	Number int `json:"number"`
	// Text is what the message shows for the link; empty for a bare URL.
	Text Clean `json:"text,omitzero"`
	// Target is the true target, defanged (see Defang).
	Target Clean `json:"target"`
	// Host is the target's host as it is resolved (punycode), dots kept as "[.]".
	Host Clean `json:"host,omitzero"`
	// UnicodeHost is the host as written when it holds other letters than ASCII.
	UnicodeHost Clean `json:"unicode_host,omitzero"`
	// ShownHost is a host that Text names and that is not the target's.
	ShownHost Clean `json:"shown_host,omitzero"`
	// Mismatch reports that Text names another site than the target's.
	Mismatch bool `json:"mismatch,omitempty"`
	// Confusable reports a host that mixes scripts or looks like another one.
	Confusable bool `json:"confusable,omitempty"`
	// Tracking are the names of known tracking parameters in the target.
	Tracking []Clean `json:"tracking,omitempty"`
	// Masked reports that the target is a sign-in or reset link and its path was left out.
	Masked bool `json:"masked,omitempty"`
}

// Defang writes a URL so that no renderer makes a link of it: "https://shop.example/a" becomes
// "hxxps[:]//shop[.]example/a". To undo it, replace "[:]" by ":", "[.]" by ".", "[at]" by "@" and the leading
// "hxxp" by "http".
func Defang(url string) Clean { return Line(url, 2000) }
