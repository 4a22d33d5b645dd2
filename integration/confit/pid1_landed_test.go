package confit

import (
	"fmt"
	"strings"
	"syscall"
	"testing"
)

// landing is an app that says "begun", and may say "catches" later, when the test lets it: that is where FILE is. It exits with a code at its
// stop signal.
type landing struct {
	name  string
	flags []string
	app   []string
	late  bool // it has no handler until FILE is there
	code  int
}

// perl makes an app of a program in which FILE and waits stand for the file, and for the wait for it, and of what it does before it says that it
// has begun.
func perl(before, program string) []string {
	return []string{"perl", "-e", `use POSIX; $| = 1; sub waits { select undef, undef, undef, 0.02 until -e "FILE" } ` + before + `; print "begun\n"; ` + program +
		`; select undef, undef, undef, 0.02 while 1`}
}

// shellForLife is a loop behind something that a shell does first.
func shellForLife(shell, before string) []string {
	return []string{shell, "-c", before + `; echo begun; while :; do sleep 0.05; done`}
}

const (
	catchesLate = `waits; $SIG{%s} = sub { exit 6 }; print "catches\n"`
	blocks      = `my $set = POSIX::SigSet->new(%[1]s); sigprocmask(SIG_BLOCK, $set)`
	takes       = `print "catches\n"; my $p = POSIX::SigSet->new; until ($p->ismember(%[1]s)) { select undef, undef, undef, 0.02; sigpending($p) } exit 6`
)

var landings = []landing{
	{"dash", nil, shellForLife("dash", ":"), false, 143},
	{"bash", nil, shellForLife("bash", ":"), false, 143},
	{"dash traps TERM", nil, shellForLife("dash", `trap 'exit 6' TERM`), false, 6},
	{"bash traps TERM", nil, shellForLife("bash", `trap 'exit 6' TERM`), false, 6},
	{"bash traps TERM by a variable", nil, shellForLife("bash", `for s in TERM HUP; do trap 'exit 6' $s; done`), false, 6},
	{"dash traps TERM by a variable", nil, shellForLife("dash", `for s in TERM HUP; do trap 'exit 6' $s; done`), false, 6},
	{"bash traps EXIT", nil, shellForLife("bash", `trap 'echo bye' EXIT`), false, 143},
	{"bash traps INT", []string{"--stop-signal", "INT"}, shellForLife("bash", `trap 'exit 6' INT`), false, 6},
	{"dash traps INT", []string{"--stop-signal", "INT"}, shellForLife("dash", `trap 'exit 6' INT`), false, 6},
	{"dash traps USR1", []string{"--stop-signal", "USR1"}, shellForLife("dash", `trap 'exit 6' 10`), false, 6},
	{"dash and QUIT", []string{"--stop-signal", "QUIT"}, shellForLife("dash", ":"), false, 131},
	{"catches WINCH late", []string{"--stop-signal", "WINCH"}, perl("", fmt.Sprintf(catchesLate, "WINCH")), true, 6},
	{"ignores INT first", []string{"--stop-signal", "INT"}, perl(`$SIG{INT} = "IGNORE"`, fmt.Sprintf(catchesLate, "INT")), true, 6},
	{"blocks TERM", nil, perl(fmt.Sprintf(blocks, "SIGTERM"), fmt.Sprintf(takes, "SIGTERM")), false, 6},
	{"blocks WINCH", []string{"--stop-signal", "WINCH"}, perl(fmt.Sprintf(blocks, "28"), fmt.Sprintf(takes, "28")), false, 6},
	{"dies of USR1", []string{"--stop-signal", "USR1"}, perl("", "1"), false, 138},
	{"a member catches WINCH late", []string{"--stop-signal", "WINCH", "--signal-group"}, perl("",
		`my $child = fork; if ($child) { waitpid $child, 0; exit $? >> 8 } `+fmt.Sprintf(catchesLate, "WINCH")), true, 6},
}

// A stop is sent once, as soon as it isn't lost, and is none that another signal follows.
func TestLanded(t *testing.T) {
	t.Parallel()
	for _, l := range landings {
		t.Run(l.name, func(t *testing.T) {
			t.Parallel()
			l.run(t)
		})
	}
}

func (l landing) run(t *testing.T) {
	s := newExit(t)
	s.flag(append([]string{"--entrypoint-timeout", "30m"}, l.flags...)...)
	var argv []string
	for _, word := range l.app {
		argv = append(argv, strings.ReplaceAll(word, "FILE", s.path("late")))
	}
	c := s.start(argv...)
	c.Says("begun", 1)
	c.Signal(syscall.SIGTERM)
	if l.late {
		c.logs("stop requested", 1)
		s.write(s.path("late"), "")
	}
	c.Ends(l.code)
	c.wantLogged("app has not taken the stop signal: it gets another one", 0)
	c.wantLogged("app started", 1)
}
