package signals

import (
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// libraryOwn are the two signals that no program may use, nptl(7).
func libraryOwn(sig Signal) bool { return sig == 32 || sig == 33 }

// TestNames: the name of each of the 64 signals is read as that signal, but for
// those that nobody may send: their names and numbers are refused.
func TestNames(t *testing.T) {
	t.Parallel()
	seen := map[string]Signal{}
	for _, sig := range everySignal() {
		name := Name(sig)
		if other, ok := seen[name]; ok {
			t.Errorf("signals %d and %d are both %s", other, sig, name)
		}
		seen[name] = sig
		got, err := Parse(name)
		if libraryOwn(sig) {
			if err == nil {
				t.Errorf("%s: accepted as %d", name, got)
			}
			continue
		}
		if err != nil || got != sig {
			t.Errorf("signal %d is named %s, which is read as %d, %v", sig, name, got, err)
		}
	}
}

// TestSpellings: everything that a user of kill(1) may write.
func TestSpellings(t *testing.T) {
	t.Parallel()
	for name, want := range map[string]Signal{
		"TERM": unix.SIGTERM, "SIGTERM": unix.SIGTERM, "sigterm": unix.SIGTERM, "term": unix.SIGTERM, "15": unix.SIGTERM,
		"HUP": 1, "QUIT": 3, "KILL": 9, "USR1": unix.SIGUSR1, "WINCH": unix.SIGWINCH, "64": 64, "34": 34, "31": 31,
		"RTMIN": 34, "RTMIN+0": 34, "RTMIN+3": 37, "SIGRTMIN+30": 64, "rtmin+1": 35,
		"RTMAX": 64, "RTMAX-0": 64, "RTMAX-1": 63, "sigrtmax-30": 34,
		"IOT": unix.SIGABRT, "POLL": unix.SIGIO, "CLD": unix.SIGCHLD,
	} {
		if got, err := Parse(name); err != nil || got != want {
			t.Errorf("%q: %d, %v, want %d", name, got, err, want)
		}
	}
}

func TestNoSignals(t *testing.T) {
	t.Parallel()
	const (
		byName   = ` is not a signal: write a name such as TERM, HUP or RTMIN+1, or a number from 1 to 64`
		byNumber = ` is not a signal: write a number from 1 to 31 or from 34 to 64, or a name such as TERM`
	)
	for name, hint := range map[string]string{
		"": byName, "SIG": byName, "TREM": byName, "SIGSIGTERM": byName, " TERM": byName, "TERM\n": byName, "EXIT": byName,
		"RTMIN+31": byName, "RTMIN-1": byName, "RTMIN+": byName, "RTMIN+-1": byName, "RTMIN3": byName, "TERM+34": byName,
		"RTMAX+1": byName, "RTMAX-31": byName, "RTMAX-": byName, "RTMAX-99999999999": byName, "1.5": byName, "99999999999999999999": byName,
		"0": byNumber, "-1": byNumber, "32": byNumber, "33": byNumber, "65": byNumber, "271": byNumber,
	} {
		if got, err := Parse(name); err == nil || err.Error() != `"`+escaped(name)+`"`+hint {
			t.Errorf("%q: %d, %v", name, got, err)
		}
	}
}

// escaped is the one name of the table that needs it.
func escaped(name string) string {
	if name == "TERM\n" {
		return `TERM\n`
	}
	return name
}

// FuzzParse: whatever is read as a signal is one, and its name is read as the same.
func FuzzParse(f *testing.F) {
	for _, seed := range []string{"TERM", "sigrtmin+3", "RTMAX-30", "-1", "064", "+9", "", "SIG34", "ſigterm"} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, name string) {
		sig, err := Parse(name)
		if err != nil {
			return
		}
		if sig < 1 || sig > 64 || libraryOwn(sig) {
			t.Fatalf("%q is read as %d", name, sig)
		}
		if again, err := Parse(Name(sig)); err != nil || again != sig {
			t.Errorf("%q is %s, which is read as %d, %v", name, Name(sig), again, err)
		}
	})
}

// TestTyped: two keys of a terminal send a signal that ends an app, and no other does.
func TestTyped(t *testing.T) {
	t.Parallel()
	typed := []Signal{unix.SIGINT, unix.SIGQUIT}
	for _, sig := range everySignal() {
		if want := slices.Contains(typed, sig); Typed(sig) != want {
			t.Errorf("%s: %v, want %v", Name(sig), !want, want)
		}
	}
}
