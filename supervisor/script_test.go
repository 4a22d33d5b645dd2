package supervisor

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"confit/config"
	"confit/signals"
)

var update = flag.Bool("update", false, "write the answers into the scripts")

// TestTranscripts plays the scripts in testdata. A line that begins at the margin is a stimulus: what somebody
// outside does. The indented lines under it are the answers: what somebody outside sees. Everything between,
// the phases of step and the jobs of the linker, is left out, so that another way to the same end changes no script.
// go test -run Transcripts -update writes the answers anew, to be read before they are committed.
//
// The stimuli, in brackets what may be left out:
//
//	config NAME=VALUE …            settings, see setting
//	mount N [ACTION] [NAME=VALUE …] the volume is swapped, and holds N, see mount; ACTION is what its change requires
//	mount N … unseen               … and no hint comes of it, as on a file system that inotify doesn't see
//	mount N invalid: REASON        … which can't be staged
//	bake N …                       the same of the fallback
//	begin [NUMBER N [NUMBER N]] …  confit starts on what a former confit left, see formerOf
//	confit is killed, begin again  with what the one before has left on the disk, however it ended
//	running N ACTION [again]       mount N and begin, unseen; again: it was accepted before
//	hint                           something has stirred in a volume
//	wait TIME                      time passes; what happens on the way stands under its own time
//	signal NAME                    confit gets a signal
//	app exits N [and leaves a process | and leaves a successor]
//	app is killed by NAME | for want of memory, app is ended by the key NAME
//	app opens what changed, app says READY | RELOADING | EXTEND SECONDS | TEXT
//	app works in WORDS             its next start finds a script that will execute it; stays in WORDS: one that won't; runs in WORDS: no script
//	app traps TERM                 the script does
//	app begins                     the script has executed it
//	app starts a process that says READY
//	app has its handler caught | default | ignored | blocked | unknown [PROGRAM [alone]]
//	app can't be signalled, app can be signalled
//	app doesn't start: CODE        the next one
//	app is stopped, app stands in a generation
//	app leaves leftovers | what KILL doesn't end, leftovers end
//	HOOK ends CODE [WORDS], report ends CODE
//	HOOK doesn't start: REASON     the next one
//	JOB fails: REASON              the next of the linker's jobs: stage, fallback (to stage that), complete, publish, withdraw,
//	                               touch, note, compare, glance. All others go well
//	JOB partly fails: REASON       withdraw or repair has done the rest
//	repair damaged: KEY            of what is in force, and something else is mounted
//	repair finds: REASON           something missing, which is made anew
//	the state directory is emptied
//	withdraw loses: REASON         what is gone back to can't be used
//	JOB finds: REASON              complete or publish, that a hook has made what can't be
//	JOB panics: REASON
//	JOB hangs, linker goes on
//	links file is TEXT             "" is what confit was started with
//	status                         all that has changed since the last one
//
// The answers:
//
//	log LEVEL "MESSAGE" KEY=VALUE … but for the phase
//	status NAME=VALUE …            what has changed in status.json, but for phase and times
//	start app (generation N)
//	start HOOK: COMMAND (generation N) [what only a gate is told]
//	start report: WHAT (in force: generation N)
//	ask gate to end, kill HOOK, kill report
//	signal NAME, signal NAME to leftovers | everybody | report
//	end CODE [: REASON]            of confit
//	after TIME                     what follows has happened so long after the wait began
//
// Scripts debug_* say config shows=inside: there the actions and the phases stand, too.
func TestTranscripts(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txt")
	if err != nil || len(files) == 0 {
		t.Fatalf("no scripts: %v", err)
	}
	shows, played := said{}, 0
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txt"), func(t *testing.T) {
			compareScript(t, file, func(script string) string {
				p := newPlayer(t)
				p.shows, played = shows, played+1
				eachStimulus(script, &p.out, p.line)
				p.usesUp()
				return p.out.String()
			})
		})
	}
	if played == len(files) { // else -run names one
		shows.holds(t)
	}
}

// compareScript plays a script, and writes it anew where -update asks for that.
func compareScript(t *testing.T, file string, play func(string) string) {
	script, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	got := play(string(script))
	if got == string(script) {
		return
	}
	if !*update {
		t.Fatalf("want:\n%s\ngot:\n%s", script, got)
	}
	if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
		t.Fatal(err)
	}
}

// eachStimulus plays the stimuli of a script. Comments and empty lines stay, the answers are written anew.
func eachStimulus(script string, out *strings.Builder, play func(words []string)) {
	for line := range strings.Lines(script) {
		switch {
		case strings.HasPrefix(line, "#") || line == "\n":
			out.WriteString(line)
		case !strings.HasPrefix(line, " "):
			out.WriteString(line)
			play(strings.Fields(line))
		}
	}
}

// player plays a script. The model of the linker is the explorer's.
type player struct {
	t        *testing.T
	config   config.Config
	state    state
	begun    bool
	fallback bool
	now      time.Time
	out      strings.Builder
	model
	given   []job               // for the linker, of the event that is given
	volumes map[letter]volume   // what the letters stand for
	faults  map[string][]string // by job or process and kind; each counts once
	hanging string              // the job that doesn't come to an end
	people
	watched bool                         // the linker sees who opens what
	inside  bool                         // the actions and phases are shown
	waits   bool                         // with what the phase doesn't say
	silent  bool                         // nothing is written
	shown   map[string]map[string]string // by the last status that was asked for
	seen    map[string]string            // in the last status
	shows   said                         // in any; nil: nobody asks
	waited  time.Time                    // the begin of the wait; zero: none is under way
	until   time.Time                    // its end
	marked  time.Time                    // the last time that was written
}

// usesUp holds that each fault of the script has happened.
func (p *player) usesUp() {
	for name, left := range p.faults {
		if len(left) > 0 {
			p.t.Errorf("%s: %q hasn't happened", name, left)
		}
	}
}

func newPlayer(t *testing.T) *player {
	p := &player{t: t, now: time.Unix(1e9, 0), config: scriptConfig(), volumes: map[letter]volume{}, faults: map[string][]string{}}
	p.pids, p.handler.Disposition = 19, signals.Caught
	return p
}

// scriptConfig is what a script's config line changes.
func scriptConfig() config.Config {
	return config.Config{
		Rescan: 10 * time.Second, HookTimeout: 30 * time.Second, DrainTimeout: 5 * time.Second, StopTimeout: 20 * time.Second, StopSignal: 3,
		Retry: 10 * time.Second, VerifyTimeout: 10 * time.Second,
	}
}
