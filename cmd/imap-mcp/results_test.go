package main

import "time"

// The results as a client sees them.
type (
	summary struct {
		Ref, From, To, Subject, Snippet string
		Received                        time.Time
		Unread, Flagged, Answered       bool
		Size                            int64
		Attachments                     int
		Problems                        []string
	}
	coverageGot struct {
		Mailbox        string
		Messages       int
		Matched        *int
		SearchedBackTo time.Time `json:"searched_back_to"`
		Order          string
		Notes          []string
		Error          string
	}
	listGot struct {
		Messages   []summary
		Coverage   []coverageGot
		NextCursor string `json:"next_cursor"`
	}
	attachmentGot struct {
		Ref, Name   string
		MediaType   string `json:"media_type"`
		Size        int64
		Disposition string
		NameUnsafe  bool `json:"name_unsafe"`
	}
	bodyGot struct {
		Text, Shown string
		TotalChars  int    `json:"total_chars"`
		NextOffset  int    `json:"next_offset"`
		Folded      int    `json:"folded_quote_chars"`
		Comparison  string `json:"plain_and_html"`
		Links       []struct {
			Text, Target, Host string
			Mismatch           bool
		}
		Hidden []struct {
			Technique, Text string
			Chars           int
		}
		Findings, Signals, Notes []string
	}
	messageGot struct {
		Ref, Subject string
		MessageID    string `json:"message_id"`
		From, To, Cc []string
		ReplyTo      []string `json:"reply_to"`
		Date         time.Time
		Received     time.Time
		Size         int64
		Unread       bool
		Body         bodyGot
		Attachments  []attachmentGot
		LeftOut      int `json:"attachments_left_out"`
		Header       []struct{ Name, Body string }
		Problems     []string
		Author       struct{ Status, Reason, Domain string }
	}
	fileGot struct {
		Ref, Name   string
		MediaType   string `json:"media_type"`
		Kind        string
		Size        int64
		SHA256      string
		Title       string
		Body        bodyGot
		Image       bool
		SavedAs     string `json:"saved_as"`
		Attachments []attachmentGot
		Notes       []string
	}
	threadGot struct {
		Messages []struct {
			summary
			Text     string
			LinkedBy string   `json:"linked_by"`
			AlsoIn   []string `json:"also_in"`
		}
		Found    int
		LeftOut  int `json:"left_out"`
		Coverage []coverageGot
	}
	newsGot struct {
		Messages    []summary
		FlagChanges []struct {
			Ref                       string
			Unread, Flagged, Answered bool
		} `json:"flag_changes"`
		Mailboxes []struct {
			Mailbox, Since, Error string
			Messages              int
			Flags                 bool `json:"flag_changes_known"`
		}
		Cursor   string
		More     bool
		TimedOut bool `json:"timed_out"`
	}
	mailboxesGot struct {
		Mailboxes []struct {
			Name        string
			SpecialUse  string `json:"special_use"`
			Messages    *int
			Unread      *int
			UIDNext     int
			UIDValidity int
			Error       string
		}
	}
)
