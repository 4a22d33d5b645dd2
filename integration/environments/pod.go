package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"time"
)

// pod is what a kubelet would have made for one pod: its volumes, and what they share with the host.
type pod struct {
	*environment
	dir    string // of all on the host, but for what a place holds
	place  string // where the volume, the targets' directory and the state directory are; "": in dir
	lines  string // more lines of the links file
	reload string // the app's
	runs   container
	count  int // containers until now
	asked  int // questions to the probe of this container
	heard  int // lines of said that were there when the container began
}

const links = `link web/key /etc/app/key
link web/covered /etc/app/covered optional reload=none
link web/touched /etc/app/touched optional reload=touch
link plain/d/a /etc/app/out optional reload=none
validate /probe validate {candidate}
probation 1s
hook-timeout 4s
rescan 1s
drain-timeout 1s
`

// newPod makes the directories of a pod, in which a user of any number may write where a pod's user may.
func newPod(e *environment, dir, place string) (*pod, error) {
	p := &pod{environment: e, dir: dir, place: place, reload: "signal:HUP"}
	for _, name := range []string{"web", "state", "etc", "ctl", "plain", "secret", "conf"} {
		err := os.MkdirAll(p.path(name), 0o755)
		if err == nil && (!p.fixed || name != "web") {
			err = os.Chmod(p.path(name), 0o777)
		}
		if err != nil {
			return nil, err
		}
	}
	return p, os.WriteFile(filepath.Join(p.path("etc"), "covered"), []byte("image"), 0o644)
}

// end ends what still runs.
func (p *pod) end() { p.stop() }

// path is where something of the pod is on the host.
func (p *pod) path(name string) string {
	if p.place != "" && (name == "state" || !p.refused && (name == "web" || name == "etc")) {
		return filepath.Join(p.place, name)
	}
	if name == "secret" {
		return filepath.Join(p.secrets, filepath.Base(filepath.Dir(p.dir)))
	}
	return filepath.Join(p.dir, name)
}

// edit writes an edition, as a sync of the kubelet does.
func (p *pod) edit(edition string, more ...string) error {
	if p.fixed {
		return nil
	}
	args := append([]string{p.path("web"), "key=" + edition + "\n"}, more...)
	return command(p.kubelet, args...)
}

func command(program string, args ...string) error {
	if out, err := exec.Command(program, args...).CombinedOutput(); err != nil {
		return fmt.Errorf("%s %s: %w: %s", program, strings.Join(args, " "), err, out)
	}
	return nil
}

// start starts a container with confit, or another init, in front of the app.
func (p *pod) start(app ...string) error {
	p.stop()
	old, _ := filepath.Glob(p.path("ctl") + "/do*")
	for _, name := range old {
		_ = os.Remove(name)
	}
	old, _ = filepath.Glob(p.path("ctl") + "/done*")
	for _, name := range old {
		_ = os.Remove(name)
	}
	p.asked, p.heard = 0, len(p.said())
	p.count++
	err := os.WriteFile(p.path("conf")+"/links", []byte(links+"reload "+p.reload+"\n"+p.environment.lines+p.lines), 0o644)
	if err != nil {
		return err
	}
	box := &box{name: fmt.Sprintf("confit-env-%d-%d", os.Getpid(), nextName()), dir: filepath.Join(p.dir, fmt.Sprint("box", p.count)), rootfs: p.rootfs, pids: p.pids, memory: p.memory,
		mounts: []mount{
			{p.path("web"), "/confit/web", false}, {p.path("plain"), "/confit/plain", false}, {p.path("secret"), "/confit/secret", false},
			{p.path("conf"), "/etc/confit", false}, {p.path("state"), "/run/confit", true}, {p.path("etc"), "/etc/app", true}, {p.path("ctl"), "/ctl", true},
		}, args: append([]string{}, p.init...)}
	box.args = append(box.args, app...)
	if err = os.MkdirAll(box.dir, 0o755); err == nil {
		p.runs, err = p.run(box)
	}
	return err
}

var names int

func nextName() int { names++; return names }

// stop kills a container that still runs.
func (p *pod) stop() {
	if p.runs != nil {
		_ = p.runs.signal("KILL")
		_, _ = p.runs.wait(time.Minute)
		p.runs = nil
	}
}

// said are the lines that the probe has added.
func (p *pod) said() []string {
	text, _ := os.ReadFile(p.path("ctl") + "/said")
	return strings.FieldsFunc(string(text), func(r rune) bool { return r == '\n' })
}

// times counts a line in what was said in this container.
func (p *pod) times(line string) (n int) {
	for _, s := range p.said()[min(p.heard, len(p.said())):] {
		if s == line {
			n++
		}
	}
	return n
}

// says waits for a line.
func (p *pod) says(line string) error {
	return p.until(func() (bool, string) {
		return p.times(line) > 0, fmt.Sprintf("the app doesn't say %q: %q", line, p.said()[min(p.heard, len(p.said())):])
	})
}

// until waits until something is so. The error is what isn't.
func (p *pod) until(is func() (bool, string)) error {
	for end := time.Now().Add(p.patience); ; time.Sleep(30 * time.Millisecond) {
		good, what := is()
		switch {
		case good:
			return nil
		case p.runs != nil && p.runs.ended():
			code, _ := p.runs.wait(time.Second)
			return fmt.Errorf("the container has ended with %d: %s", code, p.runs.log())
		case time.Now().After(end):
			return errors.New(what)
		}
	}
}

// ask has the probe do something, and returns its answer.
func (p *pod) ask(what string) (answer string, err error) {
	p.asked++
	name := fmt.Sprint(p.path("ctl"), "/do.", p.asked)
	if err = os.WriteFile(name+".new", []byte(what), 0o644); err == nil {
		err = os.Rename(name+".new", name)
	}
	if err != nil {
		return "", err
	}
	err = p.until(func() (bool, string) {
		text, err := os.ReadFile(fmt.Sprint(p.path("ctl"), "/done.", p.asked))
		answer = string(text)
		return err == nil, "the probe doesn't answer to " + what
	})
	return answer, err
}

// answers asks, and compares the answer.
func (p *pod) answers(what, want string) error {
	got, err := p.ask(what)
	if err == nil && got != want && !strings.HasPrefix(got, want+"\n") {
		err = fmt.Errorf("%s: %q, not %q", what, got, want)
	}
	return err
}

// status is what confit writes for others.
type status struct {
	Accepted, Candidate *struct{ Hash string }
	Mounted             struct{ Hash string }
	Rejection           *struct{ Step string }
	App                 struct{ Text string }
}

func (p *pod) status() (s status, err error) {
	text, err := p.ask("read /run/confit/status.json")
	if err == nil {
		err = json.Unmarshal([]byte(text), &s)
	}
	return s, err
}

// accepted waits until what is mounted is accepted.
func (p *pod) accepted() error {
	return p.until(func() (bool, string) {
		s, err := p.status()
		if err != nil {
			return false, err.Error()
		}
		return s.Candidate == nil && s.Accepted != nil && s.Accepted.Hash == s.Mounted.Hash, "what is mounted isn't accepted"
	})
}

// takes edits, and waits until the app has taken the edition, and it is accepted.
func (p *pod) takes(edition string, more ...string) error {
	err := p.edit(edition, more...)
	if err == nil {
		err = p.says("hup " + edition)
	}
	if err == nil {
		err = p.accepted()
	}
	return err
}

// shows waits for the code of confit --status.
func (p *pod) shows(code int) error {
	return p.until(func() (bool, string) {
		got, err := p.ask("confit --status")
		if err != nil {
			return false, err.Error()
		}
		return strings.HasPrefix(got, fmt.Sprint(code, "\n")), fmt.Sprintf("confit --status ends with %s", got)
	})
}

// ends waits for the end of the container.
func (p *pod) ends(want int) error {
	code, err := p.runs.wait(p.patience)
	if err == nil && code != want {
		err = fmt.Errorf("the container ends with %d, not %d: %s", code, want, p.runs.log())
	}
	if err == nil {
		p.runs = nil
	}
	return err
}
