//go:build conformance

package conformance

import (
	"errors"
	"fmt"
	"os"
	"strings"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

// fence is the signal that follows each other one. The kernel hands signals out from the lowest number to the highest, so when
// this one arrives, no other is on its way.
const fence = syscall.Signal(64)

var signalled = []behaviour{
	{name: "signals 1 to 31 reach the app, one for one", try: standardSignals,
		does: "an app with a handler for each; not in here: KILL, STOP, CHLD, and the rows below"},
	{name: "signals 35 to 64 reach the app, one for one", try: realTimeSignals,
		does: "the same for the real-time signals"},
	{name: "URG, PIPE, PROF, XCPU, XFSZ and RTMIN reach the app", try: specialSignals,
		does: "the same for those that a runtime may keep for itself"},
	{name: "TSTP, TTIN and TTOU reach the app", try: suspending,
		does: "the same, for an app that catches them; one that is stopped instead gets CONT"},
	{name: "without a terminal TSTP, TTIN and TTOU stop nobody", try: jobControlSignals,
		does: "a child of the app sends itself each of them, without a handler: it goes on, as without an init"},
	{name: "TERM ends an app that doesn't catch it: 143", try: plainTerm,
		does: "`sleep` below the init"},
	{name: "a TERM in its first milliseconds doesn't end the init", try: earlyTerm,
		does: "TERM 0 to 6 ms after the init was executed, 300 times: the app runs, or has ended of it (143)"},
	{name: "the app's code comes through beside a TERM", try: termAtTheEnd,
		does: "an app that doesn't mind TERM ends by itself, with 7, in the moment in which TERM is sent, 100 times"},
	{name: "a flood of HUP doesn't hurt", try: flood,
		does: "5,000 HUP as fast as they can be sent: at least one reaches the app, and TERM after them ends it"},
	{name: "a burst of real-time signals arrives whole", try: burst,
		does: "50 of each from 35 to 64, as fast as they can be sent, to an app that has them blocked: it gets 1,500"},
	{name: "rewriting a signal", try: rewriting, needs: []option{rewrite},
		does: "USR1 to the init is USR2 for the app"},
	{name: "dropping a signal", try: dropping, needs: []option{drop},
		does: "HUP to the init never reaches the app"},
	{name: "signals to the app's whole group", try: groupSignals, needs: []option{group},
		does: "an app with three children: USR1 reaches all four"},
	{name: "signals to the app alone", try: singleSignals, needs: []option{single},
		does: "the same, and only the app gets it"},
}

// receiver prints the number of each signal that it gets. It looks up often, as a signal may come just before it sleeps.
const receiver = `use Config; $| = 1;
my @name = split ' ', $Config{sig_name};
for my $n (1 .. 64) { next if $n == 9 || $n == 19 || $n == 32 || $n == 33; $SIG{$name[$n]} = sub { syswrite STDOUT, "signal $n\n" } }
print "ready\n";
select undef, undef, undef, 0.02 while 1;`

func signalLine(sig syscall.Signal) string { return fmt.Sprintf("signal %d", int(sig)) }

// receives sends signals to an init with the receiver below it, and reports those that it didn't get exactly once.
func receives(s subject, how setup, signals ...syscall.Signal) error {
	p := s.start(how, "perl", "-e", receiver)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	for _, sig := range signals {
		if err := p.exchange(sig); err != nil {
			return err
		}
	}
	// Go's runtime takes signals on any thread: one more exchange, for what the last fence has overtaken.
	if err := p.exchange(syscall.SIGCONT); err != nil {
		return err
	}
	var wrong []string
	for _, sig := range signals {
		if n := p.count(signalLine(sig)); n != 1 {
			wrong = append(wrong, fmt.Sprintf("%d × %d", n, int(sig)))
		}
	}
	if len(wrong) > 0 {
		return fmt.Errorf("the app got %s", strings.Join(wrong, ", "))
	}
	return nil
}

// exchange sends a signal and the fence, and waits for the fence to arrive.
func (p *started) exchange(sig syscall.Signal) error {
	before := p.count(signalLine(fence))
	p.send(sig)
	p.send(fence)
	return p.Until("the signal sent last reaches the app", func() bool {
		if p.anyIs("T") { // an init may stop the app instead of passing on TSTP
			p.send(syscall.SIGCONT)
		}
		return p.count(signalLine(fence)) > before
	})
}

func standardSignals(s subject) error {
	return receives(s, setup{}, 1, 2, 3, 4, 5, 6, 7, 8, 10, 11, 12, 14, 16, 26, 28, 29, 30, 31, 15)
}

func realTimeSignals(s subject) error {
	var signals []syscall.Signal
	for sig := syscall.Signal(35); sig < fence; sig++ {
		signals = append(signals, sig)
	}
	return receives(s, setup{}, signals...)
}

// counter takes one signal after the other, as the kernel queues them.
const counter = `use POSIX; $| = 1;
my $all = POSIX::SigSet->new; $all->fillset; sigprocmask(SIG_BLOCK, $all);
my $n = 0;
sigaction($_, POSIX::SigAction->new(sub { $n++ }, $all)) for 35 .. 64;
print "ready\n";
sigsuspend(POSIX::SigSet->new) while $n < 1500;
print "all\n"; sleep 1 while 1`

func burst(s subject) error {
	p := s.start(setup{}, "perl", "-e", counter)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	for range 50 {
		for sig := syscall.Signal(35); sig <= 64; sig++ {
			p.send(sig)
		}
	}
	return p.says("all\n")
}

func specialSignals(s subject) error {
	return receives(s, setup{}, syscall.SIGPIPE, syscall.SIGURG, syscall.SIGXCPU, syscall.SIGXFSZ, syscall.SIGPROF, 34)
}

func suspending(s subject) error {
	return receives(s, setup{}, syscall.SIGTSTP, syscall.SIGTTIN, syscall.SIGTTOU)
}

func jobControlSignals(s subject) error {
	p := s.start(setup{}, "sh", "-c", `for s in TSTP TTIN TTOU; do sh -c 'kill -$0 $$; echo went on' $s; done`)
	if err := p.Until("the child goes on, or is stopped", func() bool { return p.count("went on") == 3 || p.anyIs("T") }); err != nil {
		return err
	}
	if p.count("went on") < 3 {
		return errors.New("the child is stopped")
	}
	return p.exits(0)
}

func plainTerm(s subject) error {
	p := s.start(setup{}, "sh", "-c", "echo ready; exec sleep 7654321")
	if err := p.says("ready\n"); err != nil {
		return err
	}
	p.send(syscall.SIGTERM)
	return p.exits(143)
}

// earlyTerm sends TERM at each of many moments of a start. Until an init has a handler the kernel drops it, pid_namespaces(7).
func earlyTerm(s subject) error {
	for n := range time.Duration(300) {
		p := s.start(setup{Command: harness.Command{Gate: true}}, "sh", "-c", "echo ready; exec sleep 7654321")
		mustDo(s.t, p.Open())
		program := fmt.Sprintf("/proc/%d/exe", p.PID) // before that it is the one that makes the box
		for now, err := "", error(nil); err == nil && now != s.path; {
			now, err = os.Readlink(program)
		}
		<-time.After(n * 20 * time.Microsecond)
		p.send(syscall.SIGTERM)
		over := func() bool { return !p.Alive() }
		if err := p.Until("the app runs, or the end", func() bool { return over() || p.count("ready") > 0 }); err != nil {
			return err
		}
		if over() {
			if err := p.exits(143); err != nil {
				return err
			}
		}
		p.Close()
	}
	return nil
}

// termAtTheEnd ends the app by the end of its input. Who takes the two in another order has the same end.
func termAtTheEnd(s subject) error {
	for range 100 {
		in, out, err := os.Pipe()
		mustDo(s.t, err)
		p := s.start(setup{Command: harness.Command{Stdin: in}}, "sh", "-c", `trap "" TERM; echo ready; read line; exit 7`)
		in.Close()
		err = p.says("ready\n")
		out.Close()
		p.send(syscall.SIGTERM)
		if err := errors.Join(err, p.exits(7)); err != nil {
			return err
		}
	}
	return nil
}

func flood(s subject) error {
	p := s.start(setup{}, "perl", "-e", `$| = 1; $SIG{HUP} = sub { $n++ }; $SIG{TERM} = sub { exit($n ? 3 : 4) }; print "ready\n"; select undef, undef, undef, 0.02 while 1;`)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	for range 5000 {
		p.send(syscall.SIGHUP)
	}
	p.send(syscall.SIGTERM)
	return p.exits(3)
}

func rewriting(s subject) error {
	p := s.start(setup{options: []option{rewrite}}, "perl", "-e", receiver)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	p.send(syscall.SIGUSR1)
	if err := p.says(signalLine(syscall.SIGUSR2) + "\n"); err != nil {
		return err
	}
	return p.never(syscall.SIGUSR1)
}

func dropping(s subject) error {
	p := s.start(setup{options: []option{drop}}, "perl", "-e", receiver)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	p.send(syscall.SIGHUP)
	return p.never(syscall.SIGHUP)
}

func (p *started) never(sig syscall.Signal) error {
	for range 2 {
		if err := p.exchange(syscall.SIGCONT); err != nil {
			return err
		}
	}
	if p.count(signalLine(sig)) > 0 {
		return errors.New("the signal itself reached the app")
	}
	return nil
}

// four are an app and three children, which print each USR1. At USR2 the app sends ALRM to the children, which print it after the
// signals that they got before.
const four = `$| = 1; pipe my $r, my $w;
$SIG{USR1} = sub { syswrite STDOUT, "usr1\n" };
$SIG{ALRM} = sub { syswrite STDOUT, "alarm\n" };
for (1 .. 3) { my $p = fork; if ($p) { push @child, $p; next } syswrite $w, "x"; select undef, undef, undef, 0.02 while 1 }
sysread $r, $_, 1 for 1 .. 3;
$SIG{USR2} = sub { kill 'ALRM', @child };
print "ready\n"; select undef, undef, undef, 0.02 while 1;`

func groupSignals(s subject) error {
	p := s.start(setup{options: []option{group}}, "perl", "-e", four)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	p.send(syscall.SIGUSR1)
	return p.Until("all four get the signal", func() bool { return p.count("usr1") == 4 })
}

func singleSignals(s subject) error {
	p := s.start(setup{options: []option{single}}, "perl", "-e", four)
	if err := p.says("ready\n"); err != nil {
		return err
	}
	p.send(syscall.SIGUSR1)
	if err := p.says("usr1\n"); err != nil {
		return err
	}
	p.send(syscall.SIGUSR2)
	if err := p.Until("the children tell", func() bool { return p.count("alarm") == 3 }); err != nil {
		return err
	}
	if n := p.count("usr1"); n != 1 {
		return fmt.Errorf("%d processes got the signal", n)
	}
	return nil
}
