package status

import (
	"bytes"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"
	"unicode/utf8"
)

// noon is when the texts of this test are read.
var noon = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func before(d time.Duration) Time { return At(noon.Add(-d)) }

// The hashes of three configurations.
const (
	hashA = "5b1f0c7d29ae5b1f0c7d29ae5b1f0c7d29ae5b1f0c7d29ae5b1f0c7d29ae5b1f"
	hashB = "c90d4e61f7b3c90d4e61f7b3c90d4e61f7b3c90d4e61f7b3c90d4e61f7b3c90d"
	hashC = "08e2a94b6c5d08e2a94b6c5d08e2a94b6c5d08e2a94b6c5d08e2a94b6c5d08e2"
)

const day = 24 * time.Hour

// quiet is the status of an nginx that has accepted its second configuration.
func quiet() Status {
	live := Generation{Number: 2, Hash: hashA, Source: "mounted", Since: before(2*day + time.Hour)}
	return Status{
		Confit: "0.1.0", Updated: before(2*day + time.Hour - 5*time.Second), Phase: "running",
		App:     App{PID: 17, Started: before(9 * day), Reload: "auto", Read: new(true)},
		Mounted: &Mounted{Hash: hashA, Since: live.Since}, Live: &live,
		Accepted: &Accepted{live, "probation", false, ""},
		Volumes:  []Volume{{Path: "/confit/web", Kind: "atomic", Watched: "inotify", Mounted: "..2026_11_20_11_00_00.123456789"}},
		Counters: Counters{Swaps: 1, Reloads: 1},
	}
}

// edited is quiet, and a change was mounted some minutes ago.
func edited(phase string) Status {
	s := quiet()
	s.Phase, s.Updated, s.PendingSince = phase, before(3*time.Minute), before(3*time.Minute)
	s.Mounted = &Mounted{Hash: hashB, Since: before(3 * time.Minute), Keys: map[string]Sum{"web/nginx.conf": hashC}}
	s.Candidate = &Generation{Number: 3, Hash: hashB, Source: "mounted", Since: before(3 * time.Minute)}
	s.Counters.Swaps = 2
	return s
}

// rejected is edited, and a validator didn't like it.
func rejected() Status {
	s := edited("running")
	s.Candidate, s.PendingSince = nil, ""
	s.Rejection = &Rejection{
		At: before(70 * time.Second), Hash: hashB, Step: "validate", Attempts: 4, NextTry: before(-10 * time.Second),
		Reason: `validate "nginx -t -c {candidate}/web/nginx.conf" ended with exit 1`,
		Output: "nginx: [emerg] unknown directive \"sever\" in /run/confit/generations/3/web/nginx.conf:12\n" +
			"nginx: configuration file /run/confit/generations/3/web/nginx.conf test failed\n",
	}
	s.Updated, s.Counters.Rejections = before(70*time.Second), 4
	return s
}

// rolledBack is edited, and the app died of it.
func rolledBack() Status {
	s := rejected()
	s.Rejection = &Rejection{At: before(2 * time.Minute), Hash: hashB, Step: "probation", Attempts: 1, Reason: "the app exited with exit 1"}
	s.App.PID, s.App.Started, s.App.Restarts = 41, before(2*time.Minute), 1
	s.App.LastExit = &Exit{At: before(2 * time.Minute), Status: "exit 1", Code: 1}
	s.Live.Since = before(2 * time.Minute)
	s.Updated, s.Counters = before(2*time.Minute), Counters{Swaps: 2, Reloads: 3, Rejections: 1, RollBacks: 1}
	return s
}

// counted is the row of the counters.
var counted = regexp.MustCompile("counted .*\n")

// texts are the states that have a golden file.
func texts() map[string]Status {
	list := map[string]Status{"healthy": quiet(), "rejected": rejected(), "rolled-back": rolledBack(), "on-its-way": edited("validating")}
	add := func(name string, s Status, change func(*Status)) {
		change(&s)
		list[name] = s
	}
	add("nothing-yet", Status{Confit: "0.1.0", Updated: before(5 * time.Second), Phase: "staging", App: App{Reload: "auto"}}, func(*Status) {})
	add("probation", edited("proving"), func(s *Status) {
		s.Live, s.Updated = s.Candidate, before(2*time.Second)
		s.Live.Since = before(2 * time.Second)
	})
	add("gone-down", edited("running"), func(s *Status) {
		s.PendingSince, s.Candidate = "", nil
		s.GoneDown = &GoneDown{Generation{Number: 3, Hash: hashB, Source: "mounted", Since: before(3 * time.Minute)}, "the app ended with exit 1 8s after its start", before(-40 * time.Second)}
	})
	add("not-well", quiet(), func(s *Status) { s.Unwell = `verify: verify "curl -f localhost" ended with exit 22` })
	add("died-of-late", rolledBack(), func(s *Status) {
		s.Rejection.Step, s.Rejection.NextTry = "soak", before(-58*time.Minute)
	})
	add("held-up", rejected(), func(s *Status) {
		s.Mounted.Keys["tls/tls.crt"], s.Mounted.Keys["web/app.conf"] = hashC, hashC
		s.Rejection.HeldUp = map[string]Time{"tls/tls.crt": before(3 * day), "web/app.conf": before(time.Minute)}
	})
	add("gate", edited("gating"), func(s *Status) { s.Gate = &Gate{Hash: hashC, Since: before(170 * time.Second)} })
	add("gate-waits", edited("gating"), func(s *Status) {
		s.Gate = &Gate{Hash: hashC, Since: before(170 * time.Second), Waits: "rolled-back of 5f2b1c9d8e7a"}
		s.Report = &Report{At: before(20 * time.Second), Hash: hashB, Outcome: "rolled-back", Error: `report "confitctl report" ended with exit 1`}
	})
	add("gate-refused", rejected(), func(s *Status) {
		s.Rejection.Step, s.Rejection.Reason, s.Rejection.Output = "gate", "hook ended with exit 1: the fleet has rejected it", ""
		s.Report = &Report{At: before(time.Minute), Hash: hashC, Outcome: "rejected", Error: "report hook ended with exit 1"}
	})
	add("fallback", rejected(), func(s *Status) {
		s.Live = &Generation{Number: 2, Hash: hashC, Source: "fallback", Since: before(2 * time.Hour)}
		s.Accepted = &Accepted{*s.Live, "verify", false, ""}
		s.Rejection.Step, s.Rejection.Output = "stage", ""
		s.Rejection.Hash, s.Mounted.Hash, s.Rejection.Reason = "", "", `key "nginx.conf" is missing in volume "/confit/web"`
	})
	add("fallback-on-its-way", rejected(), func(s *Status) {
		s.Live, s.Accepted, s.App.PID, s.Phase = nil, nil, 0, "validating"
		s.Candidate = &Generation{Number: 4, Hash: hashC, Source: "fallback", Since: before(time.Second)}
	})
	add("nothing-accepted", rejected(), func(s *Status) {
		s.Live, s.Accepted = &Generation{Number: 1, Hash: hashB, Source: "mounted", Since: before(time.Hour)}, nil
		s.Rejection.Step, s.Rejection.Reason, s.Rejection.NextTry = "verify", "hook killed after 10s", ""
		s.Rejection.Output = strings.Repeat("connection refused\n", 30)
	})
	add("hook-not-started", rejected(), func(s *Status) {
		s.Rejection.Reason, s.Rejection.Output = `validate: cannot start "nginx": no such file or directory in PATH`, ""
	})
	add("tried-again", rejected(), func(s *Status) {
		s.Live, s.Phase = &Generation{Number: 4, Hash: hashB, Source: "mounted", Since: before(time.Second)}, "proving"
	})
	add("reverted", quiet(), func(s *Status) {
		s.Rejection = &Rejection{At: before(3 * day), Hash: hashB, Step: "validate", Attempts: 1}
	})
	add("accepted-since", quiet(), func(s *Status) {
		s.Rejection = &Rejection{At: before(3 * day), Hash: hashA, Step: "render", Attempts: 2}
	})
	add("many-keys", rejected(), func(s *Status) {
		s.Mounted.Keys["web/a\u202egone.conf"] = ""
		for i := range 40 {
			s.Mounted.Keys[fmt.Sprintf("web/conf.d/site-%02d.conf", i)] = hashC
		}
	})
	add("in-trouble", edited("running"), func(s *Status) {
		s.Candidate = nil
		s.Trouble = "cannot write generation 8 in state directory \"/run/confit\": no space left on device"
	})
	add("in-want", quiet(), func(s *Status) {
		s.Trouble = "cannot link target \"/home/app/conf/a\": a symlink of user 1000 in the place of directory \"/home/app/conf\", where others may write, is there; write the real path, or remove it from the image or the pod"
	})
	add("unread", quiet(), func(s *Status) {
		s.Trouble = unread + ": cannot read \"/run/confit/note.json\": input/output error"
	})
	add("damaged", quiet(), func(s *Status) {
		s.Damaged, s.Trouble = true, "key \".rendered/nginx.conf\" of generation 7 is damaged, and can't be restored"
	})
	add("out-of-date", rejected(), func(s *Status) { s.Rejection.NextTry = before(5 * time.Minute) })
	add("ended", quiet(), func(s *Status) {
		s.Phase, s.App.PID, s.App.LastExit = "done", 0, &Exit{At: before(time.Minute), Status: "exit 1", Code: 1}
	})
	add("ended-rejected", rejected(), func(s *Status) {
		s.Phase, s.Live, s.Accepted, s.App = "done", nil, nil, App{Reload: "auto"}
		s.Rejection.NextTry = ""
	})
	add("everything", quiet(), func(s *Status) {
		s.Degraded, s.Stalled = "panic: index out of range", before(3*time.Minute)
		s.Trouble, s.LinksChanged = "cannot list volume \"/confit/web\": too many open files", before(time.Hour)
		s.App = App{PID: 7, Started: before(time.Hour), Restarts: 2, Reload: "restart: it left at HUP", Read: new(false), Text: "3 workers",
			LastExit: &Exit{At: before(time.Hour), Status: "signal 9", Code: 137, OOMKilled: true}}
		s.Volumes = append(s.Volumes, Volume{Path: "/srv/app", Kind: "plain", Watched: "polling"})
	})
	add("entrypoint", edited("waiting"), func(s *Status) {
		s.App.Entrypoint = &Entrypoint{Program: "bash /docker-entrypoint.sh", Since: before(20 * time.Second), Until: before(-time.Minute)}
	})
	add("stalled", edited("staging"), func(s *Status) { s.Candidate, s.Stalled = nil, before(90*time.Second) })
	return list
}

// TestTexts holds what people see of each state, in 80 columns.
func TestTexts(t *testing.T) {
	for name, s := range texts() {
		file := "testdata/" + name + ".txt"
		got := s.Text(noon)
		if name != "everything" { // one file has the counters: another one makes no news in the others
			got = counted.ReplaceAll(got, nil)
		}
		if *update {
			if err := os.WriteFile(file, got, 0o644); err != nil {
				t.Fatal(err)
			}
		}
		want, err := os.ReadFile(file)
		if err != nil || !bytes.Equal(got, want) {
			t.Errorf("%s (-update writes it anew): got\n%swant\n%s(%v)", file, got, want, err)
		}
		for line := range strings.Lines(string(got)) {
			if line = strings.TrimSuffix(line, "\n"); utf8.RuneCountInString(line) > columns || strings.TrimRight(line, " ") != line {
				t.Errorf("%s: not a line of 80 columns, or a blank at its end: %q", file, line)
			}
		}
	}
	files, _ := filepath.Glob("testdata/*.txt")
	if len(files) != len(texts()) {
		t.Errorf("there are %d golden files of %d texts", len(files), len(texts()))
	}
}

// TestEverySentenceShown: each sentence that the text can hold stands in a golden
// file, so somebody has read it where it stands.
func TestEverySentenceShown(t *testing.T) {
	var all []byte
	for _, s := range texts() {
		all = append(all, bytes.Join(bytes.Fields(s.Text(noon)), []byte(" "))...)
	}
	tree, err := parser.ParseFile(token.NewFileSet(), "text.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	sentences := 0
	ast.Inspect(tree, func(n ast.Node) bool {
		literal, ok := n.(*ast.BasicLit)
		if !ok || literal.Kind != token.STRING {
			return true
		}
		text, _ := strconv.Unquote(literal.Value)
		if text = strings.TrimSpace(text); strings.Contains(text, "%") {
			text, _, _ = strings.Cut(text, "%")
		}
		if strings.Contains(text, " ") {
			sentences++
			if !bytes.Contains(all, bytes.TrimSpace([]byte(text))) {
				t.Errorf("no golden file shows %q", text)
			}
		}
		return true
	})
	if sentences < 30 {
		t.Errorf("text.go has %d sentences", sentences)
	}
}

// TestAdvice_hook_not_started: a hook whose program is missing isn't repaired in what is mounted,
// whatever the step.
func TestAdvice_hook_not_started(t *testing.T) {
	for reason, mounted := range map[string]bool{
		`gate: cannot start "/ask": no such file or directory`: false, `gate "ask" ended with exit 1: it cannot start now`: true,
	} {
		for _, next := range []Time{"", before(-time.Minute)} {
			got := (&Rejection{Step: "gate", Reason: reason, NextTry: next}).advice()
			if strings.Contains(got, "fix the links file or the image") == mounted {
				t.Errorf("%s: %s", reason, got)
			}
		}
	}
}
