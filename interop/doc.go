// Package interop holds our adapters against programs of others, which cannot
// share our mistakes. `make interop` fetches them and runs its tests; without
// the flag -node there is nothing to run against, and the tests are passed over.
//
// The judge of the wire is aimock, a server that answers in the words of many
// services from one set of fixtures (fixtures/), and keeps a journal of what it
// was asked, as it understood it. It runs strictly: what no fixture matches is
// an error.
package interop
