// Package document reads volumes from a JSON document, {"VOLUME": {"KEY": "BASE64"}}, and lays them
// out as the kubelet does.
//
// It guarantees that
//   - it writes below the directory that it is given, and nowhere else, whatever the names are;
//   - the document is read as a stream: of its keys one at a time is in memory;
//   - all mistakes are said at once, as far as the stream can be read, and none with a value.
//
// It does not know which volumes and keys anybody asks for.
package document

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path"
	"path/filepath"
	"strings"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/lines"
	"confit/linker/safedir"
)

// What a document may have. Each file and directory takes memory of the kernel, however small it
// is.
const (
	maxSize  = 4 << 20 // bytes
	maxFiles = 4 << 10 // files and directories that are made of it
	// directories in a name: each is opened by its path, so the time grows with the square of the
	// depth
	maxDepth = 100
)

// ErrWrong is the error of a document that can't be read, or names what can't be a key.
var ErrWrong = errors.New("cannot try what comes on stdin")

func wrong(err error) error { return fmt.Errorf("%w: %w", ErrWrong, err) }

// data is what ..data points at.
const data = "..keys"

// Write makes a volume below the directory for each that the document has, and lists them. The
// error is [ErrWrong], or else the system's.
func Write(to *safedir.Dir, document io.Reader) (volumes []string, err error) {
	input := &io.LimitedReader{R: document, N: maxSize + 1}
	r := &reader{to: to, input: input, tokens: json.NewDecoder(input), made: map[string]bool{}}
	if err := r.object(r.volume); err != nil {
		return nil, err
	}
	if _, err := r.tokens.Token(); err != io.EOF || input.N <= 0 {
		return nil, r.unreadable("more follows the object")
	}
	if err := files.JoinInvalid(r.mistakes); err != nil {
		return nil, wrong(err)
	}
	return r.volumes, nil
}

// reader reads the stream. An error of its methods ends it.
type reader struct {
	to       *safedir.Dir
	input    *io.LimitedReader
	tokens   *json.Decoder
	made     map[string]bool // by path of a file, or false of a directory above one
	volumes  []string
	mistakes []error
}

// object reads an object, and calls member with each of its names.
func (r *reader) object(member func(name string) error) error {
	const shape = `it isn't {"VOLUME": {"KEY": "BASE64"}}`
	if t, err := r.tokens.Token(); err != nil || t != json.Delim('{') {
		return r.unreadable(shape)
	}
	for r.tokens.More() {
		t, _ := r.tokens.Token() // an error: no token
		name, ok := t.(string)
		if !ok {
			return r.unreadable(shape)
		}
		if err := member(name); err != nil {
			return err
		}
	}
	if _, err := r.tokens.Token(); err != nil {
		return r.unreadable(shape)
	}
	return nil
}

// unreadable says where the stream ends. What the decoder says of it may quote it.
func (r *reader) unreadable(what string) error {
	if r.input.N <= 0 {
		return fmt.Errorf("%w: it is larger than %d MiB", ErrWrong, maxSize>>20)
	}
	return wrong(errors.Join(files.JoinInvalid(r.mistakes),
		fmt.Errorf("%s, at byte %d; of a ConfigMap in JSON jq '{web: (.data | map_values(@base64))}' makes it", what,
			r.tokens.InputOffset())))
}

func (r *reader) volume(name string) (err error) {
	keys, flaw := path.Join(name, data), flawOf(name)
	switch _, twice := r.made[keys]; {
	case flaw != "":
		r.mistake("volume %q %s", name, flaw)
	case twice:
		r.mistake("volume %q is there twice", name)
	default:
		r.volumes = append(r.volumes, name)
		if err = r.count(keys, false); err == nil {
			err = safedir.Made(r.to.Enter(keys, true))
		}
		if err == nil {
			err = r.to.In(path.Join(name, lines.DataLink), false,
				func(in *safedir.Dir, link string) error { return in.Symlink(data, link) })
		}
	}
	if err = r.refused(err, "volume %q can't be made", name); err != nil {
		return err
	}
	return r.object(func(key string) error { return r.key(name, key) })
}

// key reads a key's value, and writes it if its names are right.
func (r *reader) key(volume, key string) error {
	t, _ := r.tokens.Token()
	text, ok := t.(string)
	if !ok {
		return r.unreadable(fmt.Sprintf("key %q of volume %q isn't a text", key, volume))
	}
	bytes, err := base64.StdEncoding.DecodeString(text)
	name, flaw := path.Join(volume, data, key), flawOf(key)
	switch {
	case flawOf(volume) != "": // that was said
		return nil
	case flaw != "":
		r.mistake("key %q of volume %q %s", key, volume, flaw)
	case err != nil:
		r.mistake("key %q of volume %q isn't base64", key, volume)
	case r.made[name]:
		r.mistake("key %q of volume %q is there twice", key, volume)
	default:
		if err = r.count(name, true); err == nil {
			err = r.to.In(name, true,
				func(in *safedir.Dir, base string) error { return in.Create(base, safedir.Bytes(bytes, 0o644)) })
		}
		return r.refused(err, "key %q of volume %q can't be a file", key, volume)
	}
	return nil
}

// count counts what is made of a path: the directories above it, too.
func (r *reader) count(name string, isFile bool) error {
	for name != "." {
		if _, found := r.made[name]; found {
			break
		}
		r.made[name] = isFile
		name, isFile = path.Dir(name), false
	}
	if len(r.made) > maxFiles {
		return fmt.Errorf("%w: it makes more than %d files and directories", ErrWrong, maxFiles)
	}
	return nil
}

// refused makes a mistake of what the names make impossible: one key is a directory of another, or
// a name is too long. Any other error ends the stream.
func (r *reader) refused(err error, format string, names ...any) error {
	if err != nil && files.Ignoring(err, unix.EEXIST, unix.ENOTDIR, unix.EISDIR, unix.ENAMETOOLONG) == nil {
		r.mistake(format+": %w", append(names, err)...)
		return nil
	}
	return err
}

// errMore stands for the mistakes that are only counted.
var errMore = errors.New("")

func (r *reader) mistake(format string, args ...any) {
	err := errMore
	if len(r.mistakes) <= files.MaxProblems {
		err = fmt.Errorf(format, args...)
	}
	r.mistakes = append(r.mistakes, err)
}

// flawOf says why a name can't be that of a volume or a key.
func flawOf(name string) string {
	switch flaw := files.NameFlaw(name); {
	case flaw != "":
		return "has a name that " + flaw
	case name == "." || path.Clean(name) != name || !filepath.IsLocal(name) || strings.Contains("/"+name, "/.."):
		return "is no path of plain names: write it as it is below the directory of volumes"
	case strings.Count(name, "/") > maxDepth:
		return fmt.Sprintf("is nested in more than %d directories", maxDepth)
	}
	return ""
}
