package process

import (
	"errors"
	"fmt"
	"io/fs"
	"testing"

	"golang.org/x/sys/unix"
)

func TestStartCode(t *testing.T) {
	t.Parallel()
	for _, tt := range []struct {
		err  error
		code int
	}{
		{fs.ErrNotExist, 127}, {unix.ENOENT, 127}, {unix.ENOTDIR, 127},
		{unix.EACCES, 126}, {unix.EPERM, 126}, {unix.ENOEXEC, 126}, {unix.ELOOP, 126}, {unix.E2BIG, 126},
		{unix.EAGAIN, 71}, {unix.ENOMEM, 71}, {unix.EMFILE, 71}, {unix.ENFILE, 71}, {unix.ETXTBSY, 71},
		{errors.New("anything else"), 126},
	} {
		for _, err := range []error{tt.err, &startError{"nginx", tt.err}, fmt.Errorf("again: %w", &startError{"nginx", tt.err})} {
			if code := StartCode(err); code != tt.code {
				t.Errorf("%v: code %d, want %d", err, code, tt.code)
			}
		}
	}
}
