package main

import (
	"archive/zip"
	"bytes"
	"flag"
	"io"
	"os"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the manifest for krew anew")

// krewGolden is what the tests of the plugin, which have a parser of YAML, read.
const krewGolden = "internal/release/testdata/confit.yaml"

// TestKrew: the manifest names each archive by its checksum, and each archive
// holds what krew is told to take.
func TestKrew(t *testing.T) {
	r := fake(t)
	for _, on := range desks {
		if err := r.archive(plugin, on); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.writeKrew(); err != nil {
		t.Fatal(err)
	}
	m, err := r.krew()
	if err != nil || len(m.Platforms) != 6 {
		t.Fatalf("it has %d platforms (%v)", len(m.Platforms), err)
	}
	for _, on := range m.Platforms {
		data, err := os.ReadFile(r.path(on.URI[strings.LastIndex(on.URI, "/")+1:]))
		if err != nil || sum(data) != on.SHA256 {
			t.Errorf("%s: its checksum is wrong (%v)", on, err)
		}
		files := contents(t, data, on.OS == "windows")
		for _, name := range on.Files {
			if len(files[on.Dir+"/"+name]) == 0 {
				t.Errorf("%s: the archive lacks %s", on, name)
			}
		}
		if got := string(files[on.Dir+"/"+on.Bin]); got != plugin.binary(on.platform) {
			t.Errorf("%s: %s is %q", on, on.Bin, got)
		}
	}
	if err := r.checkKrew(); err != nil {
		t.Error(err)
	}
	golden(t, m)
}

// golden holds what the manifest says. Its checksums are others with each version
// of Go, whose archives are.
func golden(t *testing.T, m krewManifest) {
	t.Helper()
	for i, on := range m.Platforms {
		m.Platforms[i].SHA256 = sum([]byte(on.URI))
	}
	if *update {
		if err := os.WriteFile(krewGolden, m.text(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	if want, err := os.ReadFile(krewGolden); err != nil || !bytes.Equal(m.text(), want) {
		t.Errorf("the manifest isn't %s (%v):\n%s", krewGolden, err, m.text())
	}
}

// TestCheckKrew: an archive that was made anew makes the manifest wrong.
func TestCheckKrew(t *testing.T) {
	r := fake(t)
	r.only = []string{"windows-arm64"}
	on := platform{"arm64", "windows"}
	for _, step := range []func() error{func() error { return r.archive(plugin, on) }, r.writeKrew, r.checkKrew} {
		if err := step(); err != nil {
			t.Fatal(err)
		}
	}
	if err := r.write(r.archiveName(plugin, on), []byte("another")); err != nil {
		t.Fatal(err)
	}
	if err := r.checkKrew(); err == nil {
		t.Error("nobody notices")
	}
}

// TestKrewVersion: krew takes semantic versions alone.
func TestKrewVersion(t *testing.T) {
	for version, want := range map[string]string{
		"1.2.3": "v1.2.3", "0.2.0-rc.1": "v0.2.0-rc.1", "0.1.0-1-g12ab": "v0.1.0-1-g12ab", "0.1.0-dirty": "v0.1.0-dirty",
		"devel": "v0.0.0-devel", "devel-g0012ab-dirty": "v0.0.0-devel-g0012ab-dirty",
		"my_version": "", "1.01": "", "": "",
	} {
		got, err := krewVersion(version)
		if got != want || (err != nil) != (want == "") {
			t.Errorf("%q is %q (%v), want %q", version, got, err, want)
		}
	}
}

// TestOnly: what isn't a platform is no silence.
func TestOnly(t *testing.T) {
	if err := (release{only: []string{"linux-s390x", "windows-arm64"}}).checkOnly(); err != nil {
		t.Error(err)
	}
	for _, wrong := range []string{"amd64", "windows-386", "linux"} {
		if err := (release{only: []string{wrong}}).checkOnly(); err == nil {
			t.Errorf("%q is made", wrong)
		}
	}
}

// contents unpacks an archive, and holds that the same modes are in both kinds.
func contents(t *testing.T, data []byte, windows bool) map[string][]byte {
	t.Helper()
	if !windows {
		return unpack(t, gunzip(t, data))
	}
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		t.Fatal(err)
	}
	files := map[string][]byte{}
	for _, f := range z.File {
		if f.Mode().IsDir() != strings.HasSuffix(f.Name, "/") || strings.HasSuffix(f.Name, ".exe") != (f.Mode() == 0o755) {
			t.Errorf("%s has mode %v", f.Name, f.Mode())
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		if files[f.Name], err = io.ReadAll(in); err != nil {
			t.Fatal(err)
		}
	}
	return files
}
