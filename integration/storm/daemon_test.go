//go:build check

package storm

import (
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
	"time"

	"golang.org/x/sys/unix"
)

// crowd is how many orphans the daemon leaves at once.
const crowd = 100

// daemon is the app: it reads its configuration at the start and at HUP, says what it read in a file, and dies of what is deadly, at once or late. USR1
// makes it leave orphans. Its arguments are the file, and those that it reads.
func daemon() int {
	caught := make(chan os.Signal, 1024)
	signal.Notify(caught, unix.SIGHUP, unix.SIGTERM, unix.SIGUSR1, unix.SIGUSR2, unix.SIGWINCH)
	for {
		text := readAll(os.Args[2:])
		if strings.Contains(text, string(deadly)) || say(os.Args[1], text) != nil {
			return deadlyCode
		}
		if code, ends := serve(caught, text); ends {
			return code
		}
	}
}

// lateness is longer than a probation, and shorter than an app has to live until what it was started on has soaked.
const lateness = 600 * time.Millisecond

// serve goes on until HUP, or the daemon's end.
func serve(caught <-chan os.Signal, text string) (code int, ends bool) {
	var dies <-chan time.Time
	if strings.Contains(text, string(late)) {
		dies = time.After(lateness)
	}
	for {
		select {
		case <-dies:
			return deadlyCode, true
		case sig := <-caught:
			switch sig {
			case unix.SIGHUP:
				return 0, false
			case unix.SIGTERM:
				return 0, true
			case unix.SIGUSR1:
				orphans := fmt.Sprintf(`for i in $(seq %d); do (sleep 0.0$i & ); done`, crowd)
				_ = exec.Command("sh", "-c", orphans).Run()
			}
		}
	}
}

// deadlyCode is what the app ends with when it can't live on a configuration.
const deadlyCode = 3

func readAll(paths []string) string {
	var words []string
	for _, path := range paths {
		text, err := os.ReadFile(path)
		if err != nil {
			return err.Error()
		}
		words = append(words, strings.TrimSpace(string(text)))
	}
	return strings.Join(words, " ")
}

// say replaces the file in one rename.
func say(path, text string) error {
	temporary := filepath.Join(filepath.Dir(path), ".said")
	if err := os.WriteFile(temporary, []byte(text), 0o644); err != nil {
		return err
	}
	return os.Rename(temporary, path)
}

// renderer joins the volumes' texts in one file. validator reads that. The gate and the report keep books, of what was asked and told.
const (
	renderer = `cd "$CONFIT_CANDIDATE" || exit 1
read a <a/one; read b <b/one; read c <c/one
case "$a $b $c" in *-broken*) echo cannot render; exit 1 ;; esac
echo "$a $b $c" >"$CONFIT_RENDERED/all"
`
	validator = `read all <"$CONFIT_CANDIDATE/.rendered/all"
case $all in
*-refused*) echo refused; exit 1 ;;
*-hanging*) exec sleep 1000 ;;
esac
`
	gate = `echo "$CONFIT_HASH" >>asked
[ ! -e ` + closed + ` ]
`
	report = `[ ! -e ` + deaf + ` ] && echo "$CONFIT_HASH" >>told
`
)
