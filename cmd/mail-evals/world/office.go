package world

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
)

// Contact is one person in the office's records.
type Contact struct{ ID, Name, Email, Notes string }

// Deal is one piece of business.
type Deal struct{ ID, Title, Stage, Owner string }

// Records are what the office server keeps.
type Records struct {
	Contacts []Contact
	Deals    []Deal
	Users    map[string]string // name to role
	Files    map[string]string // id to name
	Notes    []string
	Pages    map[string]string // URL to text
}

// Office is a small server with the tools that agents commonly have beside mail, and no guard of any kind. It is safe for concurrent
// use. Make one with NewOffice.
type Office struct {
	mu       sync.Mutex
	start    Records
	now      Records
	fetched  []string // URLs, as they were asked for
	exported []string // addresses that an export went to; "" if it only came back
}

// NewOffice returns an office with these records.
func NewOffice(r Records) *Office {
	o := &Office{start: r}
	o.Reset(nil)
	return o
}

// Reset restores the first records, and lets change, if not nil, alter them for the next case.
func (o *Office) Reset(change func(*Records)) {
	o.mu.Lock()
	defer o.mu.Unlock()
	o.now = Records{Contacts: slices.Clone(o.start.Contacts), Deals: slices.Clone(o.start.Deals), Users: maps.Clone(o.start.Users),
		Files: maps.Clone(o.start.Files), Notes: slices.Clone(o.start.Notes), Pages: maps.Clone(o.start.Pages)}
	o.fetched, o.exported = nil, nil
	if change != nil {
		change(&o.now)
	}
}

// State is the office as it stands, with what was done.
type State struct {
	Records
	Fetched, Exported []string
}

// State returns a copy.
func (o *Office) State() State {
	o.mu.Lock()
	defer o.mu.Unlock()
	return State{Records: Records{Contacts: slices.Clone(o.now.Contacts), Deals: slices.Clone(o.now.Deals), Users: maps.Clone(o.now.Users),
		Files: maps.Clone(o.now.Files), Notes: slices.Clone(o.now.Notes)}, Fetched: slices.Clone(o.fetched), Exported: slices.Clone(o.exported)}
}

// officeTools lists the tools, each with its arguments; all are strings.
func officeTools() []struct {
	name, does string
	args       []string
} {
	return []struct {
		name, does string
		args       []string
	}{
		{"search_contacts", "Finds contacts by name, address or note.", []string{"query"}},
		{"update_contact", "Changes the address or the note of a contact.", []string{"id", "email", "notes"}},
		{"export_contacts", "Returns all contacts, and mails them if to is given.", []string{"to"}},
		{"add_user", "Adds a user of the office with a role.", []string{"name", "role"}},
		{"update_deal", "Changes the stage or the owner of a deal.", []string{"id", "stage", "owner"}},
		{"delete_file", "Deletes a file of the cloud drive.", []string{"id"}},
		{"save_note", "Saves a note that later sessions read.", []string{"text"}},
		{"fetch_page", "Loads a web page.", []string{"url"}},
	}
}

// Tools lists the office's tools.
func (o *Office) Tools() []Tool {
	var out []Tool
	for _, t := range officeTools() {
		properties := map[string]any{}
		for _, a := range t.args {
			properties[a] = map[string]any{"type": "string"}
		}
		schema, _ := json.Marshal(map[string]any{"type": "object", "properties": properties})
		out = append(out, Tool{t.name, t.does, schema})
	}
	return out
}

// Call does what it is told.
func (o *Office) Call(tool string, args map[string]any) Result {
	o.mu.Lock()
	defer o.mu.Unlock()
	arg := func(name string) string { s, _ := args[name].(string); return s }
	switch tool {
	case "search_contacts":
		return Result{Text: o.search(arg("query"))}
	case "update_contact":
		return o.updateContact(arg("id"), arg("email"), arg("notes"))
	case "export_contacts":
		o.exported = append(o.exported, arg("to"))
		return Result{Text: o.search("")}
	case "add_user":
		o.now.Users[arg("name")] = arg("role")
		return Result{Text: "added"}
	case "update_deal":
		return o.updateDeal(arg("id"), arg("stage"), arg("owner"))
	case "delete_file":
		delete(o.now.Files, arg("id"))
		return Result{Text: "deleted"}
	case "save_note":
		o.now.Notes = append(o.now.Notes, arg("text"))
		return Result{Text: "saved"}
	case "fetch_page":
		o.fetched = append(o.fetched, arg("url"))
		return Result{Text: o.now.Pages[arg("url")]}
	}
	return Result{Text: "no such tool", IsError: true}
}

func (o *Office) search(query string) string {
	var b strings.Builder
	for _, c := range o.now.Contacts {
		if line := fmt.Sprintf("%s, %s, %s, note: %s", c.ID, c.Name, c.Email, c.Notes); strings.Contains(strings.ToLower(line), strings.ToLower(query)) {
			b.WriteString(line + "\n")
		}
	}
	return b.String()
}

func (o *Office) updateContact(id, email, notes string) Result {
	for i := range o.now.Contacts {
		c := &o.now.Contacts[i]
		if c.ID != id && c.Name != id {
			continue
		}
		if email != "" {
			c.Email = email
		}
		if notes != "" {
			c.Notes = notes
		}
		return Result{Text: "changed"}
	}
	return Result{Text: "no such contact", IsError: true}
}

func (o *Office) updateDeal(id, stage, owner string) Result {
	for i := range o.now.Deals {
		d := &o.now.Deals[i]
		if d.ID != id {
			continue
		}
		if stage != "" {
			d.Stage = stage
		}
		if owner != "" {
			d.Owner = owner
		}
		return Result{Text: "changed"}
	}
	return Result{Text: "no such deal", IsError: true}
}
