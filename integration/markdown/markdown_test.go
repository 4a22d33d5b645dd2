package markdown

import (
	"reflect"
	"testing"
)

const page = "# Page\n\ntext `a` and ``b`c``\n\n```sh\nmake\n```\n\n## Part\n\n| x | y |\n|---|---|\n| `1` | one\\|two |\n| 2 | |\n\n### Deeper\n\n```\nplain\n\nmore\n```\n"

func TestBlocks(t *testing.T) {
	want := []Block{{"sh", "make\n", 5}, {"", "plain\n\nmore\n", 18}}
	if got := Blocks(page); !reflect.DeepEqual(got, want) {
		t.Errorf("got %+v, want %+v", got, want)
	}
}

func TestProse(t *testing.T) {
	if got := Prose("a\n```\nb\n```\nc\n"); got != "a\nc\n" {
		t.Errorf("got %q", got)
	}
}

func TestRows(t *testing.T) {
	want := [][]string{{"`1`", "one|two"}, {"2", ""}}
	if got := Rows(page); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestItems(t *testing.T) {
	list := "Some:\n\n- `a: b`, c: one\n  two: `3`\n- no name\n- d: four\n\nAnd: more.\n- e: five\n"
	want := [][]string{{"`a: b`, c", "one two: `3`"}, {"d", "four"}, {"e", "five"}}
	if got := Items(list); !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestSection(t *testing.T) {
	if got := Rows(Section(page, "## Part")); len(got) != 2 {
		t.Errorf("the section has the rows %q", got)
	}
	if got := Section(page, "## Deeper"); got != "" {
		t.Errorf("a section that isn't there is %q", got)
	}
	if got := Blocks(Section(page, "### Deeper")); len(got) != 1 {
		t.Errorf("the last section has the blocks %+v", got)
	}
}

func TestSpans(t *testing.T) {
	if got, want := Spans(page[:40]), []string{"a", "b`c"}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPages(t *testing.T) {
	if list, err := Pages("../.."); err != nil || len(list) < 20 {
		t.Errorf("%q, %v", list, err)
	}
	if _, err := Pages(t.TempDir()); err == nil {
		t.Error("a directory without pages is one of a project")
	}
}
