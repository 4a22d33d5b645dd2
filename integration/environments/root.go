package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// entry is a script that works before it executes the app.
const entry = "#!/bin/sh\n/probe work\nexec /probe\n"

// makeRoot makes the root of a container: confit, the probe, a shell of this machine, and a script in front of the app.
func makeRoot(root, goarch string) error {
	for _, name := range []string{"bin", "proc", "sys", "dev/shm", "tmp", "run/confit", "etc/app", "etc/confit", "confit/web", "confit/plain",
		"confit/secret", "ctl", "outside"} {
		if err := os.MkdirAll(filepath.Join(root, name), 0o755); err != nil {
			return err
		}
	}
	for name, pkg := range map[string]string{"bin/confit": ".", "probe": "./integration/environments/probe"} {
		build := exec.Command("go", "build", "-trimpath", "-buildvcs=false", "-ldflags", "-s -w", "-o", filepath.Join(root, name), pkg)
		build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+goarch)
		if out, err := build.CombinedOutput(); err != nil {
			return fmt.Errorf("cannot build %s: %w: %s", name, err, out)
		}
	}
	if err := os.WriteFile(filepath.Join(root, "outside/a"), []byte("secret"), 0o644); err != nil {
		return err
	}
	if err := os.WriteFile(filepath.Join(root, "entry.sh"), []byte(entry), 0o755); err != nil {
		return err
	}
	if tini, err := os.ReadFile("/usr/bin/tini-static"); err == nil {
		if err := os.WriteFile(filepath.Join(root, "bin/tini"), tini, 0o755); err != nil {
			return err
		}
	}
	return addShell(filepath.Join(root, "bin/sh"))
}

// addShell unpacks a static shell, without installing its package, which would take another one's place.
func addShell(to string) error {
	dir, err := os.MkdirTemp("", "confit-shell-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	const get = `cd "$0" && apt-get -qq download busybox-static && dpkg-deb -x busybox-static*.deb . && cp bin/busybox "$1"`
	return command("sh", "-c", get, dir, to)
}
