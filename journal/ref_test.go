package journal_test

import (
	"encoding/json"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/journal"
)

func TestAReferenceIsReadAsItWasWritten(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		want := refs().Draw(t, "ref")
		got, err := journal.ParseRef(want.String())
		if err != nil || got != want {
			t.Fatalf("got %v %v, want %v", got, err, want)
		}
		data, err := json.Marshal(want)
		if err != nil {
			t.Fatal(err)
		}
		if err := json.Unmarshal(data, &got); err != nil || got != want {
			t.Fatalf("through JSON: got %v %v, want %v", got, err, want)
		}
	})
}

func TestAReferenceNamesContentByItsSHA256(t *testing.T) {
	t.Parallel()
	blob := journal.NewBlob([]byte("abc"))
	const want = "sha256:ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad"
	if got := blob.Ref.String(); got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if got := blob.Ref.Short(); got != "ba7816bf8f01" {
		t.Errorf("short form is %s", got)
	}
	if blob.Ref.IsZero() || !(journal.Ref{}).IsZero() {
		t.Error("IsZero is wrong")
	}
}

func TestWhatIsNoReferenceIsRefused(t *testing.T) {
	t.Parallel()
	digits := strings.Repeat("ab", 32)
	for _, s := range []string{
		"sha256:", digits, "sha256:" + digits[:62], "sha256:" + digits + "ab", "sha512:" + digits,
		"sha256:" + strings.Repeat("zz", 32), " sha256:" + digits,
		"sha256:" + strings.ToUpper(digits),    // one name, one spelling
		"sha256:" + strings.Repeat("00", 32),   // the zero reference is written as nothing
		"sha256:" + strings.Repeat("\x00", 64), // and nothing else is
	} {
		if r, err := journal.ParseRef(s); err == nil || !r.IsZero() {
			t.Errorf("%q was read as %v, error %v", s, r, err)
		}
	}
	r := journal.RefOf(nil)
	if err := r.UnmarshalText([]byte("nonsense")); err == nil {
		t.Error("nonsense was read from JSON")
	}
}

func TestKeysAreSafeInPathsAndLogs(t *testing.T) {
	t.Parallel()
	for _, name := range []string{"a", "A-z_9", "user@example.com", "a:b.c-d_e", "...", strings.Repeat("x", 128)} {
		if err := (journal.Key{Tenant: name, Session: name}).Validate(); err != nil {
			t.Errorf("%q is refused: %v", name, err)
		}
	}
	for _, name := range []string{"", ".", "..", "a/b", `a\b`, "a b", "a\x00", "a\n", "ü", "a%", strings.Repeat("x", 129)} {
		if err := (journal.Key{Tenant: name, Session: "s"}).Validate(); err == nil {
			t.Errorf("tenant %q is allowed", name)
		}
		err := journal.Key{Tenant: "t", Session: name}.Validate()
		if err == nil {
			t.Errorf("session %q is allowed", name)
		} else if strings.ContainsAny(err.Error(), "\x00\n") {
			t.Errorf("the error for %q would break a log line: %q", name, err)
		}
	}
	if got := key.String(); got != "acme/s-1" {
		t.Errorf("the key is written as %q", got)
	}
}
