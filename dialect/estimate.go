package dialect

// Estimates are byte arithmetic: they need no tables, cost nothing and err on
// the side of too many for every language that models are good at. What a
// provider reports replaces them with every response.

const (
	bytesPerToken    = 4
	tokensPerMessage = 4
	tokensPerCall    = 2
)

// Tokens estimates the tokens of so many bytes of text.
func Tokens(bytes int64) int64 { return (bytes + bytesPerToken - 1) / bytesPerToken }

// MessageTokens estimates a message with so many bytes of content.
func MessageTokens(bytes int64) int64 { return Tokens(bytes) + tokensPerMessage }
