package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// TestExplainPrograms: each program that a start would need is looked up, and all
// that are missing are named at once. What a key or a volume may bring isn't missing.
func TestExplainPrograms(t *testing.T) {
	dir := t.TempDir()
	if err := os.MkdirAll(filepath.Join(dir, "bin"), 0o755); err != nil {
		t.Fatal(err)
	}
	file := write(t, "links", strings.ReplaceAll(`link web/check DIR/etc/check
link web/tools/ DIR/etc/tools/
link web/bin/*.sh DIR/own/bin/
render {candidate}/web/render
validate DIR/etc/check
gate DIR/volume/ask
report DIR/bin/tell
reload exec:again it
verify check
link web/a DIR/etc/a reload=exec:DIR/etc/tools/a
link web/b DIR/etc/b reload=exec:sh
`, "DIR", dir))
	args := []string{"--volumes", dir + "/volumes", "--state", dir + "/state", "--check", "--", dir + "/bin/app", "-x"}
	find := func(program string) error {
		if program == "sh" {
			return nil
		}
		return errors.New("no " + strings.TrimPrefix(program, dir))
	}
	for _, pod := range []bool{false, true} {
		var environ []string
		if pod {
			environ = []string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}
		}
		c := mustParse(t, file, environ, args...)
		var out strings.Builder
		err := Explain(&out, &c, find)
		if err == nil {
			t.Fatal("nothing is missing")
		}
		if note := "note: gate: no /volume/ask\n"; strings.Contains(out.String(), note) == pod {
			t.Errorf("in a pod: %v; it says %s", pod, out.String())
		}
		for _, want := range []string{"report: no /bin/tell", "app: no /bin/app"} {
			wantError(t, err, want)
		}
		if n := strings.Count(err.Error(), ": no /"); !pod && n != 2 || pod && n != 3 {
			t.Errorf("in a pod: %v; errors %v", pod, err)
		}
	}
}

func TestProgramOf(t *testing.T) {
	for command, want := range map[string]string{
		"": "", "nginx -t": "nginx", "env A=1 B= nginx -t": "nginx", "env nginx A=1": "nginx", "env -i A=1 nginx": "env", "A=1 nginx": "A=1", "env A=1": "", "sh -c x": "sh",
	} {
		if got := programOf(strings.Fields(command)); got != want {
			t.Errorf("%q: %q, want %q", command, got, want)
		}
	}
}
