package main

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// images are those that the node runs.
var images = []string{"localhost/pause:1", "localhost/nginx:1", "localhost/web:1", "localhost/web-tls:1"}

// podman is a builder of images, whose storage is kept with the base images in it. Nothing of it is on the machine's own.
type podman struct {
	settings
	ctx context.Context
}

// buildImages makes all images and hands them over as archives, which it returns. Dockerfile.example is built as it is, from
// base images that stand for the official ones.
func (s settings) buildImages(ctx context.Context) (archives []string, err error) {
	defer s.note("images", time.Now(), &err)
	p := podman{s, ctx}
	files := filepath.Join(s.Source, "integration/e2e/images")
	golang, err := p.goImage()
	if err != nil {
		return nil, err
	}
	goCache := filepath.Join(s.Cache, "go-build") // of the Go inside
	if err := os.MkdirAll(goCache, 0o755); err != nil {
		return nil, err
	}
	if !p.has("localhost/debian") {
		if err := p.do("import", "--quiet", s.rootfs(), "localhost/debian"); err != nil {
			return nil, err
		}
	}
	if !p.has(golang) {
		if err := p.build(golang, files+"/golang.Dockerfile", s.GoRoot); err != nil {
			return nil, err
		}
	}
	for _, image := range []struct {
		name, file, context string
		options             []string
	}{
		{"localhost/pause:1", files + "/pause.Dockerfile", s.bin(""), nil},
		{"localhost/nginx:1", files + "/nginx.Dockerfile", files, nil},
		{"localhost/web:1", s.Source + "/Dockerfile.example", s.Source, []string{
			"--build-arg", "GO=" + golang, "--build-arg", "BASE=localhost/nginx:1", "--ignorefile", files + "/ignore",
			"--volume", s.modules() + "/cache/download:/modules:ro", "--volume", goCache + ":/root/.cache/go-build",
		}},
		{"localhost/web-tls:1", files + "/tls.Dockerfile", files, nil},
	} {
		if err := p.build(image.name, image.file, image.context, image.options...); err != nil {
			return nil, err
		}
	}
	for _, name := range images {
		archive := s.run(strings.ReplaceAll(filepath.Base(name), ":", "-") + ".tar")
		if err := p.do("save", "--quiet", "--format", "oci-archive", "--output", archive, name); err != nil {
			return nil, err
		}
		archives = append(archives, archive)
	}
	return archives, p.do(append([]string{"rmi", "--force"}, images...)...)
}

// goImage is the name of the base image with this Go.
func (p podman) goImage() (string, error) {
	version, err := output(p.ctx, p.Source, "go", "env", "GOVERSION")
	return "localhost/golang:" + version, err
}

func (p podman) has(image string) bool { return p.do("image", "exists", image) == nil }

// build keeps no layers: what isn't tagged would pile up.
func (p podman) build(name, file, context string, options ...string) error {
	args := append([]string{"build", "--quiet", "--pull-never", "--network", "none", "--layers=false", "--force-rm"}, options...)
	return p.do(append(args, "--tag", name, "--file", file, context)...)
}

func (p podman) do(args ...string) error {
	dir := filepath.Join(p.Cache, "podman")
	global := []string{
		"--root", dir, "--runroot", "/run/podman/root", "--tmpdir", "/run/podman/tmp",
		"--network-config-dir", "/run/podman/networks",
		"--runtime", "runc", "--cgroup-manager", "cgroupfs", "--events-backend", "none",
	}
	return command(p.ctx, p.Source, []string{"TMPDIR=" + p.run("")}, "podman", append(global, args...)...)
}
