package dialect

import "fmt"

// texts is everything that this package says to models, by key. The texts are
// short and plain; tests and logs match keys and slugs, never the words. They
// belong to [Version]: a journal holds requests that were made of them.
var texts = map[string]string{
	// Why the last attempt failed, by slug. The first two are fixed by the
	// contract, word for word (R7).
	"notice.empty_response": "System notice: plain text responses without tool calls are ignored. " +
		"Use final_report to provide your answer.",
	"notice.content_without_tools_or_report": "System notice: plain text responses without tool calls are ignored. " +
		"Use final_report to provide your answer.",
	"notice.output_truncated": "System notice: your last response was cut off at the output limit and was discarded. " +
		"Answer more briefly.",
	"notice.final_turn_no_report": "System notice: this was the last turn and it held no final report. " +
		"Give the final report now; no other tool can be used.",
	"notice.final_report_format_mismatch": "System notice: the final report was rejected because its format is not the one asked for.",
	"notice.final_report_content_missing": "System notice: the final report was rejected because it was empty.",
	"notice.final_report_json_required":   "System notice: the final report was rejected because it must be a JSON object.",
	"notice.final_report_slack_messages_missing": "System notice: the final report was rejected because it holds no array of " +
		"messages.",
	"notice.final_report_schema_validation_failed": "System notice: the final report was rejected because it does not fit its schema.",
	"notice.final_report_decode_failed":            "System notice: the final report was rejected because it could not be decoded.",
	"notice.reasoning_only_final":                  "System notice: your last response held reasoning only. Give the final report now.",
	"notice.no_tools":                              "System notice: none of your tool calls could be executed.",
	"notice.too_many_calls": "System notice: your last response held too many tool calls and was discarded. " +
		"Make fewer at a time.",
	"notice.task_status_only": "System notice: your last turns only reported a status. Call a tool that does the work, or give " +
		"the final report.",
	"notice.xml_structured_output_truncated": "System notice: the final report was cut off at the output limit and was discarded. " +
		"Send it again, shorter, and close its tag.",
	"notice.xml_wrapper_as_tool": "System notice: the tag of the final report was called as a tool. It is not a tool: write the " +
		"tag as plain text.",
	"notice.xml_final_report_not_json": "System notice: the final report was rejected because its tag does not hold a JSON object.",
	"notice.xml_tool_payload_not_json": "System notice: a tool call was not executed because its tag does not hold a JSON object.",
	"notice.xml_slot_mismatch":         "System notice: a tag was ignored because its slot was not offered or was already used.",
	"notice.xml_missing_closing_tag":   "System notice: a tag was ignored because it was not closed.",
	"notice.xml_malformed_mismatch":    "System notice: a tag was ignored because it was malformed.",
	"notice":                           "System notice: your last response could not be used.",
	"notice.detail":                    "%s Reason: %s",

	// Why the turn is the last, by reason.
	"final.context":               "the context window is full",
	"final.user_stop":             "the user asked to stop",
	"final.budget":                "the budget is used up",
	"final.final_report_failed":   "an earlier final report was rejected",
	"final.task_status_completed": "the task was declared complete",
	"final.task_status_only":      "several turns only reported a status",
	"final.retry_exhaustion":      "the attempts of the previous turn were used up",
	"final.max_turns":             "the maximum number of turns was reached",
	"last.report": "System notice: this is the last turn, because %s. Provide the final report now with what you know, " +
		"and say what is missing; no other tool can be used.",
	"last.tag": "System notice: this is the last turn, because %s. Write the final report now, in the tag below, with what you " +
		"know; say what is missing and do not guess. No tool can be used.",
	"last.route": " Or hand the task over with router__handoff-to, the one tool that is left.",
	"last.text":  "System notice: this is the last turn, because %s. Answer now with what you know; no tool can be used.",

	// XML-NEXT: what a request in the XML transports ends with.
	"next.title":        "# System Notice",
	"next.turn":         "Turn %d of %d.",
	"next.attempt":      "Turn %d of %d, attempt %d of %d.",
	"next.context":      "Your context window is %d%% full.",
	"next.last_attempt": "This is the last attempt of this turn. Do not answer with plain text alone.",
	"next.report": "## Final report\n\nWhen the task is done, write the final report as plain text in this tag:\n\n%s\n\n" +
		"Format: %s. The user sees what is inside the tag and nothing else.",
	"next.final_report": "## Final report\n\nWrite the final report as plain text in this tag:\n\n%s\n\n" +
		"Format: %s. The user sees what is inside the tag and nothing else.",
	"next.text": "When the task is done, answer in plain text without any tag.",
	"next.slots": "\n\n## Tools\n\nTo call a tool, write this tag as plain text, with the tool's name and one JSON object of arguments:\n\n" +
		"%s\n\nFree slots: %04d to %04d. Use each slot once. One response may hold several calls.",
	"next.tool":          "\n\n### %s\n\n%s\n\nSchema of the arguments: %s",
	"next.progress":      "\n\n## Status\n\nTo show the user how far you are, write beside tool calls:\n\n%s\n\nSchema: %s",
	"next.native":        "\n\n## Tools\n\nCall tools as usual. The final report is text, not a tool call.",
	"next.report_schema": "\n\nSchema of the report: %s",

	// The forms of a report, by format.
	"format.json":             "one JSON object",
	"format.markdown":         "Markdown",
	"format.markdown+mermaid": "Markdown, with Mermaid diagrams in code blocks where they help",
	"format.text":             "plain text without markup",
	"format.tty":              "plain text for a terminal; ANSI colours are allowed",
	"format.pipe":             "plain text without markup, fit to be piped into another program",
	"format.slack-block-kit":  "a JSON array of Slack Block Kit messages",
	"format.sub-agent":        "what your caller asked for",
	"example.json":            "{…}",
	"example.slack-block-kit": `[{"blocks":[…]}]`,
	"example":                 "your report",

	// XML-PAST: what became of the calls of a turn in the xml transport.
	"past.title":   "# System Notice\n\n## Previous Turn Tool Responses",
	"past.section": "\n\nSystem Notice: tool response for %s (%s)\nRequest:\n%s\nResponse:\n%s",

	// Definitions of our own tools.
	"tool.final_report": "Gives the final answer and ends the session. Call it once, when the task is done. " +
		"The user sees this report and nothing else.",
	"tool.task_status": "Shows the user how far the task is. It does no work itself: call it together with the tools that do.",
	"tool.router": "Hands the task over to another agent, which answers the user in your place. Your work ends with this call. " +
		"The agents:%s",
	"tool.router.agent": "\n- %s: %s",
	"tool.batch":        "Runs several tool calls at once and returns all their results. Use it for calls that do not depend on each other.",

	// What the user reads below a report that the output limit cut off.
	"report.truncated": "[OUTPUT TRUNCATED: Response exceeded output token limit.]",
}

// say fills a text of the table.
func say(key string, args ...any) string {
	if len(args) == 0 {
		return texts[key]
	}
	return fmt.Sprintf(texts[key], args...)
}
