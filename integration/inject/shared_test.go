package inject

import (
	"os"
	"strings"
	"testing"
)

// examples is the directory of the policies.
const examples = "../../examples/inject/"

// TestSharedVariables holds that both policies decide by the same variables, word for word: those between meta, pod and job, which are the
// object, and changed, from which on each has its own.
func TestSharedVariables(t *testing.T) {
	rewrite, warn := shared(t, "policy.yaml", "    # The containers that are changed"), shared(t, "warn.yaml", "    # Whether policy.yaml")
	if rewrite != warn {
		t.Errorf("policy.yaml decides by\n%s\nwarn.yaml by\n%s", rewrite, warn)
	}
	if refuse := shared(t, "refuse.yaml", "  validations:"); !strings.HasPrefix(rewrite, refuse) || !strings.Contains(refuse, "name: mistakes") {
		t.Errorf("policy.yaml decides by\n%s\nrefuse.yaml by\n%s", rewrite, refuse)
	}
	for _, name := range []string{"annotations", "aside", "kept", "left"} {
		if !strings.Contains(rewrite, "    - name: "+name+"\n") {
			t.Errorf("there is no variable %s among them", name)
		}
	}
	for _, own := range []string{"object", "request", "params"} {
		if strings.Contains(rewrite, own+".") {
			t.Errorf("a shared variable reads %s, which isn't the same in both", own)
		}
	}
}

// shared is a policy's text from the variable annotations up to this comment.
func shared(t *testing.T, file, end string) string {
	t.Helper()
	text, err := os.ReadFile(examples + file)
	if err != nil {
		t.Fatal(err)
	}
	_, rest, begins := strings.Cut(string(text), "    - name: annotations\n")
	rest, _, ends := strings.Cut(rest, end)
	if !begins || !ends {
		t.Fatalf("%s doesn't have the variables", file)
	}
	return "    - name: annotations\n" + rest
}
