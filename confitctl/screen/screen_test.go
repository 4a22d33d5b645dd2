package screen

import (
	"bytes"
	"fmt"
	"os"
	"testing"

	"golang.org/x/sys/unix"
)

// TestTerminal: one line is renewed, other lines stand above it, and the last state stays.
func TestTerminal(t *testing.T) {
	var out bytes.Buffer
	s := On(&Screen{Out: &out, Width: func() int { return 8 }})
	s.Show("1 of 2", "a")
	s.Show("1 of 2", "b")
	s.Show("2", "b")
	fmt.Fprintln(s, "other")
	s.Show("much too long", "c")
	s.Show("end", "d")
	s.Keep()
	s.Keep()
	fmt.Fprintln(s, "over")
	const want = "\r1 of 2" + "\r2     " + "\r \rother\n" + "\r2" + "\rmuch to" + "\rend    " + "\nover\n"
	if out.String() != want {
		t.Errorf("got %q, want %q", out.String(), want)
	}
}

// TestLog: a line for each step, and none in place of another.
func TestLog(t *testing.T) {
	var out bytes.Buffer
	s := On(&out)
	s.Show("before", "")
	for i := range 6 {
		s.Show(fmt.Sprint(i, " of 6"), fmt.Sprint(i/3))
	}
	fmt.Fprintln(s, "other")
	s.Keep()
	if out.String() != "0 of 6\n3 of 6\nother\n" {
		t.Errorf("got %q", out.String())
	}
}

// TestOn: a terminal is known, with its width, and one that can't go back to the beginning of a line isn't one.
func TestOn(t *testing.T) {
	t.Setenv("TERM", "xterm")
	master, err := os.OpenFile("/dev/ptmx", os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer master.Close()
	n, err := unix.IoctlGetInt(int(master.Fd()), unix.TIOCGPTN)
	if err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetPointerInt(int(master.Fd()), unix.TIOCSPTLCK, 0); err != nil {
		t.Fatal(err)
	}
	if err := unix.IoctlSetWinsize(int(master.Fd()), unix.TIOCSWINSZ, &unix.Winsize{Row: 24, Col: 77}); err != nil {
		t.Fatal(err)
	}
	terminal, err := os.OpenFile(fmt.Sprint("/dev/pts/", n), os.O_RDWR|unix.O_NOCTTY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer terminal.Close()
	if s := On(terminal); s.Width == nil || s.Width() != 77 {
		t.Error("a terminal is taken for a log")
	}
	t.Setenv("TERM", "dumb")
	file, err := os.Create(t.TempDir() + "/log")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if On(terminal).Width != nil || On(file).Width != nil {
		t.Error("a log is taken for a terminal")
	}
}
