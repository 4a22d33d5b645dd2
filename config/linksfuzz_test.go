package config

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"confit/linker"
)

// readLinks reads the text of one links file on top of the defaults, as Parse
// does.
func readLinks(text string) (Config, []error) {
	c := Config{places: map[string]string{}}
	p := parser{config: &c, settings: settingsOf(&c), set: map[string]string{}}
	list := p.linksFile("file", text)
	for _, s := range p.settings {
		if s.def != "" {
			p.apply(given{setting: s, value: s.def, where: "default"})
		}
	}
	for _, g := range list {
		p.apply(g)
	}
	p.checkLinks()
	p.checkReloads()
	c.linker = linker.Config{Volumes: c.linker.Volumes, Fallback: c.linker.Fallback, State: c.linker.State, View: c.linker.View, AllowDisk: c.linker.AllowDisk}
	c.places = nil // of lines; the rest of the linker's is made of what is compared
	return c, flatten(errors.Join(p.wrong...))
}

// render writes a links file from what was read.
func render(c *Config) (text string) {
	for _, s := range settingsOf(c) {
		shown := s.show()
		if shown == "" {
			continue
		}
		if !s.command() { // it quotes its words itself
			shown = JoinWords([]string{shown})
		}
		text += s.name + " " + shown + "\n"
	}
	for i := range c.Links {
		text += JoinWords(renderLink(&c.Links[i])) + "\n"
	}
	return text
}

func renderLink(l *Link) []string {
	ws := []string{"link", l.Source, string(l.Target)}
	switch l.Use {
	case linker.Input:
		ws = []string{"input", l.Source}
	case linker.Variable:
		ws = []string{"env", l.Source, l.Name}
	}
	if l.Optional {
		ws = append(ws, "optional")
	}
	if l.Direct {
		ws = append(ws, "direct")
	}
	if l.Local {
		ws = append(ws, "local")
	}
	if l.Mode != 0 {
		ws = append(ws, fmt.Sprintf("mode=%04o", l.Mode))
	}
	if l.Reload != nil {
		ws = append(ws, "reload="+l.Reload.String())
	}
	return ws
}

// place is how every error of a links file begins.
var place = regexp.MustCompile(`^file:([0-9]+): .`)

// checkErrors: each error is one line, and names a line of the file.
func checkErrors(t *testing.T, text string, wrong []error) {
	t.Helper()
	count := strings.Count(text, "\n") + 1
	for _, err := range wrong {
		if strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: the error goes over several lines: %v", text, err)
		}
		m := place.FindStringSubmatch(err.Error())
		if m == nil {
			t.Errorf("%q: the error names no place: %v", text, err)
			continue
		}
		if n, _ := strconv.Atoi(m[1]); n < 1 || n > count {
			t.Errorf("%q: the error names line %d of %d: %v", text, n, count, err)
		}
	}
}

// checkReadAgain: what was read can be written as another links file and is read
// from it as the same.
func checkReadAgain(t *testing.T, c Config) {
	t.Helper()
	text := render(&c)
	again, wrong := readLinks(text)
	if len(wrong) > 0 {
		t.Fatalf("written as\n%s\nand refused: %v", text, wrong)
	}
	for _, list := range [][]Link{c.Links, again.Links} {
		for i := range list {
			list[i].Where = ""
		}
	}
	if !reflect.DeepEqual(c, again) {
		t.Errorf("written as\n%s\nand read as %+v, want %+v", text, again, c)
	}
}

// otherThanDefault is a sample of a setting that changes something.
func otherThanDefault(t *testing.T, name string) string {
	defaults, _ := readLinks("")
	for _, value := range samples[name] {
		if c, _ := readLinks(name + " " + value + "\n"); !reflect.DeepEqual(c, defaults) {
			return value
		}
	}
	t.Fatalf("no value that --%s has in samples changes anything: add one", name)
	return ""
}

// What a setting shows can be read again: no other test would find by luck that show
// forgets something.
func TestLinksFile_read_again(t *testing.T) {
	for _, s := range settingsOf(new(Config)) {
		values := samples[s.name]
		if s.notFile == (len(values) > 0) {
			t.Errorf("--%s may stand in a links file: %v, and has %d values in samples", s.name, !s.notFile, len(values))
		}
		for _, value := range values {
			c, wrong := readLinks(s.name + " " + value + "\n")
			if len(wrong) > 0 {
				t.Errorf("%s %s, which stands in samples, is wrong: %v", s.name, value, wrong)
			}
			checkReadAgain(t, c)
		}
		if !s.notFile {
			otherThanDefault(t, s.name)
		}
	}
}

// optionsOfLines are lines with each option that may stand in one.
func optionsOfLines() (list []string) {
	words := map[string]string{"link": "link web/a /etc/a ", "input": "input web/a ", "env": "env web/a A "}
	for name, kind := range sourceLines {
		for _, option := range kind.options {
			line := words[name] + strings.NewReplacer("ACTION", "signal:HUP", "MODE", "0644").Replace(option)
			if strings.HasPrefix(option, "mode=") {
				line = "render true\n" + strings.Replace(line, "web/a", "{rendered}/a", 1)
			}
			list = append(list, line+"\n")
		}
	}
	return list
}

// TestOptions_read_again: renderLink forgets no option.
func TestOptions_read_again(t *testing.T) {
	for _, line := range optionsOfLines() {
		c, wrong := readLinks(line)
		if len(wrong) > 0 {
			t.Errorf("%q is wrong: %v: does optionsOfLines know what stands for its value?", line, wrong)
			continue
		}
		if text := render(&c); !strings.Contains(text, line[strings.LastIndexByte(strings.TrimSpace(line), ' ')+1:len(line)-1]) {
			t.Errorf("%q was written as %q: does renderLink know the option?", line, text)
		}
		checkReadAgain(t, c)
	}
}

func FuzzLinksFile(f *testing.F) {
	wrong, err := os.ReadFile("testdata/wrong.links")
	if err != nil {
		f.Fatal(err)
	}
	for line := range strings.Lines(string(wrong)) { // one by one: go test takes minutes to minimize a long input
		f.Add(line)
	}
	_, example, _ := strings.Cut(Usage(), "A links file\n")
	example, _, _ = strings.Cut(example, "\n\n")
	for line := range strings.Lines(example) {
		f.Add(line)
	}
	for _, line := range optionsOfLines() {
		f.Add(line)
	}
	for name, values := range samples {
		f.Add(name + " " + values[0] + "\n")
	}
	f.Add("link 'a b'/c\\ d \"/e f\" optional direct reload='exec:sh -c '\\''kill -HUP 1'\\'\n")
	f.Add("link tls/ /etc/tls reload=none\nlink web/a /etc/a\nreload touch\n")
	f.Add("render true\nlink {rendered}/a /etc/a mode=0644\n")
	f.Add("validate \\: 0\nverify '=' 1\n")
	f.Add("link 'a;' /'b,'\n")
	f.Add("l\x00i\x00n\x00")
	f.Add("reload exec:nginx -s 're load' # now\nsettle auto\nallow-disk\nlog-format json\r\n")
	f.Fuzz(func(t *testing.T, text string) {
		c, wrong := readLinks(text)
		checkErrors(t, text, wrong)
		if len(wrong) == 0 {
			checkReadAgain(t, c)
		}
	})
}
