// Package ollama speaks the chat API of Ollama, which runs models on one's own
// machine. It needs no key, answers in lines of JSON, and takes sampling
// settings in an object of their own, beside which anything else that a model
// knows may be set through provider options.
package ollama
