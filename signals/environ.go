package signals

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// Confit's environment is meant for the app, but the Go runtime and its
// libraries act on it, too. GODEBUG=gctrace=1 makes the runtime write to standard
// error, where PID 1 would wait for the reader of a full pipe. GOMEMLIMIT=512Mi,
// which the runtime can't read, ends the program. FSNOTIFY_DEBUG and TZ are for the
// libraries. So the entry point lets the first pointer of the environment point to
// GOMAXPROCS=1, and each other one to an empty string. The strings themselves stay:
// the kernel shows them in /proc/PID/environ, and Environ reads them.
//
// This is here, and not in package process, as only the entry point knows where
// they are.

// Environ is the environment that this process was given, byte for byte.
// os.Environ leaves out entries that are empty or repeat a name, and with the
// entry point it shows what the runtime sees.
func Environ() []string {
	if entered == 1 {
		return environAtEntry()
	}
	text, err := os.ReadFile("/proc/self/environ")
	if err != nil {
		return os.Environ()
	}
	if len(text) == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(string(text), "\x00"), "\x00")
}

// environAtEntry needs no /proc: the kernel has put the strings one behind the
// other (create_elf_tables of fs/binfmt_elf.c).
func environAtEntry() []string {
	var list []string
	at := environAt
	for range environCount {
		kv := unix.BytePtrToString(at)
		list = append(list, kv)
		at = (*byte)(unsafe.Add(unsafe.Pointer(at), len(kv)+1))
	}
	return list
}
