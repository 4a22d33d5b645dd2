package linker

import (
	"bufio"
	"errors"
	"fmt"
	"log/slog"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// sizeLimit is how many bytes of keys a generation may hold.
const sizeLimit = 64 << 20

// never is the fingerprint of no look at all.
const never = "never"

// bufferSize is the size of the one buffer that all copies share, in bytes.
const bufferSize = 16 << 10

// Config is what a [Linker] is made of.
type Config struct {
	Links     []Link
	Volumes   string       // where relative sources live, absolute
	State     string       // the state directory, absolute
	AllowDisk bool         // keys of memory-backed volumes may be staged on disk
	Log       *slog.Logger // for what is worth a line but no decision, such as polling
}

// Linker stages, publishes and links. It belongs to one goroutine at a time.
type Linker struct {
	links     []source
	allowDisk bool
	sizeLimit int64
	state     *state
	watch     *watcher
	opens     opens
	buffer    []byte
	packer    *bufio.Writer
	log       *slog.Logger
	grounds   []string // what Owns looks for

	atomic  []string          // of each link, its volume once that was seen to be atomic
	nested  map[string]bool   // directories of plain volumes that once held ..data
	groups  map[uint32]bool   // whether copies can be given to a group, as far as it was tried
	seen    string            // fingerprint of the last look that was brought to an end
	made    map[string]string // targets that confit made, and what they point at
	linked  map[string]want   // the targets of what was put in force last, where links of ours have stood since
	live    *generation       // the accepted generation, nil before the first
	earlier *generation       // the newest one before it that has survived a start, nil if it has itself
	staged  *generation       // the candidate
	before  *published        // what Reject puts in force again; nil when that is in force

	volumes  []VolumeReport    // as the last look found them
	unmended map[string]string // what the last look could not mend, and why

	noted      []int // the generations that accepted.json names
	trial      trial // in which a former confit was killed
	proving    bool  // there is a trial of this confit's
	unrecorded bool  // that it could not be recorded was said

	untrusted error // why a generation that a former confit accepted isn't trusted
}

// generation is a complete copy of every linked key.
type generation struct {
	Generation
	files   map[string]file // by path in the generation
	targets map[string]want // by target
	print   string          // what the volumes looked like when it was read
	changes []Change        // against the accepted one

	stamps map[string]stamp // of its files, when this confit wrote them
	ended  int64            // the ctime of the last one, in nanoseconds

	survived bool // an app that was started on it has lived through its probation
}

// Generation names a generation.
type Generation struct {
	Number int
	Hash   Hash
	Dir    string // its directory, absolute
}

// Check reports everything that is wrong with the links themselves, without
// looking at a volume. The errors are joined.
func Check(c Config) error {
	_, err := parseLinks(c)
	return err
}

// Open prepares the state directory, takes up the generation that a former
// confit on it accepted, and starts to watch. It refuses links that can't be, a
// state directory that it can't lock or can't trust, and removes what a killed
// confit left behind. Targets stay as they are.
func Open(c Config) (*Linker, error) {
	links, err := parseLinks(c)
	if err != nil {
		return nil, err
	}
	st, err := openState(c.State)
	if err != nil {
		return nil, err
	}
	l := &Linker{
		links: links, allowDisk: c.AllowDisk, sizeLimit: sizeLimit, state: st,
		buffer: make([]byte, bufferSize), log: c.Log, grounds: st.grounds(), atomic: make([]string, len(links)),
		nested: map[string]bool{}, groups: map[uint32]bool{}, seen: never,
	}
	l.readMade()
	if err := l.takeUp(); err != nil {
		return nil, err
	}
	l.sweepTargets()
	l.watch = newWatcher(c.Log)
	l.opens.hints = make(chan struct{}, 1)
	return l, nil
}

// readMade takes up the list of the targets that a former confit made. One that
// can't be trusted is replaced: links into the live generation are known
// without it.
func (l *Linker) readMade() {
	var err error
	if l.made, err = l.state.readTargets(); err != nil {
		l.log.Warn("list of targets not trusted: it is made anew", "error", err)
		_ = l.state.writeTargets(l.made) // said again when it has to be written
	}
}

// takeUp makes the stored generation the one to go back to. What the targets
// resolve to may be another, which was being proved when confit was killed.
func (l *Linker) takeUp() error {
	l.untrusted = l.readStored()
	l.readTrial()
	if l.live != nil {
		l.before = &published{number: l.live.Number, targets: l.live.targets}
	}
	return l.state.sweep(l.known())
}

// Hints receives a value when something may have changed in a volume. It says
// no more than that: [Linker.Stage] finds out.
func (l *Linker) Hints() <-chan struct{} { return l.watch.hints }

// parseLinks works out every link and refuses those that can't live together.
func parseLinks(c Config) ([]source, error) {
	var links []source
	var wrong []error
	real := resolver{}
	for _, link := range c.Links {
		s, err := parseLink(link, c.Volumes)
		if err == nil {
			s.real = s.realTarget(real)
			err = s.checkPlace(c, real)
		}
		if err != nil {
			wrong = append(wrong, err)
			continue
		}
		links = append(links, s)
	}
	return links, errors.Join(append(wrong, checkPairs(links))...)
}

// checkPlace refuses a target that confit or the kubelet owns.
func (s *source) checkPlace(c Config, real resolver) error {
	for _, forbidden := range [][2]string{{"its own volume", s.floor}, {"the state directory", c.State}, {"the volumes", c.Volumes}} {
		what, dir := forbidden[0], forbidden[1]
		target := real.path(s.Target)
		if !s.single() {
			target = real.dir(s.Target)
		}
		if dir != "/" && inside(target, real.dir(dir)) {
			return s.errorf("target %q is inside %s %q: write a path outside of it", s.Target, what, dir)
		}
	}
	return nil
}

// inside reports whether path is dir or below it.
func inside(path, dir string) bool {
	return path == dir || dir == "/" || (strings.HasPrefix(path, dir) && path[len(dir)] == '/')
}

// resolver remembers what directories really are, so that many links below one
// ask the file system once.
type resolver map[string]string

// path follows the links in the part of a path that exists, but for the last
// element: /var/run/x is /run/x on most systems.
func (r resolver) path(path string) string {
	dir, name := filepath.Dir(path), filepath.Base(path)
	if dir == path {
		return path
	}
	if r[dir] == "" {
		real, err := filepath.EvalSymlinks(dir)
		if err != nil {
			real = r.path(dir)
		}
		r[dir] = real
	}
	return filepath.Join(r[dir], name)
}

// dir is a directory's real path: unlike path it follows the last element, too.
func (r resolver) dir(path string) string { return filepath.Dir(r.path(filepath.Join(path, "x"))) }

// sortedKeys lists a map's keys in order.
func sortedKeys[V any](m map[string]V) []string {
	return slices.Sorted(maps.Keys(m))
}

// onDiskError refuses to write what lives in memory to a disk.
type onDiskError struct{ volume, state string }

func (e *onDiskError) Error() string {
	return fmt.Sprintf("cannot stage volume %q on disk: it is memory-backed and state directory %q is not\n%s\n"+
		"or accept it with --allow-disk", e.volume, e.state, mountHint(e.state, "{medium: Memory}"))
}

// mountHint shows the volume to mount for the state directory.
func mountHint(path, medium string) string {
	return fmt.Sprintf("mount a volume there:\n"+
		"  volumeMounts: [{name: confit, mountPath: %s}]\n"+
		"  volumes:      [{name: confit, emptyDir: %s}]", path, medium)
}
