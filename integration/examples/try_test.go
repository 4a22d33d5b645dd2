//go:build check

package examples

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"testing"

	"golang.org/x/sys/unix"
)

// tried are files of an edit, and the exit code of their try.
var tried = map[string]int{"events {}\n": 0, "evnts {}\n": 78}

const trying = "link web/nginx.conf /etc/nginx/nginx.conf\nvalidate nginx -t -c {candidate}/web/nginx.conf\n"

// tryInCI runs the image that the command names, with what it mounts and the entry point that it says.
func tryInCI(t *testing.T, block string) {
	for conf, code := range tried {
		c := newPod(t, trying, nil)
		c.write("/ci/cm/nginx.conf", conf)
		words := wordsOf(t, filepath.Join(c.root, "ci"), "docker", block)
		if len(words) != 9 || !slices.Equal(words[:3], []string{"run", "--rm", "-v"}) || words[4] != "--entrypoint" {
			t.Fatalf("this test doesn't know docker %q", words)
		}
		c.entrypoint = append([]string{words[5]}, words[7:]...)
		c.mount(filepath.Join(c.root, "ci/cm"), "/try/web", "", unix.MS_BIND, "")
		c.start()
		c.Ends(code)
	}
}

// tryInPod runs the pipe with the real kubectl and jq, up to the document that kubectl exec would send, and then the command there.
func tryInPod(t *testing.T, block string) {
	for conf, code := range tried {
		c := newPod(t, trying, nil)
		c.write("/ci/cm/nginx.conf", conf)
		c.write("/ci/words", "")
		pipe := exec.Command("sh", "-euc", `kubectl() {
	if [ "$1" = exec ]; then shift 4; printf '%s\n' "$@" >words; cat >document; else command kubectl "$@"; fi
}
`+block)
		pipe.Dir = filepath.Join(c.root, "ci")
		out, err := pipe.CombinedOutput()
		if err != nil {
			t.Fatalf("%v\n%s", err, out)
		}
		words := wordsOf(t, pipe.Dir, "words", "words $(cat words)")
		c.write("/usr/local/bin/exec-i", "#!/bin/sh\nexec \"$@\" </ci/document\n")
		must(t, os.Chmod(filepath.Join(c.root, "usr/local/bin/exec-i"), 0o755))
		c.entrypoint = append([]string{"exec-i"}, words...)
		c.start()
		c.Ends(code)
	}
}
