package signals

import (
	"os"
	"strings"
	"unsafe"

	"golang.org/x/sys/unix"
)

// What stands in confit's environment is meant for the app, but the Go runtime
// and its libraries act on it, too: GODEBUG=gctrace=1 makes the runtime write to
// standard error, where PID 1 would wait for the reader of a full pipe,
// GOMEMLIMIT=512Mi, which it can't read, ends the program, FSNOTIFY_DEBUG and TZ
// are the libraries'. So the entry point lets each pointer of the environment
// point to an empty string. The strings are left as they are: they are what the
// kernel shows in /proc/PID/environ, and what is read here.

// Environ is the environment as this process was given it, byte for byte: the
// standard library's leaves out what stands in it twice, or is empty, and with
// the entry point it is empty.
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

// environAtEntry reads it where the kernel has put it: one string behind the
// other, as /proc/PID/environ needs them, too (create_elf_tables of
// fs/binfmt_elf.c). It doesn't need /proc.
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
