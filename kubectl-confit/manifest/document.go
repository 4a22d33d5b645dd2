package manifest

import (
	"errors"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"go.yaml.in/yaml/v3"
)

// Document is one of a file. One without pods is text and no more.
type Document struct {
	chunk
	Root    *yaml.Node // nil: it has no pods
	isJSON  bool
	style   style
	encoded string // what the encoder makes of it before anything is changed
	Changed bool   // somebody has written to Root
}

// Error is a mistake in a file, with the line where it is.
type Error struct {
	Line int
	Err  error
}

// Error names no file: whoever has read it knows that.
func (e *Error) Error() string { return fmt.Sprintf("%d: %v", e.Line, e.Err) }

func (e *Error) Unwrap() error { return e.Err }

// directives are what may stand in front of a document's mark.
var directives = regexp.MustCompile(`^(\s*([%#].*)?\n?)*$`)

// read parses a document, and leaves alone what has no pods.
func (d *Document) read() (err error) {
	var root *yaml.Node
	switch {
	case d.isJSON:
		root, err = readJSON(d.text, d.line)
	case directives.MatchString(d.text):
		return nil
	default:
		root, err = readYAML(d.text, d.line)
	}
	if err != nil {
		return err
	}
	if root.Kind != yaml.DocumentNode || len(pods(root)) == 0 {
		return nil
	}
	if bad := badKey(root); bad != nil {
		return &Error{bad.Line, errors.New("cannot read the manifest: a key is a list or a mapping; render a template before, as with helm template")}
	}
	var content any
	if err := root.Decode(&content); err != nil {
		return Mistake(ofAnchor(d.text, d.line, err), 0, err)
	}
	d.Root = root
	d.style.look(root)
	d.encoded, err = d.encode()
	return err
}

// readYAML counts lines as the file does, in errors, too.
func readYAML(text string, line int) (*yaml.Node, error) {
	n := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), n); err != nil {
		return n, Mistake(ofAnchor(text, line, err), line-1, err)
	}
	shift(n, line-1)
	return n, nil
}

func shift(n *yaml.Node, lines int) {
	n.Line += lines
	for _, child := range n.Content {
		shift(child, lines)
	}
}

func (d *Document) encode() (string, error) {
	if d.isJSON {
		return writeJSON(d.Root.Content[0], d.text)
	}
	return encode(d.Root, d.style)
}

// print writes the document, byte for byte if nothing has changed.
func (d *Document) print() (string, error) {
	if !d.Changed {
		return d.lead + d.text, nil
	}
	after, err := d.encode()
	if err != nil {
		return "", err
	}
	text := keep(strings.ReplaceAll(d.text, "\r\n", "\n"), d.encoded, after, d.reads)
	if !d.reads(text) {
		return "", &Error{d.line, errors.New("cannot write the document: the encoder of YAML doesn't write what it has read; write lists on lines of their own, not in brackets with comments")}
	}
	lead := d.lead
	if lead == "---" && !strings.ContainsAny(text[:1], " \t\n") {
		lead += "\n"
	}
	if strings.Contains(d.text, "\r\n") {
		text = strings.ReplaceAll(text, "\n", "\r\n")
	}
	return lead + text, nil
}

// reads says whether somebody who reads the text gets what the document is.
func (d *Document) reads(text string) bool {
	read := readYAML
	if d.isJSON {
		read = readJSON
	}
	n, err := read(text, 1)
	var is, want any
	return err == nil && n.Decode(&is) == nil && d.Root.Decode(&want) == nil && reflect.DeepEqual(is, want)
}

// What the library's errors say of the place.
var (
	atLine = regexp.MustCompile(`^(?:yaml: )?(?:line (\d+): )?`)
	anchor = regexp.MustCompile(`anchor '([^']+)'`)
)

// Mistake is an error of reading YAML: in the line that the library names, with what that is off by, else in the line that is
// given.
func Mistake(line, off int, err error) error {
	text := err.Error()
	var types *yaml.TypeError
	if errors.As(err, &types) {
		text = types.Errors[0]
	}
	m := atLine.FindStringSubmatch(text)
	if n, err := strconv.Atoi(m[1]); err == nil {
		line = n + off
	}
	return &Error{line, errors.New("cannot read the manifest: " + strings.TrimPrefix(text, m[0]))}
}

// ofAnchor is the line of an anchor, of which the library names none.
func ofAnchor(text string, line int, err error) int {
	if m := anchor.FindStringSubmatch(err.Error()); m != nil {
		if at := regexp.MustCompile(`[&*]` + regexp.QuoteMeta(m[1])).FindStringIndex(text); at != nil {
			line += strings.Count(text[:at[0]], "\n")
		}
	}
	return line
}

// badKey finds a key of a mapping that is none of JSON's.
func badKey(n *yaml.Node) *yaml.Node {
	for i, child := range n.Content {
		if n.Kind == yaml.MappingNode && i%2 == 0 && (child.Kind == yaml.MappingNode || child.Kind == yaml.SequenceNode) {
			return child
		}
		if bad := badKey(child); bad != nil {
			return bad
		}
	}
	return nil
}
