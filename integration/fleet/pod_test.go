//go:build fleet

package fleet

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"syscall"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/cluster"
	"confit/integration/internal/harness"
)

// links is the links file of every replica.
const links = `link      web/app.conf  /etc/app/app.conf
validate  app check {candidate}/web/app.conf
verify    app ask /run/app.sock
gate      confitctl gate
report    confitctl report --snapshot web
fallback  /fallback
probation 1s
verify-timeout 2s
stop-timeout 1s
drain-timeout 1s
retry     2s
rescan    2s
`

// secrets is where a pod finds its service account.
const secrets = "/var/run/secrets/kubernetes.io/serviceaccount"

// pod is one replica. Its file system outlives its container, as an emptyDir does.
type pod struct {
	harness.Transcript
	fleet     *fleet
	name, uid string
	image     string // its revision
	root      string
	mounting  sync.Mutex
	memory    string // the directory of its cgroup; "": it has none
	mu        sync.Mutex
	box       *harness.Init
	gone      bool // its node is lost: nobody starts it again
	fixes     bool // what its app needs is there when it is started again
	starts    int
	begun     time.Time // when its container was started last
	code      int       // the exit code of the container before it
	waits     int       // lines of gates that wait, at some moment
}

// newPod makes the object, asks for a token as the kubelet does, and mounts what is mounted.
func (f *fleet) newPod(number int) *pod {
	f.t.Helper()
	p := &pod{fleet: f, name: fmt.Sprintf("%s-%d", f.name, number), image: f.image}
	p.root = filepath.Join(f.dir, p.name)
	var made struct{ Metadata struct{ UID string } }
	f.cluster.Create(cluster.Core+"pods", fmt.Sprintf(`{"metadata": {"name": %q}, "spec": %s}`, p.name, f.spec()), &made)
	p.uid = made.Metadata.UID
	token := f.cluster.Token(f.name, fmt.Sprintf(`{"apiVersion": "v1", "kind": "Pod", "name": %q, "uid": %q}`, p.name, p.uid))
	if err := p.makeRoot(token); err != nil {
		f.t.Fatal(err)
	}
	return p
}

// spec is that of its pods. Where there is a node to ask them, it says what kubectl confit looks for.
func (f *fleet) spec() string {
	if f.node != nil {
		return f.node.spec()
	}
	return fmt.Sprintf(`{"serviceAccountName": %q, "containers": [{"name": "web", "image": "web"}]}`, f.name)
}

// links is its links file. The kernel may take a second until it has killed an app that takes all memory.
func (f *fleet) links() string {
	switch {
	case f.limited:
		return strings.Replace(links, "probation 1s", "probation 3s", 1)
	case f.node != nil:
		return f.node.links()
	}
	return links
}

// in is where a path of the pod lies.
func (p *pod) in(path string) string { return filepath.Join(p.root, path) }

// makeRoot is the image, with the volumes of the pod in it.
func (p *pod) makeRoot(token string) error {
	var wrong []error
	for _, dir := range []string{"/bin", "/confit/web", "/dev", "/etc/app", "/etc/confit", "/fallback", "/proc", "/run/confit", "/tmp", secrets} {
		wrong = append(wrong, os.MkdirAll(p.in(dir), 0o755))
	}
	for _, name := range []string{"confit", "confitctl", "app"} {
		wrong = append(wrong, os.Link(filepath.Join(programs.dir, name), p.in("/bin/"+name)))
	}
	authority, err := os.ReadFile(p.fleet.cluster.CA())
	wrong = append(wrong, err, unix.Mknod(p.in("/dev/null"), unix.S_IFCHR|0o666, int(unix.Mkdev(1, 3))))
	for path, text := range map[string]string{
		"/etc/confit/links": p.fleet.links(), secrets + "/token": token, secrets + "/ca.crt": string(authority), secrets + "/namespace": "default",
	} {
		wrong = append(wrong, os.WriteFile(p.in(path), []byte(text), 0o644))
	}
	return errors.Join(wrong...)
}

// mount writes what the ConfigMap holds now, as the kubelet does. A ConfigMap that isn't there, or a server, leaves the volume as it is.
func (p *pod) mount(configMap, path string) (done bool) {
	p.mounting.Lock()
	defer p.mounting.Unlock()
	code, answer := p.fleet.cluster.Do(http.MethodGet, cluster.Core+"configmaps/"+configMap, "")
	if code == http.StatusNotFound || code == 0 {
		return false
	}
	var found struct{ Data map[string]string }
	if err := json.Unmarshal(answer, &found); err != nil {
		p.fleet.t.Errorf("cannot read the ConfigMap %s: status %d, %v", configMap, code, err)
		return false
	}
	argv := []string{p.in(path)}
	for key, text := range found.Data {
		argv = append(argv, key+"="+text)
	}
	if err := errors.Join(os.MkdirAll(p.in(path), 0o755), exec.Command(programs.kubelet, argv...).Run()); err != nil {
		p.fleet.t.Errorf("cannot mount %s in %s: %v", configMap, p.name, err)
	}
	return true
}

// command is confit as PID 1 of the container, with what the manifest gives it.
func (p *pod) command() harness.Command {
	return harness.Command{
		Box: harness.Box{Root: p.root, Mounts: []harness.Mount{
			harness.Bind("/confit/web", "/confit/web"), harness.Bind("/run/confit", "/run/confit"),
		}},
		Argv: []string{"/bin/confit", "--", "app", "serve", "/etc/app/app.conf", "/run/app.sock"},
		Env: []string{
			"PATH=/bin", "KUBERNETES_SERVICE_HOST=127.0.0.1", "KUBERNETES_SERVICE_PORT=" + p.fleet.cluster.Port,
			"CONFITCTL_LEASE=" + p.fleet.name, "CONFITCTL_REVISION=" + p.image, "CONFITCTL_POD_UID=" + p.uid, "CONFITCTL_POD=" + p.name,
		},
		Dir: "/", Stdout: p.Stream("stdout"), Stderr: p.Stream("stderr"),
		Gate: true,
	}
}

// start starts the container, and each time that it ends starts it again a second later, until the pod is lost.
func (p *pod) start() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = false
	return p.startContainer()
}

func (p *pod) startContainer() error {
	box, err := p.command().Start()
	if err != nil {
		return err
	}
	p.box, p.starts, p.begun = box, p.starts+1, time.Now()
	if err := errors.Join(p.confine(), box.Open()); err != nil {
		return err
	}
	go func() {
		<-box.Ended()
		fmt.Fprintf(p.Stream("kubelet"), "the container ended: %v\n", box.State())
		time.AfterFunc(time.Second, func() { p.again(box) })
	}()
	return nil
}

func (p *pod) again(ended *harness.Init) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.gone || p.box != ended {
		return
	}
	p.code = ended.State().ExitCode()
	ended.Close()
	if p.fixes {
		_ = os.Remove(p.in(away))
	}
	if err := p.startContainer(); err != nil {
		p.fleet.t.Errorf("cannot start %s again: %v", p.name, err)
	}
}

// kill ends PID 1 by SIGKILL. The container is started again.
func (p *pod) kill() {
	p.mu.Lock()
	defer p.mu.Unlock()
	_ = p.box.Send(syscall.SIGKILL)
}

// lose ends the pod with its node: nothing of it goes on, and nothing tells.
func (p *pod) lose() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.gone = true
	if p.box != nil {
		p.box.Close()
		p.box = nil
	}
}

// has tells whether the app has read an edition.
func (p *pod) has(edition string) bool { return len(p.Texts("stdout", "read "+edition)) > 0 }

// now is the edition that the app read last.
func (p *pod) now() string {
	reads := p.Texts("stdout", "read ")
	if len(reads) == 0 {
		return ""
	}
	return reads[len(reads)-1][len("read "):]
}

// status is what is looked at of confit's status.
type status struct {
	Phase     string
	Accepted  struct{ Hash, Source string }
	Live      struct{ Hash string }
	Mounted   struct{ Hash, Shared string }
	Rejection struct {
		Step, Reason string
		At           time.Time
	}
	Gate struct{ Hash string }
}

func (p *pod) status() (s status) {
	text, err := os.ReadFile(p.in("/run/confit/status.json"))
	if err == nil {
		err = json.Unmarshal(text, &s)
	}
	if err != nil {
		s.Phase = err.Error()
	}
	return s
}
