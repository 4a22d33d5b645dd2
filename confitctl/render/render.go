// Package render makes files out of Go templates, files and the environment.
//
// It guarantees that the same inputs make the same bytes, in every replica and
// at every start: the functions of sprig that read a clock or chance are left
// out. What a template asks for and isn't there is an error, never empty text.
// Nothing is written before all templates were rendered.
package render

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"text/template"
	"text/template/parse"
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

// missingKey makes a key of a map that isn't there an error.
const missingKey = "missingkey=error"

// Render renders templates. They know each other by their base names. It fails
// soon after the context has ended, with the cause and the place.
func Render(ctx context.Context, templates []string, in Inputs) ([]File, error) {
	root, err := os.OpenRoot(in.Dir)
	if err != nil {
		return nil, fmt.Errorf("cannot read the files: %w", err)
	}
	defer root.Close()
	e := &engine{ctx: ctx, done: map[*parse.Tree]bool{}}
	set := template.New("").Option(missingKey).Funcs(functions(root.FS(), in.Environ))
	set.Funcs(e.own()).Funcs(e.nested(set))
	if err := parseAll(set, templates); err != nil {
		return nil, err
	}
	if err := e.instrument(set); err != nil {
		return nil, fmt.Errorf("cannot render: %w", err)
	}
	var files []File
	for _, path := range templates {
		// The dot is an empty map, so that {{.name}} is a missing key, too.
		data, err := e.execute(set, filepath.Base(path), map[string]any{})
		if err != nil {
			return nil, fmt.Errorf("cannot render %q: %w", path, brief(err))
		}
		files = append(files, File{outputName(path), data})
	}
	return files, checkNames(files)
}

// added is what an error says of a function that instrument has added.
var added = regexp.MustCompile(` executing "[^"]*" at <(_print|_step)>: error calling (_print|_step):`)

// maxError is how many bytes of an error are shown: templates that call each
// other have one that is as long as they are deep.
const maxError = 2 << 10

// brief leaves out what text/template quotes of a range over what has no
// elements: it may be a secret. So it does with what nobody wrote or reads.
func brief(err error) error {
	const unable = "range can't iterate over "
	text := added.ReplaceAllLiteralString(err.Error(), "")
	if where, _, ok := strings.Cut(text, unable); ok {
		text = where + unable + "this value"
	}
	if len(text) > maxError {
		text = strings.ToValidUTF8(text[:maxError/2]+" … "+text[len(text)-maxError/2:], "")
	}
	return errors.New(text)
}

func parseAll(set *template.Template, templates []string) error {
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
