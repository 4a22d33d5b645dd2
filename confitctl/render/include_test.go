package render

import (
	"context"
	"errors"
	"strings"
	"testing"
)

// TestInclude: required, include and tpl do what they do in Helm.
func TestInclude(t *testing.T) {
	for text, want := range map[string]string{
		`{{define "x"}}<{{.}}>{{end}}{{include "x" "a" | upper | quote}}`:                                     `"<A>"`,
		`{{define "x"}}a` + "\n" + `b{{end}}x:{{include "x" . | nindent 2}}`:                                  "x:\n  a\n  b",
		`{{define "x"}}{{if .}}{{first .}}{{include "x" (rest .)}}{{end}}{{end}}{{include "x" (list 1 2 3)}}`: "123",
		`{{tpl "{{.a}}-{{upper \"b\"}}" (dict "a" 1)}}`:                                                       "1-B",
		`{{define "x"}}<{{.}}>{{end}}{{tpl "{{include \"x\" .}}{{template \"x\" 2}}" 1}}`:                     "<1><2>",
		`{{tpl "{{define \"own\"}}own{{end}}{{include \"own\" .}}" .}}`:                                       "own",
		`{{tpl "{{tpl \"{{.}}\" .}}" "deep"}}{{tpl "" .}}{{tpl "{{tpl \"\" .}}x" .}}`:                         "deepx",
		`{{define "x"}}outer{{end}}{{tpl "{{define \"x\"}}inner{{end}}" .}}{{include "x" .}}`:                 "outer",
		`{{file "tpl" | default "x"}}{{tpl (file "tpl") (dict)}}`:                                             "{{env \"CPUS\"}}2",
		`{{required "no" "a"}}{{required "no" 0}}{{required "no" false}}{{required "no" (list)}}`:             "a0false[]",
		`{{block "x" 1}}<{{.}}>{{end}}{{include "x" 2}}`:                                                      "<1><2>",
	} {
		if got, err := render(t, text); got != want || err != nil {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
	}
}

// TestIncludeFails with the place, and without what a text has that was given to
// tpl.
func TestIncludeFails(t *testing.T) {
	for text, want := range map[string]string{
		`{{required "a name is needed" ""}}`:                                    "error calling required: a name is needed",
		`{{required "a name is needed" (fromYaml "a:").a}}`:                     "error calling required: a name is needed",
		`{{include "none" .}}`:                                                  `there is no template "none"`,
		`{{tpl "{{define \"own\"}}{{end}}" .}}{{include "own" .}}`:              `there is no template "own"`,
		`{{tpl "{{.secret}}" (dict)}}`:                                          "text 1 of tpl:1:2:…: map has no entry for key …",
		`{{tpl "{{secret}}" .}}`:                                                "text 1 of tpl:1: function … not defined",
		`{{tpl "\n{{\"secret" .}}`:                                              "text 1 of tpl:2: unterminated quoted string",
		`{{tpl "{{secret!}}" .}}`:                                               "text 1 of tpl:1: ",
		`{{tpl "{{$secret}}" .}}`:                                               "text 1 of tpl:1: undefined variable …",
		`{{tpl "{{12secret}}" .}}`:                                              "text 1 of tpl:1: bad number syntax: …",
		`{{tpl "{{if eq .secret nil}}{{end}}" (dict)}}`:                         "text 1 of tpl:1:8:…",
		`{{tpl "{{(fromYaml \"secret:\").secret}}" .}}`:                         "text 1 of tpl:1:2: there is no value to print",
		`{{tpl "secret <no value>" .}}`:                                         "its text holds",
		`{{define "x"}}{{include "x" .}}{{end}}{{include "x" .}}`:               "include and tpl call each other more than 1000 deep",
		`{{define "x"}}{{tpl "{{include \"x\" .}}" .}}{{end}}{{include "x" .}}`: "include and tpl call each other more than 1000 deep",
		`{{define "x"}}{{template "x"}}{{end}}{{include "x" .}}`:                "exceeded maximum template depth",
	} {
		got, err := render(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !place.MatchString(err.Error()) {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
		if _, after, ok := strings.Cut(err.Error(), "error calling tpl: "); ok && strings.Contains(after, "secret") {
			t.Errorf("%s shows the text: %v", text, err)
		}
		if len(err.Error()) > 3000 {
			t.Errorf("%s: an error of %d bytes", text, len(err.Error()))
		}
	}
}

// TestBounds: what would fill the memory is an error with the place.
func TestBounds(t *testing.T) {
	for text, want := range map[string]string{
		`{{range until 1000000000}}{{end}}`:                                                 "makes 1000000000 numbers; 1048576 are allowed",
		`{{untilStep 0 9223372036854775807 1}}`:                                             "makes 9223372036854775807 numbers",
		`{{untilStep 9223372036854775800 9223372036854775807 4 | len}}{{seq 1 1000000000}}`: "makes 1000000000 numbers",
		`{{repeat 1000000000 "ab"}}`:                                                        "makes 2000000000 bytes; 16777216 are allowed",
		`{{repeat -1 "a"}}`:                                                                 "less than 0 times",
		`{{indent 1000000000 "a\nb"}}`:                                                      "makes 2000000000 bytes",
		`{{nindent 1000000000 "a"}}`:                                                        "makes 1000000000 bytes",
		`{{replace "a" (repeat 10000000 "b") "aaa"}}`:                                       "makes 30000000 bytes",
		`{{range 1000000}}{{repeat 1000 "x"}}{{end}}`:                                       "it makes more than 16777216 bytes",
		`{{define "x"}}{{repeat 10000000 "x"}}{{end}}{{template "x"}}{{template "x"}}`:      "it makes more than 16777216 bytes",
	} {
		got, err := render(t, text)
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "app.conf.tmpl") {
			t.Errorf("%s:\ngot  %d bytes, %v\nwant %q", text, len(got), err, want)
		}
	}
}

// TestEnds: with its context, wherever it goes on and on.
func TestEnds(t *testing.T) {
	for _, text := range []string{
		`{{range 1000000000}}{{end}}`,
		`{{range 1000000000}}{{if true}}{{continue}}{{end}}{{end}}`,
		`{{$l := until 1000000}}{{range $l}}{{range $l}}{{$x := .}}{{end}}{{end}}`,
		`{{define "x"}}{{if lt . 40}}{{template "x" (add1 .)}}{{template "x" (add1 .)}}{{end}}{{end}}{{template "x" 0}}`,
		`{{define "x"}}{{if lt . 40}}{{$a := include "x" (add1 .)}}{{$b := include "x" (add1 .)}}{{end}}{{end}}{{include "x" 0}}`,
		`{{tpl "{{range 1000000000}}{{end}}" .}}`,
	} {
		stop := errors.New("it was stopped")
		ctx, cancel := context.WithCancelCause(t.Context())
		began := make(chan struct{})
		environ := func(string) (string, bool) { close(began); return "", true }
		ended := make(chan error)
		path := write(t, t.TempDir(), "app.conf.tmpl", `{{env "X"}}`+text)
		go func() {
			_, err := Render(ctx, []string{path}, Inputs{t.TempDir(), environ})
			ended <- err
		}()
		<-began
		cancel(stop)
		if err := <-ended; err == nil || !strings.Contains(err.Error(), stop.Error()) || !place.MatchString(err.Error()) {
			t.Errorf("%s: %v", text, err)
		}
	}
}
