package mounts

import (
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"confit/integration/testfs"
)

// recorded is what containers have in /proc/self/mountinfo, as their runtimes
// mount it, and what of it is told: what is wrong, or "".
var recorded = map[string]struct {
	text string
	want []string // words of the refusal
}{
	"docker run -v, with an overlay of many layers": {text: `
1170 1051 0:97 / / rw,relatime master:447 - overlay overlay rw,lowerdir=` + strings.Repeat("/var/lib/docker/overlay2/l/PA7SNYGB5NT5MGFPTYQVAPWRKB:", 300) + `,upperdir=/u,workdir=/w
1171 1170 0:99 / /proc rw,nosuid,nodev,noexec,relatime - proc proc rw
1187 1170 254:1 /var/lib/docker/containers/0f/resolv.conf /etc/resolv.conf rw,relatime - ext4 /dev/vda1 rw,discard
1188 1170 254:1 /var/lib/docker/containers/0f/hosts /etc/hosts rw,relatime - ext4 /dev/vda1 rw,discard
1190 1170 254:1 /srv/web /confit/web ro,relatime - ext4 /dev/vda1 rw,discard
1191 1170 254:1 /var/lib/docker/volumes/state/_data /run/confit rw,relatime master:1 - ext4 /dev/vda1 rw,discard
`},
	"containerd, the whole ConfigMap": {text: `
2411 2229 0:310 / / rw,relatime - overlay overlay rw,lowerdir=/var/lib/containerd/io.containerd.snapshotter.v1.overlayfs/snapshots/7/fs
2420 2411 254:1 /var/lib/kubelet/pods/6f7d4f0e-7a7e-4a3c-9d4a-0a8f3f0f7f11/volumes/kubernetes.io~configmap/web /confit/web ro,relatime - ext4 /dev/vda1 rw
2421 2411 0:300 / /confit/tls ro,relatime - tmpfs tmpfs rw,size=131072k,inode64
2422 2411 254:1 /var/lib/kubelet/pods/6f7d4f0e-7a7e-4a3c-9d4a-0a8f3f0f7f11/volumes/kubernetes.io~empty-dir/confit /run/confit rw,relatime - ext4 /dev/vda1 rw
2423 2411 254:1 /var/lib/kubelet/pods/6f7d4f0e-7a7e-4a3c-9d4a-0a8f3f0f7f11/etc-hosts /etc/hosts rw,relatime - ext4 /dev/vda1 rw
`},
	"containerd, a key of a ConfigMap by subPath": {text: `
2411 2229 0:310 / / rw,relatime - overlay overlay rw
2420 2411 254:1 /var/lib/kubelet/pods/6f7d/volumes/kubernetes.io~configmap/web/..2026_11_21_10_15_02.1803273417/nginx.conf /confit/web/app.conf ro,relatime - ext4 /dev/vda1 rw
`, want: []string{`cannot use "/confit/web/app.conf": a subPath mount never changes`, "link web/nginx.conf\n", "{name: web, mountPath: /confit/web}"}},
	"CRI-O, a key of a Secret by subPath, removed by a swap": {text: `
1830 1624 0:191 / / rw,relatime - overlay overlay rw,context="system_u:object_r:container_file_t:s0:c12,c27"
1851 1830 0:170 /..2026_11_21_10_15_02.1803273417/tls.crt//deleted /confit/tls/tls.crt ro,relatime - tmpfs tmpfs rw,seclabel,size=65536k
`, want: []string{`"/confit/tls/tls.crt"`, "link tls/tls.crt\n", "mountPath: /confit/tls}"}},
	"a directory of a ConfigMap by subPath, below the volumes": {text: `
2411 2229 0:310 / / rw,relatime - overlay overlay rw
2420 2411 254:1 /var/lib/kubelet/pods/6f7d/volumes/kubernetes.io~projected/all/..2026_11_21_10_15_02.1803273417/conf.d /confit/web ro - ext4 /dev/vda1 rw
`, want: []string{`"/confit/web"`, "link all/conf.d\n", "{name: all, mountPath: /confit/all}"}},
	"a key of a Secret straight below the volumes": {text: `
2420 2411 0:170 /..2026_11_21_10_15_02.1803273417/tls.crt /confit/tls.crt ro - tmpfs tmpfs rw
`, want: []string{"link VOLUME/tls.crt\n", "{name: VOLUME, mountPath: /confit/VOLUME}"}},
	"the kubelet's placeholder, as its mount did not get through": {text: `
2420 2411 254:1 /var/lib/kubelet/pods/6f7d/volume-subpaths/web/app/0 /confit/web/nginx.conf ro,relatime - ext4 /dev/vda1 rw
`, want: []string{`"/confit/web/nginx.conf"`, "link web/nginx.conf\n", "{name: web, mountPath: /confit/web}"}},
	"several": {text: `
2420 2411 254:1 /pods/6f7d/volumes/kubernetes.io~configmap/web/..2026_11_21_10_15_02.18/a /confit/web/a ro - ext4 /dev/vda1 rw
2421 2411 254:1 /pods/6f7d/volumes/kubernetes.io~configmap/web/..2026_11_21_10_15_02.18/b /confit/web/b ro - ext4 /dev/vda1 rw
2422 2411 0:170 /..2026_11_21_10_15_02.1803273417/tls.crt /confit/tls/tls.crt ro - tmpfs tmpfs rw
`, want: []string{`"/confit/web/a"`, `"/confit/web/b"`, `"/confit/tls/tls.crt"`}},
	"elsewhere": {text: `
2420 2411 254:1 /pods/6f7d/volumes/kubernetes.io~configmap/web/..2026_11_21_10_15_02.18/a /etc/a ro - ext4 /dev/vda1 rw
2421 2411 254:1 /pods/6f7d/volumes/kubernetes.io~configmap/web/..2026_11_21_10_15_02.18/b /confit2/b ro - ext4 /dev/vda1 rw
`},
	"a subPath of an emptyDir and of a claim": {text: `
2420 2411 254:1 /var/lib/kubelet/pods/6f7d/volumes/kubernetes.io~empty-dir/data/sub /confit/data rw - ext4 /dev/vda1 rw
2421 2411 259:3 /sub /confit/claim rw - ext4 /dev/nvme1n1 rw
`},
	"a key by subPath on a target's link, beside the state directory's own subPath": {text: `
2420 2411 254:1 /var/lib/kubelet/pods/6f7d/volume-subpaths/confit/app/0 /run/confit rw - ext4 /dev/vda1 rw
2421 2420 254:1 /var/lib/kubelet/pods/6f7d/volumes/kubernetes.io~configmap/web/..2026_11_21_10_15_02.18/a.conf /run/confit/generations/3/web/a.conf ro - ext4 /dev/vda1 rw
`, want: []string{`cannot use "/run/confit/generations/3/web/a.conf": a subPath mount was left on the link of a.conf`, "take it out of the pod"}},
	"podman kube play, rootless": {text: `
632 625 0:63 / / rw,relatime - overlay overlay rw,lowerdir=/home/u/.local/share/containers/storage/overlay/l/A,userxattr
640 632 253:2 /home/u/.local/share/containers/storage/volumes/web/_data /confit/web rw,nosuid,nodev,relatime - xfs /dev/mapper/home rw,seclabel
641 632 0:71 /containers/overlay-containers/9c/userdata/hosts /etc/hosts rw,nosuid,nodev - tmpfs tmpfs rw,uid=1000
`},
	"blanks, backslashes and optional fields": {text: `
2420 2411 254:1 /pods/a\040b/..2026_11_21_10_15_02.18/a\134b\040c /confit/my\040web/a\134b\040c ro,relatime shared:1 master:2 propagate_from:3 unbindable - ext4 /dev/vda1 rw
`, want: []string{`"/confit/my web/a\\b c"`, `link my web/a\b c` + "\n", "mountPath: /confit/my web}"}},
	"covered by the whole volume": {text: `
2420 2411 254:1 /pods/web/..2026_11_21_10_15_02.18/a /confit/web/a ro - ext4 /dev/vda1 rw
2421 2411 254:1 /pods/web /confit/web ro - ext4 /dev/vda1 rw
`},
	"covered by another file": {text: `
2420 2411 254:1 /pods/web/..2026_11_21_10_15_02.18/a /confit/web/a ro - ext4 /dev/vda1 rw
2421 2420 254:1 /srv/a /confit/web/a ro - ext4 /dev/vda1 rw
`},
	"on another file": {text: `
2420 2411 254:1 /srv/a /confit/web/a ro - ext4 /dev/vda1 rw
2421 2420 254:1 /pods/web/..2026_11_21_10_15_02.18/a /confit/web/a ro - ext4 /dev/vda1 rw
`, want: []string{`"/confit/web/a"`}},
	"not as documented": {text: "\n\n \n1 2 3 4 5\n1 2 3 / /confit\n\\ \\0 \\04 \\ \\999 \\\\ - x\n/..20 /..20 /..20 /..20 /..20 /..20\n"},
	"nothing":           {},
}

func TestMounts(t *testing.T) {
	for name, r := range recorded {
		t.Run(name, func(t *testing.T) {
			err := tableAt(r.text).Check()
			if (err != nil) != (r.want != nil) {
				t.Fatalf("error %v", err)
			}
			for _, words := range r.want {
				if !strings.Contains(err.Error(), words) {
					t.Errorf("error %q doesn't say %q", err, words)
				}
			}
		})
	}
}

func tableAt(text string) *Table {
	return Parse(text, "/confit", "/run/confit", true)
}

// TestMounts_root: with / for the volumes, what a container has anyway is none of
// them.
func TestMounts_root(t *testing.T) {
	table := tableAt(recorded["elsewhere"].text)
	table.volumes = "/"
	if err := table.Check(); err != nil {
		t.Error(err)
	}
}

// TestMounts_many: all are said at once, but no more than can be read.
func TestMounts_many(t *testing.T) {
	var text strings.Builder
	for i := range 10_000 {
		fmt.Fprintf(&text, "%d 1 254:1 /mnt/%d /var/lib/mounts/%d rw - ext4 /dev/vda1 rw\n", i, i, i)
		if i%500 == 0 {
			fmt.Fprintf(&text, "%d 1 254:1 /pods/web/..2026_11_21_10_15_02.18/%d /confit/web/%d rw - ext4 /dev/vda1 rw\n", i, i, i)
		}
	}
	err := tableAt(text.String()).Check()
	if err == nil || strings.Count(err.Error(), "cannot use") != 10 || !strings.Contains(err.Error(), "and 10 more") {
		t.Errorf("error %v", err)
	}
}

// TestBlanks: the kernel writes blanks of other alphabets as they are.
func TestBlanks(t *testing.T) {
	list := parseMounts("36 35 98:0 /a\\040b /c\u00a0d rw - ext4 /dev/root rw\n")
	if want := []mount{{root: "/a b", point: "/c\u00a0d"}}; !slices.Equal(list, want) {
		t.Errorf("read as %q, want %q", list, want)
	}
}

func TestHolder(t *testing.T) {
	list := []mount{{point: "/"}, {point: "/run"}, {point: "/run/confit"}, {point: "/run/confit2"}, {point: "/srv"}}
	for path, want := range map[string]string{
		"/": "/", "/run": "/run", "/runs": "/", "/run/confit/a": "/run/confit", "/run/confit3": "/run", "/srv": "/srv", "/etc/a": "/",
	} {
		if i := holder(list, path); list[i].point != want {
			t.Errorf("%s is in %s, want %s", path, list[i].point, want)
		}
	}
	if i := holder(append(list, mount{point: "/run"}), "/run/confit/a"); i != len(list) {
		t.Errorf("what a later mount covers is in mount %d", i)
	}
	if i := holder(nil, "/"); i != -1 {
		t.Errorf("without mounts / is in mount %d", i)
	}
}

// TestReadMounts: the kernel's own list has the root, and what is mounted by a
// path that needs escapes.
func TestReadMounts(t *testing.T) {
	dir := t.TempDir() + "/a b\tc\\d"
	if err := os.Mkdir(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	testfs.Mount(t, "tmpfs", dir, "tmpfs", "")
	list := parseMounts(readMountinfo())
	if !slices.Contains(list, mount{root: "/", point: dir}) {
		t.Errorf("%q is not in %q", dir, list)
	}
	if !IsPoint(dir) || IsPoint(dir+"/x") || IsPoint(t.TempDir()) {
		t.Error("a mount point isn't told from others")
	}
}

// BenchmarkMounts is what a start pays for a container's mounts, when there is
// nothing to say of them.
func BenchmarkMounts(b *testing.B) {
	line := "1171 1170 0:99 / /proc/%d rw,nosuid,nodev,noexec,relatime - proc proc rw\n"
	text := recorded["containerd, the whole ConfigMap"].text
	for i := range 25 {
		text += fmt.Sprintf(line, i)
	}
	b.ReportAllocs()
	for b.Loop() {
		if err := tableAt(text).Check(); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkReadMountTable is the same with the kernel's part.
func BenchmarkReadMountTable(b *testing.B) {
	b.ReportAllocs()
	for b.Loop() {
		if err := Read("/confit", "/run/confit", false).Check(); err != nil {
			b.Fatal(err)
		}
	}
}
