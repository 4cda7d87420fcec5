package script

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"text/template"

	"github.com/ai-agent-go/ai-agent/llm"
)

// scene is what templates and expectations can see of a request.
type scene struct {
	turn    int
	user    string
	nonce   string
	last    string // the last tool result of all
	results map[string]string
	byCall  map[string]string
}

// newScene reads a request. Tail messages are notices to the model: they do
// not take the place of what the user said, but may carry results.
func newScene(request *llm.Request, turn int) *scene {
	s := &scene{turn: turn, results: make(map[string]string), byCall: make(map[string]string)}
	names := make(map[string]string) // tool names by call id, where a result has none
	for _, m := range request.History {
		if text := m.Content(); m.Role == llm.RoleUser && !strings.HasPrefix(text, systemNotice) {
			s.user = text
		}
		s.read(m, names)
	}
	for _, m := range request.Tail {
		if found := nonceIn.FindStringSubmatch(m.Content()); found != nil {
			s.nonce = found[1]
		}
		s.read(m, names)
	}
	return s
}

// systemNotice is how messages begin that are written for the model in the
// user's place.
const systemNotice = "# System Notice"

// nonceIn finds the nonce that a model is told to put into its tags.
var nonceIn = regexp.MustCompile(`<ai-agent-([0-9a-f]{8})-`)

func (s *scene) read(m *llm.Message, names map[string]string) {
	for i := range m.Parts {
		switch p := &m.Parts[i]; {
		case p.Call != nil:
			names[p.Call.ID] = p.Call.Name
		case p.Result != nil:
			name := p.Result.Name
			if name == "" {
				name = names[p.Result.CallID]
			}
			s.results[name], s.last = p.Result.Content, p.Result.Content
			s.byCall[p.Result.CallID] = p.Result.Content
		}
	}
}

func (s *scene) funcs() template.FuncMap {
	return template.FuncMap{
		"tool": func(name string) (string, error) {
			content, ok := s.results[name]
			if !ok {
				return "", fmt.Errorf("the request holds no result of the tool %q", name)
			}
			return content, nil
		},
		"result": func(call string) (string, error) {
			content, ok := s.byCall[call]
			if !ok {
				return "", fmt.Errorf("the request holds no result of the call %q", call)
			}
			return content, nil
		},
		"nonce": func() (string, error) {
			if s.nonce == "" {
				return "", errors.New("the request asks for no tags and so tells no nonce")
			}
			return s.nonce, nil
		},
		"turn": func() int { return s.turn },
		"user": func() string { return s.user },
	}
}

// fill executes text as a template. at names it in errors.
func (s *scene) fill(at, text string) (string, error) {
	if !strings.Contains(text, "{{") {
		return text, nil
	}
	t, err := s.parse(at, text)
	if err != nil {
		return "", err
	}
	var b limitedBuffer
	if err := t.Execute(&b, nil); err != nil {
		return "", templateError(at, err)
	}
	return b.String(), nil
}

func (s *scene) parse(at, text string) (*template.Template, error) {
	t, err := template.New(at).Funcs(s.funcs()).Parse(text)
	if err != nil {
		return nil, templateError(at, err)
	}
	return t, nil
}

// templateError lets the message begin with the template's name, which is where
// it stands in the script. Most errors of text/template do so by themselves.
func templateError(at string, err error) error {
	message := strings.TrimPrefix(err.Error(), "template: ")
	if !strings.HasPrefix(message, at+":") {
		message = at + ": " + message
	}
	return errors.New(message)
}

// limitedBuffer refuses what no script file could hold.
type limitedBuffer struct{ bytes.Buffer }

func (b *limitedBuffer) Write(p []byte) (int, error) {
	if b.Len()+len(p) > maxFile {
		return 0, fmt.Errorf("the result has more than %d bytes", maxFile)
	}
	return b.Buffer.Write(p) //nolint:wrapcheck // it never fails
}

// checkTemplates parses every template without executing any.
func (r *Reply) checkTemplates() error {
	_, err := r.rewritten(func(at, text string) (string, error) {
		_, err := new(scene).parse(at, text)
		return text, err
	})
	return err
}

// rewritten returns a copy of the reply with f applied to its texts and to the
// strings in its arguments, which become plain JSON values on the way.
func (r *Reply) rewritten(f func(at, text string) (string, error)) (*Reply, error) {
	out := *r
	var err error
	if out.Text, err = f("text", r.Text); err != nil {
		return nil, err
	}
	out.Calls = slices.Clone(r.Calls)
	for i := range out.Calls {
		if err := out.Calls[i].rewrite(fmt.Sprintf("calls[%d].arguments", i), f); err != nil {
			return nil, err
		}
	}
	out.Parts = slices.Clone(r.Parts)
	for i := range out.Parts {
		p := &out.Parts[i]
		if p.Text, err = f(fmt.Sprintf("parts[%d].text", i), p.Text); err != nil {
			return nil, err
		}
		if p.Call != nil {
			call := *p.Call
			if err := call.rewrite(fmt.Sprintf("parts[%d].call.arguments", i), f); err != nil {
				return nil, err
			}
			p.Call = &call
		}
	}
	return &out, nil
}

func (c *Call) rewrite(at string, f func(at, text string) (string, error)) error {
	switch v := c.Arguments.(type) {
	case nil:
		return nil
	case string:
		text, err := f(at, v)
		c.Arguments = text
		return err
	}
	data, err := llm.MarshalJSON(c.Arguments)
	if err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.UseNumber() // numbers stay as they were written
	var v any
	if err := dec.Decode(&v); err != nil {
		return fmt.Errorf("%s: %w", at, err)
	}
	c.Arguments, err = rewriteValue(at, v, f)
	return err
}

func rewriteValue(at string, v any, f func(at, text string) (string, error)) (any, error) {
	var err error
	switch v := v.(type) {
	case string:
		return f(at, v)
	case []any:
		for i := range v {
			if v[i], err = rewriteValue(fmt.Sprintf("%s[%d]", at, i), v[i], f); err != nil {
				return nil, err
			}
		}
	case map[string]any:
		for _, k := range slices.Sorted(maps.Keys(v)) {
			if v[k], err = rewriteValue(at+"."+k, v[k], f); err != nil {
				return nil, err
			}
		}
	}
	return v, nil
}
