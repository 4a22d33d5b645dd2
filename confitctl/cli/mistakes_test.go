package cli

import (
	"flag"
	"strings"
	"testing"

	"confit/confitctl/slips"
	"confit/integration/answers"
)

var update = flag.Bool("update", false, "write testdata anew, to be read before it is committed")

// wrongValues are those that the kind of a flag allows.
var wrongValues = map[string][]slips.Wrong{
	"--lease":            {{Kind: answers.Type, Value: "", Right: "CONFITCTL_LEASE"}, {Kind: answers.Value, Value: "prod/web", Right: "lower case"}},
	"--namespace":        {{Kind: answers.Value, Value: "My Team", Right: "lower case"}},
	"--revision":         {{Kind: answers.Type, Value: "", Right: "CONFITCTL_REVISION"}, {Kind: answers.Value, Value: strings.Repeat("r", 64), Right: "63"}},
	"--pod-uid":          {{Kind: answers.Type, Value: "", Right: "CONFITCTL_POD_UID"}, {Kind: answers.Value, Value: strings.Repeat("u", 64), Right: "63"}},
	"--container":        {{Kind: answers.Value, Value: strings.Repeat("c", 64), Right: "63"}},
	"--canaries":         {{Kind: answers.Value, Value: "0", Right: "1 or more"}},
	"--parallel":         {{Kind: answers.Type, Value: "half", Right: "25%"}, {Kind: answers.Value, Value: "101%", Right: "25%"}},
	"--failures":         {{Kind: answers.Value, Value: "-1", Right: "20"}, {Kind: answers.Value, Value: "21", Right: "20"}},
	"--revert":           {{Kind: answers.Type, Value: "true", Right: "at-once or steps"}, {Kind: answers.Value, Value: "now", Right: "at-once or steps"}},
	"gate --output":      {{Kind: answers.Value, Value: "yaml", Right: "json", Args: []string{"--status"}}},
	"--begin":            {{Kind: answers.Value, Value: "0s", Right: "more than 0", Args: []string{"--wait"}}},
	"--timeout":          {{Kind: answers.Value, Value: "-1s", Right: "0 or more", Args: []string{"--wait"}}},
	"--hash":             {{Kind: answers.Type, Value: "web", Right: "digits", Args: []string{"--wait"}}},
	"--retry":            {{Kind: answers.Type, Value: "web", Right: "digits"}},
	"--snapshot":         {{Kind: answers.Value, Value: "My_Web", Right: "lower case"}},
	"--mode":             {{Kind: answers.Type, Value: "rw", Right: "0644"}, {Kind: answers.Value, Value: "0999", Right: "0644"}},
	"--memory":           nil,
	"--deadline":         {{Kind: answers.Value, Value: "-1s", Right: "more than 0"}},
	"--expect":           {{Kind: answers.Type, Value: "fine", Right: "2xx"}, {Kind: answers.Value, Value: "900", Right: "2xx"}},
	"--header":           {{Kind: answers.Type, Value: "X-Who", Right: "Name: value"}, {Kind: answers.Value, Value: "X Who: me", Right: "Name: value"}},
	"--method":           {{Kind: answers.Value, Value: "PO ST", Right: "POST"}},
	"--tries":            {{Kind: answers.Value, Value: "0", Right: "1 or more"}},
	"post --timeout":     {{Kind: answers.Value, Value: "0s", Right: "more than 0"}},
	"--listen":           {{Kind: answers.Type, Value: "metrics", Right: ":9533", At: "--listen", Codes: []int{1, 64}}, {Kind: answers.Value, Value: ":99999", Right: ":9533", At: "--listen", Codes: []int{1, 64}}},
	"--install":          {{Kind: answers.Value, Value: "/nowhere/confitctl", At: "/nowhere/confitctl", Codes: []int{1}}},
	"--ca":               {{Kind: answers.Value, Value: "/nowhere", At: "/nowhere", Codes: []int{1}}},
	"--token-file":       {{Kind: answers.Value, Value: "/nowhere", At: "/nowhere", Codes: []int{1}}},
	"--data":             {{Kind: answers.Value, Value: "@/nowhere", At: "/nowhere", Codes: []int{1}}},
	"--kubeconfig":       {{Kind: answers.Value, Value: "/nowhere", At: "/nowhere", Codes: []int{1}}},
	"--snapshot-secrets": {{Kind: answers.Value, Value: "web", Right: "choose one", Args: []string{"--snapshot", "web"}}},
}

// free are flags of which any value may be right.
var free = map[string]string{
	"--pod":           "it is for people, and may be anything",
	"--dir":           "a template says which file is missing in it",
	"render --output": "render makes the directory",
	"--unix":          "the app may make the socket later",
	"--state":         "what isn't there yet may come: /metrics says confit_status_readable 0",
}

// TestMistakes makes a mistake of spelling, of kind, of place and of value of each verb and flag. go test ./cli -run Mistakes -update writes
// the answers anew.
func TestMistakes(t *testing.T) {
	p := slips.Program{
		Root: newRoot("1.2.3"), Variable: func(name string) string { return envPrefix + strings.ToUpper(strings.ReplaceAll(name, "-", "_")) },
		Wrong: wrongValues, Free: free,
		Words: map[string][]string{"render": {"web.tmpl"}, "post": {"http://127.0.0.1:1/"}},
		Extra: map[string][]slips.Wrong{
			"gate":   {{Kind: answers.Place, Args: []string{"now"}, At: `"now"`, Right: "remove it"}, {Kind: answers.Place, Args: []string{"--status", "--pause"}, At: "--status and --pause", Right: "write one"}},
			"report": {{Kind: answers.Place, Args: []string{"now"}, At: `"now"`, Right: "remove it"}},
			"export": {{Kind: answers.Place, Args: []string{"now"}, At: `"now"`, Right: "remove it"}},
			"render": {{Kind: answers.Type, Right: "TEMPLATE"}, {Kind: answers.Place, Args: []string{"a", "b"}, Right: "--output DIR"}},
			"post": {
				{Kind: answers.Type, Right: "URL"}, {Kind: answers.Type, Args: []string{"localhost"}, Right: "http://"}, {Kind: answers.Place, Args: []string{"--header", "A:", "b", "http://localhost"}, Right: "quotes"},
			},
			"completion": {{Kind: answers.Value, Args: []string{"tcsh"}, At: "tcsh", Right: "bash"}},
		},
		Run: func(environ, args []string) (code int, said string) {
			t.Run("", func(t *testing.T) {
				hook(t, "KUBECONFIG", "/nonexistent", "HOME", "/nonexistent")
				for _, variable := range environ {
					name, value, _ := strings.Cut(variable, "=")
					t.Setenv(name, value)
				}
				code, _, said = run(t, args...)
			})
			return code, strings.TrimPrefix(said, "confitctl: ")
		},
	}
	answers.Hold(t, "testdata/mistakes.txt", *update, p.Mistakes(t))
}
