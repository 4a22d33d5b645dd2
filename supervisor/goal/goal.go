// Package goal knows what the app shall have.
//
// It guarantees that
//   - all that is known leads to one goal, whatever happened before;
//   - what something stands against is the goal only where nothing else is left;
//   - after a stop, and without the linker, nothing is put in force any more.
//
// It says nothing, and starts nothing: the caller knows how to get there.
package goal

// Known is all that the goal depends on.
type Known struct {
	Mount    Mount
	Edition  Edition
	Below    bool // there is something below the edition
	Down     bool // the app is on an older edition, or all have ended it
	Fallback bool // there is one that was not tried
	App      App
	Stops    bool // confit is about to end
	Broken   bool // the linker's half has broken down
}

// Mount is what is known of what is mounted.
type Mount int

// What can be known of it.
const (
	Wanted   Mount = iota // nothing stands against it
	Bearable              // the app can be started on it if nothing else is left
	Refused
)

// Edition is what is known of the accepted generation that the app is on.
type Edition int

// What can be known of it.
const (
	None   Edition = iota // there is none
	Good                  // the app can be started on it
	Deadly                // the app has died of it too often
)

// App is what is known of the app.
type App int

// What can be known of it.
const (
	New  App = iota // it was never started in this container
	Gone            // it was
	Up
)

// Goal is what the app shall have.
type Goal int

// What that can be.
const (
	Nothing  Goal = iota // confit ends
	AsIs                 // what it has, which can't be gone back to
	Mounted              // what is mounted
	Accepted             // the edition that it is on
	Older                // what is below
	Newest               // the newest edition again: it lives nowhere
	Fallback             // what the image has
)

// Goal is the only place that decides it.
func (k Known) Goal() Goal {
	switch isDown := k.Edition == Deadly || k.Down; {
	case k.Stops:
		return Nothing
	case k.Broken:
		return k.withoutLinker()
	case k.Mount == Wanted:
		return Mounted
	case k.Edition == Good, k.Edition == Deadly && k.App == Up:
		return Accepted
	case k.App == Up:
		return AsIs
	case k.Edition == Deadly && k.Below:
		return Older
	case k.Edition == None && k.Fallback:
		return Fallback
	case isDown:
		return Newest
	case k.Mount == Bearable:
		return Mounted
	}
	return Nothing
}

// withoutLinker is the goal where nothing can be put in force.
func (k Known) withoutLinker() Goal {
	switch {
	case k.App == Up:
		return AsIs
	case k.App == Gone && k.Edition != None:
		return Accepted
	}
	return Nothing
}
