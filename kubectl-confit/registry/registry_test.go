package registry

import (
	"encoding/base64"
	"fmt"
	"io"
	"log"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/google/go-containerregistry/pkg/authn"
	"github.com/google/go-containerregistry/pkg/name"
	"github.com/google/go-containerregistry/pkg/registry"
	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/remote"
)

// server is a registry of this machine's.
type server struct {
	*testing.T
	host     string
	requests atomic.Int64
	noHead   bool
	close    func()
}

// serve starts one. With a password it asks for it, as user "me".
func serve(t *testing.T, password string) *server {
	t.Helper()
	t.Setenv("DOCKER_CONFIG", t.TempDir())
	s := &server{T: t}
	inner := registry.New(registry.Logger(log.New(io.Discard, "", 0)))
	web := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		s.requests.Add(1)
		_, given, _ := r.BasicAuth()
		switch {
		case given != password:
			w.Header().Set("WWW-Authenticate", `Basic realm="here"`)
			w.WriteHeader(http.StatusUnauthorized)
		case s.noHead && r.Method == http.MethodHead:
			w.WriteHeader(http.StatusMethodNotAllowed)
		default:
			inner.ServeHTTP(w, r)
		}
	}))
	t.Cleanup(web.Close)
	s.host, s.close = strings.TrimPrefix(web.URL, "http://"), web.Close
	return s
}

// login leaves what docker login leaves.
func (s *server) login(password string) {
	s.Helper()
	auth := base64.StdEncoding.EncodeToString([]byte("me:" + password))
	config := fmt.Sprintf(`{"auths": {%q: {"auth": %q}}}`, s.host, auth)
	if err := os.WriteFile(filepath.Join(os.Getenv("DOCKER_CONFIG"), "config.json"), []byte(config), 0o600); err != nil {
		s.Fatal(err)
	}
}

func image(s *server, platform string, entrypoint, cmd []string) v1.Image {
	s.Helper()
	system, arch, _ := strings.Cut(platform, "/")
	made, err := mutate.ConfigFile(empty.Image, &v1.ConfigFile{OS: system, Architecture: arch, Config: v1.Config{Entrypoint: entrypoint, Cmd: cmd}})
	if err != nil {
		s.Fatal(err)
	}
	return made
}

// push stores an image and returns its reference.
func (s *server) push(tag string, made v1.Image) string {
	s.Helper()
	ref := s.ref(tag)
	if err := remote.Write(ref, made, remote.WithAuthFromKeychain(authn.DefaultKeychain)); err != nil {
		s.Fatal(err)
	}
	return ref.String()
}

// pushIndex stores images of the platforms that their configurations name.
func (s *server) pushIndex(tag string, all ...v1.Image) string {
	s.Helper()
	index := mutate.IndexMediaType(empty.Index, "application/vnd.oci.image.index.v1+json")
	for _, one := range all {
		file, err := one.ConfigFile()
		if err != nil {
			s.Fatal(err)
		}
		index = mutate.AppendManifests(index, mutate.IndexAddendum{Add: one, Descriptor: v1.Descriptor{Platform: &v1.Platform{OS: file.OS, Architecture: file.Architecture}}})
	}
	if err := remote.WriteIndex(s.ref(tag), index); err != nil {
		s.Fatal(err)
	}
	return s.ref(tag).String()
}

func (s *server) ref(tag string) name.Reference {
	s.Helper()
	ref, err := name.ParseReference(s.host + "/app:" + tag)
	if err != nil {
		s.Fatal(err)
	}
	return ref
}

// TestImage: what images of all kinds run.
func TestImage(t *testing.T) {
	s := serve(t, "")
	entry, cmd := []string{"/entry", "-x"}, []string{"serve", "$HOME"}
	attestation := image(s, "unknown/unknown", nil, nil)
	for tag, c := range map[string]struct {
		reference       string
		entrypoint, cmd []string
	}{
		"both":  {s.push("both", image(s, "linux/amd64", entry, cmd)), entry, cmd},
		"cmd":   {s.push("cmd", image(s, "linux/amd64", nil, cmd)), nil, cmd},
		"none":  {s.push("none", image(s, "linux/arm64", nil, nil)), nil, nil},
		"index": {s.pushIndex("index", image(s, "linux/arm64", entry, cmd), image(s, "windows/amd64", cmd, entry), attestation, image(s, "linux/amd64", entry, cmd)), entry, cmd},
		"other": {s.pushIndex("other", image(s, "linux/riscv64", entry, nil)), entry, nil},
	} {
		got, err := New().Image(t.Context(), c.reference)
		if err != nil || !slices.Equal(got.Entrypoint, c.entrypoint) || !slices.Equal(got.Cmd, c.cmd) {
			t.Errorf("%s: got %+v, want %q %q: %v", tag, got, c.entrypoint, c.cmd, err)
		}
		if digest, err := New().Digest(t.Context(), c.reference); err != nil || digest != got.Digest {
			t.Errorf("%s: the digest is %s, and was %s: %v", tag, digest, got.Digest, err)
		}
		if byDigest, err := New().Image(t.Context(), s.host+"/app@"+got.Digest); err != nil || byDigest.Digest != got.Digest {
			t.Errorf("%s: by digest got %+v: %v", tag, byDigest, err)
		}
	}
}

// TestImage_refused: each mistake has its words.
func TestImage_refused(t *testing.T) {
	s := serve(t, "")
	differ := s.pushIndex("differ", image(s, "linux/amd64", []string{"/a"}, nil), image(s, "linux/arm64", []string{"/b"}, nil))
	windows := s.push("windows", image(s, "windows/amd64", []string{"a.exe"}, nil))
	windowsOnly := s.pushIndex("windows-index", image(s, "windows/amd64", []string{"a.exe"}, nil))
	for reference, want := range map[string]string{
		differ:                   `cannot read the image ` + differ + `: its ENTRYPOINT and CMD are ["/a"] [] for linux/amd64, and ["/b"] [] for linux/arm64`,
		windows:                  `cannot read the image ` + windows + `: it is for windows, and confit for linux`,
		windowsOnly:              `cannot read the image ` + windowsOnly + `: none of its platforms is linux`,
		s.host + "/app:gone":     `cannot read the image ` + s.host + `/app:gone: ` + s.host + ` has no such image`,
		s.host + "/nowhere:gone": `cannot read the image ` + s.host + `/nowhere:gone: ` + s.host + ` has no such image`,
		"Not An Image":           `cannot read the image "Not An Image": could not parse reference: Not An Image`,
	} {
		if _, err := New().Image(t.Context(), reference); err == nil || err.Error() != want {
			t.Errorf("%s: got %v, want %s", reference, err, want)
		}
	}
}

// TestImage_private: what docker login left opens a private registry, and without it the error says so.
func TestImage_private(t *testing.T) {
	s := serve(t, "secret")
	s.login("secret")
	reference := s.push("both", image(s, "linux/amd64", []string{"/entry"}, nil))
	if got, err := New().Image(t.Context(), reference); err != nil || !slices.Equal(got.Entrypoint, []string{"/entry"}) {
		t.Errorf("got %+v: %v", got, err)
	}
	s.login("wrong")
	_, err := New().Image(t.Context(), reference)
	if want := "; docker login " + s.host + " may help, or the image isn't there"; err == nil || !strings.HasSuffix(err.Error(), want) || strings.Contains(err.Error(), "wrong") {
		t.Errorf("got %v, want …%s", err, want)
	}
}

// TestImage_down: a registry that is away is an error, of the image and of its digest.
func TestImage_down(t *testing.T) {
	s := serve(t, "")
	reference := s.push("both", image(s, "linux/amd64", []string{"/entry"}, nil))
	s.close()
	for _, ask := range []func() error{
		func() error { _, err := New().Image(t.Context(), reference); return err },
		func() error { _, err := New().Digest(t.Context(), reference); return err },
	} {
		if err := ask(); err == nil || !strings.HasPrefix(err.Error(), "cannot read the image "+reference+": ") || strings.Contains(err.Error(), "docker login") {
			t.Errorf("got %v", err)
		}
	}
}

// TestDigest_moves: another client sees what a tag stands for by now, and one client asks once.
func TestDigest_moves(t *testing.T) {
	s := serve(t, "")
	c := New()
	reference := s.push("1", image(s, "linux/amd64", []string{"/old"}, nil))
	first, err := c.Digest(t.Context(), reference)
	if err != nil {
		t.Fatal(err)
	}
	s.push("1", image(s, "linux/amd64", []string{"/new"}, nil))
	before := s.requests.Load()
	if again, err := c.Digest(t.Context(), reference); err != nil || again != first || s.requests.Load() != before {
		t.Errorf("got %s after %s, with %d requests: %v", again, first, s.requests.Load()-before, err)
	}
	moved, err := New().Digest(t.Context(), reference)
	if err != nil || moved == first {
		t.Errorf("got %s after %s: %v", moved, first, err)
	}
	s.noHead = true
	if same, err := New().Digest(t.Context(), reference); err != nil || same != moved {
		t.Errorf("without HEAD got %s, want %s: %v", same, moved, err)
	}
	before = s.requests.Load()
	if named, err := New().Digest(t.Context(), s.host+"/app@"+first); err != nil || named != first || s.requests.Load() != before {
		t.Errorf("a reference by digest: got %s, want %s, with %d requests: %v", named, first, s.requests.Load()-before, err)
	}
}
