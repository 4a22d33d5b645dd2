package cli

import (
	"os"
	"testing"
)

// TestPage_apply_undo: the screen of an edit that is valid, and breaks the app.
func TestPage_apply_undo(t *testing.T) {
	w, a := applied(t, well)
	puts := 0
	w.Refuse(func(verb, resource, _ string) int {
		if verb == "update" && resource == "configmaps" {
			puts++
		}
		if puts == 2 && resource == "pods" { // the old object is back, and its pods are looked for
			puts = 0
			a.Bring("/confit/web", map[string]string{"nginx.conf": "1"})
			a.Accept()
		}
		return 0
	})
	r := inDirectory(t, "2", func() result {
		s := w.start("1 behind", "apply", "-f", "web.yaml", "--undo", "--in-place")
		a.Bring("/confit/web", w.data("web"))
		a.Reject("verify", `verify "curl -fsS localhost/health" ended with exit 22`, "curl: (22) The requested URL returned error: 500", 1)
		return s.ends()
	})
	shows(t, "apply", "apply -f web.yaml --undo --in-place", r.stdout+r.stderr)
	if r.code != 3 {
		t.Errorf("got %+v", r)
	}
}

// inDirectory runs something where web.yaml is the edit, and comes back to where the page is.
func inDirectory(t *testing.T, text string, do func() result) result {
	t.Helper()
	home, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	manifest := readFile(t, edit(t, text))
	t.Chdir(t.TempDir())
	if err := os.WriteFile("web.yaml", []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	defer t.Chdir(home)
	return do()
}
