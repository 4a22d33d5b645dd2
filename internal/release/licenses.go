package main

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// licenseName is what the files are called that have to go with a binary.
var licenseName = regexp.MustCompile(`(?i)^(licen[cs]e|copying|notice|patents)([-._].*)?$`)

// licenses is what the modules say that are linked into a program. Go itself is
// the module std.
type licenses struct {
	texts map[string][]string // by text: the files that hold it, as MODULE VERSION: FILE
	ids   map[string][]string // by module: SPDX identifiers
}

// licenses collects them for all platforms: from the directory of each package
// that is linked, and from those above it up to its module's. So what a module
// has taken over from others counts, and what it only tests with doesn't.
func (r release) licenses(p program) (licenses, error) {
	all := licenses{texts: map[string][]string{}, ids: map[string][]string{}}
	for _, on := range p.platforms {
		packages, err := r.list(p, on, "-deps", "-f", "{{with .Module}}{{if .Version}}{{.Path}}\t{{.Version}}\t{{.Dir}}\t{{$.Dir}}{{end}}{{end}}", ".")
		if err != nil {
			return all, err
		}
		for _, line := range slices.Compact(packages) {
			field := strings.Split(line, "\t")
			if isOwn(field[0]) {
				continue
			}
			if err := all.walk(field[0], field[1], field[2], field[3]); err != nil {
				return all, err
			}
		}
	}
	root, err := r.list(p, p.platforms[0], "-f", "{{.Root}}", "runtime")
	if err == nil {
		err = all.walk("std", "and runtime of Go", root[0], root[0])
	}
	return all, errors.Join(err, all.checkComplete())
}

// walk reads what lies in dir and above it, up to root.
func (l licenses) walk(module, version, root, dir string) error {
	if _, ok := l.ids[module]; !ok {
		l.ids[module] = nil
	}
	for ; strings.HasPrefix(dir, root); dir = filepath.Dir(dir) {
		entries, err := os.ReadDir(dir)
		if err != nil {
			return err
		}
		for _, e := range entries {
			if e.Type().IsRegular() && licenseName.MatchString(e.Name()) && !strings.HasSuffix(e.Name(), ".go") {
				err = errors.Join(err, l.read(module, version, root, filepath.Join(dir, e.Name())))
			}
		}
		if err != nil {
			return err
		}
	}
	return nil
}

func (l licenses) read(module, version, root, path string) error {
	data, err := os.ReadFile(path)
	if err != nil {
		return err
	}
	text := string(bytes.TrimSpace(bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))))
	name, err := filepath.Rel(root, path)
	if err != nil {
		return err
	}
	if holder := module + " " + version + ": " + name; !slices.Contains(l.texts[text], holder) {
		l.texts[text] = append(l.texts[text], holder)
	}
	ids := append(l.ids[module], identify(text)...)
	slices.Sort(ids)
	l.ids[module] = slices.Compact(ids)
	return nil
}

// checkComplete holds that each module has a licence that is known here. What
// isn't has to be read by a person before it is handed out.
func (l licenses) checkComplete() error {
	for module, ids := range l.ids {
		if len(ids) == 0 {
			return fmt.Errorf("cannot tell the licence of %s: %w", module, fs.ErrNotExist)
		}
	}
	return nil
}

// text is the file that goes with the binaries. Each text stands there once.
func (l licenses) text(p program, version string) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "%s %s is licensed under the Apache License, Version 2.0: see LICENSE.\n", p.name, version)
	fmt.Fprintf(&b, "It contains parts of the following, under the licences that stand below each.\n")
	byHolders := map[string]string{}
	for text, holders := range l.texts {
		slices.Sort(holders)
		byHolders[strings.Join(holders, "\n")] = text
	}
	for _, holders := range slices.Sorted(maps.Keys(byHolders)) {
		fmt.Fprintf(&b, "\n%s\n%s\n\n%s\n", strings.Repeat("=", 80), holders, byHolders[holders])
	}
	return b.Bytes()
}
