package linker

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	kubelet "confit/integration/volume"
	"confit/linker/lines"
)

// flip puts one thing after the other under a name, as fast as it can, until
// the test says stop. What can't be made in a moment is tried in the next.
func flip(stop chan struct{}, path string, put ...func(path string) error) {
	for n := 0; ; n++ {
		select {
		case <-stop:
			return
		default:
		}
		_ = os.RemoveAll(path)
		_ = put[n%len(put)](path)
	}
}

func aFIFO(path string) error { return unix.Mkfifo(path, 0o644) }

func aDirectory(path string) error {
	return errors.Join(os.Mkdir(path, 0o755), os.WriteFile(filepath.Join(path, "key"), []byte("x"), 0o644))
}

func aTree(path string) error {
	return errors.Join(os.Mkdir(path, 0o755), aDirectory(filepath.Join(path, "plain")))
}

func aKey(path string) error { return os.WriteFile(path, []byte("x"), 0o644) }

// TestStageNeverBlocks: a FIFO may stand in the place of any directory or key,
// at any moment; no writer ever comes to it.
func TestStageNeverBlocks(t *testing.T) {
	links := []string{"plain/ tree/ optional", "plain/*/key glob/ optional", "plain/a a optional", "plain/sub/key key optional", "whole/sub/ whole optional"}
	for name, put := range map[string]map[string][]func(string) error{
		"names in a volume": {
			"volumes/plain/sub": {aDirectory, aFIFO},
			"volumes/plain/a":   {aKey, aFIFO, aDirectory},
		},
		"the volume":          {"volumes/plain": {aDirectory, aFIFO}},
		"the volume's parent": {"volumes": {aTree, aFIFO}},
		"behind ..data": {
			"volumes/whole/..1": {aDirectory, aFIFO},
		},
	} {
		t.Run(name, func(t *testing.T) {
			h := newFixture(t, links...)
			h.plain("plain")
			h.must(os.Symlink("..1", filepath.Join(h.plain("whole"), lines.DataLink)))
			h.open()
			stop := make(chan struct{})
			var flippers sync.WaitGroup
			for path, what := range put {
				flippers.Go(func() { flip(stop, h.path(path), what...) })
			}
			h.stageOften(often(500))
			close(stop)
			flippers.Wait()
		})
	}
}

// stageOften stages again and again, each time from the start.
func (h *fixture) stageOften(times int) {
	h.Helper()
	done := make(chan struct{})
	go func() {
		defer close(done)
		for range times {
			h.seen = ""
			_, _ = h.tryStage()
			h.collect()
		}
	}()
	select {
	case <-done:
	case <-time.After(bound):
		h.Fatalf("not staged %d times in %v: something blocks", times, bound)
	}
}

// TestStageAtomicBelowPlain: a volume that is swapped as a whole and mounted
// below a plain one is read through its ..data, its own directories too, and a
// swap of it is seen. When the kubelet tears it down, it is no empty volume.
func TestStageAtomicBelowPlain(t *testing.T) {
	h := newFixture(t, "web/ web/", "web/*/tls.crt certs/", "web/ whole", "web/tls/direct direct direct")
	h.plain("web", "a.conf", "a")
	h.write("web/tls", "tls.crt", "crt1", "sub/key", "key1", "old", "x", "direct", "d")
	h.open()
	h.adopt()
	h.reads("web/a.conf", "a", "web/tls/tls.crt", "crt1", "web/tls/sub/key", "key1", "certs/tls/tls.crt", "crt1", "whole/tls/sub/key", "key1",
		"web/tls/..data/tls.crt", absent, "direct", "d")
	h.must(kubelet.Write(h.path("volumes/web/tls"), kubelet.Strings("tls.crt", "crt2", "sub/key", "key2", "new", "n", "direct", "d")))
	h.wantHint()
	if c := h.adopt(); changed(c) != "web/tls/new web/tls/sub/key web/tls/tls.crt web/tls/old" {
		t.Errorf("changes: %s", changed(c))
	}
	h.reads("web/tls/tls.crt", "crt2", "web/tls/sub/key", "key2", "web/tls/new", "n", "web/tls/old", absent)

	h.must(os.RemoveAll(h.path("volumes/web/tls")))
	h.must(os.Mkdir(h.path("volumes/web/tls"), 0o755))
	h.invalid(h.path("volumes/web/tls"), "lost its ..data link")
	h.reads("web/tls/tls.crt", "crt2")
}

// TestStageAtomicBelowPlainInTheMiddle: the visible names are changed after the
// swap, so between the two they are wrong, and nobody looks at them.
func TestStageAtomicBelowPlainInTheMiddle(t *testing.T) {
	h := newFixture(t, "web/ web/")
	h.plain("web", "a.conf", "a")
	h.write("web/tls", "old", "o")
	h.open()
	h.adopt()
	tls := h.path("volumes/web/tls")
	h.put(filepath.Join(tls, "..2", "new"), "n")
	h.must(os.Symlink("..2", filepath.Join(tls, "..data_tmp")))
	h.must(os.Rename(filepath.Join(tls, "..data_tmp"), filepath.Join(tls, lines.DataLink)))
	if c := h.adopt(); changed(c) != "web/tls/new web/tls/old" {
		t.Errorf("changes: %s", changed(c))
	}
	h.must(os.Symlink("..3", filepath.Join(tls, "..data_tmp")))
	h.must(os.Rename(filepath.Join(tls, "..data_tmp"), filepath.Join(tls, lines.DataLink)))
	h.invalid(tls, "leads nowhere")
}

// TestStageUntellableNames: the notes are JSON and a hook has its keys one a
// line, so a name that fits in neither is refused, and shown as Go would.
func TestStageUntellableNames(t *testing.T) {
	for name, words := range map[string]string{
		"a\xff":        `key "a\xff" in volume`,
		"a\nb":         `key "a\nb" in volume`,
		"\x1b[31mred":  "holds a control character",
		"a\u0085":      "holds a control character",
		"\x7f":         "holds a control character",
		"sub\n/key":    `key "sub\n/key" in volume`,
		"sub/\xc3\x28": "isn't UTF-8",
	} {
		for _, link := range []string{"plain/ tree/", "plain/ whole", "plain/* glob/", "plain/*/* glob/"} {
			if strings.Count(name, "/") == 0 && strings.Contains(link, "/*/") || strings.Count(name, "/") == 1 && strings.Contains(link, "/* ") {
				continue // not matched
			}
			h := newFixture(t, link)
			h.plain("plain", "good", "g", name, "x")
			h.open()
			h.invalid(words, "rename it")
		}
	}
	h := newFixture(t, "plain/ tree/", "plain/*.conf glob/")
	h.plain("plain", "größe.conf", "g", "with blank", "b", "\ufffd", "r")
	h.open()
	h.adopt()
	h.reads("glob/größe.conf", "g", "tree/with blank", "b", "tree/\ufffd", "r")
}

// TestStageNameThatIsLinked: one that only a link line could name.
func TestStageNameThatIsLinked(t *testing.T) {
	h := newFixture(t, "plain/x x")
	h.config.Links[0].Source = "plain/a\nb"
	h.plain("plain", "a\nb", "x")
	h.open()
	h.invalid(`key "a\nb"`, "control character")
}

// TestStageTreeWithoutEnd: what is nested deeper than anybody nests is refused,
// and doesn't keep the linker busy.
func TestStageTreeWithoutEnd(t *testing.T) {
	h := newFixture(t, "plain/ tree/")
	root, err := os.OpenRoot(h.plain("plain", "a", "x"))
	h.must(err)
	h.must(root.MkdirAll(strings.Repeat("d/", 1000)+"d", 0o755))
	h.must(root.Close())
	h.open()
	h.invalid("cannot list directory", "more than 100 directories are nested")
}

// TestStageDirectoryThatIsAFile: said, not taken for an empty one.
func TestStageDirectoryThatIsAFile(t *testing.T) {
	h := newFixture(t, "plain/conf.d/*.conf conf.d/ optional")
	h.plain("plain", "conf.d", "I am a file")
	h.open()
	h.invalid(`cannot list directory "conf.d" of volume`, "not a directory")
}
