package cli

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"

	"k8s.io/cli-runtime/pkg/resource"
	"sigs.k8s.io/kustomize/api/krusty"
	"sigs.k8s.io/kustomize/kyaml/filesys"
)

// texts are manifests byte for byte, as one stream.
type texts struct {
	bytes.Buffer
	names  []string
	begins []int // in which line of the stream
}

// texts reads what the command line names. The error has all that can't be read.
func (f *files) texts(stdin io.Reader) (*texts, error) {
	all := &texts{}
	if *f.Kustomize != "" {
		return all, all.add(*f.Kustomize, func() ([]byte, error) { return built(*f.Kustomize) })
	}
	var errs []error
	for _, name := range *f.Filenames {
		if name == "-" {
			errs = append(errs, all.add("stdin", func() ([]byte, error) { return io.ReadAll(stdin) }))
			continue
		}
		paths, err := f.paths(name)
		if err != nil {
			errs = append(errs, fmt.Errorf("cannot read %s: %w", name, err))
		}
		for _, path := range paths {
			errs = append(errs, all.add(path, func() ([]byte, error) { return os.ReadFile(path) }))
		}
	}
	return all, errors.Join(errs...)
}

// paths are the files of a name: itself, those of a directory with kubectl's endings, or those of a pattern.
func (f *files) paths(name string) (paths []string, err error) {
	roots := []string{name}
	if _, err := os.Stat(name); err != nil {
		if roots, _ = filepath.Glob(name); len(roots) == 0 {
			return nil, cause(err)
		}
	}
	for _, root := range roots {
		visitors, err := resource.ExpandPathsToFileVisitors(nil, root, *f.Recursive, resource.FileExtensions, nil)
		if err != nil {
			return nil, cause(err)
		}
		for _, v := range visitors {
			paths = append(paths, v.(*resource.FileVisitor).Path)
		}
	}
	if len(paths) == 0 {
		return nil, fmt.Errorf("no file in it ends with %s", strings.Join(resource.FileExtensions, ", "))
	}
	return paths, nil
}

// built is what kustomize makes of a directory, as kubectl kustomize does.
func built(directory string) ([]byte, error) {
	made, err := krusty.MakeKustomizer(krusty.MakeDefaultOptions()).Run(filesys.MakeFsOnDisk(), directory)
	if err != nil {
		return nil, err
	}
	return made.AsYaml()
}

// add appends a text, as a document of its own.
func (t *texts) add(name string, read func() ([]byte, error)) error {
	content, err := read()
	if err != nil {
		return fmt.Errorf("cannot read %s: %w", name, cause(err))
	}
	if last := t.Bytes(); len(last) > 0 {
		if last[len(last)-1] != '\n' {
			t.WriteString("\n")
		}
		if !bytes.HasPrefix(content, []byte("---")) {
			t.WriteString("---\n")
		}
	}
	t.names = append(t.names, name)
	t.begins = append(t.begins, 1+bytes.Count(t.Bytes(), []byte("\n")))
	t.Write(content)
	return nil
}

// at is where a line of the stream stands: FILE:LINE.
func (t *texts) at(line int) string {
	i := len(t.begins) - 1
	for i > 0 && t.begins[i] > line {
		i--
	}
	return fmt.Sprintf("%s:%d", t.names[i], line-t.begins[i]+1)
}

// cause is an error without the path that it repeats.
func cause(err error) error {
	var path *os.PathError
	if errors.As(err, &path) {
		return path.Err
	}
	return err
}
