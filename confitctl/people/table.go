package people

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"text/tabwriter"
	"time"

	"confit/confitctl/rollout"
	"confit/status"
)

// Table prints a rollout for people: a line for each hash of each revision, the last
// used revision first, then one for each pod that tries a hash or has said something
// against it.
func Table(w io.Writer, view rollout.View) error {
	if view.Paused {
		fmt.Fprintln(w, strings.TrimSpace("paused "+since(view.PausedAt)))
	}
	if len(view.Revisions) == 0 {
		_, err := fmt.Fprintln(w, "nothing has been rolled out yet")
		return err
	}
	t := Columns(w)
	fmt.Fprintln(t, "REVISION\tHASH\tSTATE\tACCEPTED\tIN FLIGHT\tSINCE\tNOTE")
	pods := 0
	for _, v := range view.Revisions {
		for _, h := range v.Hashes {
			row(t, v.Name, rollout.Short(h.Hash), string(h.State), acceptances(h), inFlight(h), clock(h.Since), note(h))
			pods += len(busy(h))
		}
	}
	if err := t.Flush(); err != nil || pods == 0 {
		return err
	}
	fmt.Fprintln(w)
	fmt.Fprintln(t, "POD\tHASH\tSTATE\tSINCE\tUNTIL\tWAITS FOR")
	for _, v := range view.Revisions {
		for _, h := range v.Hashes {
			for _, p := range busy(h) {
				row(t, cmp.Or(p.Name, p.UID), rollout.Short(h.Hash), state(p), clock(p.Since), clock(p.Until), cmp.Or(p.Waits, "-"))
			}
		}
	}
	return t.Flush()
}

// Columns aligns cells as the table has them. The caller flushes it.
func Columns(w io.Writer) *tabwriter.Writer { return tabwriter.NewWriter(w, 0, 0, 2, ' ', 0) }

// row prints cells as text: whoever may update the Lease may have written what a terminal
// takes for a command, console_codes(4).
func row(w io.Writer, cells ...string) {
	for i, cell := range cells {
		cells[i] = status.Clean(cell)
	}
	fmt.Fprintln(w, strings.TrimRight(strings.Join(cells, "\t"), "\t"))
}

// busy are the pods that have a line of their own. Who has rejected the hash stands in
// its line.
func busy(h rollout.HashView) (pods []rollout.PodView) {
	for _, p := range h.Pods {
		if p.State != rollout.PodRejected {
			pods = append(pods, p)
		}
	}
	return pods
}

func state(p rollout.PodView) string {
	if p.Step == "" {
		return string(p.State)
	}
	return string(p.State) + " (" + p.Step + ")"
}

// acceptances is how many have accepted a hash, and inFlight how many are trying it.
func acceptances(h rollout.HashView) string {
	switch {
	case !h.Tried:
		return "-"
	case h.State == rollout.StateCanary:
		return fmt.Sprintf("%d/%d", h.Accepted, h.Canaries)
	}
	return strconv.Itoa(h.Accepted)
}

func inFlight(h rollout.HashView) string {
	n := 0
	for _, p := range h.Pods {
		if p.State == rollout.PodTrying {
			n++
		}
	}
	if !h.Tried {
		return "-"
	}
	return strconv.Itoa(n)
}

func note(h rollout.HashView) string {
	for _, p := range h.Pods {
		if p.State == rollout.PodRejected {
			return fmt.Sprintf("by %s at step %s", p.Name, p.Step)
		}
	}
	losses := ""
	if h.Losses > 0 {
		losses = fmt.Sprintf("%d canaries lost in a row", h.Losses)
	}
	return cmp.Or(losses, h.Waits)
}

// clock is a time by the API server's clock, and since the same after a word.
func clock(t *time.Time) string {
	if t == nil {
		return "-"
	}
	return t.Format(time.RFC3339)
}

func since(t *time.Time) string {
	if t == nil {
		return ""
	}
	return "since " + clock(t)
}
