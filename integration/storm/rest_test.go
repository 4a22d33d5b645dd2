//go:build check

package storm

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"confit/integration/internal/harness"
)

// hopeless is after how many starts in one rest somebody fixes what confit can't. The app may be on no rung for long: what it is restarted with
// and dies of late takes the place of a rung that has not soaked, and when it is stopped it lives long enough for anything. Then the
// app dies on the whole ladder, which begins anew at the top. A start that waits for a hanging validate takes three seconds.
const hopeless = 12

// rest waits until confit has nothing to do any more, and checks what must hold then: what is mounted is live, or it was rejected for
// a reason and what was accepted is; the app has read it; nothing is left behind, and nothing grew.
func (p *pod) rest() {
	p.t.Helper()
	why, before := "", p.starts
	if !harness.Poll(p.t.Context(), func() bool {
		p.restart()
		if p.starts-before > hopeless && !p.mounted.isGood() && p.isLiveMortal() && !p.keepsGood() {
			p.note("nothing is left that the app can live on")
			p.edit(good, p.names()...)
		}
		why = p.unrest()
		return why == ""
	}) {
		p.fail("no rest within %v: %s", harness.Patience, why)
	}
	for _, book := range []string{"asked", "told"} {
		_ = os.Remove(p.path(book))
	}
	p.disturbed = false
	p.note("rest: %s is mounted, %s is live", p.mounted, p.said())
}

// unrest is what keeps the pod from resting. "" is none.
func (p *pod) unrest() string {
	s := p.status()
	switch {
	case s.Phase != "running", s.PendingSince != nil, s.Candidate != nil:
		return "something is under way"
	case s.GoneDown != nil:
		return "the app has not lived for long enough on a lower rung"
	case !p.sees(s):
		return "the status is not about what is mounted now"
	case !p.live(p.expected()):
		return fmt.Sprintf("live is not %s", p.expected())
	case p.said() != p.expected().reading():
		return fmt.Sprintf("the app has read %q", p.said())
	case len(p.leftovers()) > 0:
		return fmt.Sprintf("left in the state directory: %q", p.leftovers())
	case p.untold() != "":
		return fmt.Sprintf("a gate was asked about %s, and nobody was told what became of it", p.untold())
	case len(p.init.Processes()) > 2:
		return fmt.Sprintf("left running: %v", p.init.Processes())
	case !p.init.Alive():
		return "the container ended"
	}
	return p.growth()
}

// untold is a hash that a gate was asked about since the last rest, and no report; "" is none.
func (p *pod) untold() string {
	asked, _ := os.ReadFile(p.path("asked"))
	told, _ := os.ReadFile(p.path("told"))
	for hash := range strings.FieldsSeq(string(asked)) {
		if !strings.Contains(string(told), hash) {
			return hash
		}
	}
	return ""
}

// isLiveMortal tells whether the app dies of what is live.
func (p *pod) isLiveMortal() bool {
	texts, err := p.readLive()
	return err == nil && isMortal(texts[len(texts)-1])
}

// keepsMortal and keepsGood tell whether confit may go down to what the app dies of, or to something else.
func (p *pod) keepsMortal() bool { return slices.ContainsFunc(p.kept(), isMortal) }
func (p *pod) keepsGood() bool {
	return slices.ContainsFunc(p.kept(), func(text string) bool { return !isMortal(text) })
}

// kept are the rendered texts of all generations.
func (p *pod) kept() (texts []string) {
	for _, dir := range p.generations() {
		if text, err := os.ReadFile(filepath.Join(dir, ".rendered/all")); err == nil {
			texts = append(texts, string(text))
		}
	}
	return texts
}

// expected is what the app should have: what is mounted, if that can be used. Else it is what was accepted, which was good.
func (p *pod) expected() combination {
	if p.mounted.isGood() && !p.rejectedByAccident() {
		return p.mounted
	}
	texts, err := p.readLive()
	if err != nil {
		return combination{}
	}
	live, known := p.history.find(texts[len(texts)-1])
	if !known || !live.isGood() {
		return combination{}
	}
	return live
}

// rejectedByAccident tells whether a good edit was rejected after the app had read it, and whoever killed the app or confit meanwhile
// is to blame. It is tried again only after an edit or, if the app had died of it twice in a row, in an hour.
func (p *pod) rejectedByAccident() bool {
	s := p.status()
	r := s.Rejection
	return p.excused && r != nil && s.Mounted != nil && r.Hash == s.Mounted.Hash && (r.NextTry == nil || r.Step == "soak")
}

// reading is what the app says when it has read a combination.
func (c combination) reading() string {
	var words []string
	for _, name := range []string{"a", "b", "c"} {
		words = append(words, c[name], c[name])
	}
	return strings.Join(append(words, c.String()), " ")
}

// live tells whether the targets show a combination.
func (p *pod) live(c combination) bool { return readAll(p.absolute(p.targets())) == c.reading() }

func (p *pod) absolute(targets []string) []string {
	paths := slices.Clone(targets)
	for i := range paths {
		paths[i] = p.path("etc", paths[i])
	}
	return paths
}

// said is what the app has read last.
func (p *pod) said() string {
	text, _ := os.ReadFile(p.path("said"))
	return string(text)
}

// standing is what confit says of itself, as far as it matters here.
type standing struct {
	Phase        string
	PendingSince *string
	Candidate    *struct{}
	GoneDown     *struct{}
	Mounted      *struct{ Hash string }
	Rejection    *struct {
		Hash    string
		Step    string
		NextTry *string
	}
	Volumes []struct{ Path, Mounted string }

	text string
}

func (p *pod) status() (s standing) {
	data, err := os.ReadFile(filepath.Join(p.state, "status.json"))
	if err == nil {
		err = json.Unmarshal(data, &s)
	}
	s.text = fmt.Sprintf("%s %v", data, err)
	return s
}

// sees tells whether confit has seen each volume as it is now.
func (p *pod) sees(s standing) bool {
	for _, v := range s.Volumes {
		if now, _ := os.Readlink(filepath.Join(v.Path, "..data")); now != filepath.Base(v.Mounted) {
			return false
		}
	}
	return len(s.Volumes) == len(p.volumes)
}

// leftovers are generations that nobody needs, and temporary files.
func (p *pod) leftovers() (found []string) {
	if list := p.generations(); len(list) > 3 { // the rungs
		found = append(found, list...)
	}
	for _, pattern := range []string{"state/.confit-tmp-*", "etc/.confit-tmp-*", "etc/b/.confit-tmp-*", "state/generations/*.tmp", "state/try/*"} {
		paths, _ := filepath.Glob(p.path(pattern))
		found = append(found, paths...)
	}
	return found
}

func (p *pod) generations() []string {
	list, _ := filepath.Glob(filepath.Join(p.state, "generations", "*"))
	return list
}

// What confit may hold when it rests, at any age.
const (
	maxFiles   = 24
	maxThreads = 16
	maxMemory  = 16 << 10 // KiB of VmRSS
)

// growth says what confit has too much of.
func (p *pod) growth() string {
	files, _ := os.ReadDir(p.init.Proc("fd"))
	threads, _ := strconv.Atoi(harness.StatusField(p.init.Proc(), "Threads"))
	memory, _ := strconv.Atoi(strings.TrimSuffix(harness.StatusField(p.init.Proc(), "VmRSS"), " kB"))
	p.most = [3]int{max(p.most[0], len(files)), max(p.most[1], threads), max(p.most[2], memory)}
	if len(files) > maxFiles || threads > maxThreads || memory > maxMemory {
		return fmt.Sprintf("confit has %d files, %d threads, %d KiB", len(files), threads, memory)
	}
	return ""
}
