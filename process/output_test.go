package process

import (
	"bytes"
	"errors"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"
)

// relay passes on what the test writes as a hook that was never started.
func relay(t *testing.T, w io.Writer) (*Hook, *os.File) {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	h := &Hook{read: read, status: make(chan Status, 1), over: make(chan HookEnd, 1)}
	t.Cleanup(func() { write.Close() })
	go h.relay(w)
	return h, write
}

// dup is a hook's own copy of the end that it writes to.
func dup(t *testing.T, f *os.File) *os.File {
	t.Helper()
	// By its name, a pipe is opened anew: no descriptor is shared with f.
	hook, err := os.OpenFile("/proc/self/fd/"+strconv.Itoa(int(f.Fd())), os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { hook.Close() })
	return hook
}

func wantTail(t *testing.T, h *Hook, want string) {
	t.Helper()
	h.ended(Status(0))
	select {
	case end := <-h.Over():
		if got := end.Tail; got != want {
			t.Errorf("the tail has %d bytes, %.20q…, want %d, %.20q…", len(got), got, len(want), want)
		}
	case <-time.After(patience):
		t.Fatal("the output never ends")
	}
}

// TestOutput: all is passed on, the last 4096 bytes are kept. What follows in the log is a
// line of its own.
func TestOutput(t *testing.T) {
	t.Parallel()
	for name, text := range map[string]string{
		"nothing": "", "little": "nginx: [emerg] unexpected }\n", "to the brim": strings.Repeat("x", 4096),
		"one more": "a" + strings.Repeat("x", 4096), "much": strings.Repeat("0123456789abcdef\n", 1<<20/17),
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var passed bytes.Buffer
			h, hook := relay(t, &passed)
			if _, err := io.WriteString(hook, text); err != nil {
				t.Fatal(err)
			}
			hook.Close()
			wantTail(t, h, text[max(0, len(text)-4096):])
			if !strings.HasSuffix(text, "\n") && text != "" {
				text += "\n"
			}
			if passed.String() != text {
				t.Errorf("%d of %d bytes were passed on", passed.Len(), len(text))
			}
		})
	}
}

// TestTail: it keeps the last bytes, in whatever pieces they come.
func TestTail(t *testing.T) {
	t.Parallel()
	all := []byte(strings.Repeat("0123456789", 1000))
	for _, size := range []int{7, 1000, 4095, 4096, 4097, len(all)} {
		h, hook := relay(t, io.Discard)
		for piece := range slices.Chunk(all, size) {
			if _, err := hook.Write(piece); err != nil {
				t.Fatal(err)
			}
		}
		hook.Close()
		wantTail(t, h, string(all[len(all)-4096:]))
	}
}

// TestOutputEndsThoughAStrangerHoldsIt: a process that left the hook's group may
// hold the pipe open for ever. What the hook said before its end is kept.
func TestOutputEndsThoughAStrangerHoldsIt(t *testing.T) {
	t.Parallel()
	var passed bytes.Buffer
	h, stranger := relay(t, &passed)
	if _, err := io.WriteString(stranger, "last words"); err != nil {
		t.Fatal(err)
	}
	wantTail(t, h, "last words")
	if passed.String() != "last words\n" {
		t.Errorf("passed on: %q", &passed)
	}
}

// slow is a log whose reader comes back only after the hook's last words are over.
type slow struct{ bytes.Buffer }

func (s *slow) Write(p []byte) (int, error) {
	if s.Len() == 0 {
		time.Sleep(2 * lastWords) // what it is about, and no wait for something to happen
	}
	return s.Buffer.Write(p)
}

// TestOutputIntoASlowLog: what a hook has printed before its end is kept and passed
// on, whenever the log takes it. A stranger that holds the pipe open adds nothing.
func TestOutputIntoASlowLog(t *testing.T) {
	t.Parallel()
	var passed slow
	h, hook := relay(t, &passed)
	text := strings.Repeat("0123456789abcde\n", 60<<10/16) // a pipe takes 64 KiB, pipe(7)
	if _, err := io.WriteString(hook, text); err != nil {
		t.Fatal(err)
	}
	wantTail(t, h, text[len(text)-4096:])
	if passed.String() != text {
		t.Errorf("%d of %d bytes were passed on", passed.Len(), len(text))
	}
}

// broken is a log that can't be written to.
type broken struct{}

func (broken) Write([]byte) (int, error) { return 0, errors.New("broken") }

// TestOutputIntoABrokenLog: a full pipe doesn't stop the hook, and its tail is
// kept.
func TestOutputIntoABrokenLog(t *testing.T) {
	t.Parallel()
	h, hook := relay(t, broken{})
	text := strings.Repeat("x", 1<<20) // sixteen times what a pipe holds, pipe(7)
	_ = hook.SetWriteDeadline(time.Now().Add(patience))
	if _, err := io.WriteString(hook, text); err != nil {
		t.Fatal(err)
	}
	hook.Close()
	wantTail(t, h, text[:4096])
}

// TestOutputClosed: the pipe of a hook that wasn't started is given back.
func TestOutputClosed(t *testing.T) {
	before := openFiles(t)
	if _, err := NewFamily().StartHook(Command{Args: []string{"/nowhere"}}, io.Discard); err == nil {
		t.Fatal("it was started")
	}
	if after := openFiles(t); after > before {
		t.Errorf("%d files are open, and were %d", after, before)
	}
}

func openFiles(t *testing.T) int {
	t.Helper()
	list, err := os.ReadDir("/proc/self/fd")
	if err != nil {
		t.Fatal(err)
	}
	return len(list)
}
