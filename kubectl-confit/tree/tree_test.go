package tree

import (
	"strings"
	"testing"

	"go.yaml.in/yaml/v3"
)

const shared = `base: &base
  a: 1
  list: &list [x, y]
one:
  <<: *base
  b: 2
two: *base
three:
  <<: [{c: 3}, *base]
  list: *list # same
none:
`

func parse(t *testing.T, text string) *yaml.Node {
	t.Helper()
	n := &yaml.Node{}
	if err := yaml.Unmarshal([]byte(text), n); err != nil {
		t.Fatal(err)
	}
	return n
}

// write is the document as text, which must be readable again.
func write(t *testing.T, n *yaml.Node) string {
	t.Helper()
	var b strings.Builder
	e := yaml.NewEncoder(&b)
	e.SetIndent(2)
	if err := e.Encode(n); err != nil {
		t.Fatal(err)
	}
	parse(t, b.String())
	return b.String()
}

// TestAt: a reader sees what a decoder sees.
func TestAt(t *testing.T) {
	root := parse(t, shared).Content[0]
	for _, c := range []struct {
		path Path
		want string
	}{
		{Path{"one", "a"}, "1"}, {Path{"one", "b"}, "2"}, {Path{"one", "list", 1}, "y"}, {Path{"two", "a"}, "1"},
		{Path{"three", "c"}, "3"}, {Path{"three", "a"}, "1"}, {Path{"three", "list", 0}, "x"},
		{Path{"none"}, ""}, {Path{"none", "a"}, ""}, {Path{"one", "list", 2}, ""}, {Path{"one", 0}, ""}, {Path{"one", "b", "c"}, ""}, {Path{"one", "<<"}, ""},
	} {
		got := ""
		if n := At(root, c.path...); n != nil {
			got = n.Value
		}
		if got != c.want {
			t.Errorf("%v: got %q, want %q", c.path, got, c.want)
		}
	}
	if line := Line(root, "two", "nothing"); line != 1 {
		t.Errorf("got line %d, want that of what the alias stands for", line)
	}
}

// TestOwn: what is written at one place changes no other.
func TestOwn(t *testing.T) {
	for _, c := range []struct {
		name    string
		path    Path
		changed []string // lines of the text that are others then
		want    string
	}{
		{"a merged list", Path{"one", "list"}, nil, "one:\n  !!merge <<: *base\n  b: 2\n  list: [x, y, new]\n"},
		{"a merged key that others share", Path{"base", "list"}, nil, "  list: [x, y, new]\none:\n  !!merge <<:\n    a: 1\n    list: [x, y]\n  b: 2\ntwo:\n  a: 1\n  list: [x, y]\nthree:\n  !!merge <<: [{c: 3}, {a: 1, list: [x, y]}]\n  list: [x, y] # same\n"},
		{"an alias", Path{"two", "list"}, nil, "two:\n  a: 1\n  list: [x, y, new]\n"},
		{"an alias with a comment", Path{"three", "list"}, nil, "  list: [x, y, new] # same\n"},
		{"null", Path{"none", "list"}, nil, "none:\n  list:\n    - new\n"},
		{"nothing", Path{"one", "more", "list"}, nil, "  b: 2\n  more:\n    list:\n      - new\n"},
	} {
		t.Run(c.name, func(t *testing.T) {
			document := parse(t, shared)
			list := OwnList(document, c.path)
			list.Content = append(list.Content, Str("new"))
			Repair(document)
			got := write(t, document)
			if !strings.Contains(strings.ReplaceAll(got, "!!merge ", ""), strings.ReplaceAll(c.want, "!!merge ", "")) {
				t.Errorf("want\n%s\nin\n%s", c.want, got)
			}
			var before, after map[string]map[string]any
			if err := yaml.Unmarshal([]byte(shared), &before); err != nil {
				t.Fatal(err)
			}
			if err := yaml.Unmarshal([]byte(got), &after); err != nil {
				t.Fatal(err)
			}
			for name := range before {
				if name != c.path[0] && text(before[name]) != text(after[name]) {
					t.Errorf("%s was %v, and is %v", name, before[name], after[name])
				}
			}
		})
	}
}

func text(v any) string {
	data, err := yaml.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(data)
}

// TestRepair: an alias outlives its anchor.
func TestRepair(t *testing.T) {
	document := parse(t, "a: &a {x: &x 1}\nb: *a\nc: *x\nd: &a 2\ne: *a\n")
	root := document.Content[0]
	root.Content = root.Content[2:]
	Repair(document)
	if got, want := write(t, document), "b: {x: 1}\nc: 1\nd: &a 2\ne: *a\n"; got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
}

// TestStr: no reader of YAML 1.1 or 1.2 takes a string for something else.
func TestStr(t *testing.T) {
	for s, want := range map[string]string{
		"web": "web", "/bin/sh": "/bin/sh", "--": "--", "-c": "-c", "--log-level=info": "--log-level=info", "nginx:1.29": "nginx:1.29", "a.b/c@sha256:0f": "a.b/c@sha256:0f",
		"": `""`, "yes": `"yes"`, "N": `"N"`, "Null": `"Null"`, "1": `"1"`, "0x1": `"0x1"`, "1e3": `"1e3"`, ".5": `".5"`, "-1": `"-1"`, "~": `"~"`, "a: b": `"a: b"`, "a:": `"a:"`,
		"a #b": `"a #b"`, "-": `"-"`, "*a": `"*a"`, "22:22": `"22:22"`, "2001-01-01": `"2001-01-01"`, "a\nb": "|-\n  a\n  b", "a\n": "|\n  a", "\t": `"\t"`, " a": `" a"`, "é": `"é"`, "<<": `"<<"`, "=": `"="`,
	} {
		if got := strings.TrimSuffix(write(t, Str(s)), "\n"); got != want {
			t.Errorf("%q: got %s, want %s", s, got, want)
		}
	}
}
