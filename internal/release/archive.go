package main

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
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

// zipped packs files as tarball does, for Windows.
func zipped(files []file, date time.Time) []byte {
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, f := range files {
		header := &zip.FileHeader{Name: f.name, Method: zip.Deflate, Modified: date}
		header.SetMode(os.FileMode(f.mode))
		if strings.HasSuffix(f.name, "/") {
			header.Method = zip.Store
			header.SetMode(os.FileMode(f.mode) | os.ModeDir)
		}
		entry, err := w.CreateHeader(header)
		must(err)
		_, err = entry.Write(f.data)
		must(err)
	}
	must(w.Close())
	return b.Bytes()
}

// must is for writers of memory, which can't fail.
func must(err error) {
	if err != nil {
		panic(err)
	}
}

// unpacked is the directory that an archive becomes.
func (r release) unpacked(p program, on platform) string {
	return fmt.Sprintf("%s-%s-%s", p.name, r.version, on)
}

// archiveName is a file that each system can unpack by itself.
func (r release) archiveName(p program, on platform) string {
	if on.OS == "windows" {
		return r.unpacked(p, on) + ".zip"
	}
	return r.unpacked(p, on) + ".tar.gz"
}

// archive packs a program with all that goes with it.
func (r release) archive(p program, on platform) error {
	dir := r.unpacked(p, on) + "/"
	files := []file{{name: dir, mode: 0o755}}
	for _, f := range []struct {
		name, path string
		mode       int64
	}{
		{p.name + on.extension(), r.path(p.binary(on)), 0o755},
		{"confit.1", r.path("confit.1"), 0o644},
		{"LICENSE", "LICENSE", 0o644},
		{"licenses.txt", r.path(p.name + "-licenses.txt"), 0o644},
		{"sbom.cdx.json", r.path(p.binary(on) + ".cdx.json"), 0o644},
	} {
		if f.name == "confit.1" && p.name != confit.name {
			continue
		}
		data, err := os.ReadFile(f.path)
		if err != nil {
			return err
		}
		files = append(files, file{dir + f.name, f.mode, data})
	}
	if on.OS == "windows" {
		return r.write(r.archiveName(p, on), zipped(files, r.date))
	}
	return r.write(r.archiveName(p, on), compress(tarball(files, r.date)))
}
