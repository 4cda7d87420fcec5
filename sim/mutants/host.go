package main

// hostFaults break the order in which things become durable, and who hears of
// them.
var hostFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"effects start before their frame is stored", "S8", "host/actor.go",
		`	if err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {
		return fmt.Errorf("session %s: append frame %d: %w", a.key, w.frames[0].Seq, err)
	}
	if batch.State != nil {
		a.saved = w.state.Seq
	}
	a.state, a.head = w.state, w.head
	a.project.remember(w.blobs)
	for i := range w.outputs {
		a.hub.publish(w.frames[i].Seq, w.frames[i].Time, w.outputs[i].Facts)
	}
	a.h.settle(a.key, w.settled)
	if a.state.Identity.Parent != "" {
		a.tellParent(w.outputs)
	}
	for i := range w.outputs {
		for _, e := range w.outputs[i].Effects {
			a.start(e)
		}
	}
	return nil
`,
		`	a.state, a.head = w.state, w.head
	a.project.remember(w.blobs)
	for i := range w.outputs {
		for _, e := range w.outputs[i].Effects {
			a.start(e)
		}
	}
	if err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {
		return fmt.Errorf("session %s: append frame %d: %w", a.key, w.frames[0].Seq, err)
	}
	if batch.State != nil {
		a.saved = w.state.Seq
	}
	for i := range w.outputs {
		a.hub.publish(w.frames[i].Seq, w.frames[i].Time, w.outputs[i].Facts)
	}
	a.h.settle(a.key, w.settled)
	if a.state.Identity.Parent != "" {
		a.tellParent(w.outputs)
	}
	return nil
`,
	},
	{
		"facts are told before their frame is stored", "S7 S8", "host/actor.go",
		"\tif err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {",
		"\tfor i := range w.outputs {\n\t\ta.hub.publish(w.frames[i].Seq, w.frames[i].Time, w.outputs[i].Facts)\n\t}\n" +
			"\tif err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {",
	},
	{
		"deltas go on after some were lost", "S3", "host/bus.go",
		"if e.Delta != nil && e.Delta.Effect == s.muted {",
		"if e.Delta != nil && e.Delta.Effect == \"\" {",
	},
	{
		"who comes late misses the beginning", "S3", "host/bus.go",
		"for i := range b.pieces {",
		"for i := range b.pieces[:0] {",
	},
	{
		"who lags behind loses facts", "S7", "host/bus.go",
		"if (lagged || behind) && !f.catchUp(math.MaxUint64) {",
		"if (lagged && f.next == 0 || behind) && !f.catchUp(math.MaxUint64) {",
	},
	{
		"a fact is told twice", "S7", "host/bus.go",
		"\tcase e.Seq < f.next:\n\t\treturn true\n", "",
	},
	{
		"a cancelled request goes on", "S11 R10", "host/actor.go",
		"cancel(errCancelled)",
		"_ = errCancelled",
	},
	{
		"a request is sent that nobody can derive again", "P12", "host/generate.go",
		"\t\td.receipt.Generated.Request = digest\n", "\t\t_ = digest\n",
	},
	{
		"the time that a request took is not known", "A1", "host/generate.go",
		"d.receipt.LatencyMS = a.h.clock.Now() - started",
		"_ = started",
	},
	{
		"a panicking adapter takes the process down", "E1", "host/effort.go",
		"if r := recover(); r != nil {", "if r := error(nil); r != nil {",
	},
	{
		"due timers do not fire", "R3 S6", "host/actor.go",
		"\tw.dueTimers()\n", "",
	},
}
