package dialect

import (
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
)

var allSlugs = []Slug{
	SlugTruncated, SlugFinalNoReport, SlugFormatMismatch, SlugContentMissing, SlugJSONRequired, SlugMessagesMissing,
	SlugSchemaFailed, SlugReportDecode, SlugTextOnly, SlugEmpty, SlugReasoningOnly, SlugNoCallExecutable, SlugTooManyCalls,
	SlugStatusOnly, SlugTagTruncated, SlugWrapperAsTool, SlugTagNotJSON, SlugPayloadNotJSON, SlugSlotMismatch, SlugTagUnclosed,
	SlugTagMalformed,
}

func TestEveryTextBelongsToItsVersion(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	for _, key := range slices.Sorted(maps.Keys(texts)) {
		fmt.Fprintf(&b, "[%s]\n%s\n\n", key, texts[key])
	}
	golden(t, fmt.Sprintf("texts-%d.txt", Version), strings.TrimSuffix(b.String(), "\n\n"))
}

func TestEverySlugAndReasonHasItsOwnText(t *testing.T) {
	t.Parallel()
	for _, slug := range allSlugs {
		if _, known := texts["notice."+string(slug)]; !known {
			t.Errorf("slug %s has no text", slug)
		}
	}
	for _, reason := range finalOrder {
		if reason != FinalNone && reason.text() == string(reason) {
			t.Errorf("reason %s has no text", reason)
		}
	}
	unknown := Notice{Slug: "new_slug", Detail: "x"}
	same(t, "System notice: your last response could not be used. Reason: x", unknown.text())
	same(t, "from tomorrow", FinalReason("from tomorrow").text())
}

// contract: R7
func TestEmptyAndTextOnlyResponsesAreAnsweredWithTheContractsSentence(t *testing.T) {
	t.Parallel()
	const sentence = "System notice: plain text responses without tool calls are ignored. Use final_report to provide your answer."
	for _, transport := range transports {
		for _, slug := range []Slug{SlugEmpty, SlugTextOnly} {
			ask := newAsk(newRun(transport))
			ask.Notices = []Notice{{Slug: slug}}
			if n := strings.Count(ask.tail(), sentence); n != 1 {
				t.Errorf("%s, %s: the sentence comes %d times in %q", transport, slug, n, ask.tail())
			}
		}
	}
}

// contract: R5
func TestAtMostTwoNoticesAreShownTheGravestFirstAndNoneTwice(t *testing.T) {
	t.Parallel()
	ask := Ask{Notices: []Notice{
		{Slug: SlugTextOnly}, {Slug: SlugEmpty}, {Slug: SlugSchemaFailed, Detail: "d"}, {Slug: SlugTruncated}, {Slug: SlugTagNotJSON},
	}}
	same(t, texts["notice.output_truncated"]+"\n"+texts["notice.final_report_schema_validation_failed"]+" Reason: d", ask.tail())
	ask.Notices = ask.Notices[:2]
	same(t, texts["notice.empty_response"], ask.tail())
}

// contract: L8
func TestReasonsAreOrderedByStrength(t *testing.T) {
	t.Parallel()
	order := []FinalReason{
		FinalContext, FinalUserStop, FinalBudget, FinalReportFailed, FinalTaskCompleted, FinalTaskOnly, FinalRetries, FinalMaxTurns, FinalNone,
	}
	for i := range order[1:] {
		if order[i].Rank() <= order[i+1].Rank() {
			t.Errorf("%q is not stronger than %q", order[i], order[i+1])
		}
	}
	same(t, FinalNone.Rank(), FinalReason("unheard of").Rank())
}

// contract: V3
func TestWithNothingToSayThereIsNoTail(t *testing.T) {
	t.Parallel()
	var ask Ask
	same(t, int64(0), ask.TailTokens())
	same(t, 0, len(request(t, newRun("native"), &ask).Tail))
	ask.Transport = "xml-final"
	same(t, true, strings.HasPrefix(ask.tail(), "# System Notice\n\nYour context window is 0% full.\n"))
	ask.Final = true
	same(t, true, strings.Contains(ask.tail(), texts["final.max_turns"]))
}
