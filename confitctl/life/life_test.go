package life

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// TestMain is the container's process, too.
func TestMain(m *testing.M) {
	if os.Getenv("LIFE_TEST") != "" {
		fmt.Print(Now("/proc"))
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// container is what a process says in a PID namespace of its own, below a shell.
func container(t *testing.T) string {
	t.Helper()
	c := exec.Command("unshare", "--pid", "--fork", "--mount-proc", "sh", "-c", `"$0"; "$0"; true`, os.Args[0])
	c.Env = append(os.Environ(), "LIFE_TEST=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return string(out)
}

// TestNow: all processes of a container have one start, and another has another.
func TestNow(t *testing.T) {
	mine := strings.Split(string(Now("/proc")), ".")
	if len(mine) != 3 || mine[1] == "" {
		t.Fatalf("got %q", mine)
	}
	// Two lives, written one behind the other: the second begins with the boot id.
	out := container(t)
	n := max(0, strings.LastIndex(out, mine[0]))
	first, second := strings.Split(out[:n], "."), strings.Split(out[n:], ".")
	if len(first) != 3 || len(second) != 3 || first[0] != mine[0] || first[1] != second[1] || first[1] == mine[1] {
		t.Errorf("a container says %q, and this one %q", out, mine)
	}
}

// TestUnknown: where /proc doesn't say, nothing is made up.
func TestUnknown(t *testing.T) {
	stat := func(parent, start string) string {
		return "7 (a) b ( c) S " + parent + strings.Repeat(" 0", 17) + " " + start + " 0 0"
	}
	for name, tt := range map[string]struct {
		files map[string]string
		known bool
	}{
		"nothing":      {nil, false},
		"no boot id":   {map[string]string{"self/stat": stat("0", "5")}, false},
		"known":        {map[string]string{"sys/kernel/random/boot_id": "12345678-9\n", "self/stat": stat("1", "9"), "1/stat": stat("0", "5")}, true},
		"no parent":    {map[string]string{"sys/kernel/random/boot_id": "12345678-9\n", "self/stat": stat("1", "9")}, false},
		"a circle":     {map[string]string{"sys/kernel/random/boot_id": "12345678-9\n", "self/stat": stat("1", "9"), "1/stat": stat("1", "9")}, false},
		"half a line":  {map[string]string{"sys/kernel/random/boot_id": "12345678-9\n", "self/stat": "7 (a"}, false},
		"no number":    {map[string]string{"sys/kernel/random/boot_id": "12345678-9\n", "self/stat": stat("0", "x")}, false},
		"half boot id": {map[string]string{"sys/kernel/random/boot_id": "1234", "self/stat": stat("0", "5")}, false},
	} {
		dir := t.TempDir()
		for file, text := range tt.files {
			path := filepath.Join(dir, file)
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got := Now(dir); (got != "") != tt.known || tt.known && !strings.HasPrefix(string(got), "12345678.5.") {
			t.Errorf("%s: got %q", name, got)
		}
	}
}
