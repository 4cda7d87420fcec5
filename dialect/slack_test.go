package dialect

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// contract: F4
func TestSlackMessagesInAnyShape(t *testing.T) {
	t.Parallel()
	const want = `[{"blocks":[{"text":{"text":"hi","type":"mrkdwn"},"type":"section"}]}]`
	for _, messages := range []string{
		`[{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"hi"}}]}]`,
		`{"messages":[{"blocks":[{"type":"section","text":{"type":"mrkdwn","text":"hi"}}]}]}`,
		`{"blocks":[{"type":"section","text":"hi"}]}`,
		`[{"type":"section","text":"hi"}]`,
		`[{"text":"hi","channel":"#general"}]`,
		`["hi"]`,
		`{"type":"section","text":"hi"}`,
		`[{"blocks":["hi"]}]`,
		`[{"blocks":[{"type":"rich_text","text":"hi"},{"type":"image"},{"type":"header"},{"type":"context"},7]},7]`,
		`"hi"`,
		`"[{\"text\":\"hi\"}"`,
		`"` + "```json\\n[{\\\"text\\\":\\\"hi\\\"}]\\n```" + `"`,
	} {
		o := observe(t, newRun(spec.TransportNative, withSlack), reportCall(`{"report_format":"slack-block-kit","messages":`+messages+`}`))
		if !o.Report.Fit || string(o.ReportBody.Messages) != want {
			t.Errorf("%s: %+v %s", messages, o.Report, o.ReportBody.Messages)
		}
	}
}

type slackText struct {
	Text string `json:"text"`
}

func TestSlackMessagesAreCutToWhatSlackAccepts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("ä", 4000)
	texts := make([]any, 12)
	for i := range texts {
		texts[i] = long
	}
	blocks := []any{
		map[string]any{"type": "header", "text": long},
		map[string]any{"type": "section", "text": long, "fields": texts},
		map[string]any{"type": "context", "elements": texts},
	}
	for range 60 {
		blocks = append(blocks, map[string]any{"type": "divider"})
	}
	messages := make([]any, 30)
	for i := range messages {
		messages[i] = map[string]any{"blocks": blocks}
	}
	o := observe(t, newRun(spec.TransportNative, withSlack), reportCall(string(llm.MustMarshalJSON(map[string]any{"messages": messages}))))
	var got []struct {
		Blocks []struct {
			Text     slackText   `json:"text"`
			Fields   []slackText `json:"fields"`
			Elements []slackText `json:"elements"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(o.ReportBody.Messages, &got); err != nil {
		t.Fatal(err)
	}
	same(t, []int{maxMessages, maxBlocks, 13}, []int{len(got), len(got[0].Blocks), len(got[1].Blocks)})
	header, section, context := got[0].Blocks[0], got[0].Blocks[1], got[0].Blocks[2]
	same(t, maxHeaderText, len([]rune(header.Text.Text)))
	same(t, maxSectionText, len([]rune(section.Text.Text)))
	same(t, []int{maxFields, maxFields}, []int{len(section.Fields), len(context.Elements)})
	same(t, maxFieldText, len([]rune(context.Elements[0].Text)))
}

func TestALongTextBecomesSeveralSections(t *testing.T) {
	t.Parallel()
	line := strings.Repeat("x", 999)
	o := observe(t, newRun(spec.TransportNative, withSlack), said(strings.Join([]string{line, line, line, strings.Repeat("y", 3000)}, "\n")))
	var got []struct {
		Blocks []struct {
			Text slackText `json:"text"`
		} `json:"blocks"`
	}
	if err := json.Unmarshal(o.TextPayload.Messages, &got); err != nil {
		t.Fatal(err)
	}
	var sizes []int
	for _, b := range got[0].Blocks {
		sizes = append(sizes, len(b.Text.Text))
	}
	same(t, []int{1999, 999, 2900, 100}, sizes)
}

func TestMarkdownBecomesMrkdwn(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"# Title #\ntext":                            "*Title*\ntext",
		"## A **b** c":                               "*A b c*",
		"**bold** and __bold__ and ~~gone~~":         "*bold* and *bold* and ~gone~",
		"see [the docs](https://x.y/z?a=1&b=2) & co": "see <https://x.y/z?a=1&b=2|the docs> &amp; co",
		"![pic](https://x.y/z.png)":                  "<https://x.y/z.png|pic>",
		"a < b > c & d &amp; e &lt;":                 "a &lt; b &gt; c &amp; d &amp; e &lt;",
		"<https://x.y|t> <@U1> <!here> <b>":          "<https://x.y|t> <@U1> <!here> &lt;b&gt;",
		"> quoted **x**":                             "> quoted *x*",
		"`a<b` __init__":                             "`a&lt;b` *init*",
		"snake__case__name":                          "snake__case__name",
		"```\n**a** <b>\n```\n**c**":                 "```\n**a** &lt;b&gt;\n```\n*c*",
		"| a | b |\n|---|---|\n| 1 | 2 |\ntext":      "```\n| a | b |\n|---|---|\n| 1 | 2 |\n```\ntext",
		"| a |":                                      "```\n| a |\n```",
	} {
		if got := mrkdwn(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}
