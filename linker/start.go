package linker

import (
	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/target"
	"confit/linker/volume"
	"confit/linker/watch"
)

// What to say of links files without a source.
const (
	nothingLinked = "nothing is linked: the app gets no key"
	firstLine     = "write a line such as link web/nginx.conf /etc/nginx/nginx.conf"
)

// Former is what a former confit left on the state directory.
type Former struct {
	Note
	Untrusted error // why not all of its note is trusted; nil: it is
	Killed    Trial // in which a former confit was killed
}

// Open prepares the state directory, takes up what a former confit left there, and removes what a killed one did. It refuses
// a state directory that it can't lock or trust. Targets stay as they are. An [*Invalid] is about keys that can never change.
func Open(c Config) (*Linker, *Former, error) {
	table := mounts.Read(c.Volumes, c.State, c.Pod)
	if err := table.Check(); err != nil {
		return nil, nil, err
	}
	st, err := statedir.Open(c.State)
	if err == nil {
		err = st.Through(c.View)
	}
	if err != nil {
		return nil, nil, err
	}
	if len(c.lines) == 0 {
		c.Log.Warn(nothingLinked, "todo", firstLine)
	}
	l := newLinker(c, st)
	l.mounts = table
	l.targets.ReadMade()
	former := &Former{}
	if err := l.resume(former); err != nil {
		return nil, nil, err
	}
	l.targets.Sweep(l.links)
	return l, former, nil
}

func newLinker(c Config, st *statedir.Dir) *Linker {
	copier := files.NewCopier(maxSize)
	return &Linker{
		config:      c,
		links:       c.lines,
		state:       st,
		copies:      &generation.Store{Copier: copier, Links: c.lines, State: st, Log: c.Log},
		generations: map[int]*generation.Copy{},
		reader:      volume.NewReader(copier, c.lines, st, c.AllowDisk),
		targets:     target.New(st, c.Log),
		watch:       watch.NewChanges(c.Log),
		opens:       watch.NewOpens(),
		log:         c.Log,
		ownDirs:     st.OwnDirs(),
	}
}

// resume takes up what a former confit left, and removes what nobody needs. If that was killed while it proved a generation,
// the targets resolve to another one than the accepted.
func (l *Linker) resume(f *Former) error {
	f.Note, f.Untrusted = l.readNote()
	f.Killed = readTrial(l.state)
	if l.state.SweepTries() {
		if f.Killed.Kills--; f.Killed.Kills <= 0 { // the try is likelier to have needed the memory
			f.Killed = Trial{}
		}
		l.RecordTrial(f.Killed)
	}
	l.former = generation.Copy{Generation: Generation{Number: l.state.LiveNumber()}, Targets: map[Target]target.Want{}}
	for path, dest := range l.targets.Made() {
		l.former.Targets[path] = target.Want{Dest: dest}
	}
	return l.state.Sweep(l.inUse(f.Ladder.Numbers()))
}

// Close ends all watches. No hint comes after it.
func (l *Linker) Close() {
	l.opens.Unwatch()
	l.watch.End()
}

// maxSize is how many bytes of keys a generation may hold.
const maxSize = 64 << 20
