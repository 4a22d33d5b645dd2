//go:build conformance

package conformance

import (
	"errors"
	"fmt"
)

var leftovers = []behaviour{
	{name: "a leftover gets TERM once, and time to clean up", try: leftover("", true),
		does: "an app exits with 5 and leaves a process that needs 0.5 s after TERM"},
	{name: "the same for one that left the session", try: leftover("setsid();", true),
		does: "it has called `setsid` before"},
	{name: "the same for one that is stopped", try: leftover("stop();", true),
		does: "it has stopped itself, and can act on TERM only after CONT"},
	{name: "a leftover that ignores TERM doesn't keep the init", try: leftover("$SIG{TERM} = 'IGNORE';", false),
		does: "the app's exit code comes through, with a leftover that nothing but KILL ends"},
}

// leavesBehind ends with 5 when its child is ready to be left behind, %s being what the child does before.
const leavesBehind = `use POSIX qw(setsid WUNTRACED); $| = 1; pipe my $r, my $w;
sub stop { $stops = 1 }
my $child = fork;
if (!$child) {
	$SIG{TERM} = sub { $terms++; syswrite STDOUT, "term\n" };
	%s
	syswrite $w, "x"; kill 'STOP', $$ if $stops;
	select undef, undef, undef, 0.02 until $terms;
	select undef, undef, undef, 0.1 for 1 .. 5;
	syswrite STDOUT, "cleaned up\n"; exit;
}
sysread $r, $_, 1; waitpid $child, WUNTRACED if %q;
exit 5;`

func leftover(first string, mayCleanUp bool) func(subject) error {
	stopped := ""
	if first == "stop();" {
		stopped = "1"
	}
	return func(s subject) error {
		how := setup{}
		if !mayCleanUp {
			how.options = []option{hurry}
		}
		p := s.start(how, "perl", "-e", fmt.Sprintf(leavesBehind, first, stopped))
		if err := p.exits(5); err != nil || !mayCleanUp {
			return err
		}
		if p.count("cleaned up") == 0 {
			return errors.New("cut off before it had cleaned up")
		}
		if n := p.count("term"); n != 1 {
			return fmt.Errorf("it got TERM %d times", n)
		}
		return nil
	}
}
