// Command bench measures a confit against its budgets, each figure beside a yardstick that does the least that could be
// called the same work, on the same machine, in the same minute: ours, yardstick, ours, yardstick. The noise of a shared
// machine then falls on both, so medians and ratios can be trusted where single times can't.
//
// It sees the program from outside only: the binary as PID 1 of a PID namespace of its own, a volume that is swapped as the
// kubelet does it, signals, /proc. It needs root, for the namespaces, and tini.
//
// It exits with 1 when a budget is broken.
//
//	go run ./integration/bench [-only NAME,…] [-rounds N] [-disk] [-json] bin/confit
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// measurement is what -only selects.
type measurement struct {
	name   string
	rounds int // unless -rounds says otherwise: enough for a steady median in some ten seconds
	run    func(b *bench, rounds int) ([]row, error)
}

var measurements = []measurement{
	{"swap", 1000, (*bench).swap},
	{"start", 100, (*bench).startUp},
	{"memory", 3, (*bench).memory},
	{"size", 1, (*bench).size},
	{"keys", 7, (*bench).keys},
	{"publish", 11, (*bench).publish},
	{"disk", 1, (*bench).disk},
	{"idle", 2, (*bench).idle},
	{"growth", 10000, (*bench).growth},
	{"orphans", 15, (*bench).orphans},
	{"inits", 50, (*bench).inits},
	{"volumes", 20, (*bench).volumes},
	{"lines", 5, (*bench).lines},
	{"peers", 250, (*bench).peers},
	{"pressure", 50, (*bench).pressure},
}

// bench is what all measurements share.
type bench struct {
	confit   string // the binary
	peersDir string // where the programs are that it is measured beside
	self     string // this one, which plays the other roles too
	dir      string // for everything that is written
	boxes    []*box // alive
	sites    int    // directories made
	groups   int    // cgroups made
}

func init() {
	// A child gets its death signal when the thread that started it ends, prctl(2): so the thread that never ends starts all.
	runtime.LockOSThread()
}

func main() {
	harness.Play(nil)
	if len(os.Args) > 1 {
		if role, ok := roles[os.Args[1]]; ok {
			os.Exit(role(os.Args[2:]))
		}
	}
	code, err := contain(os.Args[1:])
	if err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
	}
	os.Exit(code)
}

// measureIn is the role in which the measurements are made, with a directory for them and the command line.
func measureIn(args []string) int {
	if err := run(args[0], args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		return 1
	}
	return 0
}

func run(dir string, args []string) error {
	flags := flag.NewFlagSet("bench", flag.ExitOnError)
	only := flags.String("only", "", "measure just these, separated by commas: "+names())
	rounds := flags.Int("rounds", 0, "rounds of each measurement (default: its own number)")
	disk := flags.Bool("disk", false, "work in the temporary directory itself, not in memory")
	asJSON := flags.Bool("json", false, "print JSON")
	_ = flags.Parse(args) // exits itself
	chosen, err := choose(*only)
	if err != nil {
		return err
	}
	if flags.NArg() != 1 {
		return errors.New("which confit? Give the path of the binary, such as bin/confit")
	}
	b, err := newBench(flags.Arg(0), dir, !*disk)
	if err != nil {
		return err
	}
	machine := b.machine() // before the measurements make a load of their own
	rows, err := b.measure(chosen, *rounds)
	if printErr := report(os.Stdout, machine, rows, *asJSON); printErr != nil {
		return printErr
	}
	if err == nil && slices.ContainsFunc(rows, row.over) {
		err = errors.New("a budget is broken")
	}
	return err
}

func names() string {
	var list []string
	for _, m := range measurements {
		list = append(list, m.name)
	}
	return strings.Join(list, ", ")
}

func choose(only string) ([]measurement, error) {
	if only == "" {
		return measurements, nil
	}
	var chosen []measurement
	for name := range strings.SplitSeq(only, ",") {
		i := slices.IndexFunc(measurements, func(m measurement) bool { return m.name == name })
		if i < 0 {
			return nil, fmt.Errorf("no measurement is called %q: write one of %s", name, names())
		}
		chosen = append(chosen, measurements[i])
	}
	return chosen, nil
}

// newBench makes the directory a tmpfs, unless it has to stay on its disk. Secrets, projected volumes and an emptyDir with
// medium: Memory are one. A disk adds times of its own: ext4 makes a file in 10 µs or, without a journal and after many removals,
// in 300.
func newBench(confit, dir string, inMemory bool) (*bench, error) {
	path, err := filepath.Abs(confit)
	if err != nil {
		return nil, err
	}
	if _, err := os.Stat(path); err != nil {
		return nil, err
	}
	self, err := os.Executable()
	if err == nil && inMemory {
		err = unix.Mount("bench", dir, "tmpfs", 0, "mode=0755")
	}
	return &bench{confit: path, peersDir: filepath.Join(filepath.Dir(path), "peers"), self: self, dir: dir}, err
}

// measure makes the measurements in turn. What fails is reported at the end, beside the rows of the others.
func (b *bench) measure(chosen []measurement, rounds int) ([]row, error) {
	var all []row
	var failed []error
	for _, m := range chosen {
		n := m.rounds
		if rounds > 0 {
			n = rounds
		}
		fmt.Fprintf(os.Stderr, "measuring %s…", m.name)
		begin := now()
		rows, err := m.run(b, n)
		b.clear()
		fmt.Fprintf(os.Stderr, " %.0f s\n", (now() - begin).Seconds())
		all = append(all, rows...)
		if err != nil {
			failed = append(failed, fmt.Errorf("cannot measure %s: %w", m.name, err))
		}
	}
	return all, errors.Join(failed...)
}

// clear ends what a measurement has left running and removes its files.
func (b *bench) clear() {
	for len(b.boxes) > 0 {
		b.stop(b.boxes[0])
	}
	sites, _ := filepath.Glob(filepath.Join(b.dir, "*"))
	for _, s := range sites {
		_ = os.RemoveAll(s) // the whole directory goes in the end
	}
}
