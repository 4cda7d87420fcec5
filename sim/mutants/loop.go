package main

// loopFaults break turns, attempts, targets and waits.
var loopFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"one attempt too many", "L4", "kernel/attempt.go",
		"if r.Attempt >= r.Config.Limits.MaxRetries {\n\t\tx.exhausted()",
		"if r.Attempt > r.Config.Limits.MaxRetries {\n\t\tx.exhausted()",
	},
	{
		"one turn too many", "L1", "kernel/run.go",
		"MaxTurns: cfg.Limits.MaxTurns, Prompt: p.Content}",
		"MaxTurns: cfg.Limits.MaxTurns + 1, Prompt: p.Content}",
	},
	{
		"the last turn is a turn like any other", "L5", "kernel/run.go",
		"if r.Turn >= r.MaxTurns {\n\t\tx.force(dialect.FinalMaxTurns)",
		"if r.Turn > r.MaxTurns {\n\t\tx.force(dialect.FinalMaxTurns)",
	},
	{
		"attempts are counted over turns", "L4", "kernel/run.go",
		"\tr.Attempt = 0\n", "",
	},
	{
		"a turn without an answer ends the run", "L6", "kernel/attempt.go",
		"if r.Turn < r.MaxTurns {\n\t\tx.force(dialect.FinalRetries)",
		"if r.Turn < 0 {\n\t\tx.force(dialect.FinalRetries)",
	},
	{
		"the first target is asked always", "R1", "kernel/guard.go",
		"return fitting[(r.Attempt-1)%int64(len(fitting))]",
		"return fitting[0]",
	},
	{
		"a turn goes on with the next target", "R1 P11", "kernel/guard.go",
		"return fitting[(r.Attempt-1)%int64(len(fitting))]",
		"return fitting[x.s.Totals.Attempts%int64(len(fitting))]",
	},
	{
		"a wait after the last attempt", "R3", "kernel/attempt.go",
		"if r.Attempt >= r.Config.Limits.MaxRetries {\n\t\treturn false",
		"if r.Attempt > r.Config.Limits.MaxRetries {\n\t\treturn false",
	},
	{
		"a wait of more than a minute", "R3", "kernel/attempt.go",
		"if wait = min(wait, maxWaitMS); wait > c.WaitMS {",
		"if wait > c.WaitMS {",
	},
	{
		"a wait although a target is not limited", "R3", "kernel/attempt.go",
		"if r.Cycle.Limited < r.Cycle.Size || r.Cycle.Size == 0 {",
		"if r.Cycle.Limited == 0 {",
	},
	{
		"waits do not grow", "R3", "kernel/attempt.go",
		"wait = 1000 << min(c.Backoffs, 6)",
		"wait = 1000",
	},
	{
		"bad credentials are tried again", "R2", "kernel/classify.go",
		"r.LastClass = e.Class\n\t\tx.fail(ReasonAuth, \"The provider rejected the credentials: \"+e.Message)",
		"x.failedAttempt(e.Class, e.Message)",
	},
	{
		"a used up quota is tried again", "R2", "kernel/classify.go",
		"r.LastClass = e.Class\n\t\tx.fail(ReasonQuota, \"The provider's quota or credit is used up: \"+e.Message)",
		"x.failedAttempt(e.Class, e.Message)",
	},
	{
		"a notice outlives its attempt", "V3 R7", "kernel/attempt.go",
		"\tr.Notices = nil\n", "",
	},
	{
		"the model is not told why it is asked again", "R7", "kernel/attempt.go",
		"\tr.Notices = notices\n", "\t_ = notices\n",
	},
	{
		"a rejected response is kept", "L7 V3", "kernel/classify.go",
		"\tx.tell(end)\n\twhy := ",
		"\tx.tell(end)\n\tx.commit(Entry{Kind: dialect.ItemAssistant, Ref: end.Output})\n\twhy := ",
	},
	{
		"the user is heard twice", "V1", "kernel/run.go",
		"r.Said = true\n",
		"r.Said = x.s.Runs > 1\n",
	},
	{
		"a failed request has no end", "R9 A1", "kernel/classify.go",
		"x.tell(end)\n\t\tx.providerFailed(g.Error)",
		"x.providerFailed(g.Error)",
	},
	{
		"a weaker reason takes a stronger one's place", "L8", "kernel/run.go",
		"if reason.Rank() <= r.Forced.Rank() {",
		"if reason == r.Forced {",
	},
	{
		"a model may think for ever", "L8", "kernel/admit.go",
		"r.Wasted >= maxWasted {",
		"r.Wasted > maxWasted {",
	},
	{
		"progress does not count", "L8", "kernel/admit.go",
		"x.progressed(b.Started > 0)",
		"x.progressed(false)",
	},
	{
		"nobody hears a stop", "L8", "kernel/run.go",
		"\tx.force(dialect.FinalUserStop)\n", "",
	},
	{
		"a run may last for ever", "L6", "kernel/receive.go",
		"x.abort(&Abort{Message: \"The run took longer than its time limit.\"})",
		"",
	},
}
