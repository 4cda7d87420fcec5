// Package provider makes adapters out of configuration: a name, a type, an
// address and a reference to a secret become something that answers requests.
//
//	p, err := provider.New(&provider.Config{Name: "work", Type: provider.Anthropic, Key: spec.Secret{Ref: "file:/run/secrets/key"}}, nil)
//
// [FromEnvironment] finds the services that this machine has the usual keys of,
// with a model to begin with, so that a first run needs no configuration.
//
// Secrets are references, env:NAME or file:PATH. They are resolved at every
// call and kept nowhere (contract P6, U9); a key that is changed while the
// program runs is used from the next call on.
package provider
