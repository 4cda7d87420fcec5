package llm_test

import (
	"bytes"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"

	"github.com/ai-agent-go/ai-agent/llm"
)

// jsonText draws a JSON value as somebody might write it: spaces, keys in any
// order, numbers in any form.
func jsonText(t *rapid.T, depth int) string {
	space := rapid.SampledFrom([]string{"", " ", "\n\t"})
	kind := rapid.IntRange(0, 6).Draw(t, "kind")
	if depth == 0 && kind > 4 {
		kind = 0
	}
	switch kind {
	case 0:
		return "null"
	case 1:
		return rapid.SampledFrom([]string{"true", "false"}).Draw(t, "bool")
	case 2, 3:
		return rapid.StringMatching(`-?(0|[1-9][0-9]{0,20})(\.[0-9]{1,4})?([eE][+-]?[0-9]{1,2})?`).Draw(t, "number")
	case 4:
		return jsonString(t)
	case 5:
		var items []string
		for range rapid.IntRange(0, 3).Draw(t, "items") {
			items = append(items, space.Draw(t, "space")+jsonText(t, depth-1))
		}
		return "[" + strings.Join(items, ",") + "]"
	default:
		var items []string
		for range rapid.IntRange(0, 4).Draw(t, "members") {
			items = append(items, jsonString(t)+space.Draw(t, "space")+":"+jsonText(t, depth-1))
		}
		return "{" + strings.Join(items, ",") + space.Draw(t, "space") + "}"
	}
}

func jsonString(t *rapid.T) string {
	s := rapid.String().Draw(t, "string")
	data, err := json.Marshal(s)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

// contract: P8
func TestCanonicalJSONOfCanonicalJSONIsItself(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		text := jsonText(t, 3)
		once, err := llm.CanonicalJSON([]byte(text))
		if err != nil {
			t.Fatalf("%s: %v", text, err)
		}
		twice, err := llm.CanonicalJSON(once)
		if err != nil || !bytes.Equal(once, twice) {
			t.Fatalf("%s becomes %s, then %s (%v)", text, once, twice, err)
		}
		// The same value, by a reader that knows nothing of us.
		var a, b any
		if json.Unmarshal([]byte(text), &a) == nil && json.Unmarshal(once, &b) == nil {
			same(t, a, b)
		}
	})
}

// contract: P8
func TestTheOrderOfKeysDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		keys := rapid.SliceOfDistinct(rapid.String(), rapid.ID).Draw(t, "keys")
		write := func(keys []string) string {
			var members []string
			for _, k := range keys {
				members = append(members, string(llm.MustMarshalJSON(k))+":"+string(llm.MustMarshalJSON(len(k))))
			}
			return "{" + strings.Join(members, " , ") + "}"
		}
		a, err := llm.CanonicalJSON([]byte(write(keys)))
		if err != nil {
			t.Fatal(err)
		}
		b, err := llm.CanonicalJSON([]byte(write(rapid.Permutation(keys).Draw(t, "order"))))
		if err != nil {
			t.Fatal(err)
		}
		same(t, string(a), string(b))
		slices.Sort(keys)
		same(t, strings.ReplaceAll(write(keys), " , ", ","), string(a))
	})
}

func TestNumbersAreKeptAsTheyWereWritten(t *testing.T) {
	t.Parallel()
	for _, n := range []string{"0", "-0", "1.0", "1.50", "1e5", "1E+05", "123456789012345678901234567890", "0.1", "1e-400", "1e400"} {
		got, err := llm.CanonicalJSON([]byte("[" + n + "]"))
		if err != nil {
			t.Fatal(err)
		}
		same(t, "["+n+"]", string(got))
	}
}

func TestStringsHaveTheEscapesTheyNeed(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		`"\u0041\/\u00e9\ud83d\ude00"`: `"A/é😀"`,
		`"<script>&amp;"`:              `"<script>&amp;"`,
		`"\n\t\"\\\u0000"`:             `"\n\t\"\\\u0000"`,
		`"\ud800"`:                     `"` + "\uFFFD" + `"`,
		"\"\xff\"":                     `"` + "\uFFFD" + `"`,
		"\"\u2028\"":                   `"\u2028"`,
	} {
		got, err := llm.CanonicalJSON([]byte(text))
		if err != nil {
			t.Fatal(err)
		}
		same(t, want, string(got))
	}
}

func TestInvalidUTF8NeverReachesCanonicalJSON(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		raw := rapid.SliceOf(rapid.ByteRange(0x80, 0xff)).Draw(t, "bytes")
		got, err := llm.CanonicalJSON([]byte(`{"` + string(raw) + `":"` + string(raw) + `"}`))
		if err != nil || !utf8.Valid(got) {
			t.Fatalf("%q becomes %q, %v", raw, got, err)
		}
	})
}

func TestNestingIsBounded(t *testing.T) {
	t.Parallel()
	nested := func(n int) []byte {
		return []byte(strings.Repeat(`{"a":[`, n/2) + strings.Repeat("]}", n/2))
	}
	if _, err := llm.CanonicalJSON(nested(512)); err != nil {
		t.Errorf("512 deep is refused: %v", err)
	}
	for _, n := range []int{514, 1 << 20} {
		if _, err := llm.CanonicalJSON(nested(n)); err == nil {
			t.Errorf("%d deep is accepted", n)
		}
	}
	inString := []byte(`"` + strings.Repeat(`[\"{`, 1000) + `"`)
	if _, err := llm.CanonicalJSON(inString); err != nil {
		t.Errorf("brackets in a string are counted: %v", err)
	}
	wide := []byte("[" + strings.Repeat("[],", 5000) + "[]]")
	if _, err := llm.CanonicalJSON(wide); err != nil {
		t.Errorf("a wide value is called deep: %v", err)
	}
}

func TestWhatIsNotOneJSONValueIsRefused(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", " ", "{", "nul", "1 2", "{}]", "{},", "01", "+1", "'a'", "{a:1}", "[1,]", "// x\n1", "\ufeff1", "]]]]"} {
		if got, err := llm.CanonicalJSON([]byte(text)); err == nil {
			t.Errorf("%q is accepted as %s", text, got)
		}
	}
}

func TestMarshalJSONSaysWhatItCannotWrite(t *testing.T) {
	t.Parallel()
	if _, err := llm.MarshalJSON(math.NaN()); err == nil {
		t.Error("NaN was written")
	}
	defer func() {
		if recover() == nil {
			t.Error("MustMarshalJSON did not panic")
		}
	}()
	llm.MustMarshalJSON(math.NaN())
}
