package journal

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"
)

// Ref names content by its SHA-256. The zero Ref refers to nothing.
type Ref [sha256.Size]byte

// Blob is content with its name.
type Blob struct {
	Ref  Ref
	Data []byte
}

// NewBlob names data.
func NewBlob(data []byte) Blob { return Blob{Ref: RefOf(data), Data: data} }

// RefOf returns the name of data.
func RefOf(data []byte) Ref { return sha256.Sum256(data) }

// IsZero reports that the reference refers to nothing.
func (r Ref) IsZero() bool { return r == Ref{} }

// String writes the reference as sha256:<64 hex digits>, or nothing for zero.
func (r Ref) String() string {
	if r.IsZero() {
		return ""
	}
	return "sha256:" + hex.EncodeToString(r[:])
}

// Short is the first 12 hex digits, for people.
func (r Ref) Short() string { return hex.EncodeToString(r[:6]) }

// MarshalText implements [encoding.TextMarshaler].
func (r Ref) MarshalText() ([]byte, error) { return []byte(r.String()), nil }

// UnmarshalText implements [encoding.TextUnmarshaler].
func (r *Ref) UnmarshalText(text []byte) error {
	ref, err := ParseRef(string(text))
	*r = ref
	return err
}

// ParseRef reads what [Ref.String] wrote, and no other spelling of it: text
// that names the same content is the same text.
func ParseRef(s string) (Ref, error) {
	var r Ref
	if s == "" {
		return r, nil
	}
	digits, ok := strings.CutPrefix(s, "sha256:")
	if !ok || len(digits) != 2*len(r) {
		return Ref{}, fmt.Errorf("%.80q is not a reference: want sha256: and 64 hex digits", s)
	}
	if _, err := hex.Decode(r[:], []byte(digits)); err != nil {
		return Ref{}, fmt.Errorf("%.80q is not a reference: %w", s, err)
	}
	if r.String() != s {
		return Ref{}, fmt.Errorf("%.80q is not a reference: want lower case, and nothing at all for the zero reference", s)
	}
	return r, nil
}

// Key names a session. The tenant is part of every key: there is no way to
// reach a session without saying whose it is.
type Key struct {
	Tenant  string
	Session string
}

// String writes tenant and session for people.
func (k Key) String() string { return k.Tenant + "/" + k.Session }

// maxName bounds tenant and session names.
const maxName = 128

// Validate reports why a key cannot be used: names are 1 to 128 letters,
// digits and any of "._:@-", so that they are safe in paths, URLs and logs.
func (k Key) Validate() error {
	for _, n := range [...]struct{ what, name string }{{"tenant", k.Tenant}, {"session", k.Session}} {
		if n.name == "" || len(n.name) > maxName {
			return fmt.Errorf("%s name %.40q: want 1 to %d characters", n.what, n.name, maxName)
		}
		for _, c := range []byte(n.name) {
			if !isNameByte(c) {
				return fmt.Errorf("%s name %.40q: %q is not allowed, want letters, digits and ._:@-", n.what, n.name, c)
			}
		}
		if n.name == "." || n.name == ".." {
			return fmt.Errorf("%s name %q is not allowed", n.what, n.name)
		}
	}
	return nil
}

func isNameByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' ||
		strings.IndexByte("._:@-", c) >= 0
}
