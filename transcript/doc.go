// Package transcript reads conversations. The kernel keeps a conversation as a
// linked list of references and never looks at what they refer to; here the
// contents are read, and a generate effect becomes the request that a provider
// is sent. It is the one place where that happens: executors send what [History]
// makes, and whoever checks a journal derives it again.
package transcript
