package main

// dialectFaults break what a model is told and how it is understood.
var dialectFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"a slot is offered in two turns", "M2", "kernel/run.go",
		"\tx.s.Slot += x.s.Offered\n", "",
	},
	{
		"a slot counts twice", "M2 M3", "dialect/tags.go",
		"if used[b.slot] || !ask.offers(ts, b.slot) {",
		"if !ask.offers(ts, b.slot) {",
	},
	{
		"a slot of an earlier turn counts", "M2 M3", "dialect/tags.go",
		"n >= a.Slot && n < a.Slot+a.Slots",
		"n >= 0 && n < a.Slot+a.Slots",
	},
	{
		"a slot that was not offered counts", "M3", "dialect/tags.go",
		"n >= a.Slot && n < a.Slot+a.Slots",
		"n >= a.Slot && n <= a.Slot+a.Slots",
	},
	{
		"any nonce is ours", "M3", "dialect/tags.go",
		"\tvar outside strings.Builder\n",
		"\tif i := strings.Index(text, \"<ai-agent-\"); i >= 0 && len(text) > i+18 {\n\t\tnonce = text[i+10 : i+18]\n\t}\n" +
			"\tvar outside strings.Builder\n",
	},
	{
		"all tools are offered on the last turn", "L5", "dialect/toolset.go",
		"if ask.Final {\n\t\treturn ts.offeredLast",
		"if ask.Final && len(ts.offered) == 0 {\n\t\treturn ts.offeredLast",
	},
	{
		"a tool runs on the last turn", "L5 L8", "dialect/call.go",
		"t.spec.Approval\n\tswitch {\n\tcase l.ask.Final:",
		"t.spec.Approval\n\tswitch {\n\tcase l.ask.Final && l.ask.Turn < 0:",
	},
	{
		"slots are offered on the last turn", "M4", "dialect/next.go",
		"a.Slots > 0 && (!a.Final || a.Routes)",
		"a.Slots > 0",
	},
	{
		"a call without its result is left alone", "V2", "dialect/transcript.go",
		"\tfor i := range p.open {\n\t\tp.settle(&p.open[i], orphan(&p.open[i]))\n\t}\n\tp.open = nil\n",
		"\tp.open = nil\n",
	},
	{
		"a result that no call asked for is sent", "V2", "dialect/transcript.go",
		"\t\tif p.open[i].ID != r.CallID {\n\t\t\tcontinue\n\t\t}\n",
		"",
	},
	{
		"three reasons are shown at once", "R7", "dialect/notice.go",
		"const maxShown = 2",
		"const maxShown = 3",
	},
	{
		"the gravest reason is shown last", "R7", "dialect/notice.go",
		"for p := 0; p <= lowestPriority; p++ {",
		"for p := lowestPriority; p >= 0; p-- {",
	},
	{
		"the last turn is not announced", "L5", "dialect/notice.go",
		"if a.Final {\n\t\tkey := \"last.report\"",
		"if a.Final && a.tagged() {\n\t\tkey := \"last.report\"",
	},
	{
		"a tag reaches listeners", "M10", "dialect/filter.go",
		"if ask.tagged() {\n\t\tf.reader",
		"if ask.Transport == spec.TransportXML {\n\t\tf.reader",
	},
	{
		"half a document reaches listeners", "M10", "dialect/filter.go",
		"if !f.silent {\n\t\t\tf.show",
		"if !f.silent || f.preamble {\n\t\t\tf.show",
	},
	{
		"text beside the answer reaches listeners", "M10", "dialect/filter.go",
		"preamble: preamble || !ask.tagged(),",
		"preamble: true,",
	},
	{
		"a message may hold any number of calls", "T6", "dialect/observe.go",
		"if l.TooManyCalls = count > maxCalls; l.TooManyCalls {",
		"if l.TooManyCalls = count > 100*maxCalls; l.TooManyCalls {",
	},
}
