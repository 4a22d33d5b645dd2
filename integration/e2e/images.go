package main

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"time"
)

// The images that pods name. The manifests are applied as they are, so what stands for an official or a published image has its
// name.
const (
	pauseImage  = "localhost/pause:1"
	nginxImage  = "docker.io/library/nginx:1.29"
	webImage    = "docker.io/library/web:1" // of Dockerfile.example
	tlsImage    = "example.com/web-tls:1"   // of the page
	pageImage   = "example.com/web:2"       // of the page
	scriptImage = "example.com/web:script"  // of the page
	fleetImage  = "docker.io/library/fleet:1"
	slimImage   = "docker.io/library/debian:12-slim"
	promImage   = "docker.io/library/prometheus-confit:1"
	pluginImage = "example.com/kubectl-confit:1" // of the page on GitOps
	sqlImage    = "docker.io/library/postgres:15"
	dataImage   = "example.com/database:1"
)

// renamed are the other names of the images of make image.
var renamed = map[string][]string{
	"localhost/confit:devel":    {"example.com/confit:1", "example.com/confit:0.1.0"},
	"localhost/confitctl:devel": {"example.com/confitctl:0.1.0"},
}

// image is what podman build is told.
type image struct {
	name, file, context string
	options             []string
}

// podman is a builder of images, whose storage is kept with the base images in it. Nothing of it is on the machine's own.
type podman struct {
	settings
	ctx context.Context
}

// buildImages makes the images and hands them over as archives, which it returns. Dockerfile.example and what the page shows are
// built as they are, from base images that stand for the official ones.
func (s settings) buildImages(ctx context.Context) (archives []string, err error) {
	defer s.note("images", time.Now(), &err)
	p := podman{s, ctx}
	if err := p.buildBases(); err != nil {
		return nil, err
	}
	contexts, err := s.contexts()
	if err != nil {
		return nil, err
	}
	golang, err := p.goImage()
	if err != nil {
		return nil, err
	}
	own := []image{
		{pauseImage, p.files("pause.Dockerfile"), s.bin(""), nil},
		{nginxImage, p.files("nginx.Dockerfile"), p.files(""), nil},
		{webImage, s.Source + "/Dockerfile.example", s.Source, []string{
			"--build-arg", "GO=" + golang, "--build-arg", "BASE=" + nginxImage, "--ignorefile", p.files("ignore"),
			"--volume", s.modules() + "/cache/download:/modules:ro", "--volume", p.goCache() + ":/root/.cache/go-build",
		}},
		{pageImage, contexts + "/web/Dockerfile", contexts + "/web", nil},
		{tlsImage, contexts + "/tls/Dockerfile", contexts + "/tls", nil},
		{scriptImage, contexts + "/script/Dockerfile", contexts + "/script", nil},
		{fleetImage, contexts + "/fleet/Dockerfile", contexts + "/fleet", nil},
		{slimImage, p.files("prometheus.Dockerfile"), s.bin(""), nil},
		{promImage, contexts + "/prometheus/Dockerfile", contexts + "/prometheus", nil},
		{pluginImage, contexts + "/plugin/Dockerfile", contexts + "/plugin", nil},
		{sqlImage, p.files("postgres.Dockerfile"), p.files(""), nil},
		{dataImage, contexts + "/database/Dockerfile", contexts + "/database", nil},
	}
	save := []string{"save", "--quiet", "--multi-image-archive", "--format", "docker-archive", "--output", s.run("images.tar")}
	remove := []string{"rmi", "--force"}
	for _, i := range own {
		if err := p.build(i); err != nil {
			return nil, err
		}
		save, remove = append(save, i.name), append(remove, i.name)
	}
	archives = []string{s.run("images.tar"), s.dist("confit-oci.tar"), s.dist("confitctl-oci.tar")}
	return archives, errors.Join(p.do(save...), p.do(remove...))
}

// contexts has a directory for each image that the page or an example shows how to build: the programs, a links file and a
// Dockerfile.
func (s settings) contexts() (string, error) {
	page, err := readPages(s.Source)
	fleet, err1 := s.contextOf("examples/fleet")
	prometheus, err2 := s.contextOf("examples/prometheus")
	confit, err3 := os.ReadFile(s.dist("confit-linux-" + runtime.GOARCH))
	confitctl, err4 := os.ReadFile(s.dist("confitctl-linux-" + runtime.GOARCH))
	operations, err5 := readPage(filepath.Join(s.Source, operationsPath))
	plugin, err6 := os.ReadFile(s.dist("kubectl-confit-linux-" + runtime.GOARCH))
	database, err7 := s.contextOf("integration/e2e/images/database")
	if err = errors.Join(err, err1, err2, err3, err4, err5, err6, err7); err != nil {
		return "", err
	}
	move, script, locked := page.section(moveSection), page.section(scriptSection), page.section(lockedSection)
	for name, files := range map[string]imageContext{
		"web":        {move.first("links"), move.first("dockerfile")},
		"tls":        {locked.first("links"), move.first("dockerfile")},
		"script":     {"", "FROM " + pageImage + "\n" + script.first("dockerfile")},
		"fleet":      fleet,
		"prometheus": prometheus,
		"database":   database,
		"plugin":     {"", operations.section("Wait for the verdict").first("dockerfile")},
	} {
		dir := s.run(filepath.Join("contexts", name))
		err = errors.Join(err, os.MkdirAll(dir, 0o755),
			os.WriteFile(filepath.Join(dir, "confit"), confit, 0o755),
			os.WriteFile(filepath.Join(dir, "confitctl"), confitctl, 0o755),
			os.WriteFile(filepath.Join(dir, "kubectl-confit"), plugin, 0o755),
			os.WriteFile(filepath.Join(dir, "links"), []byte(files.links), 0o644),
			os.WriteFile(filepath.Join(dir, "Dockerfile"), []byte(files.dockerfile), 0o644))
	}
	return s.run("contexts"), err
}

// imageContext is what an image is built of, beside the programs.
type imageContext struct{ links, dockerfile string }

// contextOf is that of a directory. There is no network: the base image has the package that an example's Dockerfile installs.
func (s settings) contextOf(name string) (imageContext, error) {
	dir := filepath.Join(s.Source, name)
	links, err1 := os.ReadFile(filepath.Join(dir, "links"))
	dockerfile, err2 := os.ReadFile(filepath.Join(dir, "Dockerfile"))
	const install = "RUN apt-get update && apt-get install -y --no-install-recommends prometheus\n"
	return imageContext{string(links), strings.Replace(string(dockerfile), install, "", 1)}, errors.Join(err1, err2)
}

// buildBases makes what the images are made from, unless it is there.
func (p podman) buildBases() error {
	if err := os.MkdirAll(p.goCache(), 0o755); err != nil {
		return err
	}
	for _, name := range []string{"debian", "debian-postgres"} {
		if p.has("localhost/" + name) {
			continue
		}
		if err := p.do("import", "--quiet", p.rootfs(name), "localhost/"+name); err != nil {
			return err
		}
	}
	golang, err := p.goImage()
	if err != nil || p.has(golang) {
		return err
	}
	return p.build(image{golang, p.files("golang.Dockerfile"), p.GoRoot, nil})
}

// goCache is that of the Go in the image.
func (s settings) goCache() string { return filepath.Join(s.Cache, "go-build") }

func (s settings) files(name string) string {
	return filepath.Join(s.Source, "integration/e2e/images", name)
}

// goImage is the name of the base image with this Go.
func (p podman) goImage() (string, error) {
	version, err := output(p.ctx, p.Source, "go", "env", "GOVERSION")
	return "localhost/golang:" + version, err
}

func (p podman) has(image string) bool { return p.do("image", "exists", image) == nil }

// build keeps no layers: what isn't tagged would pile up.
func (p podman) build(i image) error {
	args := append([]string{"build", "--quiet", "--pull-never", "--network", "none", "--layers=false", "--force-rm"}, i.options...)
	return p.do(append(args, "--tag", i.name, "--file", i.file, i.context)...)
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
