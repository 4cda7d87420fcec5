package store

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
)

const (
	defaultPage = 100
	largestPage = 1000
)

// PageSize is how many sessions a page of the query holds at most.
func (q *Query) PageSize() int {
	if q.Limit <= 0 {
		return defaultPage
	}
	return min(q.Limit, largestPage)
}

// Place is where a page of a list ends: the age and name of its last session,
// which never change, so that sessions that come and go meanwhile do not move
// the place.
type Place struct {
	Created int64
	Name    string
}

// Cursor writes a place as text that says nothing to callers.
func (p Place) Cursor() string {
	return base64.RawURLEncoding.EncodeToString([]byte(strconv.FormatInt(p.Created, 10) + " " + p.Name))
}

// ParseCursor reads what [Place.Cursor] wrote.
func ParseCursor(text string) (Place, error) {
	raw, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return Place{}, fmt.Errorf("cursor %.40q is not one of ours: %w", text, err)
	}
	number, name, _ := strings.Cut(string(raw), " ")
	created, err := strconv.ParseInt(number, 10, 64)
	if err != nil {
		return Place{}, fmt.Errorf("cursor %.40q is not one of ours: %w", text, err)
	}
	return Place{Created: created, Name: name}, nil
}
