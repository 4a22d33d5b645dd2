//go:build check

package watchers

import (
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
)

// service is an app that reads its configuration and shows its text to whoever asks at the address.
type service struct {
	name string
	// app is the command line in front of the configuration's path and the address, arguments follow them.
	app, arguments []string
	// prepare provides what the app needs and isn't Debian's; nil: nothing.
	prepare func(t *testing.T)
}

// The box shows what was built and installed at /srv/programs.
var (
	viper         = service{name: "viper", app: []string{"/srv/programs/viper"}}
	fsnotify      = service{name: "fsnotify", app: []string{"/srv/programs/fsnotify"}}
	watchdog      = service{name: "watchdog", app: []string{"/usr/bin/python3", "/srv/testdata/watchdog_service.py"}}
	chokidar      = service{name: "chokidar", app: []string{"node", "/srv/programs/chokidar/service.js"}, prepare: installChokidar}
	chokidarOfKey = service{name: "chokidar_on_the_file", app: chokidar.app, arguments: []string{"file"}, prepare: installChokidar}
	deaf          = service{name: "deaf", app: []string{"/usr/bin/python3", "/srv/testdata/deaf_service.py"}}
)

var chokidarOnce sync.Once

// installChokidar has npm install the versions that testdata names, beside the other programs.
func installChokidar(t *testing.T) {
	t.Helper()
	dir := filepath.Join(programs.dir, "chokidar")
	chokidarOnce.Do(func() {
		must(t, os.CopyFS(dir, os.DirFS("testdata/chokidar")))
		cmd := exec.Command("npm", "ci", "--no-audit", "--no-fund", "--ignore-scripts")
		cmd.Dir = dir
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("cannot install chokidar: %v\n%s", err, out)
		}
	})
	if _, err := os.Stat(filepath.Join(dir, "node_modules/chokidar")); err != nil {
		t.Fatal(err)
	}
}
