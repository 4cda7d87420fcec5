// Package catalog knows the models of the day: how much they read and write at
// once, what they can do and what they cost. It is a file of the past, embedded
// with its date, and works without a network.
//
// The catalogue gives advice. It never changes a value that is sent (contract
// P5): a model that it does not know is asked like any other, and a limit that
// it knows better is a warning. Whoever wants a window or a price from it looks
// it up and writes it into the configuration, where everybody can see it.
//
//	m, known := catalog.Default().Lookup("anthropic", "claude-sonnet-5-5")
//	if known {
//		target.Window, target.Price = m.Window, m.Price
//	}
//
// Entries are overridden with [Catalog.With], and names of one's own stand for
// known providers with [Catalog.Alias]. models.tsv is written by the program in
// refresh; it says where the data comes from.
package catalog
