package main

// sessionFaults break what outlives a run: queues, aborts, configuration, the
// journal and recovery.
var sessionFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"what is said to a running agent is lost", "S10", "kernel/attempt.go",
		"\t\tfor _, c := range r.Steers {\n\t\t\tx.addUser(c)\n\t\t}\n", "",
	},
	{
		"what is said too late for a run is lost", "S10", "kernel/report.go",
		"late = append(late, Prompt{Content: c})",
		"_ = c",
	},
	{
		"a queued prompt is never taken up", "S10", "kernel/report.go",
		"x.s.FollowUps = append(late, x.s.FollowUps...)\n\tx.startFollowUp()",
		"x.s.FollowUps = append(late, x.s.FollowUps...)",
	},
	{
		"of queued prompts the last is taken first", "S10", "kernel/run.go",
		"\tp := x.s.FollowUps[0]\n\tx.s.FollowUps = append([]Prompt(nil), x.s.FollowUps[1:]...)\n",
		"\tn := len(x.s.FollowUps) - 1\n\tp := x.s.FollowUps[n]\n\tx.s.FollowUps = x.s.FollowUps[:n]\n",
	},
	{
		"an abort leaves calls without results", "S11 V2", "kernel/batch.go",
		"\tx.admitReady()\n\tr.Batch = nil", "\tr.Batch = nil",
	},
	{
		"an abort does not wait for what is under way", "S11", "kernel/receive.go",
		"if len(r.Open) > 0 {\n\t\treturn\n\t}\n\tx.settleBatch",
		"x.settleBatch",
	},
	{
		"an abort stops nothing", "S11 R10", "kernel/receive.go",
		"\t\tx.cancel(&o)\n\t\tif o.Class != \"timer\" {",
		"\t\tif o.Class != \"timer\" {",
	},
	{
		"what an aborted model had said is lost", "S11 V5", "kernel/classify.go",
		"\t\tr.Partial = g.Output\n", "",
	},
	{
		"a configuration changes in the middle of a run", "P4", "kernel/step.go",
		"x.s.Config = &b.Config",
		"x.s.Config = &b.Config\n\t\tif x.s.Run != nil {\n\t\t\tx.s.Run.Config = &b.Config\n\t\t}",
	},
	{
		"a run's configuration becomes the session's", "P3 P4", "kernel/run.go",
		"cfg = p.Config",
		"cfg = p.Config\n\t\tx.s.Config = cfg",
	},
	{
		"a profile's cap is applied silently", "P3", "spec/profile.go",
		"return constraint(\"max_tokens %d is above the cap of %d\", *m, p.MaxTokensCap)",
		"t.Sampling.MaxTokens = &p.MaxTokensCap",
	},
	{
		"a profile's allowed models are a suggestion", "P3", "spec/profile.go",
		"return constraint(\"model %q is not among the allowed ones: %v\", t.Model, p.AllowedModels)",
		"t.Model = p.AllowedModels[0]",
	},
	{
		"a profile that is not there is passed over", "P2", "spec/profile.go",
		"return nil, &ProfileError{Code: ProfileNotFound, Profile: id, Message: \"there is no profile of this name\"}",
		"continue",
	},
	{
		"the last field of everything is forgotten", "P10", "journal/types.go",
		"\tfor i := range l.ops {", "\tfor i := range l.ops[:max(len(l.ops)-1, 0)] {",
	},
	{
		"what is optional is forgotten", "P10", "journal/types.go",
		"present := *p != nil", "present := false",
	},
	{
		"a copied state shares its queue", "P10", "kernel/state.go",
		"\tr.Open = slices.Clone(r.Open)\n", "",
	},
	{
		"time runs backwards", "P10", "kernel/step.go",
		"next.Time = max(s.Time, in.At)",
		"next.Time = in.At",
	},
	{
		"replay does not look at the state", "P10", "replay/replay.go",
		"if f.State != again.State {",
		"if f.State != again.State && f.Seq == 0 {",
	},
	{
		"recovery runs a tool again that must not", "S8", "kernel/receive.go",
		"t.Status == ToolInterrupted && c.ReplaySafe && c.Reruns",
		"t.Status == ToolInterrupted && c.Reruns",
	},
	{
		"recovery runs no tool again", "S8", "kernel/receive.go",
		"t.Status == ToolInterrupted && c.ReplaySafe && c.Reruns",
		"t.Status == \"never\" && c.Reruns",
	},
	{
		"a tool is run again for ever", "S8", "kernel/receive.go",
		"c.Reruns < maxReruns", "c.Reruns <= maxReruns",
	},
	{
		"a tool that is run again is another to the far side", "S8", "host/execute.go",
		"cmp.Or(t.Again, id)", "cmp.Or(id, t.Again)",
	},
	{
		"recovery sends a request again", "S8 R9", "kernel/recover.go",
		"case o.Class == \"generate\":",
		"case o.Class == \"generate\":\n\t\t\tall = append(all, Recovery{Effect: o.ID})\n\t\tcase o.Class == \"never\":",
	},
}
