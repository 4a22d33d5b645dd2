package cli

import (
	"errors"
	"io"
	"log"
	"net/http/httptest"
	"os"
	"strings"
	"testing"

	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// images is a registry of this machine's.
type images struct {
	*testing.T
	host  string
	close func()
}

func serveImages(t *testing.T) images {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	web := httptest.NewServer(registry.New(registry.Logger(log.New(io.Discard, "", 0))))
	t.Cleanup(web.Close)
	return images{t, strings.TrimPrefix(web.URL, "http://"), web.Close}
}

// push stores an image, and returns its reference and its digest.
func (r images) push(tag string, entrypoint, cmd []string) (reference, digest string) {
	r.Helper()
	made, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: "linux", Architecture: "amd64", Config: v1.Config{Entrypoint: entrypoint, Cmd: cmd}})
	if err != nil {
		r.Fatal(err)
	}
	ref, err := name.ParseReference(r.host + "/web:" + tag)
	if err != nil {
		r.Fatal(err)
	}
	if err := remote.Write(ref, made); err != nil {
		r.Fatal(err)
	}
	hash, err := made.Digest()
	if err != nil {
		r.Fatal(err)
	}
	return ref.String(), hash.String()
}

// of is a container of an image, with more lines.
func of(image string, lines ...string) string {
	return podOf(append([]string{"  containers:", "  - name: one", "    image: " + image}, append(lines, mounted)...)...)
}

// TestEntrypoint: what the image runs becomes the command, and its digest is noted.
func TestEntrypoint(t *testing.T) {
	r := serveImages(t)
	both, bothDigest := r.push("both", []string{"/entry", "-x"}, []string{"serve", "$HOME $(A)"})
	cmd, cmdDigest := r.push("cmd", nil, []string{"yes", "--", ""})
	none, noneDigest := r.push("none", nil, nil)
	for _, c := range []struct{ manifest, command, digest string }{
		{of(both), `[/.confit/confit, --, /entry, "-x", serve, "$$HOME $$(A)"]`, bothDigest},
		{of(both, "    args: [a, $(B)]"), `[/.confit/confit, --, /entry, "-x"]` + "\n    args: [a, $(B)]", bothDigest},
		{of(both, "    command: []", "    args: []"), `[/.confit/confit, --, /entry, "-x", serve, "$$HOME $$(A)"]` + "\n    args: []", bothDigest},
		{of(cmd), `[/.confit/confit, --, "yes", --, ""]`, cmdDigest},
		{of(none, "    args: [web]"), `[/.confit/confit, --]` + "\n    args: [web]", noneDigest},
	} {
		out := must(t, c.manifest)
		c.command = strings.ReplaceAll(c.command, `"-x"`, "-x")
		for _, want := range []string{"    command: " + c.command + "\n", "  annotations:\n    one.confit/entrypoint-of: " + c.digest + "\n"} {
			if !strings.Contains(out, want) {
				t.Errorf("want %s in\n%s", want, out)
			}
		}
		if again := must(t, out); again != out {
			t.Errorf("a second run makes\n%s\nof\n%s", again, out)
		}
	}
	refused := rewrite(t, of(none), "--image", confitImage)
	if want := "the image " + none + " has neither ENTRYPOINT nor CMD; write --command one='WORD WORD…', or"; refused.code != 1 || !strings.Contains(refused.stderr, want) {
		t.Errorf("got %+v, want %s", refused, want)
	}
}

// TestEntrypoint_others: what people say goes before what the image says, and has no note.
func TestEntrypoint_others(t *testing.T) {
	r := serveImages(t)
	image, _ := r.push("1", []string{"/entry"}, nil)
	annotated := strings.Replace(of(image), "  name: web\n", "  name: web\n  annotations:\n    one.confit/command: |\n      run\n      $(X) y\n", 1)
	for manifest, want := range map[string][2]string{
		annotated: {"", `[/.confit/confit, --, run, "$$(X) y"]`},
		of(image): {"one=x y", `[/.confit/confit, --, x, "y"]`},
		of(image) + "# and the flag before the annotation\n---\n" + annotated: {"one=x", `[/.confit/confit, --, x]`},
	} {
		var args []string
		if want[0] != "" {
			args = []string{"--command", want[0]}
		}
		out := must(t, manifest, args...)
		if strings.Count(out, "    command: "+want[1]+"\n") != strings.Count(manifest, "kind: Pod") || strings.Contains(out, "entrypoint-of") {
			t.Errorf("want %s in\n%s", want[1], out)
		}
	}
}

// TestEntrypoint_stale: a tag that stands for another image is seen, and the command and its note are rewritten, just these.
func TestEntrypoint_stale(t *testing.T) {
	r := serveImages(t)
	image, old := r.push("1", []string{"/old"}, []string{"a"})
	out := must(t, of(image))
	_, now := r.push("1", []string{"/new"}, nil)
	want := "web.yaml:46: container \"one\": its command is of " + old + ", and " + image + " is " + now + " now\n"
	for _, args := range [][]string{nil, {"--image", confitImage}} {
		if got := rewrite(t, out, append(args, "--check")...); got != (result{3, "", want}) {
			t.Errorf("%q: got %+v, want %s", args, got, want)
		}
	}
	if got := rewrite(t, out, "--check", "--no-registry"); got.code != 0 || !strings.HasSuffix(got.stderr, "nobody looked whether its command is still that of "+image+": --no-registry\n") {
		t.Errorf("got %+v", got)
	}
	renewed := must(t, out)
	if want := strings.NewReplacer(old, now, "--, /old, a]", "--, /new]").Replace(out); renewed != want {
		t.Errorf("got\n%s\nwant\n%s", renewed, want)
	}
	if got := rewrite(t, renewed, "--check"); got != (result{0, "", ""}) {
		t.Errorf("got %+v", got)
	}
	r.close()
	for _, args := range [][]string{nil, {"--check"}} {
		got := rewrite(t, out, args...)
		if want := "cannot tell whether Pod \"web\" has a stale command: container \"one\": cannot read the image " + image; got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, want) || !strings.HasSuffix(got.stderr, "; --no-registry leaves it as it is\n") {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// TestEntrypoint_missing: several images that can't be read are told at once, and nothing is written.
func TestEntrypoint_missing(t *testing.T) {
	r := serveImages(t)
	got := rewrite(t, of(r.host+"/web:gone")+"---\n"+of("Not An Image"), "--image", confitImage)
	for _, want := range []string{
		"web.yaml:9: cannot rewrite Pod \"web\": container \"one\" has no command, and nobody knows its ENTRYPOINT: cannot read the image " + r.host + "/web:gone: " + r.host + " has no such image; write --command",
		"web.yaml:21: cannot rewrite Pod \"web\": container \"one\" has no command, and nobody knows its ENTRYPOINT: cannot read the image \"Not An Image\": could not parse",
	} {
		if got.code != 1 || got.stdout != "" || !strings.Contains(got.stderr, want) {
			t.Errorf("got %+v, want %s", got, want)
		}
	}
}

// TestMain keeps the tests from what this machine's people have logged in to.
func TestMain(m *testing.M) {
	dir, err := os.MkdirTemp("", "cli")
	if err := errors.Join(err, os.Setenv("DOCKER_CONFIG", dir)); err != nil {
		panic(err)
	}
	code := m.Run()
	os.RemoveAll(dir)
	os.Exit(code)
}
