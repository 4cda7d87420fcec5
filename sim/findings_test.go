package sim

// findings lists what was found, oldest first.
func findings() []finding {
	return []finding{
		{
			name: "a request that waits for money is changed by a step that never was", clause: "P10",
			why: "kernel/attempt.go, request: it wrote to the request that the state before the step holds, too",
			script: `{"seed":11198,"nonce":"e62e93cc","agents":[
				{"targets":[{"provider":"q","model":"m0","window":899,"buffer":10,"max_output":20,"price":{"input":500000000,"output":2000000000},
				"sampling":{"max_tokens":20}}],"limits":{"max_turns":6,"max_retries":3,"max_tenant_cost":16000000},"format":"text","transport":"xml-final"}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],
			"replies":[{"kind":"tags","blocks":[{"kind":"text","text":"<ai-agent-@nonce@-FINAL format=\"poem\"> </ai-agent-@nonce@-FINAL>"}],"finish":"stop"}],
			"faults":[{"kind":"crash_before_append","frame":5}]}`,
		},
		{
			name: "a misfit receipt swallows its attempt", clause: "R9",
			why: "kernel/receive.go, receipt: the default branch has closed the effect and ends the run; a request gets no AttemptEnd",
			script: `{"seed":13,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x"},{"at":2500,"do":"misfit_receipt"}],
			"replies":[{"kind":"empty","after":3000,"finish":"stop"}]}`,
		},
		{
			name: "a misfit receipt overrules an abort", clause: "R10",
			why: "kernel/receive.go, receipt: the default branch fails with internal_error although r.Ending is decided",
			script: `{"seed":1,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x"},{"at":100,"do":"abort"},{"at":100,"do":"misfit_receipt"}],
			"replies":[{"kind":"empty","after":3000,"finish":"stop"}]}`,
		},
		{
			name: "a blank message of a user", clause: "V2",
			why: "dialect/transcript.go, Append: a user's message without text is projected as it is; providers refuse it for ever after",
			script: `{"seed":14,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt"}]}`,
		},
		{
			name: "a remote result that is not UTF-8", clause: "V2",
			why: "session.go, Results stores what it is given; host/execute.go cleans local results, nobody cleans remote ones",
			script: `{"seed":31,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native",
				"tools":[{"name":"ask_user","parameters":{"type":"object"},"kind":"remote"}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],"answers":[{"at":0,"do":"result","text":"@bad@"}],
			"replies":[{"kind":"calls","blocks":[{"kind":"tool_call","id":"c1","name":"ask_user"}],"finish":"stop"}]}`,
		},
		{
			name: "a notice that no attempt explains", clause: "R5",
			why: "kernel/classify.go: a refusal or an invalid response sends the notice empty_response, its AttemptEnd has no slug; " +
				"contract/errors.go, checkNotices sees it where the next attempt is the first of a turn",
			script: `{"seed":20,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],
			"replies":[{"kind":"refusal","finish":"error","error":{"class":"refusal","message":"no"}}]}`,
		},
		{
			name: "an answer to a child is lost in a crash", clause: "L6",
			why: "kernel/child.go, forward takes the call off the list; kernel/recover.go knows nothing of Forward, and the child's second " +
				"notice has the key of its first (host/child.go, tellParent): nobody asks again",
			script: `{"seed":112,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native",
				"tools":[{"name":"agent__helper","parameters":{"type":"object"},"kind":"agent","agent":"helper"}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],
			"replies":[{"kind":"calls","blocks":[{"kind":"tool_call","id":"c1","name":"agent__helper"}],"finish":"stop"}],
			"conducts":[{"kind":"ok","text":"fine","waits":1}],"faults":[{"kind":"crash_after_append","frame":5}]}`,
		},
		{
			name: "an abort does not reach a child after a crash", clause: "L6",
			why: "kernel/recover.go starts a child again although the run is ending, and its cancellation is not said again; answers to its " +
				"calls are refused because r.Ending is set (kernel/child.go, forward): the session waits for ever",
			script: `{"seed":1042,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native",
				"tools":[{"name":"agent__helper","parameters":{"type":"object"},"kind":"agent","agent":"helper"}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],"answers":[{"at":0,"do":"abort"}],
			"replies":[{"kind":"calls","blocks":[{"kind":"tool_call","id":"c1","name":"agent__helper"}],"finish":"stop"}],
			"conducts":[{"kind":"ok","text":"fine","waits":1}],"faults":[{"kind":"crash_after_append","frame":5}]}`,
		},
		{
			name: "an allowed agent that nobody can pay", clause: "L6",
			why: "kernel/child.go, startChild answers the call when the budget does not suffice; kernel/receive.go, decide does not admit after execute",
			script: `{"seed":944,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m","window":378,"buffer":10,"max_output":20,"price":{"input":500000000,"output":2000000000},
				"sampling":{"max_tokens":20}}],"limits":{"max_turns":2,"max_retries":1,"max_cost":27000000},"format":"text","transport":"native",
				"tools":[{"name":"agent__risky","parameters":{"type":"object"},"kind":"agent","agent":"risky","approval":true}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],"replies":[{"kind":"calls","finish":"stop","usage":{"input":4959676,"output":10},
			"blocks":[{"kind":"tool_call","id":"c1","name":"agent__risky"}]}]}`,
		},
		{
			name: "costs wrap around", clause: "A5",
			why: "kernel/classify.go, attemptEnd adds costs without a limit: two that are as large as can be are less than nothing",
			script: `{"seed":21,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m","price":{"input":2000000000,"output":9000000000}}],"limits":{"max_turns":2,"max_retries":1},
				"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],"replies":[
			{"kind":"empty","finish":"stop","usage":{"input":9223372036854775807,"output":9223372036854775807}},
			{"kind":"empty","finish":"stop","usage":{"input":9223372036854775807,"output":9223372036854775807}}]}`,
		},
		{
			name: "a context that wraps around", clause: "X7",
			why: "kernel/classify.go, acceptResponse adds up usage without a limit, llm.Usage.Total does not",
			script: `{"seed":136,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x"},{"at":0,"do":"prompt","text":"y"}],"replies":[{"kind":"report","finish":"stop",
			"usage":{"input":9223372036854775807,"output":9223372036854775807,"cache_read":9223372036854775807},
			"blocks":[{"kind":"tool_call","id":"c1","name":"final_report","text":"{\"content\":\"x\"}"}]}]}`,
		},
		{
			name: "a prompt is lost when its look-up is aborted", clause: "S10",
			why: "kernel/run.go, lookedUp ended an aborted run without putting its prompt into the conversation",
			script: `{"seed":777,"nonce":"042a424c","agents":[
				{"profiles":["good"],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"steer","text":"x"},{"at":0,"do":"abort"}]}`,
		},
		{
			name: "a late receipt confuses the checker of calls", clause: "T4",
			why: "contract/tools.go, checkRefusedCalls reads the observation of a receipt that was ignored",
			script: `{"seed":1,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":3,"max_retries":2},"format":"text","transport":"native",
				"tools":[{"name":"pay","parameters":{"type":"object","required":["city"]},"kind":"local","approval":true}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],"answers":[{"at":5000,"do":"allow"}],
			"replies":[{"kind":"calls","blocks":[{"kind":"tool_call","id":"c1","name":"pay"}],"finish":"stop","twice":true},
			{"kind":"calls","blocks":[{"kind":"tool_call","id":"c1","name":"pay","text":"{\"city\":\"Athens\"}"}],"finish":"stop"}]}`,
		},
		{
			name: "a budget confuses the checker of targets", clause: "R1",
			why: "contract/loop.go, checkTargetOrder: a turn that the budget makes the last one is weighed again with fewer tools " +
				"(kernel/budget.go, afford), and a target that was passed over before fits; the checker forgets what was skipped only for " +
				"GuardForced, and not for a second run in the same frame",
			script: `{"seed":1347,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m0","window":233,"buffer":10,"max_output":20,"price":{"input":500000000,"output":2000000000},
				"sampling":{"max_tokens":20}},{"provider":"q","model":"m1","window":200000,"max_output":20,"price":{"input":500000000,"output":2000000000},
				"sampling":{"max_tokens":20}}],"limits":{"max_turns":2,"max_retries":1,"max_session_cost":900000},"format":"text","transport":"native",
				"tools":[{"name":"wordy","description":"It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. It has much to say of itself. ","parameters":{"type":"object"},"kind":"local"}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}]}`,
		},
		{
			name: "two runs in one frame confuse the checker of targets", clause: "R1",
			why: "contract/loop.go, checkTargetOrder: a run that has no money left ends after it has passed over a target, and the next " +
				"one begins in the same frame",
			script: `{"seed":117931,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m0"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"},
				{"targets":[{"provider":"p","model":"m0","window":133,"buffer":10,"max_output":20,"price":{"input":500000000,"output":2000000000},
				"sampling":{"max_tokens":20}},{"provider":"p","model":"m1","window":2417,"max_output":301,"price":{"input":500000000,"output":2000000000},
				"sampling":{"max_tokens":301}}],"limits":{"max_turns":2,"max_retries":1,"max_cost":21000000},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x","agent":2},{"at":100,"do":"prompt","text":"x"}],
			"replies":[{"kind":"empty","after":500,"finish":"stop","usage":{"input":9223372036854775807,"output":9223372036854775807}}]}`,
		},
		{
			name: "a stop before a run starts confuses the checker of reasons", clause: "L8",
			why: "contract/loop.go, checkForcedOrder forgets the last run's reason at RunStart, which a run in its look-up does not have yet",
			script: `{"seed":2,"nonce":"042a424c","agents":[
				{"profiles":["capped"],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"},
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native"}
			],"commands":[{"at":0,"do":"prompt","text":"x","agent":2},{"at":100,"do":"stop"},{"at":9000,"do":"prompt","text":"x"},
			{"at":9000,"do":"stop"}],"replies":[{"kind":"empty","after":3000,"finish":"stop"}]}`,
		},
		{
			name: "a tail that grows after it was weighed", clause: "X2",
			why: "kernel/attempt.go, request sets ask.ContextPct, which the XML transports write into the tail, after chooseTarget has " +
				"measured the tail without it",
			script: `{"seed":1,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m","window":219,"buffer":10,"max_output":20}],"limits":{"max_turns":2,"max_retries":1},
				"format":"markdown","transport":"xml-final"}
			],"commands":[{"at":0,"do":"prompt","text":"@flood:400@"}]}`,
		},
		{
			name: "long call ids make a large state", clause: "size",
			why: "llm.NewToolCall and kernel.BatchCall keep a model's call ids as they are: 128 calls with ids of 450 bytes, which are real, " +
				"make a state of 75 KB; names are cut to 64 bytes, ids are not",
			script: `{"seed":358,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":2,"max_retries":1},"format":"text","transport":"native",
				"tools":[{"name":"pay","parameters":{"type":"object"},"kind":"local","approval":true}]}
			],"commands":[{"at":0,"do":"prompt","text":"x"}],
			"replies":[{"kind":"calls","blocks":[{"kind":"tool_call","id":"@flood:450@@n@","name":"pay","times":128}],"finish":"stop"}]}`,
		},
		{
			name: "a handle names the order of results", clause: "T7", permuted: true,
			why: "kernel/admit.go, handle is made of the number of the frame in which the result is admitted, and of the fact's place in it: " +
				"both follow from who was faster",
			script: `{"seed":1,"nonce":"042a424c","agents":[
				{"targets":[{"provider":"p","model":"m"}],"limits":{"max_turns":3,"max_retries":1,"tool_response_max_bytes":500},"format":"text",
				"transport":"native","tool_output":true,"tools":[{"name":"a","parameters":{"type":"object"},"kind":"local"}]}
			],"replies":[{"kind":"calls","blocks":[{"kind":"tool_call","id":"c1","name":"a"},{"kind":"tool_call","id":"c2","name":"a"},
			{"kind":"tool_call","id":"c3","name":"a"}],"finish":"stop"}],
			"conducts":[{"kind":"ok","text":"@flood:900@"},{"kind":"ok","text":"@flood:901@"},{"kind":"ok","text":"@flood:902@"}]}`,
		},
	}
}
