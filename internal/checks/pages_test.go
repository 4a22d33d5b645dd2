package checks

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"confit/config"
	"confit/integration/markdown"
)

// TestLinksFilesOfPages holds that each block of a page that begins with # links
// is a links file.
func TestLinksFilesOfPages(t *testing.T) {
	t.Chdir(root)
	for _, page := range pages(t) {
		for _, block := range markdown.Blocks(read(t, page)) {
			if strings.HasPrefix(block.Text, "# links\n") {
				checkLinksFile(t, page, block.Text)
			}
		}
	}
}

// TestLinesOfDaemons holds that the lines of the table are lines of a links file, and that all pages
// tell its true length.
func TestLinesOfDaemons(t *testing.T) {
	t.Chdir(root)
	const page = "docs/daemons.md"
	rows := markdown.Rows(markdown.Section(read(t, page), "## The table"))
	for _, row := range rows {
		checkLinksFile(t, page, strings.Join(markdown.Spans(row[1]), "\n"))
	}
	for _, where := range []string{page, "README.md", indexes[0]} {
		if want := fmt.Sprint(len(rows), " daemons"); !strings.Contains(read(t, where), want) {
			t.Errorf("%s has %s, and %s says something else", page, want, where)
		}
	}
}

// startsHeldBy are the tests of what is served after a start, by what docs/failures.md says of each.
var startsHeldBy = map[string][]string{
	"the newest edit is bad":                                   {"TestStored_app_dies_at_the_start"},
	"one start fails for its own reason":                       {"TestLadder_one_failed_start"},
	"the app dies late of an accepted edit":                    {"TestLadder_dies_late"},
	"it dies late of two edits in a row":                       {"TestLadder_two_late_edits/durable"},
	"no start survives the last of many reloads":               {"TestLadder_twenty_edits/to_the_nineteenth", "TestLadder_twenty_edits/to_the_first"},
	"a database is down":                                       {"TestLadder_outage/database_down"},
	"the database comes back while the app is on a lower rung": {"TestLadder_outage_blames_an_edit", "TestLadder_asks"},
	"the app was on a lower rung":                              {"TestLadder_starts_on_a_lower_rung"},
	"a rejected edit is mounted again":                         {"TestLadder_reverted_and_put_back"},
	"a fallback is in force":                                   {"TestFallback_killed"},
	"the stored generation is damaged":                         {"TestState_damaged_and_not_mounted"},
	"`verify` fails on the accepted edit":                      {"TestLadder_verify_at_a_start"},
	"with `--soak 0` no start survives an edit":                {"TestLadder_soak_0"},
	"a peer comes up late":                                     {"TestLadder_what_counts/reboots"},
	"the node reboots between two deaths":                      {"TestLadder_what_counts/reboots_in_between"},
	"the mounted edit is bad":                                  {"TestLadder_first_container/bad_mount", "TestFallback_starts_on_it"},
	"the app dies late of the mounted edit, with a fallback":   {"TestLadder_fallback"},
	"the first start fails for its own reason":                 {"TestLadder_first_container/transient", "TestLadder_first_container_with_a_fallback/transient"},
	"what is noted can't be read just now":                     {"TestState_unread"},
	"a database is down, with a fallback":                      {"TestLadder_first_container/outage_and_a_fallback"},
	"a bad edit comes before anything has soaked":              {"TestLadder_fresh_pod"},
}

// TestStartsOfFailures holds that a test which there is holds what the page says of each start.
func TestStartsOfFailures(t *testing.T) {
	t.Chdir(root)
	const page = "docs/failures.md"
	var source strings.Builder
	files, _ := filepath.Glob("integration/confit/*_test.go")
	for _, file := range files {
		source.WriteString(read(t, file))
	}
	starts := markdown.Items(markdown.Section(read(t, page), "## After a restart, a reboot, and in a new pod"))
	for _, start := range starts {
		if startsHeldBy[start[0]] == nil {
			t.Errorf("%s: no test holds what the app has if %s", page, start[0])
		}
		for _, name := range startsHeldBy[start[0]] {
			test, part, _ := strings.Cut(name, "/")
			if !strings.Contains(source.String(), "func "+test+"(t *testing.T)") || part != "" && !strings.Contains(source.String(), `"`+part+`"`) {
				t.Errorf("%s: no test is named %s", page, name)
			}
		}
	}
	if len(starts) != len(startsHeldBy) {
		t.Errorf("%s has %d starts, of %d", page, len(starts), len(startsHeldBy))
	}
}

func checkLinksFile(t *testing.T, page, text string) {
	t.Helper()
	file := filepath.Join(t.TempDir(), "links")
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	c, err := config.Parse([]string{"confit", "--links", file, "--check"}, nil)
	if err != nil {
		t.Errorf("%s: %v in\n%s", page, err, text)
	}
	for _, command := range [][]string{c.Reload.Command, c.Render, c.Validate, c.Gate, c.Report, c.Verify} {
		if len(command) > 0 && strings.Contains(command[0], " ") {
			t.Errorf("%s: no program is named %q in\n%s", page, command[0], text)
		}
	}
}
