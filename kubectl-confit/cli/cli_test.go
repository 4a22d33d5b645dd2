package cli

import (
	"bytes"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"syscall"
	"testing"
)

// confitImage is one by digest.
const confitImage = "example.com/confit@sha256:0000000000000000000000000000000000000000000000000000000000000000"

// result is what somebody sees of a run.
type result struct {
	code           int
	stdout, stderr string
}

// run runs the program on a manifest that stands in web.yaml.
func run(t *testing.T, manifest string, args ...string) result {
	t.Helper()
	t.Chdir(t.TempDir())
	if err := os.WriteFile("web.yaml", []byte(manifest), 0o600); err != nil {
		t.Fatal(err)
	}
	return call(strings.NewReader(manifest), args...)
}

func call(stdin io.Reader, args ...string) result {
	var stdout, stderr bytes.Buffer
	code := Run("1.2.3", args, stdin, &stdout, &stderr)
	return result{code, stdout.String(), stderr.String()}
}

// rewrite runs the verb inject. The line of each pod that is rewritten is another test's.
func rewrite(t *testing.T, manifest string, args ...string) result {
	t.Helper()
	r := run(t, manifest, append([]string{"inject", "-f", "web.yaml"}, args...)...)
	r.stderr = regexp.MustCompile(`(?m)^web.yaml:\d+: \w+ "\w*": \d+ keys? follows?.*\n`).ReplaceAllString(r.stderr, "")
	return r
}

// must runs it with confit's image, holds that it succeeds in silence, and returns what it writes.
func must(t *testing.T, manifest string, args ...string) string {
	t.Helper()
	r := rewrite(t, manifest, append([]string{"--image", confitImage}, args...)...)
	if r.code != 0 || r.stderr != "" {
		t.Fatalf("got %+v", r)
	}
	return r.stdout
}

// podOf is a pod with these lines of its spec, and conf, a ConfigMap.
func podOf(lines ...string) string {
	return "apiVersion: v1\nkind: Pod\nmetadata:\n  name: web\nspec:\n  volumes:\n  - {name: conf, configMap: {name: web}}\n" + strings.Join(lines, "\n") + "\n"
}

const (
	mounted = "    volumeMounts: [{name: conf, mountPath: /etc/web/a, subPath: a}]"
	command = "    command: [web]"
	one     = "  containers:\n  - name: one\n    image: web:1"
)

// TestUsage: what the command line may say wrongly, and where that is said.
func TestUsage(t *testing.T) {
	for _, c := range []struct {
		args   []string
		code   int
		stderr string
	}{
		{[]string{"state"}, 64, `kubectl-confit: "state" is no verb: did you mean status?; see kubectl confit --help`},
		{[]string{"help", "state"}, 64, `kubectl-confit: "state" is no verb: did you mean status?; see kubectl confit help --help`},
		{[]string{"--nothing"}, 64, `kubectl-confit: unknown flag: --nothing: write one of those that the help lists; see kubectl confit --help`},
		{[]string{"inject"}, 64, `kubectl-confit: -f is missing: write -f FILE, or -f - for stdin; see kubectl confit inject --help`},
		{[]string{"inject", "web.yaml"}, 64, `kubectl-confit: "web.yaml" is no flag: write -f web.yaml; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--image", "No Image"}, 64, `kubectl-confit: --image: cannot read the image "No Image": could not parse reference: No Image; write one by digest, NAME@sha256:…; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--command", "web"}, 64, `kubectl-confit: --command is "web": write CONTAINER='WORD WORD…' or KIND/NAME/CONTAINER='WORD WORD…'; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--command", "pod/web=a"}, 64, `kubectl-confit: --command is "pod/web=a": write CONTAINER='WORD WORD…' or KIND/NAME/CONTAINER='WORD WORD…'; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--command", "web="}, 64, `kubectl-confit: --command for container "web": "" has no words: write what the container runs; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--command", "web=a", "--command", "web=b"}, 64, `kubectl-confit: --command is there twice for container "web"; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--command", "web=a $HOME"}, 64, `kubectl-confit: --command for container "web": nothing expands "$HOME": put it into '…' if it is meant so, else write sh -c '…'; see kubectl confit inject --help`},
		{[]string{"inject", "-f", "web.yaml", "--command", "web='a"}, 64, `kubectl-confit: --command for container "web": cannot split "'a" into words: 1:1: reached EOF without closing quote ` + "`'`; put it into '…' if it is meant so, else write sh -c '…'; see kubectl confit inject --help"},
		{[]string{"inject", "-f", "gone.yaml"}, 1, `kubectl-confit: cannot read gone.yaml: no such file or directory`},
	} {
		r := run(t, podOf(one, command, mounted), c.args...)
		if r.code != c.code || r.stderr != c.stderr+"\n" || r.stdout != "" {
			t.Errorf("%q: got %+v, want %d %s", c.args, r, c.code, c.stderr)
		}
	}
}

// TestHelp: the help names each flag and each exit code, and goes to stdout.
func TestHelp(t *testing.T) {
	if r := run(t, "", "--version"); r.stdout != "kubectl confit version 1.2.3\n" {
		t.Errorf("got %+v", r)
	}
	for _, args := range [][]string{{}, {"--help"}, {"help"}} {
		if r := run(t, "", args...); r.code != 0 || !strings.Contains(r.stdout, "\n  inject ") || r.stderr != "" {
			t.Errorf("%q: got %+v", args, r)
		}
	}
	r := run(t, "", "inject", "--help")
	for _, want := range []string{"kubectl confit inject -f FILE|- [FLAG…]", "--filename FILE", "--image IMAGE", "--command CONTAINER=WORDS", "--image-volume ", "--no-registry ", "--check ", "\n  64 ", "\n  3 "} {
		if !strings.Contains(r.stdout, want) {
			t.Errorf("the help lacks %q:\n%s", want, r.stdout)
		}
	}
	if wide := regexp.MustCompile(`(?m)^.{82,}$`).FindString(strings.Split(r.stdout, "\nFlags\n")[0]); wide != "" {
		t.Errorf("wider than 80 columns: %s", wide)
	}
}

// TestStdin reads it, and calls it so.
func TestStdin(t *testing.T) {
	manifest := podOf(one, command, mounted)
	want := must(t, manifest)
	if r := call(strings.NewReader(manifest), "inject", "-f", "-", "--image", confitImage); r.stdout != want || r.code != 0 {
		t.Errorf("got %+v, want %s", r, want)
	}
	if r := call(strings.NewReader(manifest), "inject", "-f", "-"); r.stderr != "stdin:9: cannot tell confit's image; write --image REFERENCE\n" || r.code != 1 {
		t.Errorf("got %+v", r)
	}
	if r := call(strings.NewReader("kind: Foo\n"), "inject", "-f", "-"); r != (result{0, "kind: Foo\n", "stdin:1: nothing to do: no pod mounts a key of a ConfigMap or Secret by subPath\n"}) {
		t.Errorf("got %+v", r)
	}
}

// TestStopped: a signal ends it while it waits for stdin, and nothing is written. The exit code says which.
func TestStopped(t *testing.T) {
	self, err := os.FindProcess(os.Getpid())
	if err != nil {
		t.Fatal(err)
	}
	for sig, code := range map[os.Signal]int{os.Interrupt: 130, syscall.SIGTERM: 143} {
		stdin := reading{make(chan struct{}), make(chan struct{})}
		t.Cleanup(func() { close(stdin.end) })
		go func() {
			<-stdin.begun
			_ = self.Signal(sig)
		}()
		if r := call(stdin, "inject", "-f", "-"); r != (result{code, "", ""}) {
			t.Errorf("%v: got %+v", sig, r)
		}
	}
}

// reading is a stdin that says when somebody reads from it, and has nothing for him.
type reading struct{ begun, end chan struct{} }

func (r reading) Read([]byte) (int, error) {
	close(r.begun)
	<-r.end
	return 0, io.EOF
}

// TestWords: --command splits as a POSIX shell does.
func TestWords(t *testing.T) {
	for flag, want := range map[string]string{
		`one=web`:                    `[/.confit/confit, --, web]`,
		`one=sh -c 'exec "$0" a'`:    `[/.confit/confit, --, sh, -c, "exec \"$$0\" a"]`,
		`one=web "a b" c\ d "\"\a" `: `[/.confit/confit, --, web, "a b", "c d", "\"\\a"]`,
		`one=web '' * yes 1`:         `[/.confit/confit, --, web, "", "*", "yes", "1"]`,
	} {
		if out := must(t, podOf(one, mounted), "--command", flag); !strings.Contains(out, "    command: "+want+"\n") {
			t.Errorf("%s: want %s in\n%s", flag, want, out)
		}
	}
	for _, bad := range []string{"one=a; b", "one=a | b", "one=a $(b)", "one=`b`", `one="$x"`, "one=~/x", "one=a > b", "one=a &"} {
		if r := rewrite(t, podOf(one, mounted), "--image", confitImage, "--command", bad); r.code != 64 {
			t.Errorf("%s: got %+v", bad, r)
		}
	}
}

// TestExample: a whole manifest, with comments and blanks where people have them.
func TestExample(t *testing.T) {
	home, err := os.Getwd() // run goes elsewhere
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{"deployment", "anchors", "list.json", "styles", "mixed"} {
		name, extension, ok := strings.Cut(name, ".")
		if !ok {
			extension = "yaml"
		}
		before, after := filepath.Join("testdata", name+"."+extension), filepath.Join("testdata", name+".want."+extension)
		given, want := readFile(t, before), readFile(t, after)
		t.Run(name, func(t *testing.T) {
			r := rewrite(t, given, "--image", confitImage)
			got, told := r.stdout, ""
			if *update {
				if err := os.WriteFile(filepath.Join(home, after), []byte(got), 0o600); err != nil {
					t.Fatal(err)
				}
				want = got
			}
			if name == "anchors" {
				told = "web.yaml:7: Deployment \"web\": container \"i\": mount \"/etc/web/a\" stays as it is: it is an init container's, which reads it once\n"
			}
			if got != want || r.stderr != told || r.code != 0 {
				t.Errorf("got %+v, want %s\n%s", r, told, want)
			}
			if again := must(t, got); again != got {
				t.Errorf("a second run makes\n%s\nof\n%s", again, got)
			}
		})
	}
}

func readFile(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}
