package readmail

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"mailgap/sanitize"
	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
)

// Group answers the tools of imap-mcp for one account or several. With one account it is that Server and nothing else: no
// tool has another argument. With several, references name the account; list_mailboxes and list_messages cover all of them
// unless a call names one; the other tools that take no reference work on the first. Use NewGroup. It is safe for concurrent
// use.
type Group struct {
	servers []*Server // in the order of the file; the first is the default
	byName  map[string]*Server
}

// ErrAccountTwice is returned by NewGroup for two accounts of the same name.
var ErrAccountTwice = errors.New("readmail: two accounts have the same name")

// ConfigsFrom turns all sets of settings into Configs; see ConfigFrom. Errors name the account.
func ConfigsFrom(all config.Loaded) ([]Config, error) {
	var out []Config
	for _, name := range all.Names() {
		values, _ := all.Set(name)
		c, err := ConfigFrom(values)
		if err != nil && len(all.Names()) > 1 {
			err = fmt.Errorf("[account.%s] %w", name, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	return out, nil
}

// NewGroup checks cfgs, at least one, and returns servers without connecting. Close it. What is one for the program (Tools,
// Zone, Version, Logger, Ledger) is taken from the first.
func NewGroup(cfgs ...Config) (*Group, error) {
	g := &Group{byName: map[string]*Server{}}
	for _, cfg := range cfgs {
		cfg.Version, cfg.Logger, cfg.Zone, cfg.Ledger = cfgs[0].Version, cfgs[0].Logger, cfgs[0].Zone, cfgs[0].Ledger
		s, err := New(cfg)
		if err == nil && g.byName[s.cfg.Account] != nil {
			err = errors.Join(ErrAccountTwice, s.Close())
		}
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.servers, g.byName[s.cfg.Account] = append(g.servers, s), s
	}
	if len(g.servers) > 1 {
		for _, s := range g.servers {
			s.accounts = g.names()
		}
	}
	return g, nil
}

// Close closes all servers.
func (g *Group) Close() error {
	var errs []error
	for _, s := range g.servers {
		errs = append(errs, s.Close())
	}
	return errors.Join(errs...)
}

func (g *Group) names() []string {
	var out []string
	for _, s := range g.servers {
		out = append(out, s.cfg.Account)
	}
	return out
}

// accountMark is the name of the account in a cursor; "" where there is only one.
func (s *Server) accountMark() string {
	if len(s.accounts) < 2 {
		return ""
	}
	return s.cfg.Account
}

// accountWord is accountMark as part of a result.
func (s *Server) accountWord() sanitize.Clean {
	if len(s.accounts) < 2 {
		return sanitize.Clean{}
	}
	return sanitize.Line(s.cfg.Account, maxAccountOctets)
}

// Tools returns the tools for all accounts, in the order in which they are listed.
func (g *Group) Tools() []mcpserve.Tool {
	first := g.servers[0].Tools()
	if len(g.servers) == 1 {
		return first
	}
	tools := map[string]map[string]mcpserve.Tool{}
	for _, s := range g.servers {
		for _, t := range s.Tools() {
			if tools[t.Name()] == nil {
				tools[t.Name()] = map[string]mcpserve.Tool{}
			}
			tools[t.Name()][s.cfg.Account] = t
		}
	}
	var out []mcpserve.Tool
	for _, t := range first {
		spec := t.Spec()
		switch spec.Name {
		case "list_mailboxes":
			out = append(out, define(g.servers[0], spec.WithProperty(accountArg, g.accountSchema("default: all"), false), g.listMailboxes))
		case "list_messages":
			out = append(out, define(g.servers[0], spec.WithProperty(accountArg, g.accountSchema("default: all"), false), g.listMessages))
		case "get_server_info", "list_new_messages", "wait_for_message":
			spec = spec.WithProperty(accountArg, g.accountSchema("default: that of the cursor, or "+g.servers[0].cfg.Account), false)
			out = append(out, mcpserve.Select(spec, tools[spec.Name], g.pickByCursor))
		default: // what takes a reference
			out = append(out, mcpserve.Select(spec, tools[spec.Name], g.pickByRef))
		}
	}
	return out
}

const accountArg = "account"

// accountSchema lists the accounts.
func (g *Group) accountSchema(description string) string {
	names, err := json.Marshal(g.names())
	if err != nil {
		return "{}" // strings always marshal
	}
	return `{"enum":` + string(names) + `,"description":"` + description + `"}`
}

// pickByRef finds the account of a reference. One that names none of ours goes to the first, which says so.
func (g *Group) pickByRef(args json.RawMessage) (string, json.RawMessage, error) {
	var a struct{ Ref string }
	if err := json.Unmarshal(args, &a); err != nil {
		return "", nil, err
	}
	return g.ofRef(a.Ref).cfg.Account, args, nil
}

func (g *Group) ofRef(text string) *Server {
	if ref, err := ParseRef(text); err == nil && g.byName[ref.Account] != nil {
		return g.byName[ref.Account]
	}
	return g.servers[0]
}

// pickByCursor takes the account that the call names, or that of its cursor, or the first.
func (g *Group) pickByCursor(args json.RawMessage) (string, json.RawMessage, error) {
	var a struct{ Cursor string }
	if err := json.Unmarshal(args, &a); err != nil {
		return "", nil, err
	}
	def := g.servers[0].cfg.Account
	if a.Cursor != "" {
		if c, err := decodeNewCursor(a.Cursor); err == nil && g.byName[c.Account] != nil {
			def = c.Account
		}
	}
	return mcpserve.PickArgument(accountArg, def)(args)
}

// chosen are the accounts of a call: the named one, or all.
func (g *Group) chosen(name string) []*Server {
	if s := g.byName[name]; s != nil {
		return []*Server{s}
	}
	return g.servers
}

// MCP returns the group as the shell serves it.
func (g *Group) MCP() (*mcpserve.Server, error) {
	s := g.servers[0]
	if len(g.servers) == 1 {
		return s.MCP()
	}
	return mcpserve.NewServer(mcpserve.Config{
		Name: "imap-mcp", Version: s.cfg.Version, Tools: g.Tools(), Filter: s.cfg.Tools, Logger: s.log,
		Instructions: strings.Replace(Instructions, "Reads one mailbox", "Reads the mail accounts "+strings.Join(g.names(), ", "), 1),
		Resources:    g.Resources(),
	})
}

// Resources returns the resource templates, for references of all accounts.
func (g *Group) Resources() []mcpserve.Resource {
	return resources(func(text string) *Server { return g.ofRef(text) })
}

// servedBy groups what is shown by its account.
func servedBy(list []picked) map[*Server][]int {
	out := map[*Server][]int{}
	for i, p := range list {
		out[p.page.owner] = append(out[p.page.owner], i)
	}
	return out
}

// positionsOf are the places of one account in a cursor.
func positionsOf(c listCursor, account string) (boxes []string, positions map[string]boxPosition) {
	positions = map[string]boxPosition{}
	for _, b := range c.Boxes {
		if b.Account == account && !b.Done {
			boxes, positions[b.Mailbox] = append(boxes, b.Mailbox), b
		}
	}
	return boxes, positions
}

// knownAccounts reports whether a cursor is about accounts of this call alone.
func knownAccounts(c listCursor, servers []*Server) bool {
	return !slices.ContainsFunc(c.Boxes, func(b boxPosition) bool {
		return !slices.ContainsFunc(servers, func(s *Server) bool { return s.cfg.Account == b.Account })
	})
}
