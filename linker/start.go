package linker

// Open prepares the state directory, takes up the generation that a former
// confit on it accepted, and starts to watch. It refuses links that can't be, a
// state directory that it can't lock or can't trust, and removes what a killed
// confit left behind. Targets stay as they are.
func Open(c Config) (*Linker, error) {
	links, err := parseLinks(c)
	if err != nil {
		return nil, err
	}
	st, err := openState(c.State)
	if err != nil {
		return nil, err
	}
	l := &Linker{
		links: links, renders: c.Render, allowDisk: c.AllowDisk, sizeLimit: sizeLimit, space: c.Space, state: st,
		buffer: make([]byte, bufferSize), log: c.Log, grounds: st.grounds(), atomic: make([]string, len(links)),
		nested: map[string]bool{}, groups: map[uint32]bool{}, seen: never,
	}
	for i := range links {
		if links[i].rendered {
			l.rendered = append(l.rendered, i)
		} else {
			l.mounted = append(l.mounted, i)
		}
	}
	l.readMade()
	if err := l.takeUp(); err != nil {
		return nil, err
	}
	l.sweepTargets()
	l.watch = newWatcher(c.Log)
	l.opens.hints = make(chan struct{}, 1)
	return l, nil
}

// takeUp makes the stored generation the one to go back to. What the targets
// resolve to may be another, which was being proved when confit was killed.
func (l *Linker) takeUp() error {
	l.untrusted = l.readStored()
	l.readTrial()
	if l.live != nil {
		l.before = &published{number: l.live.Number, targets: l.live.targets}
	}
	return l.state.sweep(l.known())
}

// readMade takes up the list of the targets that a former confit made. One that
// can't be trusted is replaced: links into the live generation are known
// without it.
func (l *Linker) readMade() {
	var err error
	if l.made, err = l.state.readTargets(); err != nil {
		l.log.Warn("list of targets not trusted: it is made anew", "error", err)
		_ = l.state.writeTargets(l.made) // said again when it has to be written
	}
}

// Close removes all watches, and the record of a trial. It is for the end:
// nothing is a hint any more.
func (l *Linker) Close() {
	l.AbandonTrial()
	l.opens.unwatch()
	if w := l.watch; w.inotify != nil {
		for _, dir := range w.inotify.WatchList() {
			_ = w.inotify.Remove(dir)
		}
	}
}
