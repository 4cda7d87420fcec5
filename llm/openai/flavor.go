package openai

import (
	"crypto/sha256"
	"math/big"

	"github.com/ai-agent-go/ai-agent/llm/internal/wire"
)

// Flavor is a family of services that speak Chat Completions with the same
// accent.
type Flavor string

// The flavors.
const (
	// FlavorOpenAI is the vendor's own service.
	FlavorOpenAI Flavor = "openai"
	// FlavorCompatible is everybody else: vLLM, llama.cpp, LM Studio, and the
	// many services that copied the API in its early form.
	FlavorCompatible Flavor = "compatible"
	// FlavorOpenRouter is the router, which also reports costs and who answered.
	FlavorOpenRouter Flavor = "openrouter"
	// FlavorMistral wants ids of nine characters.
	FlavorMistral Flavor = "mistral"
)

// accent is what is known of a flavor.
type accent struct {
	settings wire.Settings
	// effort and budget are the names of the reasoning settings; a name with a
	// dot is a field of an object. An empty one means that there is none.
	effort, budget string
	// countUsage asks a router to report what it charges.
	countUsage bool
	// emptyTools sends an empty list of tools when the history has calls and
	// the request has none, which services in between need and the vendor
	// refuses.
	emptyTools bool
	// callID makes an id that the service accepts.
	callID func(string) string
	// headers are sent unless the configuration replaces them.
	headers map[string]string
}

var flavors = map[Flavor]*accent{
	FlavorOpenAI: {
		settings: wire.Settings{
			Temperature: "temperature", TopP: "top_p", RepeatPenalty: "frequency_penalty", MaxTokens: "max_completion_tokens", Stop: "stop",
		},
		effort: "reasoning_effort", callID: fit40,
	},
	FlavorCompatible: {
		settings: wire.Settings{
			Temperature: "temperature", TopP: "top_p", TopK: "top_k", RepeatPenalty: "repeat_penalty", MaxTokens: "max_tokens", Stop: "stop",
		},
		effort: "reasoning_effort", emptyTools: true, callID: fit40,
	},
	FlavorOpenRouter: {
		settings: wire.Settings{
			Temperature: "temperature", TopP: "top_p", TopK: "top_k", RepeatPenalty: "repetition_penalty", MaxTokens: "max_tokens", Stop: "stop",
		},
		effort: "reasoning.effort", budget: "reasoning.max_tokens", countUsage: true, emptyTools: true, callID: fit40,
		headers: map[string]string{"Http-Referer": "https://ai-agent.local", "X-Title": "ai-agent"},
	},
	FlavorMistral: {
		settings: wire.Settings{
			Temperature: "temperature", TopP: "top_p", RepeatPenalty: "frequency_penalty", MaxTokens: "max_tokens", Stop: "stop",
		},
		callID: fitNine,
	},
}

func fit40(id string) string { return wire.Fit(id, 40) }

// fitNine makes an id of exactly nine letters and digits.
func fitNine(id string) string {
	fits := len(id) == 9
	for i := range len(id) {
		c := id[i]
		fits = fits && (c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	}
	if fits {
		return id
	}
	sum := sha256.Sum256([]byte(id))
	text := "00000000" + new(big.Int).SetBytes(sum[:]).Text(62)
	return text[len(text)-9:]
}
