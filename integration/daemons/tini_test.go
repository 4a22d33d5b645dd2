//go:build check

package daemons

// An init between confit and nginx hands signals on.
func behind(init, command string) daemon {
	d := nginx
	d.name, d.app, d.stop = init, command+" "+d.app, 0
	return d
}
