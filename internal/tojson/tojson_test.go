package tojson

import (
	"bytes"
	"encoding/json"
	"testing"
	"testing/quick"
)

// digits is a string with a text of its own.
type digits string

func (d digits) MarshalJSON() ([]byte, error) {
	return []byte(`"` + string(rune('0'+len(d)%10)) + `"`), nil
}

type name string

// Inner is embedded, and stands for itself.
type Inner struct {
	Count int   `json:"count"`
	Is    bool  `json:"is,omitempty"`
	Some  []int `json:"some"`
}

// whole has all kinds of values that confit writes, at each place where they may stand.
type whole struct {
	Text  string `json:"text"`
	Named name   `json:"named,omitempty"`
	Own   digits `json:"own"`
	Inner
	Flag     *bool               `json:"flag"`
	One      *Inner              `json:"one,omitempty"`
	Many     []Inner             `json:"many,omitempty"`
	Always   Inner               `json:"always,omitempty"`
	Keys     map[name]Inner      `json:"keys"`
	Digits   map[string]digits   `json:"digits,omitempty"`
	Below    map[string][]*Inner `json:"below"`
	Mode     uint32              `json:"mode"`
	Size     int64               `json:"size,omitempty"`
	Deep     []map[string]name   `json:"deep"`
	Unescape string              `json:"<unescaped & not plain: ü>"`
}

// theirs is what encoding/json writes; with an indent over lines.
func theirs(t *testing.T, value any, lines bool, indent string) []byte {
	var b bytes.Buffer
	e := json.NewEncoder(&b)
	e.SetEscapeHTML(false)
	if lines {
		e.SetIndent(indent, "  ")
	}
	if err := e.Encode(value); err != nil {
		t.Fatal(err)
	}
	return bytes.TrimSuffix(b.Bytes(), []byte("\n"))
}

// TestAppend: whatever the value is, its JSON is that of encoding/json.
func TestAppend(t *testing.T) {
	same := func(value whole) bool {
		return bytes.Equal(Append(nil, value), theirs(t, value, false, "")) &&
			bytes.Equal(Indent(&value, "    "), theirs(t, value, true, "    "))
	}
	if err := quick.Check(same, &quick.Config{MaxCount: 300}); err != nil {
		t.Error(err)
	}
}

// TestAppend_at_the_edges: what is empty, and what isn't the same between quotes.
func TestAppend_at_the_edges(t *testing.T) {
	for _, value := range []any{
		whole{}, &whole{Many: []Inner{}, Keys: map[name]Inner{}, Digits: map[string]digits{}, Deep: []map[string]name{nil, {}}}, (*whole)(nil),
		map[string]string(nil), map[string]string{}, []int{}, []string(nil), true, -1, uint64(1) << 63,
		"", `a "b" \`, "tab\t, line\n, escape\x1b, delete\x7f", "<&>", "größe", "\u2028", "\xff, which is no UTF-8", digits(""),
	} {
		if got, want := Append([]byte("before "), value), "before "+string(theirs(t, value, false, "")); string(got) != want {
			t.Errorf("Append(%#v) = %s, want %s", value, got, want)
		}
		if got, want := Indent(value, ""), theirs(t, value, true, ""); !bytes.Equal(got, want) {
			t.Errorf("Indent(%#v) = %s, want %s", value, got, want)
		}
	}
}

// TestAppend_of_another_kind: what nobody has written a rule for isn't written wrong.
func TestAppend_of_another_kind(t *testing.T) {
	for _, value := range []any{1.5, nil, func() {}, [1]int{}} {
		func() {
			defer func() {
				if recover() == nil {
					t.Errorf("Append(%T) wrote something", value)
				}
			}()
			Append(nil, value)
		}()
	}
}
