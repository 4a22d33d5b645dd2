package main

import (
	"maps"
	"slices"
)

// axis is one way in which the pods of the scene "pairs" differ. Level 0 is a pod without it.
type axis struct {
	name   string
	levels []level
}

// level is what is done to a pod; nil: nothing.
type level func(*pairPod)

// row has a level of each axis.
type row []int

// pairs are rows in which any two levels of any two axes come together: a fault that takes two things shows in one of
// them. Each row takes a pair that is missing, and then of each other axis the level that adds the most pairs.
func pairs(axes []axis) (rows []row) {
	missing := missingPairs(axes)
	for len(missing) > 0 {
		first := slices.MinFunc(slices.Collect(maps.Keys(missing)), pair.compare)
		r := make(row, len(axes))
		for i := range r {
			r[i] = -1
		}
		r[first.a], r[first.b] = first.x, first.y
		for i := range axes {
			if r[i] < 0 {
				r[i] = best(missing, r, i, len(axes[i].levels))
			}
		}
		for _, p := range r.pairs() {
			delete(missing, p)
		}
		rows = append(rows, r)
	}
	return rows
}

// pair is level x of axis a beside level y of axis b; a is the smaller one.
type pair struct{ a, x, b, y int }

func (p pair) compare(q pair) int {
	return slices.Compare([]int{p.a, p.b, p.x, p.y}, []int{q.a, q.b, q.x, q.y})
}

func missingPairs(axes []axis) map[pair]bool {
	missing := map[pair]bool{}
	for b := range axes {
		for a := range b {
			for x := range axes[a].levels {
				for y := range axes[b].levels {
					missing[pair{a, x, b, y}] = true
				}
			}
		}
	}
	return missing
}

// pairs are those that come together in a row, as far as it has levels yet.
func (r row) pairs() (list []pair) {
	for b := range r {
		for a := range b {
			if r[a] >= 0 && r[b] >= 0 {
				list = append(list, pair{a, r[a], b, r[b]})
			}
		}
	}
	return list
}

// best is the level of an axis that brings a row the most missing pairs.
func best(missing map[pair]bool, r row, axis, levels int) (found int) {
	most := -1
	for l := range levels {
		with, n := slices.Clone(r), 0
		with[axis] = l
		for _, p := range with.pairs() {
			if missing[p] {
				n++
			}
		}
		if n > most {
			found, most = l, n
		}
	}
	return found
}
