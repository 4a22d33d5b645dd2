package main

import (
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"confit/config"
)

// TestManual holds that the page says what the help says: each word of the help
// stands in it as often, and its flags in the same order.
func TestManual(t *testing.T) {
	text := plain(string(manual("1.2.3", time.Unix(0, 0).UTC())))
	got, want := count(text), count(config.Usage())
	for word, n := range want {
		if got[word] < n {
			t.Errorf("%q stands %d times in the help and %d times in the page", word, n, got[word])
		}
	}
	flag := regexp.MustCompile(`--[a-z]+(-[a-z]+)*`)
	if a, b := flag.FindAllString(text, -1), flag.FindAllString(config.Usage(), -1); !slices.Equal(a, b) {
		t.Errorf("the page's flags are\n%v\nand the help's are\n%v", a, b)
	}
}

// TestManualHeadings holds that the page has the sections that people look for,
// and that no line of the help has become something else than text.
func TestManualHeadings(t *testing.T) {
	page := string(manual("1.2.3", time.Unix(0, 0).UTC()))
	for _, heading := range []string{"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXIT CODES"} {
		if !strings.Contains(page, "\n.SH "+heading+"\n") {
			t.Errorf("the page has no %s", heading)
		}
	}
	for line := range strings.Lines(page) {
		if strings.HasPrefix(line, ".") && !regexp.MustCompile(`^\.(TH|SH|SS|TP|nf|fi)\b`).MatchString(line) {
			t.Errorf("what does %q mean?", line)
		}
	}
}

// plain undoes what makes it roff.
func plain(page string) string {
	page = regexp.MustCompile(`(?m)^\.(TH .*|[A-Za-z]+)`).ReplaceAllString(page, "")
	return strings.NewReplacer(`\fB`, "", `\fI`, "", `\fR`, "", `\-`, "-", `\(aq`, "'", `\&`, "", `\e`, `\`).Replace(page)
}

func count(text string) map[string]int {
	words := map[string]int{}
	for _, word := range strings.Fields(strings.ToLower(strings.ReplaceAll(text, "…", "..."))) {
		words[strings.Trim(word, ":")]++
	}
	return words
}
