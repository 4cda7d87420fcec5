package sim

import (
	"fmt"
	"regexp"
	"sort"
	"testing"
	"time"
)

func TestSurvey(t *testing.T) {
	digits := regexp.MustCompile(`[0-9]+|"[^"]*"`)
	type sig struct {
		n     int
		first string
	}
	known := stillBroken(t)
	all := map[string]*sig{}
	start := time.Now()
	var total Totals
	for i := range *seeds {
		seed := *from + i
		s := time.Now()
		o := Run(uint64(seed))
		if d := time.Since(s); d > 300*time.Millisecond {
			fmt.Println("slow", seed, d)
		}
		total.Add(o)
		seen := map[string]bool{}
		for _, v := range unknown(o, known, map[string]int{}) {
			k := v.Clause + ": " + digits.ReplaceAllString(v.Detail, "#")
			if len(k) > 120 {
				k = k[:120]
			}
			if seen[k] {
				continue
			}
			seen[k] = true
			if all[k] == nil {
				all[k] = &sig{first: fmt.Sprintf("seed %d frame %d: %.300s", seed, v.Seq, v.Detail)}
			}
			all[k].n++
		}
	}
	fmt.Println(time.Since(start))
	fmt.Println(describe(&total, nil))
	var keys []string
	for k := range all {
		keys = append(keys, k)
	}
	sort.Strings(keys)
	for _, k := range keys {
		fmt.Printf("%5d %s\n      %s\n", all[k].n, k, all[k].first)
	}
}
