package google

import "github.com/ai-agent-go/ai-agent/llm"

// finishReasons are the API's reasons in our words.
var finishReasons = map[string]llm.FinishReason{
	"STOP":                    llm.FinishStop,
	"FUNCTION_CALL":           llm.FinishStop, // not the vendor's; services that imitate it say so
	"MAX_TOKENS":              llm.FinishLength,
	"SAFETY":                  llm.FinishContentFilter,
	"RECITATION":              llm.FinishContentFilter,
	"LANGUAGE":                llm.FinishContentFilter,
	"BLOCKLIST":               llm.FinishContentFilter,
	"PROHIBITED_CONTENT":      llm.FinishContentFilter,
	"SPII":                    llm.FinishContentFilter,
	"IMAGE_SAFETY":            llm.FinishContentFilter,
	"MALFORMED_FUNCTION_CALL": llm.FinishError,
	"UNEXPECTED_TOOL_CALL":    llm.FinishError,
}

// end judges the whole answer.
func (d *decoder) end() {
	switch f := &d.answer.Finish; {
	case f.Reason == llm.FinishContentFilter:
		d.answer.Refused("the provider's filter stopped the answer")
	case f.Reason == llm.FinishError:
		d.answer.Malformed("the model made a call that is none (" + f.Raw + ")")
	case f.Reason == llm.FinishStop && d.answer.Calls() > 0:
		f.Reason = llm.FinishToolCalls
	}
}
