package status

import (
	"bytes"
	"fmt"
	"strings"
	"time"
)

// Text is the status for people, on lines of at most 80 columns: a headline, the hashes that show
// where a change is, what is wrong and what to do about it, and the rest. It holds no commands for
// a terminal.
func (s *Status) Text(now time.Time) []byte {
	p := page{now: now}
	p.text = append(p.text, Clean(s.headline(now))+"\n"...)
	for _, part := range []func(*page){s.hashes, s.troubles, s.rest} {
		if !bytes.HasSuffix(p.text, []byte("\n\n")) { // a part may be empty
			p.text = append(p.text, '\n')
		}
		part(&p)
	}
	return p.text
}

// headline says what people want to know first.
func (s *Status) headline(now time.Time) string {
	switch {
	case s.overdue(now):
		return "OUT OF DATE: no confit seems to run here; it would have tried again"
	case s.Phase == "done":
		return "ENDED: no confit runs here any more"
	case s.Degraded != "":
		return "BROKEN DOWN: confit is a plain init now, and applies no change"
	case s.Stalled != "":
		return "STALLED: a volume or the state directory doesn't answer"
	case s.Damaged:
		return "DAMAGED: somebody has changed what is live, and no volume has its bytes"
	case s.refused():
		return "IN TROUBLE: the system refuses to apply what is mounted"
	case s.GoneDown != nil:
		return "GONE DOWN: the app died of what was accepted last, and has an older one"
	case s.Unwell != "":
		return "NOT WELL: the app runs on what was accepted, and doesn't prove that it is well"
	case s.Verdict() == Rejected:
		return "REJECTED: " + s.standing()
	case s.Trouble != "":
		return "IN TROUBLE: the system refuses something that confit needs"
	case s.Gate != nil && s.Gate.Waits != "":
		return "WAITING: the gate is asked when the report hook has taken the outcome before"
	case s.Gate != nil:
		return "WAITING: the gate decides when this replica takes up what is mounted"
	case s.Live == nil || s.Mounted == nil || s.Live.Hash != s.Mounted.Hash:
		return "ON ITS WAY: what is mounted isn't live yet; confit is " + s.Phase
	case s.Accepted == nil || s.Accepted.Hash != s.Live.Hash:
		return "IN PROBATION: what is mounted is live, but not accepted yet"
	}
	return "WELL: what is mounted is live and accepted"
}

// overdue reports that the confit which wrote this has ended, as it would have tried again.
func (s *Status) overdue(now time.Time) bool {
	if s.Rejection == nil || s.Phase != "running" {
		return false
	}
	next, err := time.Parse(time.RFC3339, string(s.Rejection.NextTry))
	return err == nil && now.Sub(next) > time.Minute
}

// standing is what the app has when what is mounted was rejected.
func (s *Status) standing() string {
	switch {
	case s.Live == nil:
		return "nothing is live"
	case s.Live.Source == "fallback":
		return "the app has the fallback"
	case s.Mounted == nil || s.Live.Hash != s.Mounted.Hash:
		return "the app has what was accepted before"
	case s.Accepted != nil:
		return "what is mounted is tried again, and live for that"
	}
	return "what is mounted is live, as nothing else was ever accepted"
}

// hashes are those that show where a change is.
func (s *Status) hashes(p *page) {
	if s.Mounted == nil {
		p.generation("mounted", nil)
	} else {
		p.hash("mounted", s.Mounted.Hash, "", s.Mounted.Since)
		if s.Accepted != nil {
			p.changed(s.Mounted.Keys)
		}
	}
	if s.Candidate != nil && (s.Live == nil || s.Candidate.Number != s.Live.Number) {
		p.generation("candidate", s.Candidate)
	}
	p.generation("live", s.Live)
	if s.Live != nil && s.Live.Source == "fallback" {
		p.row("", "it comes from the fallback, not from what is mounted")
	}
	if s.Accepted == nil {
		p.generation("accepted", nil)
	} else {
		p.generation("accepted", &s.Accepted.Generation)
	}
}

// troubles is what is wrong, and what to do about it.
func (s *Status) troubles(p *page) {
	s.rejected(p)
	s.goneDown(p)
	p.trouble("not well", s.Unwell, "look at the app's log and at what the verify hook asks; confit asks again")
	if s.Phase == "done" && s.Verdict() == Well {
		p.todo("if nobody stopped it, look at its log: kubectl logs --previous")
	}
	p.trouble("broken", s.Degraded, "restart the container; report the log, as this is a bug of confit")
	if s.Stalled != "" {
		p.trouble("stalled", "asked "+p.when(s.Stalled)+", and not answered yet",
			"look at the node: a disk or a network file system hangs")
	}
	todo := "fix that; confit tries again at each rescan"
	if s.Damaged {
		todo = "edit a key of what is mounted: all keys are written anew then"
	}
	if strings.HasPrefix(s.Trouble, unread) {
		todo = "restart the container once that can be read; this one notes nothing"
	}
	p.trouble("refused", s.Trouble, todo)
	if g := s.Gate; g != nil {
		reached := fmt.Sprintf("reached %s, CONFIT_HASH %.12s", p.when(g.Since), g.Hash)
		if g.Waits == "" {
			p.trouble("gate", reached, "nothing; if it takes too long, see what the gate waits for")
		} else {
			p.trouble("gate", reached+"\nnot asked: the report hook hasn't taken "+g.Waits,
				"fix what the report hook needs: edits wait for that")
		}
	}
	if r := s.Report; r != nil && !r.Delivered {
		p.trouble("report", r.Outcome+", not delivered "+p.when(r.At)+"\n"+r.Error,
			"fix what the report hook needs; confit runs it again")
	}
	if s.LinksChanged != "" {
		p.trouble("links file", "changed "+p.when(s.LinksChanged), "restart the container, which applies it")
	}
	if s.App.Read != nil && !*s.App.Read {
		p.trouble("read", "no: within 30 s of the reload nobody opened what had changed",
			"see whether the reload makes the app read its files; \"reload restart\" does")
	}
}

// unread begins what the linker says where it can't read what is noted.
const unread = "cannot read what a former confit left"

// goneDown says what the app died of, and what becomes of that.
func (s *Status) goneDown(p *page) {
	if s.GoneDown == nil {
		return
	}
	p.generation("died of", &s.GoneDown.From)
	p.row("why", s.GoneDown.Reason)
	if s.GoneDown.SoaksAt != "" {
		p.row("soaks", p.when(s.GoneDown.SoaksAt)+": if the app lives until then, what it died of is rejected")
	}
	p.todo("find out in the app's log why it ended; if it ends here, too, nothing is rejected")
}

// rejected is the last rejection: all of it while it stands, else a row.
func (s *Status) rejected(p *page) {
	r := s.Rejection
	if r == nil {
		return
	}
	how := p.when(r.At) + " in step " + r.Step
	switch {
	case s.Mounted == nil || s.Mounted.Hash != r.Hash:
		p.row("rejected", how+"; not mounted now")
		return
	case s.Accepted != nil && s.Accepted.Hash == r.Hash:
		p.row("rejected", how+"; accepted since")
		return
	}
	p.row("rejected", fmt.Sprintf("%s, attempt %d", how, r.Attempts))
	p.row("why", r.Reason)
	p.output(r.Output)
	p.heldUp(r.HeldUp)
	if r.NextTry != "" {
		p.row("next try", p.when(r.NextTry))
	}
	p.todo(r.advice())
}

// advice is what to do about a rejection that stands.
func (r *Rejection) advice() string {
	switch {
	case strings.HasPrefix(r.Reason, r.Step+": cannot start "):
		return "fix the links file or the image: the hook's program can't be started"
	case r.Step == "gate":
		return "see why the gate refused it; or take the change back"
	case r.Step == "soak":
		return "see the app's log; changed bytes and new pods try at once, else the next start after an hour or later"
	case r.NextTry == "":
		return "fix what is mounted; as it is, confit won't try it again"
	}
	return "fix what is mounted; confit takes the change up by itself"
}

// rest is what is good to know.
func (s *Status) rest(p *page) {
	a, c := &s.App, &s.Counters
	if a.PID == 0 {
		p.row("app", "not running")
	} else {
		p.row("app", fmt.Sprintf("pid %d, started %s, restarts: %d", a.PID, p.when(a.Started), a.Restarts))
	}
	if e := a.Entrypoint; e != nil {
		p.row("", "at its entrypoint: "+e.Program+", "+p.when(e.Since))
		p.row("", "an edit waits for that; its time is over "+p.when(e.Until))
	}
	if a.Text != "" {
		p.row("", "says: "+a.Text)
	}
	if e := a.LastExit; e != nil {
		p.row("last exit", e.Status+", "+p.when(e.At))
		if e.OOMKilled {
			p.row("", "shortly before, the kernel killed a process of this container for want of memory")
		}
	}
	p.row("reload", a.Reload)
	if s.Accepted != nil {
		p.row("proof", s.Accepted.Proof)
	}
	for _, v := range s.Volumes {
		p.row("volume", v.Path+": "+v.Kind+", "+v.Watched)
	}
	p.row("counted", fmt.Sprintf("swaps: %d, reloads: %d, rejections: %d, roll backs: %d",
		c.Swaps, c.Reloads, c.Rejections, c.RollBacks))
	p.row("written", p.when(s.Updated)+" by confit "+s.Confit+", phase "+s.Phase)
}
