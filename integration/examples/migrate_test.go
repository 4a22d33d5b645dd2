//go:build check

package examples

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// migratePage are the blocks of docs/migrate.md: make e2e runs those of the Deployment on a real node, with what is mounted before.
// TestMigrate follows the page from the Deployment after to the end.
var migratePage = map[string]runner{
	"One Deployment, before and after 1": onNodeToo, "One Deployment, before and after 2": onNodeToo,
	"One Deployment, before and after 3": onNodeToo, "One Deployment, before and after 4": onNodeToo,
	"One Deployment, before and after 5": onNodeToo,
	"A mistake, a restart, a way back 1": besideStart, "A mistake, a restart, a way back 2": besideStart,
	"A mistake, a restart, a way back 3": besideStart,
}

var onNodeToo = heldBy("integration/e2e/page.go", "docs/migrate.md")

// TestMigrate builds the image of the page, and follows the page: an edit, a mistake, a restart, and the former file.
func TestMigrate(t *testing.T) {
	t.Parallel()
	page := pageBlocks(t, "migrate.md")
	const before, after = "One Deployment, before and after ", "A mistake, a restart, a way back "
	configMap, _, _ := strings.Cut(page[before+"1"], "---\n")
	r := &readme{dir: t.TempDir()}
	for name, text := range map[string]string{"links": page[before+"2"], "Dockerfile": page[before+"3"], "web.yaml": configMap + "---\n" + page[before+"4"]} {
		must(t, os.WriteFile(filepath.Join(r.dir, name), []byte(text), 0o644))
	}
	r.buildImage(t)
	r.apply(t)
	r.editIt(t)

	r.follows(t, page[after+"1"], func() {
		r.edit("default.conf", "listen 80;", "listen 80")
	})
	r.serves(r.site(), second)

	_, _ = r.kubectl(page[after+"2"]) // the end of the container may end the command, too
	r.Ends(0)
	r.start("CONFIT_PROBATION=3s")
	r.serves(r.site(), second)
	r.logs(1, `msg="candidate rejected"`, "step=validate")
	if !r.hasHeader() {
		t.Error("nginx has lost the edit of the other key")
	}

	r.follows(t, page[after+"3"], func() {
		r.configMaps = readManifest(t, filepath.Join(r.dir, "web.yaml")).configMaps
		r.swap("web")
	})
	r.serves(r.site(), first)
	r.Signal(r.stopSignal)
	r.Ends(0)
}

// follows runs the lines of a block: the first changes the ConfigMap, which change does; the last asks for the status, which begins as
// the page says behind the line.
func (r *readme) follows(t *testing.T, block string, change func()) {
	t.Helper()
	lines := strings.Split(strings.TrimSpace(block), "\n")
	if len(lines) != 2 || lines[0] != "kubectl edit configmap web" && lines[0] != "kubectl apply -f web.yaml" {
		t.Fatalf("this test doesn't know the commands %q", lines)
	}
	change()
	command, said, _ := strings.Cut(lines[1], " # ")
	said, code, _ := strings.Cut(said, ", exit code ")
	r.Eventually(command+" says "+said, func() bool {
		out, err := r.kubectl(command)
		return strings.HasPrefix(out, said+": ") && (code == "3" && exitCode(err) == 3 || code == "" && err == nil)
	})
}
