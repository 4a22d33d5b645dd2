package linker

import (
	"errors"
	"fmt"
	"log/slog"

	"golang.org/x/sys/unix"

	"confit/linker/files"
	"confit/linker/generation"
	"confit/linker/mounts"
	"confit/linker/statedir"
	"confit/linker/target"
)

// Former is what a former confit left on the state directory.
type Former struct {
	Note
	Untrusted error // why not all of its note is trusted; nil: it is
	Killed    Trial // in which a former confit was killed

	targets error // why its list of targets isn't trusted
}

// Open prepares the state directory, takes up what a former confit left there, and removes what a
// killed one did. It refuses a state directory that it can't lock or trust. Targets stay as they
// are. An [*Invalid] is about keys that can never change.
func Open(c Config) (*Linker, *Former, error) {
	table := mounts.Read(c.Volumes, c.State, c.Pod)
	if err := table.Check(); err != nil {
		return nil, nil, err
	}
	st, err := statedir.Open(c.State)
	if err != nil {
		return nil, nil, err
	}
	if err = st.Through(c.View); err == nil {
		err = checkSystem(st, c.Log)
	}
	if err != nil {
		st.Close()
		return nil, nil, err
	}
	if len(c.lines) == 0 {
		c.Log.Warn(nothingLinked, "todo", firstLine)
	}
	l := newLinker(c, st)
	l.mounts = table
	former, err := l.resume()
	if err != nil {
		st.Close()
		return nil, nil, err
	}
	l.targets.Sweep(l.links)
	return l, former, nil
}

// checkSystem refuses a state directory whose file system keeps no modes, as vfat: others could
// read the copy of a Secret. On a network it warns: where the server of an NFS 4 has stopped,
// process 1 can't give back its lock, and no KILL ends the container.
func checkSystem(st *statedir.Dir, log *slog.Logger) error {
	if lock, err := files.Raw(st.Lock.Fd()).Stat(); err == nil && lock.Mode&0o777 != 0o600 {
		return statedir.Unusable(st.Path, errors.New("its file system keeps no modes"))
	}
	var system unix.Statfs_t
	if unix.Fstatfs(int(st.Top.Raw()), &system) == nil && files.OnNetwork(system) {
		log.Warn("state directory is on a network: when its server stops, the container may not end",
			"directory", st.Path, "todo", "mount an emptyDir there")
	}
	return nil
}

// resume takes up what a former confit left, and removes what nobody needs. If that was killed
// while it proved a generation, the targets resolve to another one than the accepted.
func (l *Linker) resume() (*Former, error) {
	f, err := l.readFormer()
	if err != nil {
		l.log.Warn("state directory can't be read now: the app waits for it", "error", err)
	}
	for err != nil && l.config.Again != nil && l.config.Again() {
		f, err = l.readFormer()
	}
	l.former = generation.Stored{Targets: map[Target]target.Want{}}
	l.former.Number = l.state.LiveNumber()
	for path, dest := range l.targets.Made() {
		l.former.Targets[path] = target.Want{Dest: dest}
	}
	if err != nil {
		l.unread = fmt.Errorf("cannot read what a former confit left: %w", err)
		f.Unread, f.Untrusted = l.unread, nil
		return f, l.state.Keep()
	}
	if f.targets != nil {
		l.log.Warn("list of targets not trusted: a new one is written", "error", f.targets)
		l.targets.WriteMade()
	}
	l.sweepTries(f)
	return f, l.state.Sweep(l.inUse(f.Ladder.Numbers()))
}

// readFormer reads all that a former confit left. The error says what can't be read now; all the
// rest is read.
func (l *Linker) readFormer() (*Former, error) {
	l.noted = nil
	clear(l.generations)
	f := &Former{}
	var trial error
	f.Note, f.Untrusted = l.readNote()
	f.Killed, trial = readTrial(l.state)
	l.lastNote, l.lastTrial = &f.Note, f.Killed
	f.targets = l.targets.ReadMade()
	for _, err := range []error{f.Untrusted, trial, f.targets} {
		if files.MayPass(err) {
			return f, err
		}
	}
	return f, nil
}

// sweepTries removes what tries have left that were killed, as confit was: they are likelier to
// have needed the memory.
func (l *Linker) sweepTries(f *Former) {
	if !l.state.SweepTries() {
		return
	}
	f.Killed.Kills--
	if f.Killed.Kills <= 0 {
		f.Killed = Trial{}
	}
	l.RecordTrial(f.Killed)
}
