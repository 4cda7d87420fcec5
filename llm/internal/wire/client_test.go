package wire

import (
	"context"
	"errors"
	"io"
	"net/http"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
)

// deaf is a decoder that makes nothing of anything.
type deaf struct{}

func (deaf) Event(_, _ []byte) (last, heard bool) { return false, true }
func (deaf) Whole([]byte)                         {}
func (deaf) Complete() bool                       { return false }

type roundTrip func(r *http.Request) (*http.Response, error)

func (f roundTrip) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }

func response(kind string, body io.Reader) *http.Response {
	return &http.Response{StatusCode: http.StatusOK, Header: http.Header{"Content-Type": {kind}}, Body: io.NopCloser(body)}
}

// exchanged makes one call through a transport.
func exchanged(t *testing.T, e Endpoint, stream bool, transport roundTrip) *llm.Receipt {
	t.Helper()
	e.BaseURL, e.Transport, e.Rules = "http://llm.test/v1", transport, testRules
	e.Sign = func(h http.Header, key string) { h.Set("Authorization", "Bearer "+key) }
	c := NewClient(&e)
	defer c.Close()
	call := &Call{Path: "/x", Stream: stream, Request: &llm.Request{Provider: "p", Model: "m"}}
	return c.Exchange(t.Context(), call, deaf{}, NewAnswer(func(llm.Delta) bool { return true }))
}

// An answer that never ends is a failed attempt.
//
// contract: R4
func TestAnAnswerThatNeverEndsFails(t *testing.T) {
	t.Parallel()
	for kind, body := range map[string]func() io.Reader{
		"text/event-stream": func() io.Reader { return &repeated{text: "data: {\"x\":1}\n\n"} },
		"application/json":  func() io.Reader { return io.MultiReader(strings.NewReader(`{"x":"`), endlessly('x')) },
	} {
		r := exchanged(t, Endpoint{}, kind == "text/event-stream", func(*http.Request) (*http.Response, error) { return response(kind, body()), nil })
		if r.Error == nil || r.Error.Class != llm.ClassInvalidResponse || len(r.Raw) > maxResponse {
			t.Errorf("%s: %v, %d bytes", kind, r.Error, len(r.Raw))
		}
	}
}

type repeated struct {
	text string
	at   int
}

func (r *repeated) Read(p []byte) (n int, err error) {
	for n < len(p) {
		k := copy(p[n:], r.text[r.at:])
		n, r.at = n+k, (r.at+k)%len(r.text)
	}
	return n, nil
}

// Whatever goes wrong, no secret is in what comes out: neither the key nor a
// header that holds one.
//
// contract: B7, U9, P6
func TestSecretsStayInside(t *testing.T) {
	t.Parallel()
	e := Endpoint{Key: llm.FixedKey("sk-canary-key"), Headers: map[string]string{"X-Proxy-Token": "tok-canary", "X-Title": "not-secret"}}
	for name, transport := range map[string]roundTrip{
		"refused": func(r *http.Request) (*http.Response, error) {
			return nil, errors.New("dial with " + r.Header.Get("Authorization") + " and " + r.Header.Get("X-Proxy-Token"))
		},
		"quoted": func(*http.Request) (*http.Response, error) {
			answer := response("application/json", strings.NewReader(`{"error":{"message":"bad key sk-canary-key","code":"tok-canary"}}`))
			answer.StatusCode = http.StatusUnauthorized
			return answer, nil
		},
		"far back in a long message": func(*http.Request) (*http.Response, error) {
			return response("text/html", strings.NewReader("<p>"+strings.Repeat("x", 192)+" sk-canary-key tok-canary</p>")), nil
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := exchanged(t, e, false, transport)
			if all := string(llm.MustMarshalJSON(r)) + string(r.Raw); r.Error == nil || strings.Contains(all, "canary") || strings.Contains(all, "sk-c") {
				t.Errorf("%s", all)
			}
		})
	}
}

// A key that no header can carry never leaves, and is not quoted.
//
// contract: U9
func TestABrokenKeyIsAnAuthFailure(t *testing.T) {
	t.Parallel()
	for _, key := range []string{"", "two\nlines", "tab\t", "ümlaut-key"} {
		r := exchanged(t, Endpoint{Key: llm.FixedKey(key)}, false, func(*http.Request) (*http.Response, error) {
			t.Error("a request left")
			return nil, io.EOF
		})
		if r.Error == nil || r.Error.Class != llm.ClassAuth || key != "" && strings.Contains(r.Error.Message, key) {
			t.Errorf("%q gives %v", key, r.Error)
		}
	}
}

// While the key is fetched the call can be cancelled, too.
//
// contract: R10, R11
func TestAnAbortWhileTheKeyIsFetchedIsAnAbort(t *testing.T) {
	t.Parallel()
	ctx, cancel := context.WithCancel(t.Context())
	c := NewClient(&Endpoint{BaseURL: "http://llm.test", Rules: testRules, Key: func(ctx context.Context) (string, error) {
		cancel()
		<-ctx.Done()
		return "", ctx.Err()
	}})
	r := c.Exchange(ctx, &Call{Request: &llm.Request{}}, deaf{}, NewAnswer(func(llm.Delta) bool { return true }))
	if r.Error == nil || r.Error.Class != llm.ClassAborted || r.Finish.Reason != llm.FinishAborted {
		t.Errorf("%+v", r.Error)
	}
}

func TestBaseURLsAreChecked(t *testing.T) {
	t.Parallel()
	for base, ok := range map[string]bool{
		"https://host/v1": true, "http://[::1]:8080": true, "host/v1": false, "https://": false, "https://h?key=secret-x": false, "https://h#f": false, "://": false,
		"https://user:secret-x@h?q": false,
	} {
		err := CheckURL(base)
		if (err == nil) != ok || err != nil && strings.Contains(err.Error(), "secret-x") {
			t.Errorf("%s: %v", base, err)
		}
	}
}
