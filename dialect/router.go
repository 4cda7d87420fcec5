package dialect

import (
	"fmt"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// Route is a model's decision to hand its task over (contract B5).
type Route struct {
	Agent string
	// Message is what the model has to say to the agent, at most maxRoute
	// bytes.
	Message string
}

// maxRoute bounds the message: it travels in the observation.
const maxRoute = 8000

// router is the tool that hands over.
type router struct {
	tool   llm.Tool
	schema *schema
}

func newRouter(destinations []spec.Destination) (*router, error) {
	names := make([]string, len(destinations))
	var list strings.Builder
	for i, d := range destinations {
		names[i] = d.Agent
		list.WriteString(say("tool.router.agent", d.Agent, d.Description))
	}
	r := &router{tool: llm.Tool{
		Name: spec.RouterTool, Description: say("tool.router", list.String()),
		Parameters: llm.MustMarshalJSON(object(map[string]any{
			"agent": map[string]any{"enum": names},
			"message": map[string]any{
				"type": "string", "maxLength": maxRoute / maxRune, "description": "What the agent should know beside the user's request.",
			},
		}, "agent")),
	}}
	var err error
	if r.schema, err = compileSchema(r.tool.Parameters); err != nil {
		return nil, fmt.Errorf("%w: router: %w", spec.ErrInvalid, err)
	}
	return r, nil
}

// maxRune is how many bytes a character may take: schemas count characters.
const maxRune = 4

func (l *listener) checkRoute(tc *llm.ToolCall, c *Call, read func() any) {
	c.Kind, c.Server = spec.ToolIntrinsic, "agent"
	if tc.Bad {
		c.bad(tc)
		return
	}
	if all := l.ts.router.schema.check(read()); len(all) > 0 {
		c.refuse(CallInvalid, "invalid arguments: %s", describe(all))
		return
	}
	fields, _ := read().(map[string]any)
	c.Route = new(Route)
	c.Route.Agent, _ = fields["agent"].(string)
	c.Route.Message, _ = fields["message"].(string)
}
