package wire

import (
	"bytes"
	"encoding/base64"
	"net/url"
	"slices"
	"strings"
)

// secrets are texts that must not be repeated: services quote the key that they
// do not like (contract B7, U9).
type secrets []string

// minSecret is the shortest text that is taken for a secret; replacing shorter
// ones would spoil messages and protect nothing.
const minSecret = 6

const redacted = "[redacted]"

func (s secrets) add(text string) secrets {
	// A header may hold more than the secret: "Bearer sk-...".
	for word := range strings.FieldsSeq(text) {
		if len(word) >= minSecret && !strings.EqualFold(word, "Bearer") && !slices.Contains(s, word) {
			s = append(s, word)
		}
	}
	return s
}

// ofAddress are the secrets of an address with a password, which is sent in a
// header as base64.
func ofAddress(address string) secrets {
	u, err := url.Parse(address)
	if err != nil {
		return nil
	}
	password, some := u.User.Password()
	if !some {
		return nil
	}
	pair := base64.StdEncoding.EncodeToString([]byte(u.User.Username() + ":" + password))
	return slices.Clip(secrets(nil).add(password).add(pair))
}

func (s secrets) scrub(text string) string {
	for _, secret := range s {
		text = strings.ReplaceAll(text, secret, redacted)
	}
	return text
}

// scrubAll also hides a secret that is written in another way: as part of an
// address, of JSON, of a page, or in base64. Failures are scrubbed so, because
// services quote what they were sent in whatever form they have it. It leaves
// its argument as it is.
func (s secrets) scrubAll(text []byte) []byte {
	for _, secret := range s {
		text = replaceWritten(text, secret)
		for _, coding := range [...]*base64.Encoding{base64.RawStdEncoding, base64.RawURLEncoding} {
			if form := []byte(coding.EncodeToString([]byte(secret))); bytes.Contains(text, form) {
				text = bytes.ReplaceAll(text, form, []byte(redacted))
			}
		}
	}
	return text
}

// scrubBytes hides secrets in an answer, as they are or as JSON has them. It
// leaves its argument as it is and copies it only when it must.
func (s secrets) scrubBytes(text []byte) []byte {
	for _, secret := range s {
		for _, form := range [...]string{secret, strings.Trim(string(AppendString(nil, secret)), `"`)} {
			if bytes.Contains(text, []byte(form)) {
				text = bytes.ReplaceAll(text, []byte(form), []byte(redacted))
			}
		}
	}
	return text
}

// secretName knows the headers whose values are secrets.
func secretName(header string) bool {
	header = strings.ToLower(header)
	for _, word := range [...]string{"auth", "key", "token", "secret", "cookie", "password"} {
		if strings.Contains(header, word) {
			return true
		}
	}
	return false
}

// maxMessage is as long as a message for people gets.
const maxMessage = 200

// OneLine makes a message of any text: one line of at most 200 characters.
func OneLine(text string) string {
	text = strings.Join(strings.Fields(strings.ToValidUTF8(text, "\uFFFD")), " ")
	if runes := []rune(text); len(runes) > maxMessage {
		text = string(runes[:maxMessage-1]) + "…"
	}
	return text
}

// pageText is what a person would read of a web page, roughly.
func pageText(page []byte) string {
	var b strings.Builder
	tag := false
	for _, r := range string(page[:min(len(page), 4096)]) {
		switch {
		case r == '<':
			tag = true
		case r == '>':
			tag = false
			b.WriteByte(' ')
		case !tag:
			b.WriteRune(r)
		}
	}
	return b.String()
}
