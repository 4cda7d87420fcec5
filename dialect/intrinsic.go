package dialect

import (
	"encoding/json"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// intrinsic is one of our own tools, which the kernel settles itself.
type intrinsic uint8

const (
	notIntrinsic intrinsic = iota
	intrinsicReport
	intrinsicStatus
	intrinsicBatch
	intrinsicRouter
)

// object describes a JSON object of which nothing else is allowed.
func object(properties map[string]any, required ...string) map[string]any {
	return map[string]any{"type": "object", "properties": properties, "required": required, "additionalProperties": false}
}

func stringWith(description string) map[string]any {
	return map[string]any{"type": "string", "description": description}
}

// reportTool is the definition of the final report for the run's format
// (contract F4).
func reportTool(run *spec.Run) llm.Tool {
	properties := map[string]any{
		"report_format": map[string]any{"const": string(run.Format)},
		"metadata":      map[string]any{"type": "object", "description": "Anything worth keeping beside the report."},
	}
	required := []string{"report_format"}
	switch run.Format {
	case spec.FormatJSON:
		body := json.RawMessage(`{"type":"object"}`)
		if len(run.Schema) > 0 {
			body = run.Schema
		}
		properties["content_json"] = body
		required = append(required, "content_json")
	case spec.FormatSlack:
		properties["messages"] = slackSchema()
		required = append(required, "messages")
	default:
		properties["report_content"] = map[string]any{"type": "string", "minLength": 1, "description": "The whole answer."}
		properties["encoding"] = map[string]any{"enum": []string{"raw", "base64"}}
		required = append(required, "report_content")
	}
	return llm.Tool{
		Name: spec.FinalReportTool, Description: say("tool.final_report"),
		Parameters: llm.MustMarshalJSON(object(properties, required...)),
	}
}

// slackSchema describes messages in the parts of Block Kit that we promise to
// deliver whole. It is kept short: the details are put right on arrival.
func slackSchema() map[string]any {
	text := map[string]any{"type": "object"}
	block := map[string]any{"type": "object", "required": []string{"type"}, "properties": map[string]any{
		"type":     map[string]any{"enum": []string{"section", "header", "divider", "context"}},
		"text":     text,
		"fields":   map[string]any{"type": "array", "items": text, "maxItems": maxFields},
		"elements": map[string]any{"type": "array", "items": text, "maxItems": maxFields},
	}}
	return map[string]any{
		"type": "array", "minItems": 1, "maxItems": maxMessages, "description": "Slack Block Kit messages, text as mrkdwn.",
		"items": map[string]any{"type": "object", "required": []string{"blocks"}, "properties": map[string]any{
			"blocks": map[string]any{"type": "array", "minItems": 1, "maxItems": maxBlocks, "items": block},
		}},
	}
}

// statusTool is the definition of the status tool (contract T11).
func statusTool() llm.Tool {
	return llm.Tool{
		Name: spec.TaskStatusTool, Description: say("tool.task_status"),
		Parameters: llm.MustMarshalJSON(object(map[string]any{
			"status":                 map[string]any{"enum": []string{statusStarting, statusInProgress, statusCompleted}},
			"done":                   stringWith("What is done."),
			"pending":                stringWith("What is still to do."),
			"now":                    stringWith("What you are doing now."),
			"ready_for_final_report": map[string]any{"type": "boolean"},
			"need_to_run_more_tools": map[string]any{"type": "boolean"},
		}, "status", "done", "pending", "now", "ready_for_final_report", "need_to_run_more_tools")),
	}
}

// batchTool is the definition of the batch (contract T10). It names the tools
// and leaves their schemas to their own definitions, which the model has too.
func batchTool(names []string) llm.Tool {
	item := object(map[string]any{
		"id":         map[string]any{"type": []string{"string", "number"}},
		"tool":       map[string]any{"enum": names},
		"parameters": map[string]any{"type": "object"},
	}, "id", "tool", "parameters")
	return llm.Tool{
		Name: spec.BatchTool, Description: say("tool.batch"),
		Parameters: llm.MustMarshalJSON(object(map[string]any{
			"calls": map[string]any{"type": "array", "minItems": 1, "items": item},
		}, "calls")),
	}
}
