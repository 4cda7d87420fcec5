package spec

import "github.com/ai-agent-go/ai-agent/llm"

// Limits bound a run. A zero field takes its default, a negative one means
// "none" where that makes sense.
type Limits struct {
	// MaxTurns is never exceeded (contract L1). Defaults to 10.
	MaxTurns int64 `json:"max_turns,omitempty"`
	// MaxRetries is the number of attempts in a turn, the first included
	// (contract L4). Defaults to 5.
	MaxRetries int64 `json:"max_retries,omitempty"`
	// MaxToolCallsPerTurn bounds executions of one turn (contract L3).
	// Defaults to 10.
	MaxToolCallsPerTurn int64 `json:"max_tool_calls_per_turn,omitempty"`
	// ToolTimeoutMS bounds one execution (contract T1). Defaults to 300,000.
	ToolTimeoutMS int64 `json:"tool_timeout_ms,omitempty"`
	// LLMTimeoutMS bounds a provider's silence (contract R13). Defaults to
	// 600,000.
	LLMTimeoutMS int64 `json:"llm_timeout_ms,omitempty"`
	// RemoteToolTimeoutMS bounds the wait for a remote result. Defaults to
	// none.
	RemoteToolTimeoutMS int64 `json:"remote_tool_timeout_ms,omitempty"`
	// ToolResponseMaxBytes bounds what a result adds to the conversation
	// (contract T9). Defaults to 12,288.
	ToolResponseMaxBytes int64 `json:"tool_response_max_bytes,omitempty"`
	// RunTimeoutMS bounds a whole run. Defaults to none.
	RunTimeoutMS int64 `json:"run_timeout_ms,omitempty"`
	// MaxCost bounds what a run may cost (contract A5). Zero means no budget.
	MaxCost llm.Money `json:"max_cost,omitempty"`
	// MaxSessionCost bounds what all runs of a session may cost together. Zero
	// means no budget.
	MaxSessionCost llm.Money `json:"max_session_cost,omitempty"`
	// MaxUserCost and MaxTenantCost bound what all sessions of a user and of a
	// tenant may cost together. They are kept in the store's ledger and hold
	// for the agents that this one calls as well. Zero means no budget.
	MaxUserCost   llm.Money `json:"max_user_cost,omitempty"`
	MaxTenantCost llm.Money `json:"max_tenant_cost,omitempty"`
}

// WithDefaults fills what is unset.
func (l Limits) WithDefaults() Limits {
	fill := func(v *int64, value int64) {
		if *v == 0 {
			*v = value
		}
	}
	fill(&l.MaxTurns, 10)
	fill(&l.MaxRetries, 5)
	fill(&l.MaxToolCallsPerTurn, 10)
	fill(&l.ToolTimeoutMS, 300_000)
	fill(&l.LLMTimeoutMS, 600_000)
	fill(&l.ToolResponseMaxBytes, 12_288)
	return l
}
