package wire

import (
	"crypto/sha256"
	"encoding/hex"

	"github.com/ai-agent-go/ai-agent/llm"
)

// Fit returns a name of at most length characters out of letters, digits, _ and
// -. A name that fits stays as it is; another one is changed and gets a piece of
// its hash, so that two names do not become one.
func Fit(name string, length int) string {
	fits := name != "" && len(name) <= length
	clean := make([]byte, 0, len(name))
	for i := range len(name) {
		c := name[i]
		if !plain(c) {
			c, fits = '_', false
		}
		clean = append(clean, c)
	}
	if fits {
		return name
	}
	sum := sha256.Sum256([]byte(name))
	suffix := "_" + hex.EncodeToString(sum[:4])
	return string(clean[:min(len(clean), length-len(suffix))]) + suffix
}

func plain(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '_' || c == '-'
}

// ToolNames turns the names of tools into what a service accepts, and back. The
// zero value changes nothing on the way back.
type ToolNames struct{ back map[string]string }

// MaxToolName is as long as the name of a tool may be anywhere.
const MaxToolName = 64

// NamesOf prepares the way back for the tools of a request.
func NamesOf(tools []llm.Tool) ToolNames {
	var n ToolNames
	for i := range tools {
		if name := tools[i].Name; Fit(name, MaxToolName) != name {
			if n.back == nil {
				n.back = make(map[string]string)
			}
			n.back[Fit(name, MaxToolName)] = name
		}
	}
	return n
}

// Back returns the tool's own name.
func (n ToolNames) Back(name string) string {
	if own, ok := n.back[name]; ok {
		return own
	}
	return name
}
