package main

import (
	"math"
	"slices"
	"time"
)

// samples are measured values, all of one unit.
type samples []float64

// add takes a time, in milliseconds.
func (s *samples) add(d time.Duration) { *s = append(*s, d.Seconds()*1000) }

func (s samples) median() float64 { return s.percentile(50) }

// percentile is the smallest sample that p percent of all don't exceed. The mean would be a measure of the noise.
func (s samples) percentile(p float64) float64 {
	if len(s) == 0 {
		return math.NaN()
	}
	sorted := slices.Sorted(slices.Values(s))
	return sorted[max(0, int(math.Ceil(p/100*float64(len(s))))-1)]
}
