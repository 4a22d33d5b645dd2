//go:build check

package daemons

// Another init between confit and nginx waits for signals with sigtimedwait(2), and passes them on.
var tini = func() daemon {
	d := nginx
	d.name, d.app, d.stop = "tini", "tini -s -- "+d.app, 0
	return d
}()
