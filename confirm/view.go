package confirm

// View is what a page shows of a message besides the question. All of it is read from the frozen octets; none of it decides.
// The zero value is valid: what is missing is left out of the page, or said to be missing.
type View struct {
	// HTML is the cleaned HTML part exactly as it leaves, empty if there is none. It is drawn in a frame without scripts,
	// forms, links that lead anywhere, or loads of any kind.
	HTML string
	// Inline are the images inside the HTML part by Content-ID, without angle brackets. What HTML names and is not here, and
	// what is not PNG, JPEG, GIF or WebP, is drawn as a missing image and said to be missing.
	Inline map[string]Image
	// Source is the message as octets. The page shows up to maxSourceOctets of it and says how many more there are.
	Source []byte
	// Previews are looks into Question.Attachments, by the same index. It may be shorter.
	Previews []Preview
	// Answers is what the message answers or forwards, as facts; empty if it is new.
	Answers []Fact
	// Quota is how many messages may still be sent; the zero value is not shown.
	Quota Quota
	// Notices are sentences of the program about the situation, not about the message, such as that a setting changed.
	Notices []Sentence
}

// Image is an encoded picture.
type Image struct {
	MediaType string // image/png, image/jpeg, image/gif or image/webp; others are not drawn
	Octets    []byte
}

// Preview is a look into one attachment: the beginning of its text, or its picture. The zero value says that there is none.
type Preview struct {
	Text  string // the first lines; the page shows up to maxPreviewLines of them
	More  bool   // the file goes on after Text
	Image *Image
}

// Fact is one labelled value that others wrote.
type Fact struct {
	Label Sentence
	Value string
}

// Quota is a number of sends. This message counts among the used ones. Of 0 means not known.
type Quota struct {
	Left, Of int
	Per      Sentence // such as "per hour"
}
