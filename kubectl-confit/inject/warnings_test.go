package inject

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// TestWarnings: what is left alone, and why, and where a grace period is too short, is what the other policy of examples/inject
// warns of, word for word, for each pod of the golden files. The API server has written the warnings.
func TestWarnings(t *testing.T) {
	told := 0
	for section := range strings.SplitSeq(strings.TrimSpace(readFile(t, "../../integration/inject/testdata/warnings.txt")), "\n\n") {
		name, lines, _ := strings.Cut(section, "\n")
		var want []string
		for line := range strings.Lines(lines) {
			if line = strings.TrimSpace(line); !strings.HasPrefix(line, "the label confit: inject changes nothing") {
				want = append(want, line)
			}
		}
		p := read(t, parse(t, readFile(t, "testdata/pods/"+name+".yaml")))
		if got := sentences(p.Plan(Options{Image: confitImage})); !slices.Equal(got, want) {
			t.Errorf("%s: got\n%s\nwant\n%s", name, strings.Join(got, "\n"), strings.Join(want, "\n"))
		}
		told += len(want)
	}
	if told < 50 {
		t.Errorf("%d warnings, and there were more", told)
	}
}

// sentences are those of the policy: as many words as a warning may have.
func sentences(pl *Plan) (list []string) {
	var whole, containers, mounts, init, strangers, late []string
	for _, l := range pl.Late() {
		late = append(late, fmt.Sprintf("container %s: %s", l.Container, l.Why))
	}
	for _, l := range pl.Notes {
		strangers = append(strangers, strings.Fields(l.Why)[2])
	}
	for _, l := range pl.Left {
		switch {
		case l.Container == "":
			whole = append(whole, l.Why)
		case l.Mount == "":
			containers = append(containers, fmt.Sprintf("container %s: %s", l.Container, l.Why))
		case l.Why == early, l.Why == sidecar:
			init = append(init, fmt.Sprintf("container %s, mount %q", l.Container, l.Mount))
		default:
			mounts = append(mounts, fmt.Sprintf("container %s, mount %q: %s", l.Container, l.Mount, l.Why))
		}
	}
	if len(whole) > 0 {
		return []string{"confit leaves this pod as it is: " + strings.Join(whole, "; ")}
	}
	if summary := pl.Summary(); strings.Contains(summary, ";") {
		defer func() { list = append(list, summary) }()
	}
	for _, part := range []struct {
		head  string
		items []string
	}{
		{"confit leaves containers as they are", containers},
		{"confit leaves subPath mounts as they are, which never see an edit", mounts},
		{"confit leaves subPath mounts of init containers as they are, which never see an edit", init},
		{"confit finds no container for annotations", strangers},
		{"confit may come too late at a stop", late},
	} {
		const most = 8
		if n := len(part.items) - most; n > 0 {
			part.items = append(part.items[:most], fmt.Sprintf("and %d more", n))
		}
		if len(part.items) > 0 {
			list = append(list, part.head+": "+strings.Join(part.items, "; "))
		}
	}
	return list
}
