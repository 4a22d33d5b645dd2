package supervisor

import (
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"time"

	"confit/status"
)

// zeroDigits are the digits of a hash that say nothing in a script.
var zeroDigits = regexp.MustCompile(`\b([0-9a-f]{2})(?:0{10}|0{62})\b`)

// writeNews writes what has changed in status.json since the last time.
func (p *player) writeNews() {
	if p.seen == nil {
		p.seen = p.news(p.baseline())
	}
	shown := observe(&p.config, &p.state)
	before, now := p.seen, p.news(&shown)
	p.shows.take(&shown)
	p.seen = now
	all := maps.Clone(before)
	maps.Copy(all, now)
	var list []string
	for _, name := range slices.Sorted(maps.Keys(all)) {
		value, isThere := now[name]
		whole, _, isPart := strings.Cut(name, ".")
		switch {
		case value == before[name] && isThere:
		case isThere:
			list = append(list, name+"="+value)
		case !isPart:
			list = append(list, name+"=none")
		case now[whole] != "" || !strings.Contains(strings.Join(list, " "), whole+"=none"):
			list = append(list, name+"=none")
		}
	}
	if len(list) > 0 {
		p.write("status %s", strings.Join(list, " "))
	}
}

// news is a status as a script shows it: without the phase and times, and without what is as it mostly is. Texts stand in the
// log.
func (p *player) news(s *status.Status) map[string]string {
	n := map[string]string{"verdict": fmt.Sprint(s.Verdict())}
	say := func(name string, value any) {
		if text := fmt.Sprint(value); text != "" && text != "0" && text != "false" {
			n[name] = text
		}
	}
	say("degraded", quoted(s.Degraded))
	say("trouble", quoted(s.Trouble))
	say("damaged", s.Damaged)
	say("stalled", s.Stalled != "")
	say("linksChanged", s.LinksChanged != "")
	say("pending", s.PendingSince != "")
	say("swaps", s.Counters.Swaps)
	say("reloads", s.Counters.Reloads)
	say("rejections", s.Counters.Rejections)
	say("rollBacks", s.Counters.RollBacks)
	p.newsOfApp(say, s.App)
	for name, g := range map[string]*status.Generation{"live": s.Live, "candidate": s.Candidate} {
		newsOf(say, name, g)
	}
	if a := s.Accepted; a != nil {
		newsOf(say, "accepted", &a.Generation)
		say("accepted.proof", a.Proof)
	}
	if d := s.GoneDown; d != nil {
		newsOf(say, "goneDown", &d.From)
		say("goneDown.soaksAt", p.from(d.SoaksAt))
	}
	say("unwell", quoted(s.Unwell))
	if m := s.Mounted; m != nil {
		n["mounted"] = digits(m.Hash)
		say("mounted.keys", keysOf(m.Keys))
	}
	if r := s.Rejection; r != nil {
		n["rejection"] = digits(r.Hash)
		say("rejection.step", r.Step)
		say("rejection.attempts", r.Attempts)
		say("rejection.keys", keysOf(r.Keys))
		say("rejection.nextTry", p.from(r.NextTry))
	}
	if s.Gate != nil {
		n["gate"] = digits(s.Gate.Hash)
		say("gate.waits", quoted(s.Gate.Waits))
	}
	if r := s.Report; r != nil {
		n["report"] = r.Outcome + "/" + digits(r.Hash)
		say("report.error", quoted(r.Error))
	}
	return n
}

func (p *player) newsOfApp(say func(string, any), a status.App) {
	say("app", a.PID)
	say("app.restarts", a.Restarts)
	say("app.text", quoted(a.Text))
	if a.Reload != p.config.Reload.String() {
		say("app.reload", quoted(a.Reload))
	}
	if a.Read != nil {
		say("app.read", map[bool]string{false: "no", true: "yes"}[*a.Read])
	}
	if x := a.LastExit; x != nil {
		say("app.lastExit", strings.ReplaceAll(x.Status, " ", "-"))
		say("app.lastExit.oom", x.OOMKilled)
	}
}

func newsOf(say func(string, any), name string, g *status.Generation) {
	if g == nil {
		return
	}
	say(name, g.Number)
	if g.Source != "mounted" {
		say(name+".source", g.Source)
	}
}

func quoted(text string) string {
	if text == "" {
		return ""
	}
	return fmt.Sprintf("%q", text)
}

// digits are the first ones of a hash.
func digits(hash string) string {
	if hash == "" {
		return "invalid"
	}
	return hash[:2]
}

func keysOf(keys map[string]status.Sum) string {
	return strings.Join(slices.Sorted(maps.Keys(keys)), ",")
}

// from is how long it is until then; "": a time that is none, or has passed.
func (p *player) from(at status.Time) string {
	t, err := time.Parse(time.RFC3339, string(at))
	if err != nil || !t.After(p.now) {
		return ""
	}
	return t.Sub(time.Unix(1e9, 0)).String()
}
