package cli

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestStopWhileReading: a signal ends a verb at once that reads what never ends, and has its own exit code.
func TestStopWhileReading(t *testing.T) {
	for signal, want := range map[syscall.Signal]int{syscall.SIGTERM: 143, syscall.SIGINT: 130} {
		render, post := filepath.Join(t.TempDir(), "pipe"), filepath.Join(t.TempDir(), "pipe")
		for pipe, args := range map[string][]string{
			render: {"render", render},
			post:   {"post", "--data", "@" + post, "http://127.0.0.1:1"},
		} {
			if err := syscall.Mkfifo(pipe, 0o600); err != nil { // one for each: that somebody has it open means that this verb reads
				t.Fatal(err)
			}
			ended := make(chan int)
			go func() { ended <- Run("", args, nil, os.Stderr) }()
			writer := openWriter(t, pipe)
			if err := syscall.Kill(os.Getpid(), signal); err != nil {
				t.Fatal(err)
			}
			select {
			case code := <-ended:
				if code != want {
					t.Errorf("%v, %q: exit %d, want %d", signal, args, code, want)
				}
			case <-time.After(30 * time.Second):
				t.Errorf("%v: %q goes on", signal, args)
			}
			writer.Close()
		}
	}
}

// openWriter waits until somebody reads a pipe: before that it can't be opened.
func openWriter(t *testing.T, pipe string) *os.File {
	t.Helper()
	for end := time.Now().Add(30 * time.Second); ; time.Sleep(time.Millisecond) {
		f, err := os.OpenFile(pipe, os.O_WRONLY|syscall.O_NONBLOCK, 0)
		if err == nil {
			return f
		}
		if time.Now().After(end) {
			t.Fatal("nobody reads the pipe")
		}
	}
}
