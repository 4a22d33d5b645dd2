package config

import (
	"reflect"
	"strings"
	"testing"

	"confit/signals"

	"golang.org/x/sys/unix"
)

func TestParseAction(t *testing.T) {
	for text, want := range map[string]Action{
		"auto":               {Kind: Signal, Auto: true, Signal: unix.SIGHUP},
		"none":               {Kind: None},
		"restart":            {Kind: Restart},
		"touch":              {Kind: Touch},
		"signal:HUP":         {Kind: Signal, Signal: unix.SIGHUP},
		"signal:sigusr1":     {Kind: Signal, Signal: unix.SIGUSR1},
		"signal:12":          {Kind: Signal, Signal: unix.SIGUSR2},
		"signal:RTMIN+3":     {Kind: Signal, Signal: 37},
		"exec:nginx":         {Kind: Exec, Command: []string{"nginx"}},
		"exec: a 'b c' ":     {Kind: Exec, Command: []string{"a", "b c"}},
		"exec:a:b":           {Kind: Exec, Command: []string{"a:b"}},
		`exec:a "\$x" 'b c'`: {Kind: Exec, Command: []string{"a", "$x", "b c"}},
	} {
		got, err := ParseAction(text)
		if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v, want %+v", text, got, err, want)
		}
		if again, err := ParseAction(got.String()); err != nil || !reflect.DeepEqual(again, want) {
			t.Errorf("%q is written as %q and read as %+v, %v", text, got, again, err)
		}
	}
}

func TestParseActionErrors(t *testing.T) {
	const ways = ` is not a way to reload: write auto, touch, signal:NAME, restart, exec:COMMAND or none`
	for text, want := range map[string]string{
		"":             `""` + ways,
		"sometimes":    `"sometimes"` + ways,
		"hup":          `"hup" is not a way to reload: did you mean signal:HUP?`,
		"SIGUSR1":      `"SIGUSR1" is not a way to reload: did you mean signal:USR1?`,
		"10":           `"10" is not a way to reload: did you mean signal:USR1?`,
		"signal HUP":   `"signal HUP"` + ways,
		"exec a -b":    `"exec a -b"` + ways,
		"/a.sh":        `"/a.sh"` + ways,
		"nginx -s x":   `"nginx -s x"` + ways,
		"Auto":         `"Auto"` + ways,
		"auto:1":       `"auto:1"` + ways,
		"restart:":     `"restart:"` + ways,
		"touch:x":      `"touch:x"` + ways,
		"signal":       `"signal"` + ways,
		"signal:":      `"signal:"` + ways,
		"exec":         `"exec"` + ways,
		"exec:":        `"exec:"` + ways,
		"exec:  \t":    `"exec:  \t"` + ways,
		"signal:HPU":   `"HPU" is not a signal: write a name such as TERM, HUP or RTMIN+1, or a number from 1 to 64`,
		"signal:65":    `"65" is not a signal: write a number from 1 to 31 or from 34 to 64, or a name such as TERM`,
		"signal: HUP":  `" HUP" is not a signal: write a name such as TERM, HUP or RTMIN+1, or a number from 1 to 64`,
		"exec:nginx '": `"'" is never closed: add a ' at the end of the word`,
		"exec:#x":      `"#x" holds no command: write a program and its arguments`,
	} {
		if _, err := ParseAction(text); err == nil || err.Error() != want {
			t.Errorf("%q: error %v, want %s", text, err, want)
		}
	}
}

// TestEverySignalAction: each signal that a process can catch survives being written
// and read. A KILL or STOP is no reload.
func TestEverySignalAction(t *testing.T) {
	for sig := signals.Signal(1); sig <= 64; sig++ {
		if sig == 32 || sig == 33 { // the C library's own
			continue
		}
		want := Action{Kind: Signal, Signal: sig}
		if got, err := ParseAction(want.String()); !signals.Catchable(sig) {
			if err == nil || !strings.HasPrefix(err.Error(), "nobody can catch") {
				t.Errorf("%q: %+v, %v", want, got, err)
			}
		} else if err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("%q: %+v, %v", want, got, err)
		}
	}
}

// TestKindsAreOrdered: the strongest action that is asked for is done, and the
// order of the constants is that of their strength.
func TestKindsAreOrdered(t *testing.T) {
	var kinds []string
	for k := None; k <= Restart; k++ {
		verb, _, _ := strings.Cut(Action{Kind: k, Signal: unix.SIGHUP}.String(), ":")
		kinds = append(kinds, verb)
	}
	if got := strings.Join(kinds, " < "); got != "none < touch < signal < exec < restart" {
		t.Errorf("got %s", got)
	}
}
