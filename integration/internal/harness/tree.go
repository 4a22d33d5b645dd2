package harness

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Tree describes a directory and everything below it, a line each: mode, path, and the content of a file or where a link leads. Two
// equal descriptions mean that nothing was changed.
func Tree(dir string) (lines []string, err error) {
	err = filepath.WalkDir(dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		line, err := describe(path, entry)
		lines = append(lines, strings.Replace(line, dir, "", 1))
		return err
	})
	return lines, err
}

func describe(path string, entry fs.DirEntry) (string, error) {
	info, err := entry.Info()
	if err != nil {
		return "", err
	}
	line := info.Mode().String() + " " + path
	switch {
	case info.Mode().IsRegular():
		content, err := os.ReadFile(path)
		return fmt.Sprintf("%s %q", line, content), err
	case info.Mode()&fs.ModeSymlink != 0:
		to, err := os.Readlink(path)
		return line + " -> " + to, err
	}
	return line, nil
}
