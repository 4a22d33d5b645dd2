package fleet

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"text/tabwriter"

	"confit/confitctl/rollout"
)

// Table prints a record for people: a line for each hash of each revision, the
// last used revision first.
func Table(w io.Writer, r rollout.Record) error {
	if r.Paused {
		fmt.Fprintln(w, "paused")
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "REVISION\tHASH\tSTATE\tACCEPTED\tIN FLIGHT\tNOTE")
	for i := len(r.Revisions) - 1; i >= 0; i-- {
		rows(t, r.Revisions[i])
	}
	return t.Flush()
}

// rows prints each hash once, the one that is tried first.
func rows(w io.Writer, v *rollout.Revision) {
	var hashes []string
	if v.Trial != nil {
		hashes = append(hashes, v.Trial.Hash)
	}
	hashes = append(hashes, v.Stable, v.Previous)
	for _, j := range v.Rejected {
		hashes = append(hashes, j.Hash)
	}
	for i, hash := range hashes {
		if hash != "" && slices.Index(hashes, hash) == i {
			accepted, inFlight := progress(v, hash)
			row(w, v.Name, rollout.Short(hash), state(v, hash), accepted, inFlight, note(v, hash))
		}
	}
}

func row(w io.Writer, cells ...string) {
	for i, cell := range cells {
		cells[i] = printable(cell)
	}
	fmt.Fprintln(w, strings.Join(cells, "\t"))
}

// printable replaces all that isn't meant to be seen: whoever may update the Lease
// may have written what a terminal takes for a command, console_codes(4), or for
// another line of a log.
func printable(text string) string {
	return strings.Map(func(r rune) rune {
		if strconv.IsPrint(r) {
			return r
		}
		return '\uFFFD'
	}, text)
}

func state(v *rollout.Revision, hash string) string {
	switch {
	case v.Rejection(hash) != nil:
		return "rejected"
	case hash == v.Stable:
		return "stable"
	case hash == v.Previous:
		return "previous"
	}
	return "canary"
}

// progress is how many have accepted a hash and how many are trying it.
func progress(v *rollout.Revision, hash string) (accepted, inFlight string) {
	t := v.Trial
	if t == nil || t.Hash != hash {
		return "-", "-"
	}
	accepted = strconv.Itoa(t.Accepted)
	if state(v, hash) == "canary" {
		accepted += "/" + strconv.Itoa(t.Canaries)
	}
	return accepted, strconv.Itoa(len(t.Holds))
}

func note(v *rollout.Revision, hash string) string {
	j, t := v.Rejection(hash), v.Trial
	switch {
	case j != nil:
		return fmt.Sprintf("by %s at step %s", j.Pod, j.Step)
	case t != nil && t.Hash == hash && t.Losses > 0:
		return fmt.Sprintf("%d canaries lost in a row", t.Losses)
	}
	return ""
}
