package cli

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"confit/confitctl/slips"
	"confit/integration/answers"
	"confit/kubectl-confit/inject"
)

// wrongTexts are those of each annotation.
var wrongTexts = map[string][]slips.Wrong{
	"validate":    {{Kind: answers.Type, Value: `"  "`, Right: "write something"}, {Kind: answers.Value, Value: `"a\nb"`, Right: "write"}},
	"reload":      {{Kind: answers.Type, Value: "true", Right: "restart"}, {Kind: answers.Value, Value: "HUP", Right: "signal:NAME"}, {Kind: answers.Value, Value: "signal:KILL", Right: "restart"}},
	"stop-signal": {{Kind: answers.Type, Value: "10s", Right: "TERM"}, {Kind: answers.Value, Value: "KILL", Right: "TERM"}, {Kind: answers.Value, Value: "TREM", Right: "TERM"}},
	"probation":   {{Kind: answers.Type, Value: "soon", Right: "5s"}, {Kind: answers.Type, Value: "5", Right: "5s"}, {Kind: answers.Value, Value: "-5s", Right: "5s"}},
}

// TestMistakes_annotations makes a mistake of each kind of each annotation, in the pod template of a Deployment.
func TestMistakes_annotations(t *testing.T) {
	var list []answers.Mistake
	try := func(what answers.Mistake, own, labels, annotations string) {
		t.Helper()
		manifest := fmt.Sprintf("apiVersion: apps/v1\nkind: Deployment\nmetadata:\n  name: web\n  annotations: {%s}\nspec:\n  template:\n    metadata: {labels: {%s}, annotations: {%s}}\n", own, labels, annotations)
		pod, _, _ := strings.Cut(podOf(one, command, mounted), "spec:\n")
		for line := range strings.Lines(strings.TrimPrefix(podOf(one, command, mounted), pod)) {
			manifest += "    " + line
		}
		var r result
		t.Run("", func(t *testing.T) { r = rewrite(t, manifest, "--image", confitImage) })
		what.Made, what.Code, what.Answer = strings.TrimSpace(own+labels+annotations), r.code, strings.TrimPrefix(r.stderr, "web.yaml")
		list = append(list, what)
	}
	failed := []int{1}
	for _, option := range inject.OptionNames() {
		for _, name := range []string{"confit/" + option, "one.confit/" + option} {
			slipped := strings.Replace(name, option, slips.Slip(option), 1)
			try(answers.Mistake{About: option, Kind: answers.Spelling, At: slipped, Right: option, Codes: failed}, "", "", slipped+": x")
			if wrongTexts[option] == nil {
				t.Errorf("no wrong text is known of %s", option)
			}
			for _, w := range wrongTexts[option] {
				try(answers.Mistake{About: option, Kind: w.Kind, At: name, Right: w.Right, Codes: failed}, "", "", name+": "+w.Value)
			}
			try(answers.Mistake{About: option, Kind: answers.Place, At: name, Right: "pod template", Codes: []int{0}}, name+": x", "", "")
			try(answers.Mistake{About: option, Kind: answers.Place, At: name, Right: "pod template", Codes: []int{0}}, "", name+": x", "")
		}
		try(answers.Mistake{About: option, Kind: answers.Place, At: "two.confit/" + option, Right: "one", Codes: []int{0}}, "", "", "two.confit/"+option+`: ""`)
	}
	for _, name := range []string{"confit/command", "one.confit/commnad", "one.confit/exec"} {
		try(answers.Mistake{About: "command", Kind: answers.Spelling, At: name, Right: "NAME.confit/command", Codes: failed}, "", "", name+": x")
	}
	slices.SortStableFunc(list, func(a, b answers.Mistake) int { return strings.Compare(a.About, b.About) })
	answers.Hold(t, "testdata/mistakes_annotations.txt", *update, list)
}
