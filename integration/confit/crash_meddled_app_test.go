package confit

import (
	"fmt"
	"os"
	"os/signal"
	"strings"
	"time"

	"golang.org/x/sys/unix"

	"confit/integration/internal/harness"
)

// answers is a part: an app that reads its arguments at its start and at HUP, and dies of what is bad. At USR1 it answers the question in a
// file of that name with what it reads now, on the socket.
func answers() int {
	caught := make(chan os.Signal, 64)
	signal.Notify(caught, unix.SIGHUP, unix.SIGUSR1, unix.SIGTERM)
	_ = os.WriteFile("pid", fmt.Append(nil, os.Getpid()), 0o644)
	if os.Remove("back") == nil {
		waitIn("goes back")
	}
	text, err := readOne(os.Args[1:])
	fmt.Printf("read %q %v\n", text, err)
	if strings.HasSuffix(text, "bad") {
		_ = os.WriteFile("back", nil, 0o644)
	}
	if err != nil || strings.HasSuffix(text, "bad") {
		return 3
	}
	tell("READY=1")
	for sig := range caught {
		text, err := readOne(os.Args[1:])
		fmt.Printf("signal %v, read %q %v\n", sig, text, err)
		switch sig {
		case unix.SIGTERM:
			waitIn("publishes")
			return 0
		case unix.SIGHUP:
			tell("READY=1")
		case unix.SIGUSR1:
			question, _ := os.ReadFile("question")
			if err != nil {
				text = err.Error()
			}
			_ = send(nil, fmt.Sprintf("STATUS=%s: %s", question, text))
		}
	}
	return 0
}

// readOne reads files that hold the same.
func readOne(paths []string) (string, error) {
	var texts []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return "", err
		}
		texts = append(texts, string(text))
	}
	if texts[0] != texts[len(texts)-1] {
		return "", fmt.Errorf("not the same: %q", texts)
	}
	return texts[0], nil
}

// waitIn waits in a moment that the test holds.
func waitIn(m string) {
	if exists("hold." + m) {
		_ = os.WriteFile("held."+m, nil, 0o644)
	}
	for exists("hold." + m) {
		<-time.After(10 * harness.PollInterval)
	}
}

// tell sends a message as soon as the socket is there.
func tell(text string) {
	for over := time.Now().Add(harness.Patience); send(nil, text) != nil && time.Now().Before(over); {
		<-time.After(10 * harness.PollInterval)
	}
}
