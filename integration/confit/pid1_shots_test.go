package confit

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

const shotRange = 12 * time.Millisecond // from exec to the app's first act, and beyond

// A signal at any moment after the exec of confit is forwarded; or lost, as the kernel does it with a PID 1 without a handler; or it
// ends confit with 2, as the Go runtime does it until main has subscribed. Once confit says that it has started, each is forwarded: of
// the shots every second waits for that. make check has a thousand shots: TestShots.
func TestShots_few(t *testing.T) { shoot(t, 60) }

func shoot(t *testing.T, shots int) {
	t.Parallel()
	s := newSetup(t)
	s.write(s.path("links"), "")
	codes := map[string]int{}
	var mu sync.Mutex
	var shooters sync.WaitGroup
	next := make(chan int)
	for range 4 {
		shooters.Go(func() {
			for i := range next {
				sig := []syscall.Signal{unix.SIGTERM, unix.SIGHUP, unix.SIGTERM, unix.SIGQUIT, unix.SIGTERM, unix.SIGINT}[i/2%6]
				outcome := s.shoot(i, sig, i%2 == 0, shotRange*time.Duration(i)/time.Duration(shots))
				mu.Lock()
				codes[outcome]++
				mu.Unlock()
			}
		})
	}
	for i := range shots {
		next <- i
	}
	close(next)
	shooters.Wait()
	t.Logf("%v", codes)
	if forwarded := codes["forwarded"]; forwarded+codes["lost"]+codes["too early"] != shots || forwarded < shots/2 {
		t.Errorf("%d shots: %v", shots, codes)
	}
}

// shoot sends one signal to a confit that was just started, or has said so, and returns what became of it.
func (s *setup) shoot(i int, sig syscall.Signal, started bool, after time.Duration) string {
	log, err := os.Create(s.path(fmt.Sprintf("log%d", i)))
	if err != nil {
		return err.Error()
	}
	defer log.Close()
	shot, err := harness.Command{
		Argv: []string{programs.shipped, "--links", s.path("links"), "--volumes", s.path("volumes"),
			"--state", s.path(fmt.Sprintf("state%d", i)), "--", "sleep", "7654321"},
		Bare: true, Stderr: log,
	}.Start() // it comes back when the exec is done
	if err != nil {
		return err.Error()
	}
	defer shot.Close()
	says := func() bool {
		text, _ := os.ReadFile(log.Name())
		return strings.Contains(string(text), "confit started")
	}
	if started {
		harness.Eventually(s.t, "confit has started", says)
	}
	<-time.After(after)
	_ = shot.Send(sig)
	lost := false
	for patient := time.After(harness.Patience); ; {
		select {
		case <-shot.Ended():
			switch code := shot.State().ExitCode(); {
			case code == 128+int(sig): // also where a busy machine took its time
				return "forwarded"
			case lost && code == 128+int(unix.SIGUSR1) && !started:
				return "lost"
			case code == 2 && !started: // by the second signal, too; it may say by another thread that it has started
				return "too early"
			default:
				return fmt.Sprintf("%v at %v: %v", sig, after, shot.State())
			}
		case <-time.After(2 * time.Second): // long enough to tell a signal that is lost from one that is on its way
			lost = true
			_ = shot.Send(unix.SIGUSR1)
		case <-patient:
			return fmt.Sprintf("%v at %v: no end", sig, after)
		}
	}
}
