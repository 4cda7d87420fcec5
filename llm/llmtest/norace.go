//go:build !race

package llmtest

const raceEnabled = false
