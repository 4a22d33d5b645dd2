package confit

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// imageUser is a user who owns nothing of the image, as that of nginx.
const imageUser = 101

// seeded is a directory of an image, whose only writable place is an emptyDir.
func seeded(t *testing.T) (s *setup, pair string) {
	t.Helper()
	s = newSetup(t)
	for name, content := range map[string]string{"nginx.conf": "of the image", "conf.d/default.conf": "server", "conf.d/deep/a": strings.Repeat("x", 100_000)} {
		s.write(s.path("image", name), content)
	}
	if err := os.Symlink("conf.d/default.conf", s.path("image/link")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.mkdir("seed"), 0o777); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(s.path("image/conf.d"), 0o555); err != nil {
		t.Fatal(err)
	}
	s.box.UID = imageUser
	return s, s.path("image") + "=" + s.path("seed/etc/nginx")
}

// copied is what is below a directory: path, kind, mode and content.
func (s *setup) copied(dir string) string {
	s.t.Helper()
	var list []string
	err := filepath.Walk(dir, func(path string, info os.FileInfo, err error) error {
		if err != nil {
			return err
		}
		content, _ := os.ReadFile(path)
		list = append(list, fmt.Sprintf("%s %v %d bytes", strings.TrimPrefix(path, dir), info.Mode(), len(content)))
		return nil
	})
	if err != nil {
		s.t.Fatal(err)
	}
	return strings.Join(list, "\n")
}

// shut is what is copied without the right to write, which was root's.
func shut(copied string) string {
	return regexp.MustCompile(`(?m) [-d][-rwx]{9} `).ReplaceAllStringFunc(copied, func(mode string) string { return strings.ReplaceAll(mode, "w", "-") })
}

func (s *setup) wantSeeded() {
	s.t.Helper()
	_, want, _ := strings.Cut(shut(s.copied(s.path("image"))), "\n")
	if _, got, _ := strings.Cut(s.copied(s.path("seed/etc/nginx")), "\n"); want != got {
		s.t.Errorf("copied\n%s\nof\n%s", got, want)
	}
	if left := s.leftovers(); len(left) > 0 {
		s.t.Errorf("left behind: %q", left)
	}
}

// An init container of the app's image, with a read-only root, as a user without capabilities, and then the app's own container: links
// are made where the image had files, beside those of them that stay. The user couldn't write there, and can't now.
func TestSeed_pod(t *testing.T) {
	t.Parallel()
	s, pair := seeded(t)
	if err := unix.Mount("tmpfs", s.path("seed"), "tmpfs", 0, "mode=0777,size=64m"); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = unix.Unmount(s.path("seed"), unix.MNT_DETACH) })
	s.box.Mounts = []harness.Mount{harness.ReadOnly("/"), harness.ReadOnly(s.path("image"))}
	for _, said := range []string{"seeded 4 files, 100018 bytes", "seeded 0 files, 0 bytes"} {
		c := s.startCommand(programs.confit, "--seed", pair)
		c.Ends(0)
		c.wantMention(said)
		s.wantSeeded()
	}
	s.mkdir("state")
	s.box.Mounts = append(s.box.Mounts, harness.Tmpfs(s.state, "mode=0777"))
	s.volume("web").swap(keys{"nginx.conf": "of the ConfigMap"})
	s.env = append(s.env, "CONFIT_LINES=link web/nginx.conf "+s.path("seed/etc/nginx/nginx.conf")+"\nreload signal:HUP\nprobation 0s\nsoak 0s\nrescan 1h")
	c := s.startCommand(append([]string{programs.confit, "--volumes", s.path("volumes"), "--state", s.state, "--"}, app("-print", s.path("seed/etc/nginx/nginx.conf"))...)...)
	c.Says("read of the ConfigMap", 1)
	for _, dir := range []string{"seed/etc/nginx", "seed/etc/nginx/conf.d"} {
		if info, err := os.Stat(s.path(dir)); err != nil || info.Mode().Perm() != 0o555 {
			t.Errorf("%s is %v, %v, which its user may not write to", dir, info, err)
		}
	}
	c.stops(0)
}

// What can't be is refused with the usual codes, and nothing is written.
func TestSeed_refused(t *testing.T) {
	t.Parallel()
	s, pair := seeded(t)
	before := s.copied(s.dir)
	for code, args := range map[int][]string{
		64: {"--seed", "image=/x", "--seed", "/=/y"},
		71: {"--seed", pair, "--seed", s.path("image/nginx.conf") + "=" + s.path("seed/x")},
	} {
		_, stderr := s.runPlain(code, append([]string{programs.confit}, args...)...)
		if stderr == "" || s.copied(s.dir) != before {
			t.Errorf("%q: it says %q, and there are\n%s", args, stderr, s.copied(s.dir))
		}
	}
}

// The steps of a copy, to a directory that is missing and to one that is there. Each name that is there is whole, and the next run brings
// the rest.
func crashInSeed(t *testing.T, stride int) {
	for name, there := range map[string]bool{"missing": false, "there": true} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s, pair := seeded(t)
			for n, step := range steps(stride) {
				if there {
					s.mkdir("seed/etc/nginx")
					for _, dir := range []string{"seed/etc", "seed/etc/nginx"} {
						giveAway(t, s.path(dir), imageUser)
					}
				}
				c := s.run(harness.Command{Argv: []string{programs.confit, "--seed", pair}, Gate: true})
				result := c.KillAt(step)
				if err := c.Open(); err != nil {
					t.Fatal(err)
				}
				harness.Eventually(t, "the end of confit", func() bool { return !c.Alive() })
				seen := result()
				whole := c.State().ExitCode() == 0
				s.wantNamesWhole()
				s.startCommand(programs.confit, "--seed", pair).Ends(0)
				s.wantSeeded()
				if whole {
					t.Logf("killed %d times within %d steps; %s", n-1, step-1, seen)
					return
				}
				if err := os.RemoveAll(s.path("seed/etc")); err != nil {
					t.Fatal(err)
				}
			}
			t.Errorf("a copy never came to its end within %d steps", maxSteps)
		})
	}
}

// wantNamesWhole checks that each name in the copy has all that belongs to it.
func (s *setup) wantNamesWhole() {
	s.t.Helper()
	entries, _ := os.ReadDir(s.path("seed/etc/nginx"))
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), ".confit-tmp-") {
			continue
		}
		if want, got := shut(s.copied(s.path("image", e.Name()))), s.copied(s.path("seed/etc/nginx", e.Name())); want != got {
			s.t.Errorf("after a kill there is\n%s\nof\n%s", got, want)
		}
	}
}
