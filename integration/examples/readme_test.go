//go:build check

package examples

import (
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"confit/integration/internal/harness"
	"confit/integration/markdown"
)

// readme is the README as somebody follows it: its files, and a container once there is one.
type readme struct {
	*container
	top, dir string
}

// commands are those of the README, and what is done at each.
var commands = map[string]func(*readme, *testing.T){
	"make demo":                            (*readme).runByCI,
	"make test":                            (*readme).runByCI,
	"make build":                           (*readme).make,
	"cp bin/confit web/":                   (*readme).copyProgram,
	"docker build -t example.com/web web/": (*readme).buildImage,
	"docker push example.com/web":          (*readme).push,
	"kubectl apply -f web/web.yaml":        (*readme).apply,
	"kubectl edit configmap web":           (*readme).editIt,
	"kubectl exec web -- confit --status":  (*readme).askStatus,
}

// TestReadme writes the files of the README and follows its commands, as they stand.
func TestReadme(t *testing.T) {
	t.Parallel()
	r := &readme{dir: t.TempDir()}
	var err error
	r.top, err = harness.Root()
	must(t, err)
	for _, line := range r.read(t) {
		follow, known := commands[line]
		if !known {
			t.Fatalf("this test doesn't know the command %q", line)
		}
		follow(r, t)
	}
	r.breakIt(t)
	r.Signal(r.stopSignal)
	r.Ends(0)
}

// read writes each block that is a file, under the name in its first line, and returns the commands of the others.
func (r *readme) read(t *testing.T) (list []string) {
	t.Helper()
	page, err := os.ReadFile(filepath.Join(r.top, "README.md"))
	must(t, err)
	for _, b := range markdown.Blocks(string(page)) {
		name, isFile := strings.CutPrefix(strings.SplitN(b.Text, "\n", 2)[0], "# ")
		switch {
		case b.Language == "sh":
			list = append(list, strings.FieldsFunc(strings.ReplaceAll(b.Text, " && ", "\n"), func(r rune) bool { return r == '\n' })...)
		case b.Language == "mermaid": // integration/diagrams
		case b.Language == "text": // integration/demo
		case isFile && slices.Contains([]string{"Dockerfile", "links", "web.yaml"}, name):
			must(t, os.WriteFile(filepath.Join(r.dir, name), []byte(b.Text), 0o644))
		default:
			t.Errorf("README.md:%d: this test doesn't know what to do with the block", b.Line)
		}
	}
	return list
}

// runByCI: CI itself takes this command off the page, and runs it.
func (r *readme) runByCI(t *testing.T) {
	ci, err := os.ReadFile(filepath.Join(r.top, ".ci/run"))
	must(t, err)
	for _, command := range []string{"\n${readme[0]}\n", "\n${readme[1]}\n"} {
		if !strings.Contains(string(ci), command) {
			t.Errorf("CI doesn't run %q", command)
		}
	}
}

func (r *readme) make(t *testing.T) {
	cmd := exec.Command("make", "build")
	cmd.Dir = r.top
	if out, err := cmd.CombinedOutput(); err != nil {
		t.Fatalf("cannot make the program: %v\n%s", err, out)
	}
}

func (r *readme) copyProgram(t *testing.T) {
	content, err := os.ReadFile(filepath.Join(r.top, "bin/confit"))
	must(t, err)
	must(t, harness.WriteProgram(filepath.Join(r.dir, "confit"), content))
}

// buildImage gives the base what nginx's own image has.
func (r *readme) buildImage(t *testing.T) {
	r.container = containerOf(t, r.dir, "Dockerfile", "web.yaml")
	must(t, os.RemoveAll(filepath.Join(r.root, "etc/nginx/sites-enabled")))
	must(t, os.MkdirAll(filepath.Join(r.root, "etc/nginx/conf.d"), 0o755))
	must(t, os.WriteFile(filepath.Join(r.root, "etc/nginx/conf.d/default.conf"), []byte("server { listen 80; return 404; }\n"), 0o644))
	r.build()
}

// push: there is no registry here, but the pod must ask it for this image.
func (r *readme) push(t *testing.T) {
	text, err := os.ReadFile(filepath.Join(r.dir, "web.yaml"))
	must(t, err)
	if !strings.Contains(string(text), "image: example.com/web\n") {
		t.Error("the pod has another image")
	}
}

func (r *readme) apply(*testing.T) {
	r.mountVolumes()
	r.start("CONFIT_PROBATION=3s")
	r.serves(r.site(), first)
	r.logs(1, `msg="generation accepted"`)
}

// site is what the pages say of themselves.
func (r *readme) site() example { return example{ask: get("http://127.0.0.1/")} }

// editIt edits both keys: nginx reads pages by itself, and is reloaded for the other.
func (r *readme) editIt(*testing.T) {
	r.edit("index.html", first, second)
	r.serves(r.site(), second)
	r.logs(2, `msg="generation accepted"`)
	r.edit("default.conf", "listen 80;", "listen 80; add_header Edition second;")
	r.logs(1, reloaded)
	r.Eventually("an answer with the header", r.hasHeader)
	r.logs(3, `msg="generation accepted"`)
}

func (r *readme) hasHeader() bool {
	response, err := r.client().Get("http://127.0.0.1/")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	return response.StatusCode == http.StatusOK && response.Header.Get("Edition") == "second"
}

func (r *readme) askStatus(*testing.T) { r.tells(0) }

// tells waits until the status ends with this code: it is written after the log.
func (r *readme) tells(code int) {
	r.Eventually(fmt.Sprintf("a status that ends with %d", code), func() bool {
		out, err := execute("confit", "--status")(r.container)
		failed := (*exec.ExitError)(nil)
		if errors.As(err, &failed) {
			return failed.ExitCode() == code
		}
		return code == 0 && err == nil && out != ""
	})
}

// breakIt is what the README says below its commands.
func (r *readme) breakIt(t *testing.T) {
	revert := r.edit("default.conf", "listen 80;", "listen 80")
	r.logs(1, `msg="candidate rejected"`, "step=validate")
	r.logs(1, `[emerg]`, "default.conf")
	r.tells(3)
	r.serves(r.site(), second)
	revert()
	r.logs(1, `msg="mounted configuration is live again"`)
	r.tells(0)
	if !r.hasHeader() || len(r.Lines(reloaded)) != 1 {
		t.Error("nginx has another configuration now, or was reloaded")
	}
}
