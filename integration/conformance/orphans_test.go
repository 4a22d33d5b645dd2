//go:build conformance

package conformance

import (
	"sync"
)

var orphans = []behaviour{
	{name: "500 orphans that die over a second are reaped", try: overTime,
		does: "while the app lives, nobody is left in the namespace but the init and the app"},
	{name: "a double background leaves no zombie", try: doubleBackground,
		does: "`sh -c \"sh -c 'true &' &\" &` below a shell that lives on"},
	{name: "the app's code is right in a storm of orphans", try: storm,
		does: "2,000 orphans die in the moment in which the app exits with 42, three times"},
}

// crowd lets one case at a time make thousands of processes.
var crowd sync.Mutex

func overTime(s subject) error {
	crowd.Lock()
	defer crowd.Unlock()
	p := s.start(setup{}, "perl", "-e", `$| = 1;
		for (1 .. 500) { my $p = fork; if (!$p) { if (!fork) { select undef, undef, undef, rand 1; exit 3 } exit 0 } waitpid $p, 0 }
		print "started\n"; sleep 7654321`)
	if err := p.says("started\n"); err != nil {
		return err
	}
	return p.Until("all orphans are reaped", func() bool { return len(p.Processes()) == 2 })
}

func doubleBackground(s subject) error {
	p := s.start(setup{}, "sh", "-c", `sh -c "sh -c 'true &' &" & wait; echo started; exec sleep 7654321`)
	if err := p.says("started\n"); err != nil {
		return err
	}
	return p.Until("no zombie is left", func() bool { return len(p.Processes()) == 2 && !p.anyIs("Z") })
}

// storm: the orphans are children of a process that has ended. All wait for the other end of one pipe to be closed, which the
// app's exit does.
func storm(s subject) error {
	crowd.Lock()
	defer crowd.Unlock()
	const script = `pipe my $r, my $w; pipe my $up, my $say;
		my $p = fork;
		if (!$p) { close $w; for (1 .. 2000) { next if fork; close $up; syswrite $say, "x"; sysread $r, $_, 1; exit 7 } exit 0 }
		waitpid $p, 0; my $n = 0; $n += sysread $up, my $x, 4096 while $n < 2000;
		exit 42`
	for range 3 {
		if err := s.start(setup{}, "perl", "-e", script).exits(42); err != nil {
			return err
		}
	}
	return nil
}
