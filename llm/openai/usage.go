package openai

import (
	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// readUsage reads the counts of either API. Those of the prompt include what
// came from the cache; ours do not.
func readUsage(s *wire.Scanner, a *wire.Answer) {
	var prompt, output, cached, hits, written, reasoning, total int64
	if !s.Object() {
		return
	}
	for s.More() {
		switch string(s.Key()) {
		case "prompt_tokens", "input_tokens":
			prompt = s.Int()
		case "completion_tokens", "output_tokens":
			output = s.Int()
		case "total_tokens":
			total = s.Int()
		case "prompt_cache_hit_tokens":
			hits = s.Int()
		case "prompt_tokens_details", "input_tokens_details":
			for detail := s.Object(); detail && s.More(); {
				switch string(s.Key()) {
				case "cached_tokens":
					cached = s.Int()
				case "cache_write_tokens":
					written = s.Int()
				default:
					s.Skip()
				}
			}
		case "completion_tokens_details", "output_tokens_details":
			for detail := s.Object(); detail && s.More(); {
				if string(s.Key()) == "reasoning_tokens" {
					reasoning = s.Int()
				} else {
					s.Skip()
				}
			}
		case "cost":
			a.Cost = cost(s, a.Cost)
		case "cost_details":
			for detail := s.Object(); detail && s.More(); {
				if string(s.Key()) == "upstream_inference_cost" {
					a.UpstreamCost = cost(s, a.UpstreamCost)
				} else {
					s.Skip()
				}
			}
		default:
			s.Skip()
		}
	}
	if cached == 0 {
		cached = hits
	}
	if reasoning > 0 && total == prompt+output+reasoning {
		output += reasoning // some count it apart
	}
	a.Usage = &llm.Usage{
		Input: max(prompt-cached-written, 0), Output: output, CacheRead: cached, CacheWrite: written, Reasoning: reasoning,
	}
}

func cost(s *wire.Scanner, before *llm.Money) *llm.Money {
	usd, ok := s.Float()
	if !ok {
		return before
	}
	money := llm.MoneyFromUSD(usd)
	return &money
}
