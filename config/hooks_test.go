package config

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestOdd: what a line is answered with; "" where nothing is odd.
func TestOdd(t *testing.T) {
	const nothing, script = "it always succeeds, so it refuses nothing", "the words behind it aren't its arguments"
	for line, want := range map[string]string{
		"validate true":                                  nothing,
		"validate /bin/true":                             nothing,
		"verify echo ok":                                 nothing,
		"validate sh -c 'nginx -t; true'":                nothing,
		"validate sh -c 'nginx -t || true'":              nothing,
		"validate bash -c 'nginx -t || true'":            nothing,
		"validate sh -c nginx -t":                        `sh runs "nginx" alone, the words behind it aren't its arguments: put quotes around all of them`,
		"reload exec:sh -c kill -HUP 1":                  script,
		"verify curl -sS http://localhost/":              "curl succeeds at an answer such as 500, too: add -f",
		"validate grep -q a /confit/web/a":               "it reads what is mounted, not the change: write {candidate} in place of /confit",
		"render sh -c 'sed s/a/b/ /confit/web/a >x'":     "it reads what is mounted",
		"reload exec:kill -TERM 1":                       "it asks confit to stop, and the container ends",
		"link web/b /etc/b 'reload=exec:kill 1'":         "it asks confit to stop",
		"settle 1h":                                      "note: settle: an edit waits until the volumes have been quiet for 1h0m0s",
		"map-exit 0:1":                                   "note: map-exit: confit ends with 1 where the app ends well, as FROM comes first",
		"report true":                                    "",
		"render true":                                    "",
		"validate sh -c 'nginx -t && echo ok'":           "",
		"validate sh -c 'set -e; nginx -t; true'":        "",
		"validate sh -ec 'nginx -t; true'":               "",
		"validate sh -c 'nginx -t || exit 1; true'":      "",
		"validate sh -c 'true; nginx -t'":                "",
		"validate sh -c 'echo a | grep a'":               "",
		"validate sh -c 'echo a && nginx -t'":            "",
		"validate sh -c '$CHECK' nginx -t":               "",
		"validate sh -c '\"$0\" \"$@\"' nginx -t":        "",
		"validate sh /opt/check a":                       "",
		"verify curl -fsS http://localhost/":             "",
		"verify curl -sSf http://localhost/":             "",
		"verify curl --fail-with-body http://localhost/": "",
		"validate grep -q a {candidate}/web/a":           "",
		"validate cmp /confit/web/big {candidate}/web/sum\nlink web/big /etc/big direct": "",
		"reload exec:kill -HUP 1":   "",
		"reload exec:kill -TERM 17": "",
		"settle 1m":                 "",
		"map-exit 143:0":            "",
	} {
		said := oddOf(t, line)
		if want == "" && said != "" || !strings.Contains(said, want) {
			t.Errorf("%s: says %q, want %q", line, said, want)
		}
	}
}

// oddOf is what is noted of a line beside others that fit.
func oddOf(t *testing.T, line string) string {
	t.Helper()
	links := "link web/a /etc/a\ninput web/sum\n" + line + "\n"
	c, err := parse(t, write(t, "links", links), nil, "--check")
	if err != nil {
		return ""
	}
	var said strings.Builder
	c.noteOdd(&said)
	return said.String()
}

// hookLine is a line with a command, at the start of a line of a page or of its code, or of a links file in a manifest.
var hookLine = regexp.MustCompile("(?m)(?:^[ \t>-]*|`)((?:render|validate|gate|report|verify|reload|link|input) +[^`\n]+)")

// TestOddOfPages: none of what the pages and the examples have is called odd.
func TestOddOfPages(t *testing.T) {
	count := 0
	for _, dir := range []string{"../docs", "../examples", "../README.md"} {
		err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
			if err != nil || d.IsDir() || strings.Contains(path, "internals") {
				return err
			}
			text, err := os.ReadFile(path)
			for _, m := range hookLine.FindAllStringSubmatch(string(text), -1) {
				count++
				if said := oddOf(t, m[1]); said != "" {
					t.Errorf("%s: %s: says %s", path, m[1], said)
				}
			}
			return err
		})
		if err != nil {
			t.Fatal(err)
		}
	}
	if count < 150 {
		t.Errorf("%d lines were found", count)
	}
}
