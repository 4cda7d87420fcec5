package main

// toolFaults break the execution of calls and the admission of their results.
var toolFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"one call too many", "L3", "kernel/batch.go",
		"case r.Batch.Started >= r.Config.Limits.MaxToolCallsPerTurn:",
		"case r.Batch.Started > r.Config.Limits.MaxToolCallsPerTurn:",
	},
	{
		"the report counts as a call", "L3", "kernel/batch.go",
		"\t\tcall.Done, call.Result = true, x.text(reportAccepted)\n",
		"\t\tr.Batch.Started++\n\t\tcall.Done, call.Result = true, x.text(reportAccepted)\n",
	},
	{
		"a status counts as a call", "L3 T11", "kernel/batch.go",
		"\t\tcall.Done, call.Result = true, x.text(statusShown)\n",
		"\t\tr.Batch.Started++\n\t\tcall.Done, call.Result = true, x.text(statusShown)\n",
	},
	{
		"results that wait are admitted backwards", "T7", "kernel/admit.go",
		"entries = append(entries, x.admitCall(c))",
		"entries = append([]Entry{x.admitCall(c)}, entries...)",
	},
	{
		"the order of results is the order of arrival", "T7", "kernel/admit.go",
		"for b.Admitted < int64(len(b.Calls)) && b.ready(b.Admitted) {\n\t\tc := &b.Calls[b.Admitted]\n",
		`for b.Admitted < int64(len(b.Calls)) {
		for i := b.Admitted; i < int64(len(b.Calls)); i++ {
			if b.Calls[i].Done && !b.Calls[b.Admitted].Done && b.Calls[i].Group == 0 {
				b.Calls[i], b.Calls[b.Admitted] = b.Calls[b.Admitted], b.Calls[i]
				for j := range x.s.Run.Open {
					switch o := &x.s.Run.Open[j]; o.Call {
					case i:
						o.Call = b.Admitted
					case b.Admitted:
						o.Call = i
					}
				}
			}
		}
		c := &b.Calls[b.Admitted]
		if !b.ready(b.Admitted) {
			break
		}
`,
	},
	{
		"calls that were cut off run", "T5", "kernel/classify.go",
		"case truncated && len(o.Calls) > 0:",
		"case truncated && len(o.Calls) < 0:",
	},
	{
		"arguments that were cut off are repaired", "T5", "dialect/call.go",
		"if tc.Bad && l.finish != llm.FinishLength {",
		"if tc.Bad {",
	},
	{
		"invalid arguments run", "T4", "dialect/call.go",
		"if all := t.schema.check(read()); len(all) > 0 {",
		"if all := t.schema.check(read()); len(all) > 100 {",
	},
	{
		"a repair is not logged", "T3", "kernel/batch.go",
		"if len(c.Repairs) > 0 {",
		"if len(c.Repairs) > 100 {",
	},
	{
		"a call that does not run is not answered for", "T4 A2", "kernel/batch.go",
		"x.stub(call, string(c.State), c.Problem)",
		"call.Done, call.Result = true, x.text(statusShown)",
	},
	{
		"a large result's handle leads to the handle", "T9", "kernel/admit.go",
		"Reason: reason, Output: full,",
		"Reason: reason, Output: c.Result,",
	},
	{
		"a handle is given and nothing is stored", "T9", "kernel/admit.go",
		"\tx.tell(&OutputStored{\n\t\tTurn: x.s.Run.Turn,",
		"\t_ = reason\n\t_ = (&OutputStored{\n\t\tTurn: x.s.Run.Turn,",
	},
	{
		"a cut result is longer than its limit", "T9", "host/execute.go",
		"end := limit - len(notice)",
		"end := limit",
	},
	{
		"nobody is asked for approval", "T17", "kernel/batch.go",
		"\t\tcall.Approval = c.Approval\n", "",
	},
	{
		"a denied call runs", "T17", "kernel/receive.go",
		"if d.Allow {",
		"if d.Allow || d.Reason != \"\" {",
	},
	{
		"a result takes an approval's place", "T17 S6", "kernel/receive.go",
		"func(c *BatchCall) bool { return !c.Approval }",
		"func(*BatchCall) bool { return true }",
	},
	{
		"an answered call may be answered again", "S6", "kernel/receive.go",
		"\t\tif c.Done {\n\t\t\treturn OpenEffect{}, CodeAnswered\n\t\t}\n", "",
	},
	{
		"a remote call stays open after its result", "S6", "kernel/receive.go",
		"\tx.close(o.ID)\n\tstatus, reason := ",
		"\tstatus, reason := ",
	},
	{
		"a receipt counts as often as it comes", "S6", "kernel/receive.go",
		"\to, ok := x.close(rc.Effect)\n\tif !ok {",
		"\to, ok := x.close(rc.Effect)\n\tif ok && o.Class == \"tool\" && len(x.s.Run.Open) > 0 {\n" +
			"\t\tx.s.Run.Open = append(x.s.Run.Open, o)\n\t}\n\tif !ok {",
	},
	{
		"a failed child is a success", "T14 T2", "kernel/child.go",
		"if !c.OK {\n\t\tdone.Status",
		"if !c.OK && c.Error == \"\" {\n\t\tdone.Status",
	},
	{
		"an agent may call itself", "T14", "host/child.go",
		"if slices.Contains(path, name) {",
		"if slices.Contains(path[:0], name) {",
	},
	{
		"a tool may take as long as it likes", "T1", "host/execute.go",
		"if t.TimeoutMS > 0 {",
		"if t.TimeoutMS > 1<<40 {",
	},
}
