package main

// expectation is what a right reading of a message gives; absent keys say nothing.
type expectation struct {
	Subject         *string  `json:"subject"`
	SubjectContains string   `json:"subject_contains"`
	From            *string  `json:"from"`
	FromName        *string  `json:"from_name"`
	FromCount       *int     `json:"from_count"`
	ReplyTo         *string  `json:"reply_to"`
	Text            []string `json:"text_contains"`
	TextUnwrapped   []string `json:"text_contains_after_unwrap"`
	HTML            []string `json:"html_text_contains"`
	TextAbsent      []string `json:"text_absent"`
	Order           []string `json:"order"`
	Links           []string `json:"link_targets"`
	Attachments     *int     `json:"attachments"`
	Names           []string `json:"attachment_names"`
	NamesAsSent     []string `json:"attachment_names_as_sent"`
	Sizes           []int64  `json:"attachment_sizes"`
	SHA256          []string `json:"attachment_sha256"`
	PartTypes       []string `json:"part_types"`
	Charset         *string  `json:"charset"` // of the first text part as declared; no tool shows it
	DateUTC         *string  `json:"date_utc"`
	OneLine         []string `json:"one_line"`
	NoChars         []string `json:"name_no_chars"`
	NoPath          []string `json:"name_no_path"`
	Normalise       string   `json:"normalise"`
	Thread          string   `json:"thread"`
	BodyNote        string   `json:"body_note"`
	Robust          bool     `json:"robust"`

	// Keys that our own messages use beside those of the shared ones.
	Auto          []string `json:"auto_contains"` // in the text that is chosen without being asked for
	Lines         []string `json:"text_lines"`    // in one line of the text each
	Hidden        int      `json:"hidden"`        // hidden passages at least, left out and reported
	Compared      bool     `json:"compared"`      // the answer says that plain and HTML part differ
	Cc            *string  `json:"cc"`            // address
	Problems      []string `json:"problems"`      // named in list and message
	MaxResult     int      `json:"max_result"`    // octets of the whole answer of get_message
	UnsafeNames   int      `json:"unsafe_names"`  // attachments whose name was made safe
	LeftOut       int      `json:"attachments_left_out"`
	AttachedTitle *string  `json:"attached_title"` // of the first attachment
	AttachedText  []string `json:"attached_text"`
	NestedSHA256  []string `json:"nested_sha256"` // of the attachments of the first attachment
}
