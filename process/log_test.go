package process

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
	"time"

	"golang.org/x/sys/unix"
)

// TestLogNeverWaits: nobody reads the pipe. The loop's writer doesn't wait, and a
// hook's and the end wait no longer than they promise.
func TestLogNeverWaits(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	l := NewLog(w)
	done := make(chan struct{})
	go func() {
		defer close(done)
		line := strings.Repeat("x", 99) + "\n"
		for range 3 * logRoom / len(line) {
			fmt.Fprint(l, line)
		}
		fmt.Fprint(l.Patient(), line)
		l.Flush()
	}()
	select {
	case <-done:
	case <-time.After(patience):
		t.Fatal("a writer waits for the reader")
	}
	lines := bufio.NewScanner(r)
	for lines.Scan() {
		if strings.Contains(lines.Text(), "lines of the log were lost") {
			return
		}
	}
	t.Errorf("the loss is not reported: %v", lines.Err())
}

// TestLogOfRecords: what the log says by itself has the form of the other lines.
func TestLogOfRecords(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	l := NewLog(w)
	l.Say("text")
	l.Format(func(text string) []byte { return []byte("{" + text + "}\n") })
	l.Say("record")
	for range 2 {
		fmt.Fprintln(l, strings.Repeat("x", logRoom))
	}
	lines, want := bufio.NewScanner(r), []string{"confit: text", "{record}", "{1 lines of the log were lost: its reader was too slow}"}
	lines.Buffer(nil, 2*logRoom)
	for len(want) > 0 && lines.Scan() {
		text := strings.Replace(lines.Text(), "{2 lines", "{1 lines", 1) // both, when the words before are still in the queue
		if !strings.HasPrefix(text, "xx") {
			if text != want[0] {
				t.Errorf("the log says %q, want %q", text, want[0])
			}
			want = want[1:]
		}
	}
	if len(want) > 0 {
		t.Errorf("it doesn't say %q: %v", want, lines.Err())
	}
}

// TestLogKeepsAll: a patient writer loses nothing when the reader is only slower,
// and the order of the lines is that of the writes.
func TestLogKeepsAll(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	l := NewLog(w)
	const count = 20000
	go func() {
		for i := range count {
			fmt.Fprintf(l.Patient(), "%d %s\n", i, strings.Repeat("x", 90))
		}
		for held := 1; held > 0; { // Flush alone gives up on a reader that is busy elsewhere
			l.Flush()
			l.mutex.Lock()
			held = l.held
			l.mutex.Unlock()
		}
		w.Close()
	}()
	lines := bufio.NewScanner(r)
	for i := range count {
		if !lines.Scan() || !strings.HasPrefix(lines.Text(), fmt.Sprintf("%d ", i)) {
			t.Fatalf("line %d is %q, %v", i, lines.Text(), lines.Err())
		}
	}
}

// TestLogMadeNonBlocking: the app shares the pipe, and may set O_NONBLOCK for both.
// Each line comes whole, however slow the reader is.
func TestLogMadeNonBlocking(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	defer w.Close()
	fd, err := unix.Dup(int(w.Fd()))
	if err == nil {
		err = unix.SetNonblock(fd, false) // as stderr was when confit began
	}
	if err != nil {
		t.Fatal(err)
	}
	l := NewLog(os.NewFile(uintptr(fd), "stderr"))
	if err := unix.SetNonblock(fd, true); err != nil {
		t.Fatal(err)
	}
	const count = logRoom / 128
	for i := range count {
		fmt.Fprintf(l, "%d %s\n", i, strings.Repeat("x", 100))
	}
	lines := bufio.NewScanner(r)
	for i := range count {
		if want := fmt.Sprintf("%d %s", i, strings.Repeat("x", 100)); !lines.Scan() || lines.Text() != want {
			t.Fatalf("line %d is %q", i, lines.Text())
		}
	}
}

// TestLogClosed: a reader that is gone is no reason to stop.
func TestLogClosed(t *testing.T) {
	t.Parallel()
	r, w := pipe(t)
	r.Close()
	l := NewLog(w)
	for range 100 {
		fmt.Fprintln(l, "nobody reads this")
	}
	l.Flush()
	l.mutex.Lock()
	defer l.mutex.Unlock()
	if l.held > 0 || l.lost > 0 {
		t.Errorf("%d bytes wait, %d lines are lost", l.held, l.lost)
	}
}

// late is a file on a machine that is busy: its writer comes to it late.
type late struct{ *os.File }

func (f late) Write(p []byte) (int, error) {
	time.Sleep(3 * logFlush)
	return f.File.Write(p)
}

// TestLogFlushIsPatient: where the reader doesn't hang, the last words are written
// also by a machine that is slow.
func TestLogFlushIsPatient(t *testing.T) {
	t.Parallel()
	for range 5 { // on a busy machine a second may be over before
		r, w := pipe(t)
		l := NewLog(w)
		l.mutex.Lock()
		l.to = late{w}
		l.mutex.Unlock()
		l.Say("last words")
		l.Flush()
		if n, _ := unix.Poll([]unix.PollFd{{Fd: int32(r.Fd()), Events: unix.POLLIN}}, 0); n == 1 {
			return
		}
	}
	t.Error("nothing was written")
}
