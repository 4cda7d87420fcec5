package main

// hostFaults break the order in which things become durable, and who hears of
// them.
var hostFaults = []fault{ //nolint:gochecknoglobals // a table that nobody changes
	{
		"letters are not part of the append", "S8 T14", "host/actor.go",
		"\tbatch.Letters = post.letters\n", "",
	},
	{
		"a child that cannot start tells nobody", "T14", "host/child.go",
		"\tif err != nil {\n\t\tp.write(p.id.Session, childKey", "\tif err != nil {\n\t\tp.write(\"nobody\", childKey",
	},
	{
		"effects start before their frame is stored", "S8", "host/actor.go",
		"\tif err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {",
		"\tfor i := range w.outputs {\n\t\tfor _, e := range w.outputs[i].Effects {\n\t\t\ta.start(e)\n\t\t}\n" +
			"\t\tw.outputs[i].Effects = nil\n\t}\n\tif err := a.h.store.Append(a.h.ctx, a.key, batch); err != nil {",
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
		"\tcase e.Seq < f.next:\n\t\treturn true, true\n", "",
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
		"latency := a.h.clock.Now() - started",
		"latency := started - started",
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
