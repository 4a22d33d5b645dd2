package harness

import (
	"flag"
	"fmt"
	"os"
	"os/signal"
	"strconv"
	"strings"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/testenv"
)

// appOptions are what the daemon can be told to do.
type appOptions struct {
	print   string        // files, read at the start and at each HUP; the first line is printed
	reload  string        // the signal at which they are read again
	unset   string        // signals with their default action
	ignore  string        // signals that are ignored
	runtime string        // signals that only the Go runtime handles: caught, and deadly
	exit    string        // signals that end it: TERM=0,QUIT=7
	linger  string        // when it has been told to end, it waits for this file
	delay   time.Duration // or so long
}

func parseAppOptions() appOptions {
	var o appOptions
	flags := flag.NewFlagSet("app", flag.ExitOnError)
	flags.StringVar(&o.print, "print", "", "")
	flags.StringVar(&o.reload, "reload", "HUP", "")
	flags.StringVar(&o.unset, "unset", "", "")
	flags.StringVar(&o.ignore, "ignore", "", "")
	flags.StringVar(&o.runtime, "runtime", "", "")
	flags.StringVar(&o.exit, "exit", "TERM=0", "")
	flags.StringVar(&o.linger, "linger", "", "")
	flags.DurationVar(&o.delay, "delay", 0, "")
	_ = flags.Parse(os.Args[1:])
	return o
}

// App is a part: a small daemon below the program. It prints each signal as it comes in, and what it reads. It says "ready" when its
// handlers are in place.
func App() int {
	o := parseAppOptions()
	received := o.handlers()
	o.read()
	var files syscall.Rlimit
	_ = syscall.Getrlimit(syscall.RLIMIT_NOFILE, &files)
	fmt.Printf("ready pid=%d nofile=%d\n", os.Getpid(), files.Cur)
	for sig := range received {
		name := SignalName(sig.(syscall.Signal))
		if name == "URG" || name == "CHLD" { // the runtime's own, and what every parent gets
			continue
		}
		fmt.Printf("signal %s\n", name)
		if name == o.reload {
			o.read()
		}
		if code, ends := o.endsAt(name); ends {
			o.wait()
			return code
		}
	}
	return failed
}

func (o appOptions) handlers() <-chan os.Signal {
	received := make(chan os.Signal, 4096)
	var caught []os.Signal
	left := "," + o.runtime + "," + o.unset + "," + o.ignore + ",KILL,STOP,"
	for n := syscall.Signal(1); n <= 64; n++ {
		if n != 32 && n != 33 && !strings.Contains(left, ","+SignalName(n)+",") { // 32 and 33 belong to the C library
			caught = append(caught, n)
		}
	}
	signal.Notify(received, caught...)
	for _, sig := range named(o.ignore) {
		signal.Ignore(sig)
	}
	for _, sig := range named(o.unset) {
		if err := testenv.SetAction(sig, testenv.Default); err != nil {
			panic(err)
		}
	}
	return received
}

func named(list string) []syscall.Signal {
	var found []syscall.Signal
	for name := range strings.SplitSeq(list, ",") {
		if name != "" {
			found = append(found, unix.SignalNum("SIG"+name))
		}
	}
	return found
}

func (o appOptions) read() {
	for path := range strings.SplitSeq(o.print, ",") {
		if path == "" {
			continue
		}
		content, err := os.ReadFile(path)
		if err != nil {
			fmt.Printf("read %v\n", err)
			continue
		}
		first, _, _ := strings.Cut(string(content), "\n")
		fmt.Printf("read %s\n", first)
		dieOf(first)
	}
}

// dieOf ends the app when it reads "die CODE" or "die CODE AFTER": a configuration that it doesn't survive.
func dieOf(text string) {
	words := strings.Fields(text)
	if len(words) < 2 || words[0] != "die" {
		return
	}
	code, _ := strconv.Atoi(words[1])
	if len(words) == 2 {
		os.Exit(code)
	}
	after, _ := time.ParseDuration(words[2])
	time.AfterFunc(after, func() { os.Exit(code) })
}

func (o appOptions) endsAt(name string) (code int, ends bool) {
	for pair := range strings.SplitSeq(o.exit, ",") {
		if value, found := strings.CutPrefix(pair, name+"="); found {
			code, _ = strconv.Atoi(value)
			return code, true
		}
	}
	return 0, false
}

// wait is a slow shut down.
func (o appOptions) wait() {
	<-time.After(o.delay)
	for o.linger != "" {
		if _, err := os.Stat(o.linger); err == nil {
			return
		}
		<-time.After(PollInterval)
	}
}
