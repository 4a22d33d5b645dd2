package main

import (
	"bytes"
	"encoding/xml"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"strings"
	"testing"

	"confit/integration/markdown"
)

var update = flag.Bool("update", false, "draw the pictures of the README anew")

const readme = "../../README.md"

// TestPicturesOfReadme: the README shows a picture in both themes, of the lines of make demo that stand below it. integration/demo holds
// that the lines are what make demo prints.
func TestPicturesOfReadme(t *testing.T) {
	page, err := os.ReadFile(readme)
	if err != nil {
		t.Fatal(err)
	}
	for name := range themes {
		picture := "docs/demo-" + name + ".svg"
		if !bytes.Contains(page, []byte(`"`+picture+`"`)) {
			t.Errorf("the README doesn't show %s", picture)
		}
		var want bytes.Buffer
		if err := run([]string{name}, strings.NewReader(shown(t, string(page))), &want); err != nil {
			t.Fatal(err)
		}
		if *update {
			if err := os.WriteFile("../../"+picture, want.Bytes(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if got, err := os.ReadFile("../../" + picture); err != nil || !bytes.Equal(got, want.Bytes()) {
			t.Errorf("%s isn't a picture of the README's lines (%v): go test ./internal/screenshot -update draws it", picture, err)
		}
	}
}

// shown are the lines of make demo that the README has.
func shown(t *testing.T, page string) string {
	t.Helper()
	for _, block := range markdown.Blocks(page) {
		if block.Language == "text" {
			return block.Text
		}
	}
	t.Fatal("the README has no lines of make demo")
	return ""
}

// TestDraw: each line is one text of the picture, with its blanks, in its colour.
func TestDraw(t *testing.T) {
	colours := theme{ground: "ground", plain: "plain", dim: "dim", red: "red", green: "green"}
	for line, want := range map[string]string{
		"$ curl 'http://x/?a&b' <y >z":          "plain",
		"- old":                                 "red",
		"+ new":                                 "green",
		"confit | level=INFO msg=accepted":      "dim",
		"confit | level=ERROR msg=rejected":     "red",
		"nginx  | [emerg] unknown directive":    "red",
		"nginx  | syntax is ok":                 "plain",
		"       | goes on":                      "dim",
		"   three blanks, and ümläuts  between": "plain",
	} {
		texts := decode(t, draw(colours, "confit | level=INFO\n"+line+"\n"))
		if len(texts) != 2 || texts[1] != want+": "+line {
			t.Errorf("%q is drawn as %q, want %s", line, texts, want)
		}
	}
}

// decode reads a picture as a browser does: the colour of each text, and its letters.
func decode(t *testing.T, picture []byte) (texts []string) {
	t.Helper()
	decoder := xml.NewDecoder(bytes.NewReader(picture))
	for {
		token, err := decoder.Token()
		if errors.Is(err, io.EOF) {
			return texts
		}
		if err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		start, ok := token.(xml.StartElement)
		if !ok || start.Name.Local != "text" {
			continue
		}
		var text struct {
			Fill    string `xml:"fill,attr"`
			Letters string `xml:",chardata"`
		}
		if err := decoder.DecodeElement(&text, &start); err != nil {
			t.Fatalf("%v in\n%s", err, picture)
		}
		texts = append(texts, fmt.Sprintf("%s: %s", text.Fill, text.Letters))
	}
}

// TestWrongTheme: a theme that isn't there is refused, as is none.
func TestWrongTheme(t *testing.T) {
	for _, args := range [][]string{nil, {"pink"}, {"light", "dark"}} {
		var out bytes.Buffer
		if err := run(args, strings.NewReader("line\n"), &out); err == nil || out.Len() > 0 {
			t.Errorf("%q draws %q (%v)", args, out.String(), err)
		}
	}
}
