// Package tool says what a tool is: a description as data and a function that
// runs it. A tool without a function is remote: whoever drives the session
// brings the result.
//
// Most tools are a Go function with a typed argument:
//
//	type query struct {
//		City string `json:"city" jsonschema:"the city to ask for"`
//	}
//	weather := tool.Must(tool.New("weather", "Tells the weather.",
//		func(ctx context.Context, q query) (string, error) { … }))
//
// The schema is derived from the type (contract T18). [NewStream] is for tools
// that show something before they are done (contract T16).
package tool
