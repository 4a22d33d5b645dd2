package config

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"golang.org/x/sys/unix"

	kubelet "confit/integration/volume"
)

// linksAre checks what is known of the links files by now.
func linksAre(t *testing.T, c *Config, same bool, when string) {
	t.Helper()
	sum, known := c.LinksNow()
	if !known || (sum == c.LinksRead) != same {
		t.Errorf("%s: known %v, the same %v, want %v", when, known, sum == c.LinksRead, same)
	}
}

func try(t *testing.T, errs ...error) {
	t.Helper()
	if err := errors.Join(errs...); err != nil {
		t.Fatal(err)
	}
}

// TestLinksNow: names and bytes count, and nothing else does.
func TestLinksNow(t *testing.T) {
	file := write(t, "links", oneLink)
	c := mustParse(t, file, nil, "--", "app")
	linksAre(t, &c, true, "read")
	try(t, os.WriteFile(file, []byte(oneLink+"\n"), 0o644))
	linksAre(t, &c, false, "written to")
	try(t, os.WriteFile(file, []byte(oneLink), 0o600))
	linksAre(t, &c, true, "written to again")
	try(t, os.Rename(write(t, "other", oneLink), file), os.Chmod(file, 0o400))
	linksAre(t, &c, true, "replaced by the same")
	try(t, os.Remove(file))
	linksAre(t, &c, false, "removed")
	try(t, unix.Mkfifo(file, 0o600))
	if _, known := c.LinksNow(); known {
		t.Error("a FIFO is read")
	}
}

// TestLinksNow_directory: a file that comes or goes counts, one that isn't read
// doesn't.
func TestLinksNow_directory(t *testing.T) {
	dir := filepath.Dir(write(t, "a", oneLink))
	c := mustParse(t, dir, nil, "--", "app")
	try(t, os.WriteFile(dir+"/.b", nil, 0o644), os.Mkdir(dir+"/c", 0o755))
	linksAre(t, &c, true, "with others beside it")
	try(t, os.WriteFile(dir+"/b", nil, 0o644))
	linksAre(t, &c, false, "with one more")
	try(t, os.Remove(dir+"/b"))
	linksAre(t, &c, true, "without it")
	try(t, os.Rename(dir+"/a", dir+"/d"))
	linksAre(t, &c, false, "by another name")
	try(t, os.Rename(dir+"/d", dir+"/a"), os.Remove(dir+"/a"), os.Symlink("nothing", dir+"/a"))
	linksAre(t, &c, false, "led nowhere")
}

// TestLinksNow_volume: links in a ConfigMap. One that is swapped with the same
// bytes is the same.
func TestLinksNow_volume(t *testing.T) {
	dir := t.TempDir()
	swap := func(kv ...string) { try(t, kubelet.Write(dir, kubelet.Strings(kv...))) }
	swap("links", oneLink)
	c := mustParse(t, dir, nil, "--", "app")
	file := mustParse(t, filepath.Join(dir, "links"), nil, "--", "app")
	swap("links", oneLink, "more", "")
	linksAre(t, &c, false, "with one more")
	linksAre(t, &file, true, "with another key")
	swap("links", oneLink)
	linksAre(t, &c, true, "without it")
	swap("links", "rescan 5s\n"+oneLink)
	linksAre(t, &c, false, "edited")
	linksAre(t, &file, false, "edited")
}

// TestLinksNow_relative: confit leaves its directory when the app was started.
func TestLinksNow_relative(t *testing.T) {
	t.Chdir(filepath.Dir(write(t, "links", oneLink)))
	c := mustParse(t, "links", nil, "--", "app")
	t.Chdir("/")
	linksAre(t, &c, true, "from elsewhere")
}
