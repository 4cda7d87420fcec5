package wire

import (
	"cmp"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"maps"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Client makes calls to one service. It may be used concurrently.
type Client struct {
	base    string
	headers map[string]string
	secrets map[string]llm.Key
	key     llm.Key
	sign    func(h http.Header, key string)
	rules   *Rules
	http    *http.Client
	// hidden are secrets that the address holds.
	hidden secrets
}

// Endpoint is where a service is and how it is spoken to.
type Endpoint struct {
	// BaseURL is what paths are appended to.
	BaseURL string
	// Headers are sent with every request and replace our own.
	Headers map[string]string
	// Secrets are headers whose values are asked for at every call and are
	// repeated nowhere. They replace all others.
	Secrets map[string]llm.Key
	// Key gives the secret of a call; nil when none is needed.
	Key llm.Key
	// Sign puts the secret where the service wants it.
	Sign func(h http.Header, key string)
	// Transport makes the connections; nil for one of our own, which uses the
	// proxy that the environment names.
	Transport http.RoundTripper
	// Rules sort the service's failures.
	Rules *Rules
}

// NewClient makes a client. It panics when the base URL is none, because
// adapters check what their users give them.
func NewClient(e *Endpoint) *Client {
	transport := e.Transport
	if transport == nil {
		transport = ownTransport()
	}
	return &Client{
		hidden: ofAddress(e.BaseURL),
		base:   strings.TrimRight(e.BaseURL, "/"), headers: maps.Clone(e.Headers), secrets: maps.Clone(e.Secrets),
		key: e.Key, sign: e.Sign, rules: e.Rules,
		http: &http.Client{
			Transport: transport,
			// One request per call (contract R9): a redirect is an answer.
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
	}
}

// ownTransport is the standard one, with connections of its own so that closing
// them closes nobody else's.
func ownTransport() http.RoundTripper {
	t := &http.Transport{Proxy: http.ProxyFromEnvironment, ForceAttemptHTTP2: true, TLSClientConfig: &tls.Config{MinVersion: tls.VersionTLS12}}
	if standard, ok := http.DefaultTransport.(*http.Transport); ok {
		t = standard.Clone()
	}
	t.MaxIdleConnsPerHost = 32
	return t
}

// Close gives idle connections back. Calls that are under way go on.
func (c *Client) Close() { c.http.CloseIdleConnections() }

// CheckURL says what is wrong with a base URL.
func CheckURL(base string) error {
	u, err := url.Parse(base)
	switch {
	case err != nil:
		// The error of url.Parse quotes the URL, which may hold a password.
		return errors.New("base URL: cannot be read")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("base URL: want http(s)://host/path, have %s", u.Redacted())
	case u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("base URL: want no query and no fragment after %s", u.Host) // they may hold a key
	default:
		return nil
	}
}

// Call is one request to a service.
type Call struct {
	// Path follows the base URL.
	Path string
	// Headers are this call's own.
	Headers map[string]string
	Body    Body
	// Stream says that the answer is asked for piece by piece; Lines that the
	// pieces are lines of JSON and not server-sent events.
	Stream, Lines bool
	Request       *llm.Request
	// Warnings are what the encoding of the request has to say.
	Warnings []string
}

// Decoder reads the answers of one service into an [Answer]. Data is valid only
// during the call.
type Decoder interface {
	// Event reads one piece of a stream and reports whether it was the last.
	// heard is false for pieces that only keep the line open.
	Event(name, data []byte) (last, heard bool)
	// Whole reads an answer that came in one piece.
	Whole(data []byte)
	// Complete reports that all that matters has arrived, so that it does not
	// matter how the connection ends.
	Complete() bool
}

// Exchange makes the call. It returns nil when nobody listens any more.
func (c *Client) Exchange(ctx context.Context, call *Call, d Decoder, a *Answer) *llm.Receipt {
	if ctx.Err() != nil {
		a.Fail(aborted(ctx))
		return a.receipt(call, nil)
	}
	secrets, header, err := c.header(ctx, call)
	if err != nil {
		a.Fail(err)
		return a.receipt(call, nil)
	}
	inner, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	w := newWatch(call.Request.TimeoutMS, call.Stream, cancel)
	defer w.stop()
	a.secrets = secrets
	x := &exchange{client: c, call: call, decoder: d, answer: a, watch: w, secrets: secrets}
	raw := x.run(inner, header)
	if a.gone {
		return nil
	}
	if a.failure == nil {
		return a.receipt(call, secrets.scrubBytes(raw))
	}
	a.failure.Message = cmp.Or(OneLine(string(secrets.scrubAll([]byte(a.failure.Message)))), "the provider gave no reason")
	a.failure.Code = OneLine(string(secrets.scrubAll([]byte(a.failure.Code))))
	return a.receipt(call, secrets.scrubAll(raw))
}

// header makes the headers of a call, and collects what must not be repeated.
func (c *Client) header(ctx context.Context, call *Call) (secrets, http.Header, *llm.Error) {
	h := http.Header{"Content-Type": {"application/json"}, "User-Agent": {"ai-agent"}}
	if call.Stream && !call.Lines {
		h.Set("Accept", "text/event-stream")
	}
	hidden := c.hidden
	if c.key != nil {
		key, err := ask(ctx, "the key", c.key)
		if err != nil {
			return nil, nil, err
		}
		hidden = hidden.add(key)
		c.sign(h, key)
	}
	for _, from := range []map[string]string{call.Headers, c.headers} {
		for _, name := range slices.Sorted(maps.Keys(from)) {
			h.Set(name, from[name])
			if secretName(name) {
				hidden = hidden.add(from[name])
			}
		}
	}
	for _, name := range slices.Sorted(maps.Keys(c.secrets)) {
		value, err := ask(ctx, "the header "+name, c.secrets[name])
		if err != nil {
			return nil, nil, err
		}
		hidden = hidden.add(value)
		h.Set(name, value)
	}
	return hidden, h, nil
}

// ask gets a secret that a header can carry.
func ask(ctx context.Context, what string, secret llm.Key) (string, *llm.Error) {
	value, err := secret(ctx)
	switch {
	case ctx.Err() != nil:
		return "", aborted(ctx)
	case err != nil:
		return "", &llm.Error{Class: llm.ClassAuth, Message: OneLine(what + ": " + err.Error())}
	case value == "":
		return "", &llm.Error{Class: llm.ClassAuth, Message: what + " is empty"}
	case strings.ContainsFunc(value, func(r rune) bool { return r < ' ' || r > '~' }):
		return "", &llm.Error{Class: llm.ClassAuth, Message: what + " holds characters that no header can carry"}
	default:
		return value, nil
	}
}

// exchange is a call under way.
type exchange struct {
	client  *Client
	call    *Call
	decoder Decoder
	answer  *Answer
	watch   *watch
	secrets secrets
}

// run sends the request, reads the answer, and returns its bytes.
func (x *exchange) run(ctx context.Context, header http.Header) []byte {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, x.client.base+x.call.Path, nil)
	if err != nil {
		x.answer.Fail(&llm.Error{Class: llm.ClassModel, Message: "the request cannot be made: check the base URL and the headers"})
		return nil
	}
	request.Header = header
	// With GetBody the transport replaces a connection that turns out to be
	// dead before anything was written to it; it is still one request.
	request.GetBody = func() (io.ReadCloser, error) { return x.call.Body.reader(), nil }
	request.Body = x.call.Body.reader()
	request.ContentLength = x.call.Body.Len()
	response, err := x.client.http.Do(request)
	if err != nil {
		x.broken(ctx, err)
		return nil
	}
	defer func() { _ = response.Body.Close() }()
	r := &reader{body: response.Body, limit: maxResponse}
	if response.StatusCode < 200 || response.StatusCode > 299 {
		r.limit = maxFailure
		raw := x.secrets.scrubAll(r.all()) // before anything is cut out of it
		if ctx.Err() != nil {
			x.broken(ctx, ctx.Err())
			return raw
		}
		x.answer.Fail(x.client.rules.failure(response.StatusCode, response.Header.Get, raw))
		return raw
	}
	x.read(ctx, r, response.Header.Get("Content-Type"))
	return r.raw
}

// broken says why a connection failed: our caller, our limit, or the network,
// in this order (contract R10).
func (x *exchange) broken(ctx context.Context, err error) {
	switch cause := context.Cause(ctx); {
	case errors.Is(cause, errLate):
		x.answer.Fail(x.watch.late())
	case ctx.Err() != nil:
		x.answer.Fail(aborted(ctx))
	case errors.Is(err, errTooLarge):
		x.answer.Fail(&llm.Error{Class: llm.ClassInvalidResponse, Message: fmt.Sprintf("the answer is larger than %d bytes", maxResponse)})
	default:
		if u, ok := errors.AsType[*url.Error](err); ok {
			err = u.Err // without the URL, which says nothing new
		}
		message := err.Error()
		if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
			message = "the connection was closed before the answer was complete"
		}
		x.answer.Fail(&llm.Error{Class: llm.ClassNetwork, Message: message})
	}
}

func aborted(ctx context.Context) *llm.Error {
	message := "the call was cancelled"
	if cause := context.Cause(ctx); cause != nil && !errors.Is(cause, context.Canceled) {
		message += ": " + cause.Error()
	}
	return &llm.Error{Class: llm.ClassAborted, Message: OneLine(message)}
}
