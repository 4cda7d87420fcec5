package main

// viewFaults break what people and clients are shown.
var viewFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"a failed attempt has no accounting entry", "A1 R9", "view/session.go",
		"s.Accounting = append(s.Accounting, llmEntry(&s.identity, at, f))",
		"if f.Error == nil {\n\t\t\ts.Accounting = append(s.Accounting, llmEntry(&s.identity, at, f))\n\t\t}",
	},
	{
		"an unknown cost is shown as known", "A1 A4", "view/accounting.go",
		"if f.CostKnown {",
		"if f.Error == nil || !f.CostKnown {",
	},
	{
		"an entry does not say where it comes from", "A3", "view/accounting.go",
		"ParentTxnID: id.Parent, OriginTxnID: id.Origin,",
		"ParentTxnID: id.Parent, OriginTxnID: id.Parent,",
	},
	{
		"what was seen is told again at the end", "S3", "view/attempt.go",
		"seen, thought := len(m.seen), len(m.thought)",
		"seen, thought := 0, len(m.thought)",
	},
	{
		"what was missed is never told", "S3", "view/attempt.go",
		"\t\ts.complement(env)\n", "",
	},
	{
		"a message has no end", "S2", "view/openmessage.go",
		"\ts.emit(e)\n\ts.message = nil\n",
		"\ts.message = nil\n",
	},
	{
		"an execution that was cut off has no end", "S2", "view/stream.go",
		"for len(s.tools) > 0 {",
		"for len(s.tools) > 1<<20 {",
	},
	{
		"deltas of an attempt that is over are told", "S2", "view/stream.go",
		"if effect != s.attempt || d.Delta.Block < 0",
		"if d.Delta.Block < 0",
	},
	{
		"pending calls stay after their answers", "S1 S6", "view/session.go",
		"s.Status, s.Pending, s.End, s.TotalCost = f.Status, nil, f, f.Total",
		"s.Status, s.End, s.TotalCost = f.Status, f, f.Total",
	},
	{
		"a child's cost is not shown", "A5 S1", "view/session.go",
		"\t\ts.TotalCost += f.Cost\n\t\ts.totals.child(f)\n",
		"",
	},
}
