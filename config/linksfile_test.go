package config

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/linker"
)

// TestWrongLinksFile reads a file with each mistake once. It reports them all at
// once, each with file, line, word and what to write instead. go test -run
// WrongLinksFile -update writes the errors anew.
func TestWrongLinksFile(t *testing.T) {
	const golden = "testdata/wrong.errors"
	_, err := parse(t, "testdata/wrong.links", nil, "--", "app")
	if err == nil {
		t.Fatal("accepted")
	}
	got := err.Error() + "\n"
	if *update {
		writeFile(t, golden, got)
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if got != string(want) {
		t.Errorf("want:\n%s\ngot:\n%s", want, got)
	}
}

// TestLinkLines: how a link line is read.
func TestLinkLines(t *testing.T) {
	file := write(t, "links", strings.Join([]string{
		"# a comment, then an empty line", "", "\t ",
		"link web/nginx.conf /etc/nginx/nginx.conf",
		"  link  web/*.conf\t/etc/conf.d/   optional # another comment",
		"link tls/ /etc/tls reload=signal:HUP direct",
		`link 'my web/a b' "/etc/a b" reload='exec:nginx -s "re load"' optional`,
		"link /srv/big.db /data/big.db direct reload=none",
		"input web/site.template optional", "input web/parts/ local reload=signal:HUP",
		"env app/level LOG_LEVEL", "env app/env/ APP_* optional reload=none local", "",
	}, "\r\n"))
	c := mustParse(t, file, nil, "--", "app")
	want := []struct{ where, source, target, options string }{
		{":4", "web/nginx.conf", "/etc/nginx/nginx.conf", ""},
		{":5", "web/*.conf", "/etc/conf.d/", "optional"},
		{":6", "tls/", "/etc/tls", "direct reload=signal:HUP"},
		{":7", "my web/a b", "/etc/a b", "optional reload=exec:nginx -s 're load'"},
		{":8", "/srv/big.db", "/data/big.db", "direct reload=none"},
		{":9", "web/site.template", "", "optional reload=none"},
		{":10", "web/parts/", "", "local reload=signal:HUP"},
		{":11", "app/level", "LOG_LEVEL", "reload=restart"},
		{":12", "app/env/", "APP_*", "optional local reload=none"},
	}
	if len(c.Links) != len(want) {
		t.Fatalf("%d links: %+v", len(c.Links), c.Links)
	}
	for i, w := range want {
		l := &c.Links[i]
		operands := 3
		if l.Use == linker.Input {
			operands = 2
		}
		options := strings.Join(renderLink(l)[operands:], " ")
		if l.Where != file+w.where || l.Source != w.source || string(l.Target)+l.Name != w.target || options != w.options {
			t.Errorf("got %+v with options %q, want %+v", l, options, w)
		}
	}
}

// TestSettingLines: a command is the rest of its line, with its quotes; any other
// value is one word. Dashes in front do no harm.
func TestSettingLines(t *testing.T) {
	file := write(t, "links", `validate  sh -c 'nginx -t && true' "" # check
--reload exec:kill -HUP "1 2"
volumes '/a volume'
stop-signal sigquit
allow-disk
settle 250ms`)
	c := mustParse(t, file, nil, "--", "app")
	if want := []string{"sh", "-c", "nginx -t && true", ""}; !slices.Equal(c.Validate, want) {
		t.Errorf("validate %q", c.Validate)
	}
	if want := []string{"kill", "-HUP", "1 2"}; c.Reload.Kind != Exec || !slices.Equal(c.Reload.Command, want) {
		t.Errorf("reload %+v", c.Reload)
	}
	if c.linker.Volumes != "/a volume" || c.StopSignal != 3 || !c.linker.AllowDisk || c.Settle.String() != "250ms" {
		t.Errorf("got %+v", c)
	}
}

// TestReloadWords: quotes around a whole action go, those around a word of its
// command stay.
func TestReloadWords(t *testing.T) {
	for value, want := range map[string]string{
		`"auto"`: "auto", `'signal:HUP'`: "signal:HUP", `'exec:a b'`: "exec:a b", `exec:a b # c`: "exec:a b",
		`"exec:a 'b c'"`: "exec:a 'b c'", `exec:a 'b c'`: "exec:a 'b c'", `exec:a\\b`: `exec:'a\b'`,
	} {
		c := mustParse(t, write(t, "links", "reload "+value+"\n"), nil, "--", "app")
		if got := c.Reload.String(); got != want {
			t.Errorf("%s: read as %s, want %s", value, got, want)
		}
	}
}

// TestLineBreaks: a line ends where it ends, and no quote goes on in the next.
func TestLineBreaks(t *testing.T) {
	file := write(t, "links", "validate nginx -t \\\n  -c /etc/a \\ \r\n  -q\nlink web/a '/etc/a\nlink web/b /etc/b\n")
	_, err := parse(t, file, nil, "--", "app")
	wantError(t, err, file+`:1: a line can't be continued by \: write all of it in one line, or '\' for the character itself`)
	wantError(t, err, file+`:4: "'/etc/a" is never closed: add a ' at the end of the word`)
	if len(flatten(err)) != 4 {
		t.Errorf("errors %v", err)
	}
}

// TestLinksDirectory: a directory means its files in lexical order. As in a mounted
// ConfigMap, names that begin with a dot are the kubelet's, and files may be links.
func TestLinksDirectory(t *testing.T) {
	dir := t.TempDir()
	for name, text := range map[string]string{
		"..2026/30-c": "link web/c /etc/c\n", "10-a": "link web/a /etc/a\n", "9-z": "link web/z /etc/z\n",
		"20-b": "link web/b /etc/b\n", ".hidden": "nonsense\n", "sub/40-d": "nonsense\n",
	} {
		writeFile(t, filepath.Join(dir, name), text)
	}
	for name, to := range map[string]string{"..data": "..2026", "30-c": "..data/30-c"} {
		if err := os.Symlink(to, filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	c := mustParse(t, dir, nil, "--", "app")
	var sources []string
	for _, l := range c.Links {
		sources = append(sources, l.Source)
	}
	if want := []string{"web/a", "web/b", "web/c", "web/z"}; !slices.Equal(sources, want) {
		t.Errorf("links %q, want %q", sources, want)
	}
	if want := []string{dir + "/10-a", dir + "/20-b", dir + "/30-c", dir + "/9-z"}; !slices.Equal(c.LinkFiles, want) {
		t.Errorf("files %q, want %q", c.LinkFiles, want)
	}
}

// TestEditorsCopy: an editor leaves one beside the file, and each of its lines would be there twice.
func TestEditorsCopy(t *testing.T) {
	dir := t.TempDir()
	writeFile(t, filepath.Join(dir, "links"), oneLink)
	writeFile(t, filepath.Join(dir, "links~"), oneLink)
	if c := mustParse(t, dir, nil, "--", "app"); len(c.Links) != 1 {
		t.Errorf("%d links of a directory", len(c.Links))
	}
	if c := mustParse(t, filepath.Join(dir, "links~"), nil, "--", "app"); len(c.Links) != 1 {
		t.Errorf("%d links of a file that is named", len(c.Links))
	}
}

// TestByteOrderMark: editors put one in front of a file, and nobody sees it there.
func TestByteOrderMark(t *testing.T) {
	if c := mustParse(t, write(t, "links", "\ufeff"+oneLink), nil, "--", "app"); len(c.Links) != 1 {
		t.Errorf("%d links", len(c.Links))
	}
}

// TestSettingTwice: in one file or in two, neither is silently ignored.
func TestSettingTwice(t *testing.T) {
	dir := t.TempDir()
	one, two := filepath.Join(dir, "1"), filepath.Join(dir, "2")
	writeFile(t, one, "settle 1s\nsettle 1s\n")
	writeFile(t, two, oneLink+"settle 1s\n")
	_, err := parse(t, one, nil, "--links", two, "--", "app")
	wantError(t, err, one+`:2: "settle" stands at `+one+`:1 already: remove one of the two`)
	wantError(t, err, two+`:2: "settle" stands at `+one+`:1 already: remove one of the two`)
}

// TestUnreadableLinksFile: a link to nowhere in a directory is an error.
func TestUnreadableLinksFile(t *testing.T) {
	dir := t.TempDir()
	if err := os.Symlink("nowhere", dir+"/links"); err != nil {
		t.Fatal(err)
	}
	_, err := parse(t, dir, nil, "--", "app")
	wantOnly(t, err, `cannot read links file "`+dir+`/links": no such file or directory`)
}

// TestMissingLinksFile: the error says for each missing file where to write one,
// and the others are read.
func TestMissingLinksFile(t *testing.T) {
	c, err := parse(t, "/missing/1", nil, "--links", write(t, "links", oneLink), "--links", "/missing/2", "--", "app")
	for _, file := range []string{"/missing/1", "/missing/2"} {
		wantError(t, err, `cannot read links file "`+file+`": no such file or directory; write one there, or name it with --links`)
	}
	if len(flatten(err)) != 2 || len(c.Links) != 1 {
		t.Errorf("%d links, errors %v", len(c.Links), err)
	}
}
