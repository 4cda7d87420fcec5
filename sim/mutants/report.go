package main

// reportFaults break the final report.
var reportFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"text ends a run that wants a report", "R12", "kernel/classify.go",
		"case o.HasText && r.Config.Completion.IsText() && o.TextReport.Fit && !truncated:",
		"case o.HasText && o.TextReport.Fit && !truncated:",
	},
	{
		"the last resort is taken before the attempts are used up", "F1", "kernel/classify.go",
		"if g.Observation.TextReport.Fit {\n\t\t\tx.keepText(g)\n",
		"if g.Observation.TextReport.Fit {\n\t\t\tx.acceptResponse(end, g)\n" +
			"\t\t\tx.finish(&FinalReport{Source: SourceText, Payload: g.TextReport})\n\t\t\treturn\n",
	},
	{
		"the last resort is forgotten", "F1", "kernel/attempt.go",
		"if t := r.Text; t != nil {",
		"if t := r.Text; t != nil && t.Bytes < 0 {",
	},
	{
		"text that was cut off is the answer", "R12 F1", "kernel/classify.go",
		"o.TextReport.Fit && !truncated:",
		"o.TextReport.Fit:",
	},
	{
		"a report of ours is a success", "F2", "kernel/report.go",
		"Turn: r.Turn, Source: SourceSynthetic,",
		"Turn: r.Turn, OK: true, Source: SourceSynthetic,",
	},
	{
		"a failed run is a success", "F2", "kernel/report.go",
		"&RunEnd{Status: StatusError, Reason: reason,",
		"&RunEnd{Status: StatusError, OK: true, Reason: reason,",
	},
	{
		"the model's word on its success is taken", "F2", "kernel/report.go",
		"r.Turn, true, r.Config.Format, x.s.Time",
		"r.Turn, f.ModelStatus != \"failure\", r.Config.Format, x.s.Time",
	},
	{
		"a report's format is not the session's", "F3", "kernel/report.go",
		"r.Turn, true, r.Config.Format, x.s.Time",
		"r.Turn, true, spec.FormatText, x.s.Time",
	},
	{
		"a report of another format is refused", "F3", "dialect/report.go",
		"if r.Normalised = r.Fit; !r.Fit {",
		"if r.Normalised = false; !r.Normalised {",
	},
	{
		"a rejected report leaves all turns", "F6", "kernel/classify.go",
		"\t\tx.force(dialect.FinalReportFailed)\n\t\tr.MaxTurns = r.Turn + 1\n", "",
	},
	{
		"a rejected report's reason is not given", "F7", "kernel/classify.go",
		"\tr.Reports++\n", "",
	},
	{
		"a failed run leaves no word of it", "V5", "kernel/report.go",
		"\tx.commit(Entry{Kind: dialect.ItemTerminal, Ref: terminal.Ref, Bytes: int64(len(message)), Failed: true})\n", "",
	},
	{
		"a failed run's last word reaches the model", "V5", "transcript/history.go",
		"if e.Kind == dialect.ItemTerminal {\n\t\treturn item, nil",
		"if e.Kind == dialect.ItemTerminal {\n\t\tm := llm.Text(llm.RoleUser, \"The run failed.\")\n" +
			"\t\treturn dialect.Item{Kind: dialect.ItemUser, User: &m}, nil",
	},
	{
		"of several calls of the report the first counts", "M7", "dialect/observe.go",
		"if l.Report == nil || report.Fit || !l.Report.Fit {",
		"if l.Report == nil || report.Fit && !l.Report.Fit {",
	},
	{
		"of several tags the first counts", "M7", "dialect/observe.go",
		"for i := len(tags) - 1; i >= 0; i-- {",
		"for i := range tags {",
	},
	{
		"a report that the limit cut off is taken", "M6", "dialect/report.go",
		"report, body = reject(SlugTagTruncated, \"the tag has no end: the output limit was reached\"), nil", "",
	},
	{
		"an unclosed report is refused after a normal end", "M6", "dialect/report.go",
		"case llm.FinishStop, llm.FinishToolCalls:",
		"case llm.FinishToolCalls:",
	},
}
