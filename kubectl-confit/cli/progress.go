package cli

import (
	"context"
	"fmt"
	"io"
	"maps"
	"slices"
	"time"

	"confit/confitctl/screen"
	"confit/kubectl-confit/cluster"
	"confit/kubectl-confit/follow"
	"confit/kubectl-confit/verdict"
	"confit/status"
)

// pace is how an edit gets to the pods.
type pace int

const (
	untouched pace = iota // their kubelets look by themselves
	inWaves
	together
)

// progress tells people on stderr how a wait goes on.
type progress struct {
	to    *screen.Screen
	what  string
	soak  bool
	again bool // what is without confit was told before
	quiet bool // a log has other lines, such as one for each wave
	rows  map[string]verdict.Row
	told  map[string]bool // what single lines were about
}

func newProgress(to io.Writer, what string, soak bool) *progress {
	return &progress{to: screen.On(to), what: what, soak: soak, rows: map[string]verdict.Row{}, told: map[string]bool{}}
}

// wait waits for verdicts as follow.Wait does, and has the kubelets look where that is wanted.
func (p *progress) wait(ctx context.Context, client *cluster.Client, scope follow.Scope, o follow.Options, at pace) (*follow.Report, error) {
	defer p.to.Keep()
	o.Each, o.Longer = p.changed, p.longer
	found, err := p.settle(ctx, client, scope, o, at)
	if err == nil && len(found.Rows) > 0 && !p.again {
		p.to.Keep()
		tellWithout(p.to, found.Without)
	}
	return found, err
}

func (p *progress) settle(ctx context.Context, client *cluster.Client, scope follow.Scope, o follow.Options, at pace) (*follow.Report, error) {
	if at == untouched {
		return follow.Wait(ctx, client, scope, o)
	}
	return hurry(ctx, client, scope, o, at == together, p)
}

// tellWithout names who can't be asked, beside those who were.
func tellWithout(w io.Writer, all []verdict.Without) {
	names := make([]string, len(all))
	for i, one := range all {
		names[i] = one.Pod + "/" + one.Container
	}
	switch len(names) {
	case 0:
	case 1:
		fmt.Fprintf(w, "1 more container has it, and no confit that follows it (%s): nobody can say what its app has read\n", names[0])
	default:
		fmt.Fprintf(w, "%d more containers have it, and no confit that follows it (%s): nobody can say what their apps have read\n", len(names), some(names))
	}
}

// changed tells why a container doesn't go on, of those with the same reason the first one, and shows how many have come how far.
func (p *progress) changed(r verdict.Row) {
	p.rows[r.UID+"/"+r.Container] = r
	line := fmt.Sprintf("%s: %s", r.State, r.Why)
	switch r.State {
	case verdict.Rejected, verdict.Stuck, verdict.Gated, verdict.Starting, verdict.Ended:
		p.once(line, r.Name()+": "+line)
	default:
		if r.Waits { // programs and times differ
			p.once(string(r.State)+" at an entrypoint", r.Name()+": "+line)
		}
	}
	if r.State != verdict.Asked {
		p.to.Show(p.summary())
	}
}

// longer tells that the time is longer than --timeout says, once.
func (p *progress) longer(by time.Duration) {
	by = max(by.Round(time.Second), time.Second)
	p.once("longer", fmt.Sprintf("%v of that is added to --timeout, as the script executes nothing: its first five minutes are left to it", by))
}

// once tells a line, of those about the same the first one.
func (p *progress) once(about, line string) {
	if !p.told[about] {
		p.told[about] = true
		fmt.Fprintln(p.to, line)
	}
}

// summary is how many containers have accepted it, and what the others do. A log has a step when all have been asked, and then for
// each quarter of them that has accepted it.
func (p *progress) summary() (text, step string) {
	counted, all, soaked, last, timeless := map[verdict.State]int{}, 0, 0, status.Time(""), false
	for _, r := range p.rows {
		if r.State == verdict.Ended || r.State == verdict.Unfollowed {
			continue
		}
		all++
		counted[r.State]++
		if r.State == verdict.Accepted && r.Soaked {
			soaked++
		} else if r.State == verdict.Accepted {
			last, timeless = max(last, r.SoaksAt), timeless || r.SoaksAt == ""
		}
	}
	accepted, asked := counted[verdict.Accepted], counted[verdict.Asked]
	text = fmt.Sprintf("Waiting for %s: %d of %d accepted", p.what, accepted, all)
	if step = fmt.Sprint("quarter ", 4*accepted/max(1, all)); p.soak {
		text += fmt.Sprintf(", %d of %d soaked", soaked, all)
		step += fmt.Sprint(" soaked ", 4*soaked/max(1, all))
		if last != "" && !timeless {
			text += ", the last at " + string(last)
		}
	}
	if asked > 0 || p.quiet && !p.soak {
		step = ""
	}
	delete(counted, verdict.Accepted)
	delete(counted, verdict.Asked)
	for _, s := range slices.Sorted(maps.Keys(counted)) {
		text += fmt.Sprintf(", %d %s", counted[s], s)
	}
	return text, step
}
