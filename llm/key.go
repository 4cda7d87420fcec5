package llm

import "context"

// Key gives the secret that a provider is called with. Adapters ask for it at
// every call and keep it nowhere, so that whoever makes one decides where
// secrets live: in the environment, in a file, behind a reference (contract U9,
// P6). It may be called concurrently. An error ends the call before a request
// leaves; its text is shown to people and must not hold the secret.
type Key func(ctx context.Context) (string, error)

// FixedKey is a key that is known already.
func FixedKey(secret string) Key {
	return func(context.Context) (string, error) { return secret, nil }
}
