package supervisor

import (
	"fmt"
	"hash/fnv"
	"slices"
	"strings"
	"sync"
	"testing"
)

// The generated settings: whatever two features can meet do so in one of them, or in one by hand. Each has few features
// beside the usual ones, so that a bounded exploration comes far.

// mostFeatures is how many features a generated setting has at most that aren't usual.
const mostFeatures = 8

// settings are those by hand, and then those that are generated.
var settings = sync.OnceValue(func() []*setting {
	list := settingsByHand()
	missing := allPairs()
	for i := range list {
		missing.remove(choiceOf(list[i].has))
	}
	for len(missing) > 0 {
		r := missing.choice()
		missing.remove(r)
		list = append(list, settingOf(strings.Join(r.names(), "_"), r.names()))
	}
	all := make([]*setting, len(list))
	for i := range list {
		all[i] = &list[i]
	}
	return all
})

// choice has the number of a feature of each aspect; -1: it is open.
type choice []int

// pair is two features of two aspects.
type pair struct{ a, b [2]int }

// unmet are the pairs that no setting has.
type unmet map[pair]bool

func pairOf(a, is, b, of int) pair {
	if a > b {
		a, is, b, of = b, of, a, is
	}
	return pair{[2]int{a, is}, [2]int{b, of}}
}

func featureOf(at [2]int) feature { return aspects[at[0]].values[at[1]] }

func (p pair) String() string { return featureOf(p.a).name + " and " + featureOf(p.b).name }

// eachPair lists all pairs whose features fit.
func eachPair(do func(p pair)) {
	for a := range aspects {
		for b := a + 1; b < len(aspects); b++ {
			for i := range aspects[a].values {
				for j := range aspects[b].values {
					if fits(aspects[a].values[i], aspects[b].values[j]) {
						do(pairOf(a, i, b, j))
					}
				}
			}
		}
	}
}

func allPairs() unmet {
	all := unmet{}
	eachPair(func(p pair) { all[p] = true })
	return all
}

// first is the first of them, in the order of the table.
func (m unmet) first() (first pair) {
	found := false
	eachPair(func(p pair) {
		if !found && m[p] {
			first, found = p, true
		}
	})
	return first
}

// remove removes what a choice has.
func (m unmet) remove(r choice) {
	for a := range r {
		for b := range a {
			delete(m, pairOf(a, r[a], b, r[b]))
		}
	}
}

// choice makes a setting of the first pair, to which each time the feature comes that brings the most pairs. In the end
// the usual ones come, if they fit.
func (m unmet) choice() choice {
	r := make(choice, len(aspects))
	for a := range r {
		r[a] = -1
	}
	p := m.first()
	r[p.a[0]], r[p.b[0]] = p.a[1], p.b[1]
	for len(r.names()) < mostFeatures {
		a, i := m.best(r)
		if a < 0 {
			break
		}
		r[a] = i
	}
	for a := range r {
		if r[a] < 0 {
			r[a] = 0
		}
	}
	return r
}

// best is the feature that brings a choice the most pairs, of those that aren't usual; -1: none brings any.
func (m unmet) best(r choice) (aspect, value int) {
	aspect, most := -1, 0
	for a := range r {
		if r[a] >= 0 {
			continue
		}
		for i := 1; i < len(aspects[a].values); i++ {
			if n := m.brings(r, a, i); n > most {
				aspect, value, most = a, i, n
			}
		}
	}
	return aspect, value
}

// brings counts the pairs that a feature brings a choice; 0 also if the feature doesn't fit. An open aspect may stay usual.
func (m unmet) brings(r choice, a, i int) (n int) {
	for b := range r {
		j := max(r[b], 0)
		switch {
		case b == a:
		case !fits(aspects[a].values[i], aspects[b].values[j]):
			return 0
		case r[b] >= 0 && m[pairOf(a, i, b, j)]:
			n++
		}
	}
	return n
}

// names are the features that aren't usual.
func (r choice) names() (list []string) {
	for a, i := range r {
		if i > 0 {
			list = append(list, aspects[a].values[i].name)
		}
	}
	return list
}

// choiceOf is the choice of a setting that has these.
func choiceOf(names []string) choice {
	r, n := make(choice, len(aspects)), 0
	for a := range aspects {
		for i, f := range aspects[a].values {
			if slices.Contains(names, f.name) {
				r[a], n = i, n+1
			}
		}
	}
	if n != len(names) {
		panic(fmt.Sprintf("cannot make a setting of %q: not each is a feature, or two are of one aspect", names))
	}
	return r
}

func featuresOf(names []string) (list []feature) {
	for a, i := range choiceOf(names) {
		list = append(list, aspects[a].values[i])
	}
	return list
}

// seedOf is a number of a setting, whatever other settings there are.
func seedOf(name string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(name))
	return h.Sum64()
}

// TestExploredPairs holds that each pair of features which fit stands in a setting, that no setting has two which
// don't, and that each setting has a name of its own.
func TestExploredPairs(t *testing.T) {
	named, seen := map[string]bool{}, unmet{}
	for _, s := range settings() {
		if named[s.name] {
			t.Errorf("two settings are named %s", s.name)
		}
		named[s.name] = true
		r := choiceOf(s.has)
		for a := range r {
			for b := range a {
				p := pairOf(a, r[a], b, r[b])
				seen[p] = true
				if !fits(featureOf(p.a), featureOf(p.b)) {
					t.Errorf("%s has %v, which don't fit", s.name, p)
				}
			}
		}
	}
	all := 0
	eachPair(func(p pair) {
		if all++; !seen[p] {
			t.Errorf("no setting has %v", p)
		}
	})
	t.Logf("%d pairs of %d aspects, in %d settings, of which %d are by hand", all, len(aspects), len(settings()), len(byHand))
}
