package anthropic

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// The bounds of a thinking budget that is made of an effort. A budget that is
// configured as a number is sent as it is.
const (
	minBudget = 1024
	maxBudget = 128_000
)

// shares are the budgets of the efforts, in percent of the output tokens.
var shares = map[string]int64{"minimal": 0, "low": 20, "medium": 50, "high": 80}

// thinking sets what the request says about thinking. Settings that are illegal
// beside it are taken out of the sampling, with a warning.
func (h *head) thinking(sampling *llm.Sampling, history *transcript) error {
	switch effort := sampling.ReasoningEffort; {
	case sampling.ReasoningTokens != nil:
		h.budget = *sampling.ReasoningTokens
		if h.budget <= 0 {
			h.fields.Raw("thinking", []byte(`{"type":"disabled"}`))
			return nil
		}
	case effort == "":
		return nil
	case effort == "none":
		h.fields.Raw("thinking", []byte(`{"type":"disabled"}`))
		return nil
	case h.provider.config.Effort == EffortAdaptive || h.provider.config.Effort == EffortAuto && adaptive(h.request.Model):
		h.fields.Raw("thinking", []byte(`{"type":"adaptive"}`))
		h.fields.Any("output_config", map[string]string{"effort": effort})
		h.thinks = true
		h.illegal(sampling)
		return nil
	default:
		share, ok := shares[effort]
		if !ok {
			return fmt.Errorf("reasoning effort %q has no budget; know none, %s",
				effort, strings.Join(slices.Sorted(maps.Keys(shares)), ", "))
		}
		limit := int64(DefaultMaxTokens)
		if sampling.MaxTokens != nil {
			limit = *sampling.MaxTokens
		}
		h.budget = min(max(limit*share/100, minBudget), maxBudget)
		if h.budget >= limit {
			h.budget = 0
			h.warn("%s", wire.LeftOut("reasoning_effort", fmt.Sprintf("max_tokens leaves no room for thinking, which takes at least %d", minBudget)))
			return nil
		}
	}
	if history.unsigned {
		// A turn that called tools without signed thinking, because another
		// model began it, cannot go on with thinking.
		h.budget = 0
		h.warn("%s", wire.LeftOut("reasoning", "the calls that are being answered came without signed thinking"))
		return nil
	}
	h.fields.Any("thinking", map[string]any{"type": "enabled", "budget_tokens": h.budget})
	h.thinks = true
	h.illegal(sampling)
	return nil
}

// generation finds the version in a model's name: claude-opus-4-6, but also
// anthropic.claude-sonnet-5 and claude-opus-4-20250514, which is 4.0.
var generation = regexp.MustCompile(`claude-[a-z]+-(\d+)(?:[-.](\d{1,2}))?(?:\D|$)`)

// adaptive knows by its name a model that decides itself how long it thinks.
func adaptive(model string) bool {
	found := generation.FindStringSubmatch(model)
	if found == nil {
		return false
	}
	major, _ := strconv.Atoi(found[1])
	minor, _ := strconv.Atoi(found[2])
	return major > 4 && major < 100 || major == 4 && minor >= 6
}

// illegal takes out what the API refuses while the model thinks.
func (h *head) illegal(sampling *llm.Sampling) {
	const why = "it is illegal while the model thinks"
	if sampling.Temperature != nil {
		h.warn("%s", wire.LeftOut("temperature", why))
		sampling.Temperature = nil
	}
	if sampling.TopK != nil {
		h.warn("%s", wire.LeftOut("top_k", why))
		sampling.TopK = nil
	}
}
