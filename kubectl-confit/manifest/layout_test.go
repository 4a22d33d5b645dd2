package manifest

import (
	"strings"
	"testing"

	"confit/kubectl-confit/tree"
)

// TestKept: a field is put into each pod, and nothing else changes, whatever the text looks like.
func TestKept(t *testing.T) {
	for name, c := range map[string]struct{ before, after string }{
		"plain":                 {pod, pod + "  new: \"1\"\n"},
		"no newline at the end": {strings.TrimSuffix(pod, "\n"), pod + "  new: \"1\"\n"},
		"carriage returns":      {strings.ReplaceAll(pod+"---\n", "\n", "\r\n"), strings.ReplaceAll(pod+"  new: \"1\"\n---\n", "\n", "\r\n")},
		"blanks and comments": {
			"# head\n\n---\n# one\n\n" + strings.Replace(pod, "spec:\n", "\n\nspec:   # of it\n\n", 1) + "\n# tail\n---\n# two\n",
			"# head\n\n---\n# one\n\n" + strings.Replace(pod, "spec:\n", "\n\nspec:   # of it\n\n", 1) + "  new: \"1\"\n\n# tail\n---\n# two\n",
		},
		"four blanks": {
			"apiVersion: v1\nkind: Pod\nspec:\n\n    containers:\n        - name: a\n\n          image:   b\n",
			"apiVersion: v1\nkind: Pod\nspec:\n\n    containers:\n        - name: a\n\n          image:   b\n    new: \"1\"\n",
		},
		"content on the mark": {"--- {apiVersion: v1, kind: Pod, spec: {a: b}}\n", "---\n{apiVersion: v1, kind: Pod, spec: {a: b, new: \"1\"}}\n"},
		"quotes and scalars": {
			pod + "  a: 'b'\n  c: \"d\"\n  e: |\n    f\n\n    g\n  h: >-\n    i\n    j\n\n  k: 0644\n  l: 1_000\n  m: ~\n  n: 2001-01-01\n  o: !!str 5\n",
			pod + "  a: 'b'\n  c: \"d\"\n  e: |\n    f\n\n    g\n  h: >-\n    i\n    j\n\n  k: 0644\n  l: 1_000\n  m: ~\n  n: 2001-01-01\n  o: !!str 5\n  new: \"1\"\n",
		},
		"JSON of a line": {`{"apiVersion":"v1","kind":"Pod","spec":{"n":1.50}}` + "\n", `{"apiVersion":"v1","kind":"Pod","spec":{"n":1.50,"new":"1"}}` + "\n"},
		"JSON of tabs":   {"{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Pod\",\n\t\"spec\": {\n\t\t\"s\": \"\\ud83d\\ude00\"\n\t}\n}", "{\n\t\"apiVersion\": \"v1\",\n\t\"kind\": \"Pod\",\n\t\"spec\": {\n\t\t\"s\": \"😀\",\n\t\t\"new\": \"1\"\n\t}\n}"},
		"JSON of odd text": {
			`{"apiVersion":"v1","kind":"Pod","spec":{"s":"\\ud83d\/\"\ud83d\ude00\ud83d\u0041` + "\x7f\u0085\u2028\ufeff" + `"}}`,
			`{"apiVersion":"v1","kind":"Pod","spec":{"s":"\\ud83d/\"😀` + "\uFFFDA\x7f\u0085\\u2028\ufeff" + `","new":"1"}}`,
		},
		"JSON after JSON":  {`{"a":1} {"apiVersion":"v1","kind":"Pod","spec":{"x":null,"y":[true,[]]}} {}`, `{"a":1} {"apiVersion":"v1","kind":"Pod","spec":{"x":null,"y":[true,[]],"new":"1"}} {}`},
		"flow, many lines": {"{\n  apiVersion: v1, kind: Pod,\n  spec: {a: b}\n}\n", "{apiVersion: v1, kind: Pod, spec: {a: b, new: \"1\"}}\n"},
	} {
		t.Run(name, func(t *testing.T) {
			f := read(t, c.before)
			for _, d := range f.Documents {
				for _, p := range d.Pods() {
					spec := tree.Own(d.Root, p.Path.With("spec"))
					spec.Content = append(spec.Content, tree.Plain("new"), tree.Str("1"))
					d.Changed = true
				}
			}
			if got := string(written(t, f)); got != c.after {
				t.Errorf("got\n%s\nwant\n%s", got, c.after)
			}
		})
	}
}

// TestKept_wrong: what nobody could read again is not written.
func TestKept_wrong(t *testing.T) {
	d := read(t, strings.Replace(pod, "p}", "&p p, labels: {a: *p}}", 1)).Documents[0]
	d.Changed = true
	tree.Own(d.Root, tree.Path{"metadata"}).Content[1].Anchor = ""
	if out, err := d.print(); err == nil || !strings.HasPrefix(err.Error(), "1: cannot write the document: ") {
		t.Errorf("got %q and %v", out, err)
	}
}
