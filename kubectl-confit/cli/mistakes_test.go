package cli

import (
	"strings"
	"testing"

	"confit/confitctl/slips"
	"confit/integration/answers"
)

// wrongValues are those that the kind of a flag allows.
var wrongValues = map[string][]slips.Wrong{
	"--output":               {{Kind: answers.Value, Value: "xml", At: "-o", Right: "json"}},
	"--timeout":              {{Kind: answers.Value, Value: "-1s", Right: "write"}},
	"--begin":                {{Kind: answers.Value, Value: "0s", Right: "more than 0"}},
	"--hash":                 {{Kind: answers.Type, Value: "web", Right: "digits", Args: []string{"--wait"}}},
	"rollout retry --hash":   {{Kind: answers.Type, Value: "web", Right: "digits"}, {Kind: answers.Value, Value: "", Right: "digits"}},
	"rollout promote --hash": {{Kind: answers.Type, Value: "web", Right: "digits"}},
	"rollout abort --hash":   {{Kind: answers.Type, Value: "web", Right: "digits"}},
	"--dry-run":              {{Kind: answers.Value, Value: "client", Right: "server"}},
	"--image":                {{Kind: answers.Value, Value: "No Image", Right: "write"}},
	"--command":              {{Kind: answers.Type, Value: "web", Right: "CONTAINER='WORD WORD…'"}, {Kind: answers.Value, Value: "web=a | b", Right: "sh -c"}, {Kind: answers.Value, Value: "web=", Right: "write"}},
	"--selector":             {{Kind: answers.Value, Value: "app in web", At: "-l", Right: "app=web"}},
	"--kubeconfig":           {{Kind: answers.Value, Value: "/nowhere", At: "/nowhere", Codes: []int{1}}},
	"--context":              {{Kind: answers.Value, Value: "prod", At: "prod", Codes: []int{1}}},
	"--namespace":            {{Kind: answers.Value, Value: "My Team", At: "My Team", Right: "lower case", Codes: []int{1}}},
}

// free are flags of which any value may be right, and those that kubectl itself has, and answers.
var free = map[string]string{
	"--filename":  "cannot read NAME, and the system's reason: the name is what was written",
	"--kustomize": "the same, of a directory",
	"--as":        "the API server says that it must not be", "--field-manager": "any name will do",
	"--request-timeout": "kubectl's own: it takes a number of seconds, too", "--template": "kubectl's own, for -o",
}

// TestMistakes makes a mistake of spelling, of kind, of place and of value of each verb and flag. go test ./cli -run 'TestMistakes$' -update
// writes the answers anew.
func TestMistakes(t *testing.T) {
	words := map[string][]string{
		"status": nil, "wait": {"configmap/web"}, "sync": {"configmap/web"}, "rollout status": {"web"}, "rollout pause": {"web"}, "rollout resume": {"web"},
		"rollout retry": {"web", "--hash", "3f"}, "rollout promote": {"web"}, "rollout abort": {"web"},
		"check": {"-f", "web.yaml"}, "apply": {"-f", "web.yaml"}, "inject": {"-f", "web.yaml"},
	}
	p := slips.Program{
		Root: newRoot("1.2.3"), Words: words, Wrong: wrongValues, Free: free,
		Extra: map[string][]slips.Wrong{
			"status": {{Kind: answers.Place, Args: []string{"-w", "-o", "json"}, At: "--watch", Right: "without -o"}, {Kind: answers.Place, Args: []string{"-A", "cm/web"}, At: "-A and cm/web", Right: "one of the two"}},
			"wait":   {{Kind: answers.Place, Right: "configmap/NAME"}},
			"check":  {{Kind: answers.Place, Right: "-f FILE"}, {Kind: answers.Place, Args: []string{"-f", "a", "-k", "b"}, At: "-k", Right: "one of the two"}},
			"apply": {
				{Kind: answers.Place, Right: "-f FILE"}, {Kind: answers.Place, Args: []string{"web.yaml"}, At: `"web.yaml"`, Right: "-f web.yaml"},
				{Kind: answers.Place, Args: []string{"-f", "web.yaml", "--no-check", "--in-place"}, At: "--no-check and --in-place", Right: "one of the two"},
				{Kind: answers.Place, Args: []string{"-f", "web.yaml", "--no-sync", "--all"}, At: "--no-sync and --all", Right: "one of the two"},
			},
			"inject":          {{Kind: answers.Place, Right: "-f FILE"}, {Kind: answers.Place, Args: []string{"web.yaml"}, At: `"web.yaml"`, Right: "-f web.yaml"}},
			"rollout status":  {{Kind: answers.Place, Right: "the Lease"}, {Kind: answers.Place, Args: []string{"web", "--hash", "3f"}, At: "--hash", Right: "--wait"}, {Kind: answers.Value, Args: []string{"Web"}, At: `"Web"`, Right: "lower case"}},
			"rollout retry":   {{Kind: answers.Place, Args: []string{"web"}, At: "--hash", Right: "first digits"}},
			"rollout promote": {{Kind: answers.Place, Right: "the Lease"}},
		},
		Run: func(_, args []string) (code int, said string) {
			t.Run("", func(t *testing.T) {
				t.Setenv("KUBECONFIG", "/nonexistent")
				t.Setenv("HOME", "/nonexistent")
				t.Setenv("KUBERNETES_SERVICE_HOST", "")
				r := run(t, podOf(one, command, mounted), args...)
				code, said = r.code, r.stderr
			})
			return code, strings.TrimPrefix(said, "kubectl-confit: ")
		},
	}
	answers.Hold(t, "testdata/mistakes.txt", *update, p.Mistakes(t))
}
