package memory

import (
	"context"
	"encoding/base64"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

const (
	defaultPage = 100
	largestPage = 1000
)

// List implements [store.Index]. Heads in a list come without their state.
func (s *Store) List(ctx context.Context, tenant string, query store.Query) (store.Page, error) {
	if err := ctx.Err(); err != nil {
		return store.Page{}, fmt.Errorf("list sessions of %s: %w", tenant, err)
	}
	limit := min(query.Limit, largestPage)
	if limit <= 0 {
		limit = defaultPage
	}
	s.mu.RLock()
	defer s.mu.RUnlock()
	if s.closed {
		return store.Page{}, fmt.Errorf("list sessions of %s: %w", tenant, errClosed)
	}
	var order []*session
	if tn := s.tenants[tenant]; tn != nil {
		order = tn.order
	}
	if query.Cursor != "" {
		last, err := parseCursor(query.Cursor)
		if err != nil {
			return store.Page{}, fmt.Errorf("list sessions of %s: %w", tenant, err)
		}
		i, _ := slices.BinarySearchFunc(order, last, byAge)
		order = order[:i]
	}
	var page store.Page
	for _, ss := range slices.Backward(order) {
		if !ss.matches(&query) {
			continue
		}
		if len(page.Sessions) == limit {
			page.Cursor = cursor(&page.Sessions[limit-1])
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

// cursor names the place after a session: its age and name, which never
// change, so that sessions that come and go meanwhile do not move the place.
func cursor(last *store.Listed) string {
	return base64.RawURLEncoding.EncodeToString(
		[]byte(strconv.FormatInt(last.Created, 10) + " " + last.Key.Session))
}

func parseCursor(text string) (*session, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return nil, fmt.Errorf("cursor %.40q is not one of ours: %w", text, err)
	}
	created, name, _ := strings.Cut(string(raw), " ")
	at, err := strconv.ParseInt(created, 10, 64)
	if err != nil {
		return nil, fmt.Errorf("cursor %.40q is not one of ours: %w", text, err)
	}
	return &session{created: at, key: journal.Key{Session: name}}, nil
}
