package sendmail

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"sync"

	"mailgap/shared/config"
	"mailgap/shared/mcpserve"
)

// Group answers the tools of smtp-mcp for one identity or several. With one it is that Server and nothing else: no tool has
// another argument. With several, the tools have an argument identity, an enumeration of what the operator configured; the
// ones that concern a message require it, so that no sender is taken by default, and the question shows From. One question
// is open at a time, whoever the sender is. Identities with the same state directory share journal, cap and lock: the sends
// of all count against the cap of each. Use NewGroup. It is safe for concurrent use.
type Group struct {
	servers []*Server // in the order of the file
}

// ErrIdentityTwice is returned by NewGroup for two identities of the same name.
var ErrIdentityTwice = errors.New("sendmail: two identities have the same name")

// ConfigsFrom turns all sets of settings into Configs; see ConfigFrom. Errors name the identity.
func ConfigsFrom(all config.Loaded) ([]Config, error) {
	var out []Config
	for _, name := range all.Names() {
		values, _ := all.Set(name)
		c, err := ConfigFrom(values)
		if err != nil && len(all.Names()) > 1 {
			err = fmt.Errorf("[identity.%s] %w", name, err)
		}
		if err != nil {
			return nil, err
		}
		out = append(out, c)
	}
	for i := range out { // mail between the identities is the user's own
		for _, c := range out {
			out[i].Own = append(out[i].Own, c.From)
		}
	}
	return out, nil
}

// NewGroup makes a Server from each of cfgs, at least one; see New. Close it. What is one for the program (AllowSend, Token,
// Tools, Version, Logger) is taken from the first.
func NewGroup(cfgs ...Config) (*Group, error) {
	g := &Group{}
	seen := map[string]bool{}
	for _, cfg := range cfgs {
		if len(g.servers) > 0 {
			cfg.gate = g.servers[0].gate
			cfg.AllowSend, cfg.Token, cfg.QuestionTime = cfgs[0].AllowSend, cfgs[0].Token, cfgs[0].QuestionTime
			cfg.Version, cfg.Logger = cfgs[0].Version, cfgs[0].Logger
		}
		if seen[cfg.Identity] {
			return nil, errors.Join(ErrIdentityTwice, g.Close())
		}
		seen[cfg.Identity] = true
		s, err := New(cfg)
		if err != nil {
			return nil, errors.Join(err, g.Close())
		}
		g.servers = append(g.servers, s)
	}
	if len(g.servers) > 1 {
		for _, s := range g.servers {
			s.identities = g.names()
		}
	}
	return g, nil
}

func (g *Group) names() []string {
	var out []string
	for _, s := range g.servers {
		out = append(out, s.cfg.Identity)
	}
	return out
}

// Servers returns the servers, in the order of the file.
func (g *Group) Servers() []*Server { return g.servers }

// Drain waits for the messages of all identities that are on their way; see Server.Drain.
func (g *Group) Drain(ctx context.Context) {
	g.each(func(s *Server) error { s.Drain(ctx); return nil })
}

// Close closes all servers at the same time; see Server.Close.
func (g *Group) Close() error { return g.each((*Server).Close) }

func (g *Group) each(f func(*Server) error) error {
	var wg sync.WaitGroup
	errs := make([]error, len(g.servers))
	for i, s := range g.servers {
		wg.Go(func() { errs[i] = f(s) })
	}
	wg.Wait()
	return errors.Join(errs...)
}

const identityArg = "identity"

// Tools returns the tools for all identities, in the order in which they are listed.
func (g *Group) Tools() []mcpserve.Tool {
	first := g.servers[0].Tools()
	if len(g.servers) == 1 {
		return first
	}
	schema, err := json.Marshal(map[string]any{"enum": g.names()})
	if err != nil {
		return nil // strings always marshal
	}
	tools := map[string]map[string]mcpserve.Tool{}
	for _, s := range g.servers {
		for _, t := range s.Tools() {
			if tools[t.Name()] == nil {
				tools[t.Name()] = map[string]mcpserve.Tool{}
			}
			tools[t.Name()][s.cfg.Identity] = t
		}
	}
	var out []mcpserve.Tool
	pick := mcpserve.PickArgument(identityArg, g.servers[0].cfg.Identity)
	for _, t := range first {
		spec := t.Spec().WithProperty(identityArg, string(schema), t.Name() != "get_server_info")
		out = append(out, mcpserve.Select(spec, tools[t.Name()], pick))
	}
	return out
}

// MCP returns the group as the shell serves it.
func (g *Group) MCP() (*mcpserve.Server, error) {
	s := g.servers[0]
	if len(g.servers) == 1 {
		return s.MCP()
	}
	return mcpserve.NewServer(mcpserve.Config{
		Name: "smtp-mcp", Version: s.cfg.Version, Tools: g.Tools(), Filter: s.cfg.Tools, Logger: s.log,
		Instructions: strings.Replace(Instructions, "from one fixed address", "from a fixed address for each identity ("+strings.Join(g.names(), ", ")+")", 1),
	})
}
