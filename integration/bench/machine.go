package main

import (
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"golang.org/x/sys/unix"
)

// machine is the line above the table: the figures of two machines, or of a busy one, can't be compared.
func (b *bench) machine() string {
	var uts unix.Utsname
	_ = unix.Uname(&uts) // can't fail with a valid pointer
	load, _ := os.ReadFile("/proc/loadavg")
	busy, _, _ := strings.Cut(string(load), " ")
	version, err := exec.Command(b.confit, "--version").Output()
	if err != nil {
		version = []byte("confit?")
	}
	return fmt.Sprintf("%s on %d cores (%s), Linux %s, load %s, measured by %s",
		strings.TrimSpace(string(version)), runtime.NumCPU(), processor(), unix.ByteSliceToString(uts.Release[:]), busy, runtime.Version())
}

// processor is the model that the kernel reports; not every architecture has one.
func processor() string {
	info, _ := os.ReadFile("/proc/cpuinfo")
	for line := range strings.Lines(string(info)) {
		if name, model, found := strings.Cut(line, ":"); found && strings.TrimSpace(name) == "model name" {
			return strings.TrimSpace(model)
		}
	}
	return runtime.GOARCH
}
