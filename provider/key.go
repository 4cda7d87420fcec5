package provider

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/ai-agent-go/ai-agent/llm"
	"github.com/ai-agent-go/ai-agent/spec"
)

// maxSecret bounds a file that is said to hold a secret.
const maxSecret = 64 << 10

// Key makes a key of a reference: env:NAME is a variable, file:PATH the text of
// a file without the space around it. Nothing is read before the first call.
//
// A reference of another form is an error that does not repeat it: it might be
// the secret itself, written where its name should be.
func Key(ref spec.Secret, getenv func(name string) string) (llm.Key, error) {
	scheme, rest, _ := strings.Cut(ref.Ref, ":")
	switch {
	case scheme == "env" && rest != "":
		return envKey(getenv, rest), nil
	case scheme == "file" && rest != "":
		return func(context.Context) (string, error) { return readSecret(rest) }, nil
	default:
		return nil, errors.New("a secret is referred to by env:NAME or file:PATH")
	}
}

// envKey reads the first variable that is set.
func envKey(getenv func(string) string, names ...string) llm.Key {
	return func(context.Context) (string, error) {
		for _, name := range names {
			if value := getenv(name); value != "" {
				return value, nil
			}
		}
		return "", fmt.Errorf("the variable %s is not set", strings.Join(names, " or "))
	}
}

func readSecret(path string) (string, error) {
	file, err := os.Open(path) //nolint:gosec // the configuration names it
	if err != nil {
		return "", err //nolint:wrapcheck // it names the file and says why
	}
	defer func() { _ = file.Close() }()
	data, err := io.ReadAll(io.LimitReader(file, maxSecret+1))
	switch secret := strings.TrimSpace(string(data)); {
	case err != nil:
		return "", err //nolint:wrapcheck // it names the file and says why
	case len(data) > maxSecret:
		return "", fmt.Errorf("the file %s is too large for a secret", path)
	case secret == "":
		return "", fmt.Errorf("the file %s is empty", path)
	default:
		return secret, nil
	}
}
