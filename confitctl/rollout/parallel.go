package rollout

import (
	"fmt"
	"strconv"
	"strings"
)

// maxInFlight is what a record has room for.
const maxInFlight = 100

// Parallel is how many replicas may be in flight once the canaries have
// accepted: a share of those known, or a number.
type Parallel struct {
	percent, number int // one of them is 0
}

// ParseParallel reads 25% or 10.
func ParseParallel(text string) (Parallel, error) {
	digits, percent := strings.CutSuffix(text, "%")
	n, err := strconv.Atoi(digits)
	switch {
	case err != nil || n < 1 || n > maxInFlight:
		return Parallel{}, fmt.Errorf("%q is no number or percentage from 1 to %d; write 10 or 25%%", text, maxInFlight)
	case percent:
		return Parallel{percent: n}, nil
	}
	return Parallel{number: n}, nil
}

// String is what ParseParallel reads.
func (p Parallel) String() string {
	if p.number > 0 {
		return strconv.Itoa(p.number)
	}
	return strconv.Itoa(p.percent) + "%"
}

// allowed is how many may be in flight when that many have accepted. With n in
// flight and a accepted, a+n replicas are known, and n ≤ p·(a+n) just when
// n ≤ a·p/(1−p): so it needs no count of replicas.
func (p Parallel) allowed(accepted int) int {
	n := p.number
	switch {
	case p.percent >= 100:
		n = maxInFlight
	case p.percent > 0:
		n = accepted * p.percent / (100 - p.percent)
	}
	return min(max(1, n), maxInFlight)
}
