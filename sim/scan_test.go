package sim

import (
	"fmt"
	"testing"
)

func TestScan(t *testing.T) {
	for _, f := range findings() {
		s, err := ParseScript(f.script)
		if err != nil {
			t.Fatal(err)
		}
		hits := []uint64{}
		for seed := range uint64(40) {
			s.Seed = seed + 1
			if _, yes := f.met(s); yes {
				hits = append(hits, seed+1)
			}
		}
		fmt.Println(f.name, hits)
	}
}
