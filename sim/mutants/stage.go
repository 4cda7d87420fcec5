package main

// stageFaults are about agents before and after a run, and shared money.
var stageFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"a report is shown that was to be handed over", "B5", "kernel/report.go",
		`r.Config.Handoff != "" {`, `r.Config.Handoff == "never" {`,
	},
	{
		"advisors are not waited for", "B5", "kernel/stage.go",
		"if x.s.Run.Open[i].Stage == StageAdvisor {\n\t\t\treturn", "if x.s.Run.Open[i].Stage == StageRouter {\n\t\t\treturn",
	},
	{
		"an advisor's words are lost", "B5", "kernel/stage.go",
		"in.Ref, in.Bytes, in.OK = content.Ref, content.Bytes, c.OK", "in.Ref, in.OK = x.text(\"\").Ref, c.OK\n\t\t\t_ = content",
	},
	{
		"a failed advisor fails the run", "B5", "kernel/stage.go",
		"case o.Stage == StageAdvisor:", "case o.Stage == StageAdvisor && c.OK:",
	},
	{
		"the handoff after a route is forgotten", "B5", "kernel/stage.go",
		`o.Stage == StageRouter && r.Config.Handoff != ""`, `o.Stage == StageAdvisor && r.Config.Handoff != ""`,
	},
	{
		"the router's word is not passed on", "B5", "kernel/stage.go",
		`if to.Message != "" {`, `if to.Message == "" {`,
	},
	{
		"the first route counts", "B5 M7", "kernel/batch.go",
		"if c.Route != nil && b.Report.IsZero() {", "if c.Route != nil && b.Route == nil && b.Report.IsZero() {",
	},
	{
		"a route undoes a report", "B5", "kernel/admit.go",
		"\tif b.Route != nil {\n\t\tx.route(b.Route)\n\t\treturn\n\t}\n", "",
	},
	{
		"the router is not offered on the last turn", "L5 B5", "dialect/toolset.go",
		"\tif ts.router != nil {\n\t\tts.offeredLast = append(ts.offeredLast, ts.router.tool)\n\t}\n", "",
	},
	{
		"what another agent answered is forgotten", "B5 V1", "kernel/stage.go",
		"x.s.Answered = &Inner{", "_ = &Inner{",
	},
	{
		"what another agent answered is told again and again", "B5 V3", "kernel/run.go",
		"\t\tx.s.Answered = nil\n", "",
	},
	{
		"a handed over answer has another format", "F3 B5", "host/child.go",
		"\t\tagent.Format, agent.Schema = parent.Format, parent.Schema\n", "\t\tagent.Schema = parent.Schema\n",
	},
	{
		"nobody knows who answered", "B5", "kernel/stage.go",
		"Payload: c.Payload, Agent: c.Agent}", "Payload: c.Payload}",
	},
	{
		"a failed handoff is a success", "B5 F7", "kernel/stage.go",
		"\tcase !c.OK:\n\t\tx.handoffFailed(o, c)\n", "",
	},
	{
		"shared accounts are not asked", "A5", "kernel/budget.go",
		"if l.MaxUserCost > 0 {", "if l.MaxUserCost < 0 {",
	},
	{
		"a refusal of shared accounts is ignored", "A5", "kernel/budget.go",
		"case l.OK:\n\t\tx.request(a, o.ID)", "case l.OK || a.Ask.Final:\n\t\tx.request(a, o.ID)",
	},
	{
		"money of a run that ends is kept", "A5", "kernel/budget.go",
		"\t\tif l.OK {\n\t\t\tx.do(&Ledger{Accounts: x.accounts(), Release: o.ID})\n\t\t}\n", "",
	},
	{
		"a request is never settled", "A5", "host/generate.go",
		"\t\ta.settleHold(g, rc.run, d.receipt.Generated)\n", "",
	},
	{
		"a child does not know its caller's accounts", "A5 T14", "host/child.go",
		"\tl.MaxUserCost, l.MaxTenantCost = parent.Limits.MaxUserCost, parent.Limits.MaxTenantCost\n", "\t_ = parent.Limits\n",
	},
	{
		"stopping a run does not stop its children", "L8 T14", "kernel/run.go",
		"\t\tif o.Child != \"\" {\n\t\t\tx.start(&Forward", "\t\tif o.Child == \"none\" {\n\t\t\tx.start(&Forward",
	},
}
