package main

import (
	"fmt"
	"io/fs"
	"os"
	"strings"

	"confit/integration/kubelet/util"
)

// payload is the whole content of a volume: the path of each key, and what is in it.
type payload = map[string]util.FileProjection

// payload reads the payload that the command line names.
func (o *options) payload() (payload, error) {
	if o.from != "" {
		return readTree(o.from)
	}
	p := payload{}
	for _, arg := range o.keys {
		key, file, err := readKey(arg, o.mode)
		if err != nil {
			return nil, err
		}
		if _, twice := p[key]; twice {
			return nil, misuse("cannot use key %q: given twice", key)
		}
		p[key] = file
	}
	return p, nil
}

// readKey reads one argument KEY[:MODE]=VALUE or KEY[:MODE]=@FILE. Neither a ConfigMap's nor a Secret's key may contain a
// colon, so the colon is free to mean the mode.
func readKey(arg string, mode int32) (string, util.FileProjection, error) {
	var file util.FileProjection
	key, value, found := strings.Cut(arg, "=")
	if !found {
		return "", file, misuse("cannot use key %q: no = in it", arg)
	}
	file.Mode = mode
	if name, octal, found := strings.Cut(key, ":"); found {
		m, err := parseMode(octal)
		if err != nil {
			return "", file, misuse("cannot use key %q: mode %q: %w", name, octal, err)
		}
		key, file.Mode = name, m
	}
	file.Data = []byte(value)
	if name, found := strings.CutPrefix(value, "@"); found {
		data, err := os.ReadFile(name)
		if err != nil {
			return "", file, fmt.Errorf("cannot read the value of key %q: %w", key, err)
		}
		file.Data = data
	}
	return key, file, nil
}

// readTree reads every regular file below src, with its mode. Anything else in there, directories aside, is an error: left
// out silently it would be a payload that nobody meant.
func readTree(src string) (payload, error) {
	p, tree := payload{}, os.DirFS(src)
	err := fs.WalkDir(tree, ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		p[path], err = readFile(tree, path, entry)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("cannot read the payload %q: %w", src, err)
	}
	return p, nil
}

// readFile reads the regular file path of tree, with its mode.
func readFile(tree fs.FS, path string, entry fs.DirEntry) (util.FileProjection, error) {
	var file util.FileProjection
	if !entry.Type().IsRegular() {
		return file, fmt.Errorf("%q is not a regular file", path)
	}
	info, err := entry.Info()
	if err != nil {
		return file, err
	}
	file.Mode = int32(info.Mode().Perm())
	file.Data, err = fs.ReadFile(tree, path)
	return file, err
}
