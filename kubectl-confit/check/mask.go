package check

import (
	"bytes"
	"cmp"
	"fmt"
	"maps"
	"slices"

	"confit/kubectl-confit/pods"
)

// A value that is shorter may stand in any text by chance. It is in bytes.
const shortest = 8

// Mask hides values of Secrets in what a validator has printed: each value of at least 8 bytes, and of a value of several
// lines each such line, as programs quote lines of a file. A value that the validator has changed before it printed it,
// such as in base64, is not found.
type Mask struct {
	values []value
	known  map[string]bool
}

type value struct {
	bytes []byte
	name  string // what is shown instead
}

// NewMask takes the Secrets among some objects.
func NewMask(held map[pods.Object]map[string][]byte) Mask {
	m := Mask{known: map[string]bool{}}
	for _, o := range slices.SortedFunc(maps.Keys(held), func(a, b pods.Object) int { return cmp.Compare(a.Name, b.Name) }) {
		if o.Kind != pods.Secret {
			continue
		}
		keys := held[o]
		for _, key := range slices.Sorted(maps.Keys(keys)) {
			name := fmt.Sprintf("[%s of %s]", key, o)
			m.add(bytes.TrimSpace(keys[key]), name)
			for line := range bytes.Lines(keys[key]) {
				m.add(bytes.TrimSpace(line), name)
			}
		}
	}
	return m
}

func (m *Mask) add(b []byte, name string) {
	if len(b) >= shortest && !m.known[string(b)] {
		m.known[string(b)] = true
		m.values = append(m.values, value{b, name})
	}
}

// Hide is text without the values. What overlaps is hidden as one.
func (m Mask) Hide(text []byte) []byte {
	hidden := make([]string, len(text)) // what stands for each byte
	for _, v := range m.values {
		for at := 0; ; {
			i := bytes.Index(text[at:], v.bytes)
			if i < 0 {
				break
			}
			for j := range v.bytes {
				hidden[at+i+j] = cmp.Or(hidden[at+i+j], v.name)
			}
			at += i + 1
		}
	}
	var out bytes.Buffer
	for i, name := range hidden {
		switch {
		case name == "":
			out.WriteByte(text[i])
		case i == 0 || hidden[i-1] == "":
			out.WriteString(name)
		}
	}
	return out.Bytes()
}
