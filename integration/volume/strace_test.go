package volume_test

import (
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// traced are the calls that strace is to show: every one that takes a path, and those that change a file through its
// descriptor.
const traced = "trace=%file,write,pwrite64,writev,pwritev,pwritev2,ftruncate,fallocate,copy_file_range,sendfile,splice," +
	"fchmod,fchown,fsetxattr,fremovexattr,fsync,fdatasync,sync_file_range,syncfs,sync"

// reading are the calls among them that change nothing. Opening is one only when it doesn't ask for writing.
var reading = map[string]bool{
	"access": true, "chdir": true, "execve": true, "faccessat": true, "faccessat2": true, "getcwd": true, "lstat": true,
	"newfstatat": true, "readlink": true, "readlinkat": true, "stat": true, "statfs": true, "statx": true,
}

// call is one system call that changes, or tries to change, something in a volume.
type call struct {
	name  string
	words []string // arguments; paths are relative to the volume
	path  string   // the path that it changes: the last one among words
	errno string   // "" when it succeeded
}

func (c call) String() string {
	s := c.name + " " + strings.Join(c.words, " ")
	if c.errno != "" {
		s += " = " + c.errno
	}
	return s
}

// trace runs argv under strace and returns what it changed in dir, in order, with its exit status and output.
func trace(t *testing.T, dir string, stdin []byte, env []string, argv ...string) ([]call, int, string) {
	t.Helper()
	strace, err := exec.LookPath("strace")
	if err != nil {
		t.Fatalf("cannot trace system calls: %v (Debian: apt-get install strace)", err)
	}
	file := filepath.Join(t.TempDir(), "trace")
	argv = append([]string{strace, "-f", "-y", "-s", "4096", "-e", traced, "-e", "signal=none", "-o", file, "--"}, argv...)
	status, out := run(t, stdin, env, argv...)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatalf("cannot read the trace: %v\n%s", err, out)
	}
	if !strings.Contains(string(text), "execve(") {
		t.Fatalf("cannot trace %q: exit status %d\n%s%s", argv, status, out, text)
	}
	return changes(t, dir, string(text)), status, out
}

// changes parses a trace and keeps the calls that change something in dir.
func changes(t *testing.T, dir, text string) []call {
	t.Helper()
	var calls []call
	for _, line := range whole(strings.Split(text, "\n")) {
		name, args, result, ok := split(line)
		if !ok && !strings.Contains(line, dir) {
			continue // such as "???(": a thread that ended inside a call
		}
		if !ok {
			t.Fatalf("cannot parse the trace: %q", line)
		}
		if reading[name] || name == "openat" && !strings.Contains(line, "O_WRONLY") && !strings.Contains(line, "O_RDWR") {
			continue
		}
		c := call{name: name}
		for _, word := range resolve(name, args) {
			inside, ok := strings.CutPrefix(word, dir)
			if ok && (inside == "" || inside[0] == '/') {
				c.path = path.Join(".", inside)
				word = c.path
			}
			c.words = append(c.words, word)
		}
		if errno, failed := strings.CutPrefix(result, "-1 "); failed {
			c.errno, _, _ = strings.Cut(errno, " ")
		}
		if c.path != "" {
			calls = append(calls, c)
		}
	}
	return calls
}

var (
	unfinished = regexp.MustCompile(`^(\d+) +(.*) <unfinished \.\.\.>$`)
	resumed    = regexp.MustCompile(`^(\d+) +<\.\.\. \w+ resumed>(.*)$`)
	complete   = regexp.MustCompile(`^\d+ +(\w+\(.*)$`)
)

// whole puts calls together that strace shows in two halves because another thread made one meanwhile. The place of a call
// is where it began. Lines about exits and signals are left out.
func whole(lines []string) []string {
	var calls []string
	open := map[string]int{} // thread → index of its unfinished call
	for _, line := range lines {
		if m := unfinished.FindStringSubmatch(line); m != nil {
			open[m[1]] = len(calls)
			calls = append(calls, m[2])
		} else if m := resumed.FindStringSubmatch(line); m != nil {
			if at, ok := open[m[1]]; ok {
				calls[at] += m[2]
				delete(open, m[1])
			}
		} else if m := complete.FindStringSubmatch(line); m != nil {
			calls = append(calls, m[1])
		}
	}
	return calls
}

// split takes `name(arg, arg) = result` apart.
func split(line string) (name string, args []string, result string, ok bool) {
	name, rest, ok := strings.Cut(line, "(")
	if !ok {
		return "", nil, "", false
	}
	depth, quoted, start := 0, false, 0
	for i := 0; i < len(rest); i++ {
		switch c := rest[i]; {
		case quoted && c == '\\':
			i++
		case c == '"':
			quoted = !quoted
		case quoted:
		case depth == 0 && (c == ',' || c == ')'):
			args = append(args, strings.TrimSpace(rest[start:i]))
			start = i + 1
			if c == ')' {
				result, ok = strings.CutPrefix(strings.TrimSpace(rest[start:]), "= ")
				return name, args, result, ok
			}
		case strings.IndexByte("[{(", c) >= 0:
			depth++
		case strings.IndexByte("]})", c) >= 0:
			depth--
		}
	}
	return "", nil, "", false
}

// descriptor is a descriptor as strace -y shows it, with the path that it stands for.
var descriptor = regexp.MustCompile(`^(?:AT_FDCWD|\d+)<(.*)>$`)

// resolve makes one absolute path of a directory's descriptor and the name that follows it, and a path of a descriptor.
func resolve(name string, args []string) []string {
	var words []string
	takesPairs := strings.HasSuffix(strings.TrimSuffix(name, "2"), "at")
	for i := 0; i < len(args); i++ {
		m := descriptor.FindStringSubmatch(args[i])
		switch {
		case m == nil && !takesPairs && strings.HasPrefix(args[i], `"/`):
			words = append(words, path.Clean(strings.Trim(args[i], `"`)))
		case m == nil:
			words = append(words, args[i])
		case takesPairs && i+1 < len(args) && strings.HasPrefix(args[i+1], `"`):
			i++
			words = append(words, below(m[1], strings.Trim(args[i], `"`)))
		default:
			words = append(words, m[1])
		}
	}
	return words
}

// below resolves name as a call relative to dir does.
func below(dir, name string) string {
	if path.IsAbs(name) {
		return path.Clean(name)
	}
	return path.Join(dir, name)
}
