package main

import (
	"context"
	_ "embed"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"runtime"
	"strings"
	"syscall"
	"time"

	"confit/integration/internal/harness"
)

// What the container and its volume start with. The second is in the language of the links file, see README.md.
var (
	//go:embed nginx.conf
	firstConf string
	//go:embed links
	links string
)

// limit is how long the whole demo may take, also beside other tests.
const limit = time.Minute

// stage builds the container, plays the acts in it, and ends it whatever became of them.
func stage(confit string) error {
	runtime.LockOSThread() // as in isolate
	syscall.Umask(0o022)
	ctx, cancel := signal.NotifyContext(context.Background(), endings...)
	defer cancel()
	timed, cancel := context.WithTimeoutCause(ctx, limit, fmt.Errorf("it took longer than %v", limit))
	defer cancel()
	err := perform(timed, confit)
	if ctx.Err() != nil {
		return errInterrupted
	}
	return err
}

func perform(ctx context.Context, confit string) error {
	began := time.Now()
	version, err := nginxVersion()
	if err != nil {
		return err
	}
	i, err := openImage(confit)
	if err != nil {
		return err
	}
	if err := harness.RaiseLoopback(); err != nil {
		return err
	}
	s := &show{screen: newScreen(), ctx: ctx, image: i}
	if err := s.play(version); err != nil {
		return err
	}
	fmt.Println()
	s.print(green, fmt.Sprintf("All of it came true, in %.1f s. Nothing is left behind.", time.Since(began).Seconds()))
	return nil
}

// nginxVersion finds nginx on the PATH or, as that of an ordinary user may lack it, in /usr/sbin.
func nginxVersion() (string, error) {
	if err := os.Setenv("PATH", os.Getenv("PATH")+":/usr/sbin:/sbin"); err != nil {
		return "", err
	}
	out, err := exec.Command("nginx", "-v").CombinedOutput()
	if errors.Is(err, exec.ErrNotFound) {
		return "", errors.New("cannot find nginx: install it first: apt-get install nginx-light")
	}
	if err != nil {
		return "", fmt.Errorf("cannot run nginx -v: %w: %s", err, out)
	}
	return strings.TrimSpace(strings.TrimPrefix(string(out), "nginx version: ")), nil
}
