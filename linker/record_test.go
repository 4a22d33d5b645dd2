package linker

import (
	"errors"
	"os"
	"strings"
	"testing"

	"golang.org/x/sys/unix"
)

var aReport = Record{Hash: strings.Repeat("a", 64), Outcome: "rejected", Step: "verify", Reason: "the app ended with exit 1", Source: "stored"}

// TestReport: the record is there for the next confit, until it is removed.
func TestReport(t *testing.T) {
	h := newHouse(t, "web/a a").open()
	if r := h.linker.readRecord(); r != nil {
		t.Errorf("there is %+v before anything was stored", r)
	}
	h.must(h.linker.StoreRecord(&aReport))
	h.restart()
	r := h.linker.readRecord()
	if r == nil {
		t.Fatal("the record is gone")
	}
	r.Version = 0
	if *r != aReport {
		t.Errorf("got %+v, want %+v", *r, aReport)
	}
	for range 2 {
		h.must(h.linker.StoreRecord(nil))
	}
	if r := h.restart().linker.readRecord(); r != nil {
		t.Errorf("there is %+v, which was removed", r)
	}
	h.noLeftovers()
}

// TestReportNotTrusted: a record that is cut off at any byte, of another version
// or somebody else's is none. It is said, and the next one takes its place.
func TestReportNotTrusted(t *testing.T) {
	h := newHouse(t, "web/a a").open()
	h.must(h.linker.StoreRecord(&aReport))
	path := h.path("state/report.json")
	whole, err := os.ReadFile(path)
	h.must(err)
	wrong := []string{strings.Replace(string(whole), `"version":1`, `"version":2`, 1)}
	for n := range whole {
		wrong = append(wrong, string(whole[:n]))
	}
	for _, text := range wrong {
		h.must(os.WriteFile(path, []byte(text), 0o644))
		if r := h.linker.readRecord(); r != nil {
			t.Fatalf("believed %+v of %q", r, text)
		}
	}
	if !strings.Contains(h.said.String(), "record of the gate not trusted") {
		t.Errorf("said %q", &h.said)
	}
	h.must(os.WriteFile(path, whole, 0o666))
	h.must(os.Chmod(path, 0o666))
	if r := h.linker.readRecord(); r != nil {
		t.Errorf("believed %+v, which everybody may write", r)
	}
	h.must(h.linker.StoreRecord(&aReport))
	if h.linker.readRecord() == nil {
		t.Error("the next record isn't believed")
	}
}

// TestReportOnAFullDisk: the record that was there stays.
func TestReportOnAFullDisk(t *testing.T) {
	h := newHouse(t, "web/a a")
	h.must(os.Mkdir(h.path("state"), 0o755))
	if err := unix.Mount("tmpfs", h.path("state"), "tmpfs", 0, "nr_inodes=20"); err != nil {
		t.Fatalf("cannot mount a tmpfs, to fill it: %v", err)
	}
	defer func() { h.must(unix.Unmount(h.path("state"), unix.MNT_DETACH)) }()
	h.open()
	h.must(h.linker.StoreRecord(&aReport))
	for n := range 40 {
		_ = os.Mkdir(h.path("state", "full"+strings.Repeat("x", n)), 0o755)
	}
	other := aReport
	other.Outcome = "accepted"
	if err := h.linker.StoreRecord(&other); !errors.Is(err, unix.ENOSPC) {
		t.Fatalf("stored on a full disk: %v", err)
	}
	if r := h.linker.readRecord(); r == nil || r.Outcome != aReport.Outcome {
		t.Errorf("the record is %+v", r)
	}
	h.must(h.linker.StoreRecord(nil))
}
