package script

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Expect is what a script demands of the request that it answers. A request
// that is not so gets a failure which says what was expected and what came.
type Expect struct {
	// Model is the requested model's exact name; empty is any.
	Model string `json:"model,omitempty"`
	// NoticeContains must stand in one of the request's own messages, those
	// that are sent along but never stored.
	NoticeContains string `json:"notice_contains,omitempty"`
	// ResultContains maps a tool's name to what its last result must contain.
	// The empty name stands for the last result of all. In a file a text alone
	// is meant for the empty name.
	ResultContains map[string]string `json:"result_contains,omitempty"`
	// ToolsExclude must not be offered, ToolsInclude must.
	ToolsExclude []string `json:"tools_exclude,omitempty"`
	ToolsInclude []string `json:"tools_include,omitempty"`
	// UserContains must stand in the last user message.
	UserContains string `json:"user_contains,omitempty"`
}

// violations lists what is not as expected.
func (e *Expect) violations(request *llm.Request, s *scene) []string {
	var out []string
	miss := func(format string, args ...any) { out = append(out, fmt.Sprintf(format, args...)) }
	if e.Model != "" && e.Model != request.Model {
		miss("expected the model %q, got %q", e.Model, request.Model)
	}
	if !strings.Contains(s.user, e.UserContains) {
		miss("expected the last user message to contain %q, got %q", e.UserContains, excerpt(s.user))
	}
	if e.NoticeContains != "" && !noticed(request, e.NoticeContains) {
		miss("expected a notice that contains %q among %d messages of the tail", e.NoticeContains, len(request.Tail))
	}
	offered := make([]string, len(request.Tools))
	for i := range request.Tools {
		offered[i] = request.Tools[i].Name
	}
	for _, name := range e.ToolsInclude {
		if !slices.Contains(offered, name) {
			miss("expected the tool %q to be offered, got %q", name, offered)
		}
	}
	for _, name := range e.ToolsExclude {
		if slices.Contains(offered, name) {
			miss("expected the tool %q not to be offered, got %q", name, offered)
		}
	}
	for _, name := range slices.Sorted(maps.Keys(e.ResultContains)) {
		want := e.ResultContains[name]
		got, known := s.results[name]
		what := fmt.Sprintf("the last result of the tool %q", name)
		if name == "" {
			got, known, what = s.last, len(s.results) > 0, "the last tool result"
		}
		switch {
		case !known:
			miss("expected %s to contain %q, but there is none", what, want)
		case !strings.Contains(got, want):
			miss("expected %s to contain %q, got %q", what, want, excerpt(got))
		}
	}
	return out
}

func noticed(request *llm.Request, want string) bool {
	return slices.ContainsFunc(request.Tail, func(m *llm.Message) bool { return strings.Contains(m.Content(), want) })
}

// excerpt keeps messages readable.
func excerpt(s string) string {
	const most = 200
	if len(s) <= most {
		return s
	}
	return strings.ToValidUTF8(s[:most], "") + "…"
}
