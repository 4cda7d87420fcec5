package main

import (
	"context"
	"errors"
	"iter"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// all lists the sessions that a query asks for, page by page.
func all(ctx context.Context, st store.Store, q store.Query) iter.Seq2[*store.Listed, error] {
	return func(yield func(*store.Listed, error) bool) {
		for q.Limit = 1000; ; {
			page, err := st.List(ctx, tenant, q)
			if err != nil {
				yield(nil, failed("%w", err))
				return
			}
			for i := range page.Sessions {
				if !yield(&page.Sessions[i], nil) {
					return
				}
			}
			if q.Cursor = page.Cursor; q.Cursor == "" {
				return
			}
		}
	}
}

// resolve finds the session that a name means: the whole id, or a beginning that
// no other session has. Sessions that work for others are meant only when no
// other begins so.
func (a *app) resolve(ctx context.Context, st store.Store, name string) (string, error) {
	key := journal.Key{Tenant: tenant, Session: name}
	if err := key.Validate(); err != nil {
		return "", usage("%q is not a session: %v", name, err)
	}
	_, err := st.Head(ctx, key)
	if err == nil {
		return name, nil
	}
	if !errors.Is(err, store.ErrNotFound) {
		return "", failed("%w", err)
	}
	var own, others []string
	for s, err := range all(ctx, st, store.Query{}) {
		switch {
		case err != nil:
			return "", err
		case !strings.HasPrefix(s.Key.Session, name):
		case s.Parent == "":
			own = append(own, s.Key.Session)
		default:
			others = append(others, s.Key.Session)
		}
	}
	if len(own) == 0 {
		own = others
	}
	const most = 10
	switch {
	case len(own) == 1:
		return own[0], nil
	case len(own) == 0:
		path, _ := a.databasePath()
		return "", usage("there is no session %q (store: %s); %s sessions lists them", name, path, called())
	case len(own) > most:
		return "", usage("%d sessions begin with %q: say more of the id", len(own), name)
	default:
		return "", usage("%d sessions begin with %q:\n  %s", len(own), name, strings.Join(own, "\n  "))
	}
}
