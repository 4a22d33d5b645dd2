package main

import (
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"time"
)

// machineName begins the names of the machine's rows.
const machineName = "Debian's kernel 6.1"

// inMachine plays rows in a virtual machine with Debian's own kernel, without KVM, and returns them. What the machine needs comes over a 9p mount.
func inMachine(dir, kubelet, only string) []row {
	missing := func(err error) []row { return []row{{Name: machineName, Missing: err.Error()}} }
	cache, err := os.UserCacheDir()
	if err != nil {
		return missing(err)
	}
	cache = filepath.Join(cache, "confit-environments")
	if err := command("integration/environments/machine/make.sh", cache); err != nil {
		return missing(err)
	}
	share := filepath.Join(dir, "share")
	rootfs := filepath.Join(share, "rootfs")
	if err = os.MkdirAll(share, 0o755); err == nil {
		err = makeRoot(rootfs, "")
	}
	self, err2 := os.Executable()
	for from, to := range map[string]string{self: "environments", kubelet: "kubelet"} {
		if err == nil && err2 == nil {
			err = command("cp", from, filepath.Join(share, to))
		}
	}
	if err == nil {
		err = makeTests(filepath.Join(share, "src"))
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(share, "run.sh"), []byte(fmt.Sprintf(inside, only)), 0o644)
	}
	if err == nil {
		err = boot(cache, share)
	}
	var rows []row
	text, err3 := os.ReadFile(filepath.Join(share, "rows.json"))
	if err == nil && err3 == nil {
		err = json.Unmarshal(text, &rows)
	} else if err == nil {
		log, _ := os.ReadFile(filepath.Join(share, "log"))
		err = fmt.Errorf("the machine has left no rows: %s", log[max(0, len(log)-600):])
	}
	if err != nil {
		return missing(err)
	}
	for i := range rows {
		rows[i].Name = machineName + ": " + rows[i].Name
	}
	return append(rows, testsIn(share))
}

// inside is what the machine runs.
const inside = `set -x
export PATH=/usr/sbin:/usr/bin:/sbin:/bin XDG_RUNTIME_DIR=/run
uname -r
cp -a /share/rootfs /share/kubelet /share/environments /root/
cd /root
prlimit --pid $$ --nproc=unlimited --nofile=1048576 # podman raises its containers' limits to that, and a user may raise none
./environments -inside /share/rows.json -rootfs /root/rootfs -kubelet /root/kubelet -only '%s'
for t in $(cd /share/src && find . -name '*.test'); do
	if (cd /share/src/$(dirname $t) && ./$(basename $t) -test.short -test.timeout=20m -test.skip=TestBlocked) >/share/src/$t.log 2>&1; then echo ok >/share/src/$t.ok; fi
done
`

// tested are the packages that know the kernel. TestBlocked of signals needs a compiler, which the machine hasn't.
var tested = []string{"linker/files", "linker/generation", "linker/mounts", "linker/safedir", "linker/statedir", "linker/target", "linker/volume", "notify",
	"signals"}

// makeTests builds their tests, each beside what it reads of this tree.
func makeTests(src string) error {
	const copy = `mkdir -p "$0" && git ls-files -z | tar --null -T - -c | tar -C "$0" -x`
	err := command("sh", "-c", copy, src)
	for _, pkg := range tested {
		if err == nil {
			err = command("go", "test", "-c", "-o", filepath.Join(src, pkg, filepath.Base(pkg)+".test"), "./"+pkg)
		}
	}
	return err
}

// testsIn is the row of the tests: the first cell stands for all of them.
func testsIn(share string) row {
	r := row{Name: machineName + ": unit tests", Cells: []outcome{{Scene: "start"}}}
	for _, pkg := range tested {
		t := filepath.Join(share, "src", pkg, filepath.Base(pkg)+".test")
		if _, err := os.Stat(t + ".ok"); err != nil {
			log, _ := os.ReadFile(t + ".log")
			r.Cells[0].Err += filepath.Base(t) + " fails: " + string(log[max(0, len(log)-2000):])
		}
	}
	for _, s := range scenes[1:] {
		r.Cells = append(r.Cells, outcome{Scene: s.name, Skip: "a row of tests"})
	}
	return r
}

// insideOnes are the environments of the machine: cgroups of version 2 alone, AppArmor, file systems that this kernel has.
func insideOnes(dir string) []*environment {
	all := []*environment{
		{name: "crun, 256 MiB by cgroup v2", needs: []string{"crun"}, run: byOCI("crun", "--cgroup-manager=cgroupfs"), memory: 256 << 20},
		{name: "podman, root, AppArmor", needs: []string{"podman"}, run: byPodman(dir, nil)},
		rootless(dir)[0],
		overNetwork("NFS 4.2", "vers=4.2"), overNetwork("NFS 3", "vers=3,nolock"),
		folding(), onDisk("vfat", "mkfs.vfat"),
	}
	vfat := all[len(all)-1]
	vfat.name, vfat.refused = "state directory on vfat", true
	for _, e := range all {
		e.patience, e.orphans = slow, 100
		if e.run == nil {
			e.run = byOCI("runc")
		}
		e.skipMost()
	}
	return all
}

// overNetwork is a server of this machine.
func overNetwork(name, options string) *environment {
	return &environment{name: "files on " + name, needs: []string{"mount.nfs"}, setUp: func(_ *environment, dir string) (string, func(), error) {
		export, place := filepath.Join(dir, "export"), filepath.Join(dir, "place")
		const serve = `mkdir -p "$0" && echo "$0 127.0.0.1(rw,no_root_squash,insecure,no_subtree_check,fsid=1)" >/etc/exports &&
			systemctl restart rpcbind nfs-server`
		return mounted(command("sh", "-c", serve, export), place, "mount", "-t", "nfs", "-o", options, "127.0.0.1:"+export, place)
	}}
}

// folding is a disk on which upper and lower case are one.
func folding() *environment {
	e := onDisk("ext4", "mkfs.ext4", "-q", "-F", "-O", "casefold")
	setUp := e.setUp
	e.name = "files on ext4 that folds case"
	e.setUp = func(e *environment, dir string) (string, func(), error) {
		place, end, err := setUp(e, dir)
		below := filepath.Join(place, "folding")
		if err == nil {
			err = os.Mkdir(below, 0o755)
		}
		if err == nil {
			err = command("chattr", "+F", below)
		}
		return below, end, err
	}
	return e
}

// boot runs the machine until it powers off.
func boot(cache, share string) error {
	disk := filepath.Join(filepath.Dir(share), "disk.img")
	if err := command("cp", "--sparse=always", filepath.Join(cache, "root.img"), disk); err != nil {
		return err
	}
	qemu := exec.Command("qemu-system-x86_64", "-accel", "tcg,thread=multi", "-cpu", "max", "-smp", "2", "-m", "3072",
		"-kernel", filepath.Join(cache, "vmlinuz"), "-initrd", filepath.Join(cache, "initrd"),
		"-append", "root=/dev/vda rw console=ttyS0 quiet apparmor=1 security=apparmor mitigations=off",
		"-drive", "file="+disk+",format=raw,if=virtio,cache=unsafe", "-virtfs", "local,path="+share+",mount_tag=share,security_model=none,multidevs=remap",
		"-nic", "none", "-device", "virtio-rng-pci", "-display", "none", "-serial", "file:"+filepath.Join(filepath.Dir(share), "console"), "-no-reboot")
	c, err := begin(qemu, func(string) error { return qemu.Process.Kill() })
	if err != nil {
		return err
	}
	if _, err = c.wait(90 * time.Minute); err != nil {
		_ = c.signal("KILL")
		console, _ := os.ReadFile(filepath.Join(filepath.Dir(share), "console"))
		return fmt.Errorf("%w: %s", err, console[max(0, len(console)-600):])
	}
	return nil
}
