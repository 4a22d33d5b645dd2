package document

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/linker/safedir"
)

// write writes a document below a new directory, and returns all files that it is followed by.
func write(t *testing.T, text string) (volumes []string, made map[string]string, err error) {
	t.Helper()
	outside := t.TempDir()
	to, err := safedir.Open(outside+"/volumes", true)
	if err != nil {
		t.Fatal(err)
	}
	defer to.Close()
	volumes, err = Write(to, strings.NewReader(text))
	made = map[string]string{}
	walked := filepath.WalkDir(outside, func(path string, d fs.DirEntry, err error) error {
		below, _ := filepath.Rel(outside, path)
		if err != nil || d.IsDir() {
			return err
		}
		if d.Type()&fs.ModeSymlink != 0 {
			made[below], err = os.Readlink(path)
			return err
		}
		data, err := os.ReadFile(path)
		made[below] = string(data)
		return err
	})
	if walked != nil {
		t.Fatal(walked)
	}
	return volumes, made, err
}

// TestWrite: volumes look as the kubelet makes them.
func TestWrite(t *testing.T) {
	deep := strings.Repeat("d/", maxDepth)
	if _, made, err := write(t, `{"web": {"`+deep+`k": ""}}`); err != nil || len(made) != 2 {
		t.Errorf("%d files are made, %v", len(made), err)
	}
	volumes, made, err := write(t, ` {"web": {"nginx.conf": "`+encoded("events {}\n")+`", "conf.d/a": ""}, "a/b": {}} `+"\n")
	if err != nil || !slices.Equal(volumes, []string{"web", "a/b"}) {
		t.Fatal(volumes, err)
	}
	want := map[string]string{
		"volumes/web/..data": data, "volumes/web/" + data + "/nginx.conf": "events {}\n", "volumes/web/" + data + "/conf.d/a": "",
		"volumes/a/b/..data": data,
	}
	if !maps.Equal(made, want) {
		t.Errorf("made %q", made)
	}
}

func encoded(text string) string { return base64.StdEncoding.EncodeToString([]byte(text)) }

// TestWrong: each mistake is named, with all others that come before the end of the stream.
func TestWrong(t *testing.T) {
	secret := encoded("hunter2")
	many := map[string]map[string]string{"web": {}}
	for i := range maxFiles {
		many["web"][fmt.Sprint(i)] = ""
	}
	tooMany, err := json.Marshal(many)
	if err != nil {
		t.Fatal(err)
	}
	const shape = `it isn't {"VOLUME": {"KEY": "BASE64"}}, at byte `
	for text, want := range map[string][]string{
		"":                    {shape + "0"},
		`["` + secret + `"]`:  {shape + "1"},
		`{"web": ["` + secret: {shape + "9"},
		`{"web": {"a": 3}}`:   {`key "a" of volume "web" isn't a text, at byte 15`},
		"kind: ConfigMap":     {shape + "0; of a ConfigMap in JSON jq '{web: (.data | map_values(@base64))}' makes it"},
		`{"web": {"a": "`:     {`key "a" of volume "web" isn't a text, at byte`},
		`{"web": {}} {`:       {"more follows the object, at byte 13"},
		`{"web": {"a": "*` + secret + `"}, "x": {"b": ""`: {`key "a" of volume "web" isn't base64`, shape},
		`{"web": {"a": "", "a": "", "a/b": ""}, "web": {}}`: {
			`key "a" of volume "web" is there twice`, `key "a/b" of volume "web" can't be a file: `, `volume "web" is there twice`},
		`{"../x": {"a": "` + secret + `"}, "/x": {}, "..x": {}, ".": {}, "": {}, "a//b": {}, "a/../b": {}, "a\nb": {}}`: {
			`volume "../x" is no path`, `volume "/x" is no path`, `volume "..x" is no path`, `volume "." is no path`, `volume "" is no path`,
			`volume "a//b" is no path`, `volume "a/../b" is no path`, `volume "a\nb" has a name that holds a control character`},
		`{"w": {"..data": "", "a/..b": "", "../../x": "", "a\u0000": ""}}`: {`key "..data" of`, `key "a/..b" of`, `key "../../x" of`, `key "a\x00" of`},
		`{"w": {"` + strings.Repeat("x", 256) + `": ""}}`:                  {"can't be a file: file name too long"},
		`{"w": {"a": "` + strings.Repeat("A", maxSize):                     {"it is larger than 4 MiB"},
		`{"w": {"` + strings.Repeat("d/", maxDepth+1) + `k": ""}, "` + strings.Repeat("d/", maxDepth+1) + `w": {"k": ""}}`: {
			`/k" of volume "w" is nested in more than 100 directories`, `/w" is nested in more than 100 directories`},
		string(tooMany): {"it makes more than 4096 files and directories"},
		`{` + strings.Repeat(`"..":{},`, 30) + `"w": {}}`: {"and 20 more"},
	} {
		_, _, err := write(t, text)
		if !errors.Is(err, ErrWrong) {
			t.Errorf("%.60s: %v", text, err)
			continue
		}
		for _, part := range want {
			if !strings.Contains(err.Error(), part) {
				t.Errorf("%.60s: %q isn't in\n%v", text, part, err)
			}
		}
		if strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), "hunter2") {
			t.Errorf("%.60s: a value is in\n%v", text, err)
		}
	}
}

// FuzzWrite: nothing is made outside of the directory, and an accepted document is just what is there.
func FuzzWrite(f *testing.F) {
	for _, text := range []string{
		`{"web": {"a": "YQ=="}}`, `{"a/b": {"c/d": ""}, "a": {}}`, `{"w": {"a": "", "a/b": ""}}`, `{"..": {}}`, `{"w": {"\ud800": "QQ"}}`, `{"w":{"a":null}}`,
	} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		volumes, made, err := write(t, text)
		want := map[string]string{}
		if err == nil {
			var document map[string]map[string][]byte
			if err := json.Unmarshal([]byte(text), &document); err != nil || len(document) != len(volumes) {
				t.Fatalf("accepted %q: %v, %q", text, err, volumes)
			}
			for volume, keys := range document {
				want["volumes/"+volume+"/..data"] = data
				for key, value := range keys {
					want["volumes/"+volume+"/"+data+"/"+key] = string(value)
				}
			}
			if !maps.Equal(made, want) {
				t.Errorf("%q made %q, want %q", text, made, want)
			}
		}
		for path := range made {
			if !strings.HasPrefix(path, "volumes/") {
				t.Errorf("%q made %q outside", text, path)
			}
		}
	})
}
