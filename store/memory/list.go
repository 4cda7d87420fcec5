package memory

import (
	"context"
	"fmt"
	"slices"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// List implements [store.Index]. Heads in a list come without their state.
func (s *Store) List(ctx context.Context, tenant string, query store.Query) (store.Page, error) {
	if err := ctx.Err(); err != nil {
		return store.Page{}, fmt.Errorf("list sessions of %s: %w", tenant, err)
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return store.Page{}, fmt.Errorf("list sessions of %s: %w", tenant, store.ErrClosed)
	}
	var order []*session
	if tn := s.tenants[tenant]; tn != nil {
		order = tn.order
	}
	if query.Cursor != "" {
		place, err := store.ParseCursor(query.Cursor)
		if err != nil {
			return store.Page{}, fmt.Errorf("list sessions of %s: %w", tenant, err)
		}
		last := &session{created: place.Created, key: journal.Key{Session: place.Name}}
		i, _ := slices.BinarySearchFunc(order, last, byAge)
		order = order[:i]
	}
	var page store.Page
	limit := query.PageSize()
	for _, ss := range slices.Backward(order) {
		if !ss.matches(&query) {
			continue
		}
		if len(page.Sessions) == limit {
			last := &page.Sessions[limit-1]
			page.Cursor = store.Place{Created: last.Created, Name: last.Key.Session}.Cursor()
			break
		}
		page.Sessions = append(page.Sessions, store.Listed{Key: ss.key, Head: ss.describe()})
	}
	return page, nil
}

func (ss *session) matches(q *store.Query) bool {
	return (q.Status == "" || q.Status == ss.summary.Status) &&
		(q.Agent == "" || q.Agent == ss.summary.Agent) &&
		(q.Parent == "" || q.Parent == ss.summary.Parent)
}
