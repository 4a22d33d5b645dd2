package app

import (
	"os"
	"strings"
	"testing"

	"confit/integration/markdown"
)

// TestHabitsDocumented holds that docs/daemons.md names each program that auto restarts for its habit.
func TestHabitsDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/daemons.md")
	if err != nil {
		t.Fatal(err)
	}
	section := markdown.Section(string(page), "## What auto knows")
	for program := range habits {
		if program = strings.TrimSuffix(program, "-server"); !strings.Contains(section, program) {
			t.Errorf("docs/daemons.md doesn't name %s", program)
		}
	}
}
