// Package render makes files out of Go templates, files and the environment.
//
// It guarantees that the same inputs make the same bytes, in every replica and
// at every start: the functions of sprig that read a clock or chance are left
// out. What a template asks for and isn't there is an error, never empty text.
// Nothing is written before all templates were rendered.
package render

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"text/template"
)

// Inputs is what templates may ask for.
type Inputs struct {
	Dir     string                      // whose files they read
	Environ func(string) (string, bool) // as os.LookupEnv
}

// File is what became of a template.
type File struct {
	Name string
	Data []byte
}

// suffixes are cut off a template's name.
var suffixes = []string{".tmpl", ".tpl", ".gotmpl"}

// Render renders templates. They know each other by their base names.
func Render(templates []string, in Inputs) ([]File, error) {
	root, err := os.OpenRoot(in.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the files: %w", err)
	}
	defer root.Close()
	set := template.New("").Option("missingkey=error").Funcs(functions(root.FS(), in.Environ))
	if err := parse(set, templates); err != nil {
		return nil, err
	}
	var files []File
	for _, path := range templates {
		var b bytes.Buffer
		// The dot is an empty map, so that {{.name}} is a missing key, too.
		if err := set.ExecuteTemplate(&b, filepath.Base(path), map[string]any{}); err != nil {
			return nil, fmt.Errorf("cannot render %q: %w", path, withoutValue(err))
		}
		files = append(files, File{outputName(path), b.Bytes()})
	}
	return files, checkNames(files)
}

// withoutValue leaves out what text/template quotes of a range over what has no
// elements: it may be a secret.
func withoutValue(err error) error {
	const unable = "range can't iterate over "
	if where, _, ok := strings.Cut(err.Error(), unable); ok {
		return errors.New(where + unable + "this value")
	}
	return err
}

func parse(set *template.Template, templates []string) error {
	for _, path := range templates {
		text, err := os.ReadFile(path)
		if err != nil {
			return fmt.Errorf("cannot read the template: %w", err)
		}
		name := filepath.Base(path)
		if set.Lookup(name) != nil {
			return fmt.Errorf("cannot render %q: another template is called %q, too; rename one", path, name)
		}
		if _, err := set.New(name).Parse(string(text)); err != nil {
			return fmt.Errorf("cannot parse %q: %w", path, err)
		}
	}
	return nil
}

func outputName(path string) string {
	name := filepath.Base(path)
	for _, suffix := range suffixes {
		if base, ok := strings.CutSuffix(name, suffix); ok && base != "" {
			return base
		}
	}
	return name
}

func checkNames(files []File) error {
	for i, f := range files {
		if slices.ContainsFunc(files[:i], func(g File) bool { return g.Name == f.Name }) {
			return fmt.Errorf("cannot render: two templates make %q; rename one", f.Name)
		}
	}
	return nil
}

// Write puts files into a directory, with a mode whatever the umask. Each is
// replaced as a whole.
func Write(dir string, files []File, mode fs.FileMode) error {
	for _, f := range files {
		if err := replace(filepath.Join(dir, f.Name), f.Data, mode); err != nil {
			return fmt.Errorf("cannot write %q: %w", f.Name, err)
		}
	}
	return nil
}

func replace(path string, data []byte, mode fs.FileMode) error {
	tmp, err := os.CreateTemp(filepath.Dir(path), ".confitctl-")
	if err != nil {
		return err
	}
	_, err = tmp.Write(data)
	err = errors.Join(err, tmp.Chmod(mode), tmp.Close())
	if err == nil {
		err = os.Rename(tmp.Name(), path)
	}
	if err != nil {
		_ = os.Remove(tmp.Name())
	}
	return err
}
