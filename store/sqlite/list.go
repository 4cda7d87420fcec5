package sqlite

import (
	"context"
	"strings"

	"github.com/ai-agent-go/ai-agent/journal"
	"github.com/ai-agent-go/ai-agent/store"
)

// List implements [store.Index]. Heads in a list come without their state.
func (s *Store) List(ctx context.Context, tenant string, query store.Query) (store.Page, error) {
	limit := query.PageSize()
	sql, args, err := listQuery(tenant, &query)
	if err != nil {
		return store.Page{}, s.wrap("list sessions of "+tenant, journal.Key{}, err)
	}
	var page store.Page
	err = s.read(ctx, "list sessions of "+tenant, journal.Key{}, func(c *conn) error {
		return c.each(sql, func(r row) error {
			ss, err := readSession(r)
			if err != nil {
				return err
			}
			head := ss.head()
			head.StateSeq = r.uint(sessionWidth)
			page.Sessions = append(page.Sessions, store.Listed{Key: ss.key, Head: head})
			return nil
		}, append(args, limit+1)...)
	})
	if err != nil {
		return store.Page{}, err
	}
	if len(page.Sessions) > limit {
		page.Sessions = page.Sessions[:limit]
		last := &page.Sessions[limit-1]
		page.Cursor = store.Place{Created: last.Created, Name: last.Key.Session}.Cursor()
	}
	return page, nil
}

// listQuery puts a query together from what is asked, so that each kind can
// use the index that fits it.
func listQuery(tenant string, q *store.Query) (string, []any, error) {
	var sql strings.Builder
	sql.WriteString(`SELECT ` + sessionColumns + `, (SELECT seq FROM state WHERE session = session.id)
FROM session WHERE tenant = ?`)
	args := []any{tenant}
	if q.Status != "" {
		sql.WriteString(` AND status = ?`)
		args = append(args, q.Status)
	}
	if q.Agent != "" {
		sql.WriteString(` AND agent = ?`)
		args = append(args, q.Agent)
	}
	if q.Parent != "" {
		sql.WriteString(` AND parent = ? AND parent <> ''`) // as its index says
		args = append(args, q.Parent)
	}
	if q.Cursor != "" {
		place, err := store.ParseCursor(q.Cursor)
		if err != nil {
			return "", nil, err
		}
		sql.WriteString(` AND created <= ? AND (created < ? OR name > ?)`)
		args = append(args, place.Created, place.Created, place.Name)
	}
	sql.WriteString(` ORDER BY created DESC, name LIMIT ?`)
	return sql.String(), args, nil
}
