package confit

import (
	"os"
	"strings"
	"testing"
)

// What can't be tried is said on stderr, with nothing done.
func TestTry_refused(t *testing.T) {
	const secret = "aHVudGVyMg=="
	for name, test := range map[string]struct {
		line, stdin, what string
		code              int
		says              string
	}{
		"validator_of_the_apps_paths": {"validate nginx -t", "", "try", 65, `validate "nginx -t" can't be tried aside: it reads what the app has; write {candidate} into it`},
		"no_document":                 {"", "x", "-", 65, `it isn't {"VOLUME": {"KEY": "BASE64"}}, at byte `},
		"many_mistakes":               {"", `{"../a": {}, "web": {"text": "` + secret + `*", "..b": "` + secret + `"}}`, "-", 65, `key "..b" of volume "web" is no path`},
		"too_large":                   {"", `{"web": {"text": "` + strings.Repeat("A", 4<<20) + `"}}`, "-", 65, "it is larger than 4 MiB"},
		"missing_directory":           {"", "", "no-such-directory", 64, "it has none of the volumes that the lines name"},
		"a_file":                      {"", "", "links", 71, "not a directory"},
		"links_file":                  {"nonsense", "", "try", 64, `"nonsense"`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := newSetup(t)
			s.inMemory("")
			s.line("link web/text %s", s.target("text"))
			s.line("%s", test.line)
			s.withFallback()
			s.tries("web", keys{"text": "good"})
			what := test.what
			if what != "-" {
				what = s.path(what)
			}
			c := s.tryOut(test.code, test.stdin, what)
			wantHolds(t, c.Text("stderr"), test.says)
			if c.Contains("cannot start: ") {
				t.Error("nothing was to start")
			}
			if c.Contains(secret) || c.Contains("hunter2") {
				t.Error("a value was printed")
			}
		})
	}
}

// What comes on stdin, and what a memory-backed volume holds, isn't copied to a disk.
func TestTry_keeps_secrets_off_the_disk(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	disk, err := os.MkdirTemp("/var/tmp", "confit-") // the suite's own directory is in memory
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.RemoveAll(disk) })
	s.state = disk
	document := documentOf(map[string]keys{"web": {"text": "good"}})
	for _, flags := range [][]string{nil, {"--allow-disk"}} {
		c := s.tryOut(71, document, "-", flags...)
		wantHolds(t, c.Text("stderr"), `it isn't in memory; name one that is, such as --state /dev/shm/try`)
	}
	s.tries("web", keys{"text": "good"})
	wantHolds(t, s.tryOut(71, "", s.path("try")).Text("stderr"), "on disk: it is memory-backed and state directory")
	s.tryOut(0, "", s.path("try"), "--allow-disk")
}

// A full state directory is the system's fault, and leaves nothing.
func TestTry_full(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	s.inMemory("size=64k")
	c := s.tryOut(71, documentOf(map[string]keys{"web": {"text": strings.Repeat("x", 100_000)}}), "-")
	wantHolds(t, c.Text("stderr"), `cannot lay out what comes on stdin in state directory "`+s.state+`": no space left on device`)
}

// Who reads why a container ended finds the verdict: a try may be its only program.
func TestTry_termination_log(t *testing.T) {
	t.Parallel()
	s := newTry(t)
	s.lines[1] = "validate sh -c 'echo the last words; ! grep -q bad {candidate}/web/text'"
	s.box.TerminationLog = s.write(s.path("termination-log"), "")
	for text, code := range map[string]int{"bad": 78, "good": 0} {
		s.write(s.box.TerminationLog, "")
		s.tryOut(code, "", s.tries("web", keys{"text": text}))
		log, err := os.ReadFile(s.box.TerminationLog)
		if err != nil || strings.HasPrefix(string(log), "candidate rejected step=validate") != (code != 0) || strings.HasSuffix(string(log), "the last words\n") != (code != 0) {
			t.Errorf("exit code %d wrote %q (%v)", code, log, err)
		}
	}
}
