package main

// guardFaults break the context guard's arithmetic and the budget's.
var guardFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"the guard forgets the tools' schemas", "X2", "kernel/guard.go",
		"return g.Current + g.Pending + ask.TailTokens() + x.schemaTokens(ask)",
		"return g.Current + g.Pending + ask.TailTokens()",
	},
	{
		"the guard forgets the notice", "X2", "kernel/guard.go",
		"return g.Current + g.Pending + ask.TailTokens() + x.schemaTokens(ask)",
		"return g.Current + g.Pending + x.schemaTokens(ask)",
	},
	{
		"a result's room is without the tools' schemas", "X2 X3", "kernel/guard.go",
		"projected := g.Current + g.Pending + g.New + x.s.Run.Config.SchemaTokens + tokens",
		"projected := g.Current + g.Pending + g.New + tokens",
	},
	{
		"the sum of a request leaves out the schemas", "X7", "kernel/attempt.go",
		"Expected: x.s.Guard.Current + fresh + schema,",
		"Expected: x.s.Guard.Current + fresh,",
	},
	{
		"new tokens are lost on their way", "X1", "kernel/guard.go",
		"\tg.Pending += g.New\n", "",
	},
	{
		"what the provider counted is counted again", "X1", "kernel/classify.go",
		"\tguard.Pending = 0\n", "",
	},
	{
		"a response without usage empties the context", "X1", "kernel/classify.go",
		"guard.Current += guard.Pending + g.Observation.Tokens",
		"guard.Current = 0",
	},
	{
		"the cache is not part of the context", "X1", "kernel/classify.go",
		"guard.Current = min(u.Total(), MaxContext)",
		"guard.Current = min(u.Input+u.Output, MaxContext)",
	},
	{
		"the room for the answer is given away", "X2", "kernel/config.go",
		"return t.Window - t.Buffer - t.MaxOutput",
		"return t.Window - t.Buffer",
	},
	{
		"a dropped result changes nothing", "X6", "kernel/guard.go",
		"\tx.force(dialect.FinalContext)\n\tx.s.Guard.New += numbers.Replacement",
		"\tx.s.Guard.New += numbers.Replacement",
	},
	{
		"a result that fits nowhere is admitted", "X4", "kernel/admit.go",
		"\treturn x.text(contextExceeded)\n}\n\n// store keeps",
		"\treturn c.Result\n}\n\n// store keeps",
	},
	{
		"a full context is asked again with all tools", "X8 L8", "kernel/classify.go",
		"x.force(dialect.FinalContext)\n\t\t\tr.MaxTurns = r.Turn",
		"r.LastClass = e.Class",
	},
	{
		"usage is added twice", "A4", "kernel/classify.go",
		"r.Usage = r.Usage.Add(*g.Usage)",
		"r.Usage = r.Usage.Add(*g.Usage).Add(*g.Usage)",
	},
	{
		"a cost is settled twice", "A5", "kernel/classify.go",
		"x.spend(end.Cost)",
		"x.spend(2 * end.Cost)",
	},
	{
		"nothing is reserved for a request", "A5", "kernel/attempt.go",
		"OpenEffect{Call: -1, Target: a.Target, Turn: r.Turn, Reserved: a.Reserved}",
		"OpenEffect{Call: -1, Target: a.Target, Turn: r.Turn}",
	},
	{
		"an unknown outcome costs nothing", "A5", "kernel/budget.go",
		"return reserved, false",
		"return 0, false",
	},
	{
		"no money is kept for the last turn", "A5", "kernel/budget.go",
		"cost+worst(t, input+t.MaxOutput) > x.left()",
		"cost > x.left()",
	},
	{
		"the worst case leaves out the answer", "A5", "kernel/budget.go",
		"llm.Usage{Input: input, Output: t.MaxOutput}",
		"llm.Usage{Input: input}",
	},
	{
		"what is reserved may be spent again", "A5", "kernel/budget.go",
		"left -= x.s.Run.Open[i].Reserved",
		"left -= 0 * x.s.Run.Open[i].Reserved",
	},
	{
		"a child's cost is lost", "A5 T14", "kernel/child.go",
		"\tx.spend(c.Cost)\n", "",
	},
	{
		"a child tells nobody what it cost", "A5 T14", "host/child.go",
		"Reason: end.Reason, Cost: end.Cost, Usage",
		"Reason: end.Reason, Usage",
	},
	{
		"a child may spend what it likes", "A5 T14", "host/child.go",
		"l.MaxCost = c.Grant",
		"_ = c.Grant",
	},
}
