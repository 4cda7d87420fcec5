package wire

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// contract: B7
func TestSecretsAreFoundHoweverTheyAreWritten(t *testing.T) {
	t.Parallel()
	const secret = `k/e"y<1>+&'\`
	s := secrets{secret}
	for name, text := range map[string]string{
		"plain":             secret,
		"json":              string(AppendString(nil, secret)),
		"json twice":        string(AppendString(nil, string(AppendString(nil, secret)))),
		"slash escaped":     strings.ReplaceAll(secret, "/", `\/`),
		"unicode escapes":   `\u006b\u002Fe\"y\u003c1\u003E+\u0026'\\`,
		"query":             url.QueryEscape(secret),
		"path":              url.PathEscape(secret),
		"entities":          "k/e&quot;y&lt;1&gt;+&amp;&apos;\\",
		"numbered":          "&#107;&#x2F;e&#34;y&#0060;1&gt;+&amp;&#39;\\",
		"base64":            "ay9lInk8MT4rJidc",
		"twice":             secret + " and " + secret,
		"after a false one": `k/e"y<2` + secret,
	} {
		got := string(s.scrubAll([]byte("before " + text + " after")))
		if !strings.HasPrefix(got, "before ") || !strings.HasSuffix(got, " after") || !strings.Contains(got, redacted) || strings.Contains(got, "1>") || strings.Contains(got, "y&lt;1") {
			t.Errorf("%s: %s", name, got)
		}
	}
	for _, innocent := range []string{"", "k", `k/e"y<1>+&'`, "%", "%6", "&", "&#", "&#xzz;", "\\", `\u`, `\u00`, "&lt", strings.Repeat("\\", 20)} {
		if got := string(s.scrubAll([]byte(innocent))); got != innocent {
			t.Errorf("%q became %q", innocent, got)
		}
	}
}

// Whatever stands around it, a secret is gone, and nothing else is.
func TestNothingButTheSecretIsHidden(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		secret := rapid.StringMatching(`[!-~]{6,20}`).Draw(t, "secret")
		around := rapid.SliceOfN(rapid.StringMatching(`[ a-z\\%&;]{0,10}`), 2, 2).Draw(t, "around")
		got := string(secrets{secret}.scrubAll([]byte(around[0] + secret + around[1])))
		if strings.Contains(got, secret) || !strings.Contains(got, redacted) {
			t.Fatalf("%q in %q: %q", secret, around, got)
		}
	})
}
