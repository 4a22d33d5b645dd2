package process

import (
	"os"
	"slices"
	"strings"
	"testing"
)

// TestAsked: one confit reads what the other wrote, and takes nothing else for it.
// Without need the program is started as it is.
func TestAsked(t *testing.T) {
	t.Parallel()
	app := []string{"sh", "-c", "", "confit: becoming"}
	for _, v := range []via{{ignored: "1"}, {listen: true}, {"8000000000000001", true, true}, {ignored: "1", hook: true}} {
		path, args := v.commandLine("/bin/sh", app)
		c, got, found := asked(args, []string{"A=1"})
		if path != self || !found || got != v || c.path != "/bin/sh" || !slices.Equal(c.Env, []string{"A=1"}) || !slices.Equal(c.Args, app) {
			t.Errorf("%+v: %q %q is read as %+v, %+v, %v", v, path, args, c, got, found)
		}
	}
	for _, v := range []via{{}, {hook: true}} {
		if path, args := v.commandLine("/bin/sh", app); path != "/bin/sh" || !slices.Equal(args, app) {
			t.Errorf("without need: %q %q", path, args)
		}
	}
	for _, args := range [][]string{nil, {becoming}, {becoming, "", "true", "false", "/bin/sh"}, {"confit", "", "true", "false", "/bin/sh", "sh"}} {
		if _, _, found := asked(args, nil); found {
			t.Errorf("%q is taken for a program to become", args)
		}
	}
}

// TestListens: only descriptors for this very process are the app's.
func TestListens(t *testing.T) {
	t.Parallel()
	own := strings.Fields(readSelf(t, "stat"))[0]
	for env, want := range map[string]bool{
		"LISTEN_PID=" + own: true, "LISTEN_PID=" + own + "0": false, "LISTEN_PID=": false, "XLISTEN_PID=" + own: false, "": false,
	} {
		if got := (Command{Env: []string{"A=1", env}}).listens(); got != want {
			t.Errorf("%q: %v", env, got)
		}
	}
}

func readSelf(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile("/proc/self/" + name)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}
