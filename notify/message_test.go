package notify

import (
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"
)

func TestParse(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", 200)
	for text, want := range map[string]Message{
		"":                            {},
		"READY=1":                     {State: Ready},
		"READY=1\n":                   {State: Ready},
		"READY=1\x00":                 {State: Ready},
		"RELOADING=1":                 {State: Reloading},
		"STOPPING=1":                  {},
		"READY=0":                     {},
		"READY=11":                    {},
		"READY":                       {},
		"ready=1":                     {},
		" READY=1":                    {},
		"READY=1\r\n":                 {},
		"XREADY=1":                    {},
		"STATUS=READY=1":              {HasStatus: true, Status: "READY=1"},
		"STATUS=":                     {HasStatus: true},
		"STATUS":                      {},
		"STATUS=a=b":                  {HasStatus: true, Status: "a=b"},
		"STATUS=one\nSTATUS=two":      {HasStatus: true, Status: "two"},
		"RELOADING=1\nREADY=1":        {State: Ready},
		"READY=1\nRELOADING=1":        {State: Reloading},
		"WATCHDOG=1":                  {},
		"BARRIER=1":                   {},
		"FDSTORE=1\nFDNAME=x":         {},
		"MAINPID=1\nREADY=1\nERRNO=2": {State: Ready},
		"RELOADING=1\nMONOTONIC_USEC=123456\nSTATUS=Reloading": {State: Reloading, HasStatus: true, Status: "Reloading"},
		"STATUS=\x1b[31mred\x00\x7f\u009b":                     {HasStatus: true, Status: " [31mred   "},
		"STATUS=\xff\xfe é\u202e\u00a0":                        {HasStatus: true, Status: "? é  "},
		"STATUS=\xe2\x82\xac\t\u2028.":                         {HasStatus: true, Status: "€  ."},
		"STATUS=" + long:                                       {HasStatus: true, Status: long[:256]},
		"STATUS=x" + long:                                      {HasStatus: true, Status: "x" + long[:254]},
	} {
		if got := parse(text); got != want {
			t.Errorf("%q: %+v, want %+v", text, got, want)
		}
	}
}

// FuzzMessage: whatever comes, a status is one short line that is fit for a
// terminal, and the state is that of the last line with a state.
func FuzzMessage(f *testing.F) {
	for _, text := range []string{
		"READY=1", "RELOADING=1\nMONOTONIC_USEC=1\nSTATUS=a", "READY=1\nSTOPPING=1\n", "STATUS=\xff\x1b\u202e", "\x00", "BARRIER=1",
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		m := parse(text)
		if !utf8.ValidString(m.Status) || len(m.Status) > 256 || strings.ContainsFunc(m.Status, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q: the status is %q", text, m.Status)
		}
		if !m.HasStatus && m.Status != "" {
			t.Errorf("%q: a status that nobody sent: %q", text, m.Status)
		}
		if want := lastState(text); m.State != want {
			t.Errorf("%q: state %d, want %d", text, m.State, want)
		}
	})
}

func lastState(text string) State {
	text = "\n" + strings.TrimSuffix(text, "\x00") + "\n"
	last, state := -1, Unsaid
	for line, s := range map[string]State{"\nREADY=1\n": Ready, "\nRELOADING=1\n": Reloading} {
		if i := strings.LastIndex(text, line); i > last {
			last, state = i, s
		}
	}
	return state
}
