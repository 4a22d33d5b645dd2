package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"strings"
	"time"
)

// file is one of an archive or of a layer.
type file struct {
	name string // a directory's ends with a slash
	mode int64
	data []byte
}

// tarball packs files in the order given, all of root's and of one date.
func tarball(files []file, date time.Time) []byte {
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, f := range files {
		kind := byte(tar.TypeReg)
		if strings.HasSuffix(f.name, "/") {
			kind = tar.TypeDir
		}
		must(w.WriteHeader(&tar.Header{
			Typeflag: kind, Name: f.name, Mode: f.mode, Size: int64(len(f.data)), ModTime: date, Format: tar.FormatUSTAR,
		}))
		_, err := w.Write(f.data)
		must(err)
	}
	must(w.Close())
	return b.Bytes()
}

// compress has neither a name nor a date in its header.
func compress(data []byte) []byte {
	var b bytes.Buffer
	w, err := gzip.NewWriterLevel(&b, gzip.BestCompression)
	must(err)
	_, err = w.Write(data)
	must(err)
	must(w.Close())
	return b.Bytes()
}

// must is for writers of memory, which can't fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// archive packs a program with all that goes with it.
func (r release) archive(p program, arch string) error {
	dir := fmt.Sprintf("%s-%s-linux-%s/", p.name, r.version, arch)
	files := []file{{name: dir, mode: 0o755}}
	add := func(name, path string, mode int64) error {
		data, err := os.ReadFile(path)
		files = append(files, file{dir + name, mode, data})
		return err
	}
	for _, f := range []struct {
		name, path string
		mode       int64
	}{
		{p.name, r.path(p.binary(arch)), 0o755},
		{"confit.1", r.path("confit.1"), 0o644},
		{"LICENSE", "LICENSE", 0o644},
		{"licenses.txt", r.path(p.name + "-licenses.txt"), 0o644},
		{"sbom.cdx.json", r.path(p.binary(arch) + ".cdx.json"), 0o644},
	} {
		if f.name == "confit.1" && p.name != "confit" {
			continue
		}
		if err := add(f.name, f.path, f.mode); err != nil {
			return err
		}
	}
	return r.write(strings.TrimSuffix(dir, "/")+".tar.gz", compress(tarball(files, r.date)))
}

// writeSums writes SHA256SUMS of all that was made, as sha256sum --check reads it.
func (r release) writeSums() error {
	names, err := r.made()
	if err != nil {
		return err
	}
	var b bytes.Buffer
	for _, name := range names {
		data, err := os.ReadFile(r.path(name))
		if err != nil {
			return err
		}
		fmt.Fprintf(&b, "%s  %s\n", sum(data), name)
	}
	return r.write(sums, b.Bytes())
}

// sums is the file of checksums.
const sums = "SHA256SUMS"

// made lists what was made, but for the checksums.
func (r release) made() (names []string, err error) {
	entries, err := os.ReadDir(r.out)
	for _, e := range entries {
		if e.Name() != sums {
			names = append(names, e.Name())
		}
	}
	return names, err
}

func sum(data []byte) string {
	s := sha256.Sum256(data)
	return hex.EncodeToString(s[:])
}
