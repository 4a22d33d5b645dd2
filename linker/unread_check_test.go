//go:build check

package linker

import "testing"

// TestUnread_each: each call of a start fails once with each error, and for three seconds and for ever with one of them in turn.
func TestUnread_each(t *testing.T) {
	for shape := range shapes {
		t.Run(shape, func(t *testing.T) {
			t.Parallel()
			u := newUnread(t, shape)
			for n := 1; n <= u.calls; n++ {
				for _, errno := range passing {
					u.fails(n, errno, once)
				}
				u.fails(n, passing[n%len(passing)], aWhile)
				u.fails(n, passing[(n+3)%len(passing)], forEver)
			}
			t.Logf("%d calls, %d starts", u.calls, u.runs)
		})
	}
}
