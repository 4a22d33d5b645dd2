package process

import (
	"os"
	"slices"
	"strings"
	"syscall"
	"testing"
)

func TestVars_win_over_Env(t *testing.T) {
	t.Parallel()
	c := Command{Env: []string{"A=1", "PATH=/bin", "odd", "B=2", "A=3"}, Vars: []string{"A=new", "C=", "PATH=/nowhere"}}
	if want := []string{"odd", "B=2", "A=new", "C=", "PATH=/nowhere"}; !slices.Equal(c.environ(), want) {
		t.Errorf("the environment is %q, want %q", c.environ(), want)
	}
	if path, err := lookPath("sh", c.Env, ""); path != "/bin/sh" || err != nil {
		t.Errorf("sh is found at %q, %v", path, err)
	}
	c.Vars = nil
	if !slices.Equal(c.environ(), c.Env) {
		t.Errorf("without variables the environment is %q", c.environ())
	}
}

// TestSpace: what fits by Space is started, beside all that a hook may be given.
func TestSpace(t *testing.T) {
	args, env := []string{"/bin/true", strings.Repeat("a", 1000)}, []string{"A=" + strings.Repeat("b", 1000)}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_STACK, &limit); err != nil {
		t.Fatal(err)
	}
	for _, stack := range []uint64{64 << 10, 1 << 20, 8 << 20, min(limit.Max, 64<<20)} {
		func() {
			defer func() { _ = syscall.Setrlimit(syscall.RLIMIT_STACK, &limit) }()
			if err := syscall.Setrlimit(syscall.RLIMIT_STACK, &syscall.Rlimit{Cur: stack, Max: limit.Max}); err != nil {
				t.Fatal(err)
			}
			vars := env
			for left := Space(args, env); left > 20; {
				size := min(left, 100<<10)
				vars = append(vars, "V="+strings.Repeat("c", size-len("V=")-1-pointer))
				left -= size
			}
			pid, err := syscall.ForkExec(args[0], args, &syscall.ProcAttr{Env: vars, Files: []uintptr{0, 1, 2}})
			if err != nil {
				t.Errorf("a stack of %d bytes: %v", stack, err)
				return
			}
			if p, err := os.FindProcess(pid); err == nil {
				_, _ = p.Wait()
			}
		}()
	}
}
