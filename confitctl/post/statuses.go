package post

import (
	"fmt"
	"strconv"
	"strings"
)

// Statuses are the status codes that are wanted: 2xx, or 200,204.
type Statuses struct {
	text  string
	codes []int // 2 stands for 2xx
}

// ParseStatuses reads them.
func ParseStatuses(text string) (Statuses, error) {
	s := Statuses{text: text}
	for word := range strings.SplitSeq(text, ",") {
		class, isClass := strings.CutSuffix(word, "xx")
		n, err := strconv.Atoi(class)
		if err != nil || isClass && (n < 1 || n > 5) || !isClass && (n < 100 || n > 599) {
			return s, fmt.Errorf("%q is no HTTP status; write 2xx or 200,204", word)
		}
		s.codes = append(s.codes, n)
	}
	return s, nil
}

// String is what ParseStatuses reads.
func (s Statuses) String() string { return s.text }

func (s Statuses) contain(code int) bool {
	for _, c := range s.codes {
		if c == code || c == code/100 {
			return true
		}
	}
	return false
}
