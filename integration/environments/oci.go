package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"
)

// process is a container that runs as a child of this program.
type process struct {
	cmd  *exec.Cmd
	kill func(signal string) error
	over chan struct{}
	out  *tail
}

// tail keeps what was printed.
type tail struct {
	sync.Mutex
	bytes.Buffer
}

func (t *tail) Write(p []byte) (int, error) {
	t.Lock()
	defer t.Unlock()
	return t.Buffer.Write(p)
}

// begin starts a program whose end is the container's.
func begin(cmd *exec.Cmd, kill func(string) error) (container, error) {
	p := &process{cmd, kill, make(chan struct{}), &tail{}}
	cmd.Stdout, cmd.Stderr = p.out, p.out
	if err := cmd.Start(); err != nil {
		return nil, err
	}
	go func() { defer close(p.over); _ = cmd.Wait() }()
	return p, nil
}

func (p *process) signal(name string) error { return p.kill(name) }

func (p *process) ended() bool {
	select {
	case <-p.over:
		return true
	default:
		return false
	}
}

func (p *process) wait(patience time.Duration) (int, error) {
	select {
	case <-p.over:
		return p.cmd.ProcessState.ExitCode(), nil
	case <-time.After(patience):
		return 0, errors.New("the container doesn't end")
	}
}

func (p *process) log() string {
	p.out.Lock()
	defer p.out.Unlock()
	text := p.out.String()
	return strings.TrimSpace(text[max(0, len(text)-600):])
}

// byOCI runs containers by a runtime that takes a bundle of the OCI.
func byOCI(front ...string) func(*box) (container, error) {
	return func(b *box) (container, error) {
		root := filepath.Join(b.dir, "runtime")
		if err := os.MkdirAll(root, 0o700); err != nil {
			return nil, err
		}
		config, _ := json.MarshalIndent(bundle(b), "", " ")
		if err := os.WriteFile(filepath.Join(b.dir, "config.json"), config, 0o644); err != nil {
			return nil, err
		}
		all := append(slices.Clone(front), "--root", root)
		run := append(slices.Clone(all), "run", "--bundle", b.dir, b.name)
		kill := append(slices.Clone(all), "kill", b.name)
		return begin(exec.Command(run[0], run[1:]...), func(signal string) error { return command(kill[0], append(kill[1:], signal)...) })
	}
}

// as is an object of JSON.
type as map[string]any

var capabilities = []string{"CAP_CHOWN", "CAP_DAC_OVERRIDE", "CAP_FOWNER", "CAP_FSETID", "CAP_KILL", "CAP_SETGID", "CAP_SETUID", "CAP_SETPCAP",
	"CAP_NET_BIND_SERVICE", "CAP_SYS_CHROOT", "CAP_MKNOD", "CAP_AUDIT_WRITE", "CAP_SETFCAP"}

// bundle is the configuration of a container as a kubelet would have it: Docker's capabilities, namespaces of its own, a writable root.
func bundle(b *box) as {
	mounts := []as{
		{"destination": "/proc", "type": "proc", "source": "proc"},
		{"destination": "/dev", "type": "tmpfs", "source": "tmpfs", "options": []string{"nosuid", "mode=755", "size=65536k"}},
		{"destination": "/dev/shm", "type": "tmpfs", "source": "shm", "options": []string{"nosuid", "nodev", "mode=1777", "size=65536k"}},
	}
	for _, m := range b.mounts {
		how := "ro"
		if m.writable {
			how = "rw"
		}
		mounts = append(mounts, as{"destination": m.inside, "type": "bind", "source": m.host, "options": []string{"rbind", how}})
	}
	pids := as{"type": "pid"}
	if b.pids != "" {
		pids["path"] = b.pids
	}
	namespaces := []as{pids}
	for _, kind := range []string{"mount", "ipc", "uts", "network"} {
		namespaces = append(namespaces, as{"type": kind})
	}
	linux := as{"cgroupsPath": fmt.Sprint("/", b.name)}
	if b.memory > 0 {
		mounts = append(mounts, as{"destination": "/sys/fs/cgroup", "type": "cgroup", "source": "cgroup", "options": []string{"ro"}})
		namespaces = append(namespaces, as{"type": "cgroup"})
		linux["resources"] = as{"memory": as{"limit": b.memory}}
	}
	linux["namespaces"] = namespaces
	return as{
		"ociVersion": "1.0.2",
		"process": as{
			"user": as{"uid": 0, "gid": 0}, "args": b.args, "cwd": "/", "env": []string{"PATH=/bin:/"},
			"capabilities": as{"bounding": capabilities, "effective": capabilities, "permitted": capabilities},
		},
		"root":     as{"path": b.rootfs},
		"hostname": "pod",
		"mounts":   mounts,
		"linux":    linux,
	}
}
