package main

import (
	"errors"
	"fmt"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"confit/integration/internal/harness"
)

// contender is a program that brings the changes of a volume to an app: what people would pick instead of confit, or a floor.
type contender struct {
	name  string
	slow  bool // it looks once a second or two, so few rounds must do
	files func(*bench) []string
	argv  func(*bench, *site) ([]string, error)
}

// floorGo is what a Go program needs at least.
var floorGo = contender{"Go floor: the same with SHA-256", false, (*bench).floorGo, (*bench).runFloorGo}

// contenders are in the order of the table. configmap-reload is missing: its module can't be fetched with a verified checksum.
var contenders = []contender{
	{"C floor: copy, rename, kill", false, (*bench).floorC, (*bench).runFloorC},
	floorGo,
	{"sh and inotifywait: kill", false, inotifywait, (*bench).runInotifywait},
	{"tini and prometheus-config-reloader: HTTP", true, (*bench).configReloader, (*bench).runConfigReloader},
	{"consul-template -exec: copy, kill", true, (*bench).consulTemplate, (*bench).runConsulTemplate},
}

func (b *bench) floorC() []string         { return []string{b.program("floor-c")} }
func (b *bench) floorGo() []string        { return []string{b.program("floor-go")} }
func (b *bench) consulTemplate() []string { return []string{b.program("consul-template")} }

func inotifywait(*bench) []string { return []string{"inotifywait"} }

func (b *bench) configReloader() []string {
	return []string{"tini", b.program("prometheus-config-reloader")}
}

// program is one that make bench builds beside this one.
func (b *bench) program(name string) string { return filepath.Join(b.peersDir, name) }

func (b *bench) app() []string { return []string{b.self, "role:app"} }

func (b *bench) runFloorC(s *site) ([]string, error) {
	return append([]string{b.program("floor-c"), s.volume(), s.path("state")}, b.app()...), nil
}

func (b *bench) runFloorGo(s *site) ([]string, error) {
	return append([]string{b.program("floor-go"), s.volume(), s.path("state")}, b.app()...), nil
}

// runInotifywait is what a page on the web says.
func (b *bench) runInotifywait(s *site) ([]string, error) {
	script := fmt.Sprintf(`exec 3<&0; %s <&3 & app=$!
inotifywait -qm -e moved_to --format %%f %s | while read name; do [ "$name" != ..data ] || kill -HUP $app; done`,
		strings.Join(b.app(), " "), s.volume())
	return []string{"sh", "-c", script}, nil
}

// runConfigReloader has the app reload by HTTP, as Prometheus does.
func (b *bench) runConfigReloader(s *site) ([]string, error) {
	address, err := freeAddress()
	if err != nil {
		return nil, err
	}
	script := fmt.Sprintf(`%s --listen-address= --watched-dir=%s --reload-url=http://%s/-/reload --log-level=error & exec %s role:webapp %s`,
		b.program("prometheus-config-reloader"), s.volume(), address, b.self, address)
	return []string{"tini", "--", "sh", "-c", script}, nil
}

// freeAddress is one of this machine where nobody listens yet.
func freeAddress() (string, error) {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	return l.Addr().String(), l.Close()
}

// runConsulTemplate renders each key into a file of its own, as confit links it.
func (b *bench) runConsulTemplate(s *site) ([]string, error) {
	argv := []string{b.program("consul-template"), "-log-level", "err"}
	for _, key := range s.names() {
		template := s.path(key + ".tpl")
		text := fmt.Sprintf("{{ file %q }}", filepath.Join(s.volume(), key))
		if err := os.WriteFile(template, []byte(text), 0o644); err != nil {
			return nil, err
		}
		argv = append(argv, "-template", template+":"+s.path(key+".out"))
	}
	// One word, or it runs a shell in between; and it may reload the app before that has a handler.
	script := fmt.Sprintf("#!/bin/sh\ntrap '' HUP\nexec %s\n", strings.Join(b.app(), " "))
	err := harness.WriteProgram(s.path("app"), []byte(script))
	return append(argv, "-exec", s.path("app"), "-exec-reload-signal", "SIGHUP"), err
}

// sizeOf is how many bytes programs put into an image.
func sizeOf(programs ...string) (sum float64, err error) {
	for _, name := range programs {
		path, lookErr := exec.LookPath(name)
		info, statErr := os.Stat(path)
		if err = errors.Join(err, lookErr, statErr); err == nil {
			sum += float64(info.Size())
		}
	}
	return sum, err
}

// weight is the memory of all processes of a box but the app, in KiB, and how long they have run.
type weight struct {
	rss, anon float64
	ran       time.Duration
}

func (x *box) weigh(app string) (w weight, err error) {
	for _, p := range x.Processes() {
		if strings.Contains(p.Command, app) && p.Inner != 1 {
			continue
		}
		kib, readErr := ofProcess(p.PID, "VmRSS", "RssAnon")
		if err = errors.Join(err, readErr); err != nil {
			return w, err
		}
		w.rss += float64(kib[0])
		w.anon += float64(kib[1])
		w.ran += ran(p.PID)
	}
	return w, nil
}

// ran is how long the threads of a process have been on a processor: the first field of schedstat, in nanoseconds.
func ran(pid int) (sum time.Duration) {
	threads, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/schedstat", pid))
	for _, path := range threads {
		text, _ := os.ReadFile(path) // a thread that has ended counts no more
		first, _, _ := strings.Cut(string(text), " ")
		n, _ := strconv.ParseInt(first, 10, 64)
		sum += time.Duration(n)
	}
	return sum
}
