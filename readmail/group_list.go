package readmail

import (
	"context"
	"sync"

	"mailgap/sanitize"
	"mailgap/shared/mcpserve"
)

// groupMailboxArgs are the arguments of list_mailboxes where several accounts are configured.
type groupMailboxArgs struct {
	mailboxArgs
	Account string `json:"account,omitempty"`
}

// groupListArgs are the arguments of list_messages where several accounts are configured.
type groupListArgs struct {
	listArgs
	Account string `json:"account,omitempty"`
}

// each runs f for each server at the same time and waits for all.
func each(servers []*Server, f func(i int, s *Server)) {
	var wg sync.WaitGroup
	for i, s := range servers {
		wg.Go(func() { f(i, s) })
	}
	wg.Wait()
}

// listMailboxes is the handler of list_mailboxes. An account that cannot be read is an entry with an error; if none can,
// the call fails.
func (g *Group) listMailboxes(ctx context.Context, call *mcpserve.Call, a groupMailboxArgs) (mcpserve.Result[mailboxResult], error) {
	servers := g.chosen(a.Account)
	results := make([]mcpserve.Result[mailboxResult], len(servers))
	errs := make([]error, len(servers))
	each(servers, func(i int, s *Server) { results[i], errs[i] = s.listMailboxes(ctx, call, a.mailboxArgs) })
	all := mailboxResult{Mailboxes: []mailboxEntry{}}
	failed := 0
	for i, s := range servers {
		if errs[i] != nil {
			failed++
			all.Mailboxes = append(all.Mailboxes, mailboxEntry{Account: s.accountWord(), Name: sanitize.Literal("*"), NoSelect: true, Error: errorText(errs[i])})
			continue
		}
		all.Mailboxes = append(all.Mailboxes, results[i].Structured.Mailboxes...)
		all.LeftOut += results[i].Structured.LeftOut
	}
	if failed == len(servers) {
		return results[0], errs[0]
	}
	text, err := servers[0].mailboxText(all)
	return mcpserve.Result[mailboxResult]{Structured: all, Text: text}, err
}

// listMessages is the handler of list_messages: a page of each account, merged by the time of receipt. An account that
// cannot be read is a line of the coverage; if none can, the call fails.
func (g *Group) listMessages(ctx context.Context, call *mcpserve.Call, a groupListArgs) (mcpserve.Result[listResult], error) {
	var none mcpserve.Result[listResult]
	servers := g.chosen(a.Account)
	queries := make([]*query, len(servers))
	for i, s := range servers {
		queries[i] = a.query()
		if err := queries[i].prepare(s.cfg.Zone); err != nil {
			return none, err
		}
	}
	digest := queryDigest(struct {
		Account string
		Boxes   []string
		Query   *query
	}{a.Account, a.Mailboxes, queries[0]})
	var from listCursor
	if a.Cursor != "" {
		var err error
		if from, err = decodeListCursor(a.Cursor, digest); err != nil {
			return none, explain(err)
		}
		if !knownAccounts(from, servers) {
			return none, explain(ErrOtherQuery)
		}
	}
	limit := orDefault(a.Limit, defaultPageSize)
	all := make([][]boxPage, len(servers))
	errs := make([]error, len(servers))
	each(servers, func(i int, s *Server) {
		boxes, positions := positionsOf(from, s.cfg.Account)
		if a.Cursor == "" {
			boxes, errs[i] = s.mailboxes(ctx, a.Mailboxes)
		}
		if errs[i] == nil && len(boxes) > 0 {
			all[i], errs[i] = s.pages(ctx, call, queries[i], boxes, positions, limit)
		}
	})
	pages, err := joinPages(servers, all, errs)
	if err != nil {
		return none, explain(err)
	}
	merged := mergePages(pages, limit)
	if a.Snippets {
		if err := addSnippets(ctx, merged); err != nil {
			return none, explain(err)
		}
	}
	return servers[0].listAnswer(pages, merged, digest)
}

// query is what a call asks for.
func (a listArgs) query() *query {
	return &query{All: a.filter, AnyOf: a.AnyOf, Not: a.Not, GmailRaw: a.GmailRaw}
}

// joinPages puts the pages of all accounts together. The error of one account is a page without messages.
func joinPages(servers []*Server, all [][]boxPage, errs []error) ([]boxPage, error) {
	var pages []boxPage
	failed := 0
	for i, s := range servers {
		if errs[i] != nil {
			failed++
			pages = append(pages, boxPage{owner: s, mailbox: "*", matched: -1, err: errs[i]})
			continue
		}
		pages = append(pages, all[i]...)
	}
	if failed == len(servers) {
		return nil, errs[0]
	}
	return pages, nil
}

// addSnippets adds snippets to messages of several accounts.
func addSnippets(ctx context.Context, list []picked) error {
	for s, members := range servedBy(list) {
		mine := make([]picked, len(members))
		for i, m := range members {
			mine[i] = list[m]
		}
		if err := s.addSnippets(ctx, mine); err != nil {
			return err
		}
		for i, m := range members {
			list[m].snippet = mine[i].snippet
		}
	}
	return nil
}
