package statusfile

import (
	"reflect"
	"slices"
	"testing"

	"confit/linker"
	"confit/status"
)

// newShown is a file that nobody writes, and that has shown a status.
func newShown() *File {
	f := &File{newest: make(chan shown, 1)}
	f.Show(status.Status{Phase: "running"}, nil)
	<-f.newest
	return f
}

// wantShown says whether something was handed over, and takes that.
func wantShown(t *testing.T, f *File, what string, want bool) {
	t.Helper()
	if n := len(f.newest); (n == 1) != want {
		t.Errorf("%s: shown %d times, want %v", what, n, want)
	}
	for len(f.newest) > 0 {
		<-f.newest
	}
}

// TestShow_news: whatever the status says anew is shown.
func TestShow_news(t *testing.T) {
	for i := range reflect.TypeFor[status.Status]().NumField() {
		name := reflect.TypeFor[status.Status]().Field(i).Name
		if slices.Contains([]string{"Version", "Updated", "Volumes", "Keys"}, name) {
			continue // these are filled in later
		}
		another := status.Status{Phase: "running"}
		switch f := reflect.ValueOf(&another).Elem().Field(i); f.Kind() {
		case reflect.String:
			f.SetString("another")
		case reflect.Pointer:
			f.Set(reflect.New(f.Type().Elem()))
		case reflect.Int:
			f.SetInt(7)
		case reflect.Bool:
			f.SetBool(!f.Bool())
		default: // numbers come first in the others
			f.Field(0).SetInt(7)
		}
		f := newShown()
		f.Show(another, nil)
		wantShown(t, f, "another "+name, true)
	}
}

// TestShow_keys: the status has the keys of what is accepted, and the volumes as they were found.
func TestShow_keys(t *testing.T) {
	f, same := newShown(), status.Status{Phase: "running"}
	f.Show(same, nil)
	wantShown(t, f, "nothing new", false)
	f.Show(same, &linker.Sums{})
	wantShown(t, f, "new keys", true)
	f.Show(same, nil)
	wantShown(t, f, "the same keys", false)
	for _, isNew := range []bool{true, false} {
		f.NoteVolumes([]linker.VolumeStatus{{Path: "/confit/web"}})
		f.Show(same, nil)
		wantShown(t, f, "a volume", isNew)
	}
}

// TestShow_not_written: what the disk had no room for is written at a later look,
// though nothing has changed since.
func TestShow_not_written(t *testing.T) {
	f := newShown()
	f.unwritten.Store(true)
	for _, want := range []bool{true, false} {
		f.Show(status.Status{Phase: "running"}, nil)
		wantShown(t, f, "not written", want)
	}
}
