package render

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// write makes a file below a directory, and returns its path.
func write(t *testing.T, dir, name, text string) string {
	t.Helper()
	path := filepath.Join(dir, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// render renders one template over a few files and variables.
func render(t *testing.T, text string) (string, error) {
	t.Helper()
	dir := t.TempDir()
	for name, data := range map[string]string{
		"web/greeting": "hello\n", "web/limits.yaml": "workers: 4\nhosts: [a, b]\n", "tls/key": "secret", "tpl": `{{env "CPUS"}}`, "t/app.conf.tmpl": text,
	} {
		write(t, dir, name, data)
	}
	environ := map[string]string{"CPUS": "2", "EMPTY": ""}
	files, err := Render(t.Context(), []string{filepath.Join(dir, "t/app.conf.tmpl")}, Inputs{dir, func(name string) (string, bool) {
		value, ok := environ[name]
		return value, ok
	}})
	if err != nil {
		return "", err
	}
	if files[0].Name != "app.conf" {
		t.Errorf("named %q", files[0].Name)
	}
	return string(files[0].Data), nil
}

func TestRender(t *testing.T) {
	for text, want := range map[string]string{
		`{{env "CPUS" | mul 2}}`:                          "4",
		`[{{env "EMPTY"}}]`:                               "[]",
		`{{file "web/greeting" | trim | upper}}`:          "HELLO",
		`{{range files "web/*"}}{{base .}} {{end}}`:       "greeting limits.yaml ",
		`{{if hasEnv "NONE"}}a{{else}}b{{end}}`:           "b",
		`{{if hasFile "tls/key"}}a{{else}}b{{end}}`:       "a",
		`{{(file "web/limits.yaml" | fromYaml).workers}}`: "4",
		`{{dict "a" (list 1 2) | toYaml}}`:                "a:\n- 1\n- 2",
		`{{toJson (dict "a" 1)}}`:                         `{"a":1}`,
		`{{define "x"}}<{{.}}>{{end}}{{template "x" 1}}`:  "<1>",
		`{{get (dict "a" 1) "a"}}`:                        "1",
		`{{index (dict "a" (list 1 2)) "a" 1}}`:           "2",
		`{{index (files "web/*") 1}}`:                     "web/limits.yaml",
		`{{index (split "/" "a/b") "_1"}}`:                "b",
		`{{dig "b" "none" (dict "a" 1)}}`:                 "none",
		`{{(urlParse "http://h/p").host}}`:                "h",
	} {
		if got, err := render(t, text); got != want || err != nil {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestMissing: what isn't there is an error that names it.
func TestMissing(t *testing.T) {
	for text, want := range map[string]string{
		`{{env "NONE"}}`:           `the environment has no variable "NONE"`,
		`{{file "web/none"}}`:      "web/none: no such file or directory",
		`{{file "../etc/passwd"}}`: "invalid argument",
		`{{.name}}`:                `map has no entry for key "name"`,
		`{{(dict "a" 1).b}}`:       `map has no entry for key "b"`,
		`{{(file "web/limits.yaml" | fromYaml).cpus}}`: `map has no entry for key "cpus"`,
		`{{get (dict "a" 1) "b"}}`:                     `the map has no key "b"`,
		`{{index (dict "a" 1) "b"}}`:                   `the map has no key "b"`,
		`{{index (dict "a" (dict)) "a" "b"}}`:          `the map has no key "b"`,
		`{{index (dict "a" 1) 1}}`:                     "cannot index a map by a key of type int",
		`{{index (list 1) 1}}`:                         "index out of range: 1",
		`{{index (list 1) "a"}}`:                       "cannot index a slice by a key of type string",
		`{{index 1 1}}`:                                "cannot index a value of type int",
		`{{fromJson "{"}}`:                             "unexpected end of JSON input",
		`{{now}}`:                                      `function "now" not defined`,
		`{{genPrivateKey "rsa"}}`:                      `function "genPrivateKey" not defined`,
		`{{template "none"}}`:                          `template "none" not defined`,
		`{{`:                                           "unclosed action",
	} {
		if got, err := render(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestRepeatable: of what sprig has, nothing is left that depends on more than
// its arguments. toDate reads the machine's time zone, and durationRound the
// clock when it is given what toDate returns.
func TestRepeatable(t *testing.T) {
	for name := range functions(os.DirFS(t.TempDir()), os.LookupEnv) {
		for _, part := range []string{"rand", "uuid", "gen", "now", "ago", "crypt", "htpasswd", "shuffle", "dateModify", "getHost", "expandenv", "toDate", "ToDate"} {
			if strings.Contains(name, part) && name != "decryptAES" {
				t.Errorf("function %q is left", name)
			}
		}
	}
}

// TestOrder: a map has its keys and values in one order, that of the keys.
func TestOrder(t *testing.T) {
	for range 100 {
		got, err := render(t, `{{$m := dict "b" 1 "a" 2 "d" 3 "c" 4}}{{keys $m (dict "f" 1 "e" 2)}} {{values $m}}`)
		if want := "[a b c d e f] [2 1 4 3]"; got != want || err != nil {
			t.Fatalf("got %q, %v; want %q", got, err, want)
		}
	}
}

// TestErrorsHoldNoValue: what is in a file may be secret.
func TestErrorsHoldNoValue(t *testing.T) {
	for text, want := range map[string]string{
		`{{(printf "postgres://me:%s@db host/" (file "tls/key") | urlParse).host}}`: "cannot read the URL",
		`{{printf "key: *%s" (file "tls/key") | fromYaml}}`:                         "yaml: unknown anchor … referenced",
		`{{range file "tls/key" | splitList "," | first | fromYaml}}{{end}}`:        "range can't iterate over this value",
		`{{dict "a" (file "tls/key") | get | keys}}`:                                "wrong number of args",
	} {
		got, err := render(t, text)
		if err == nil || strings.Contains(err.Error(), "secret") || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %q, %v; want %q", text, got, err, want)
		}
	}
}

// TestSeveral: templates see each other, and none hides another.
func TestSeveral(t *testing.T) {
	dir := t.TempDir()
	a, b := write(t, dir, "a.tmpl", `{{template "b.tmpl" .}}!`), write(t, dir, "b.tmpl", "b")
	files, err := Render(t.Context(), []string{a, b}, Inputs{dir, os.LookupEnv})
	if err != nil || string(files[0].Data) != "b!" || files[1].Name != "b" {
		t.Errorf("got %s, %v", files, err)
	}
	if _, err := Render(t.Context(), []string{a, write(t, dir, "sub/a.tmpl", "")}, Inputs{dir, os.LookupEnv}); err == nil {
		t.Error("two templates of one name")
	}
	if _, err := Render(t.Context(), []string{b, write(t, dir, "b.tpl", "")}, Inputs{dir, os.LookupEnv}); err == nil {
		t.Error("two files of one name")
	}
	if err := Write(dir, []File{{"out", []byte("x")}}, 0o640); err != nil {
		t.Fatal(err)
	}
	if info, err := os.Stat(filepath.Join(dir, "out")); err != nil || info.Mode() != 0o640 {
		t.Errorf("%v, %v", info, err)
	}
	if err := Write(filepath.Join(dir, "none"), []File{{"out", nil}}, 0o640); err == nil {
		t.Error("wrote into a directory that isn't there")
	}
}
