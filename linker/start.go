package linker

// What to say of links files without a source.
const (
	nothingLinked = "nothing is linked: the app gets no key"
	firstLine     = "write a line such as link web/nginx.conf /etc/nginx/nginx.conf"
)

// Open prepares the state directory, takes up the generation that a former
// confit accepted there, and starts to watch. It removes what a killed confit
// left behind. It refuses links that can't be made, and a state directory that
// it can't lock or trust. Targets stay as they are. An [*Invalid] is about keys
// that can never change.
func Open(c Config) (*Linker, error) {
	links, err := c.sources()
	if err != nil {
		return nil, err
	}
	mounts := readMountTable(c)
	if err := mounts.check(); err != nil {
		return nil, err
	}
	st, err := openState(c.State)
	if err != nil {
		return nil, err
	}
	if len(links) == 0 {
		c.Log.Warn(nothingLinked, "todo", firstLine)
	}
	l := newLinker(c, links, st)
	l.mounts = mounts
	l.targets.readMade()
	if err := l.resume(); err != nil {
		return nil, err
	}
	l.targets.sweep(links)
	return l, nil
}

func newLinker(c Config, links []source, st *state) *Linker {
	copier := &copier{maxSize: maxSize, buffer: make([]byte, bufferSize)}
	l := &Linker{
		links:    links,
		mount:    c.Volumes,
		fallback: c.Fallback,
		renders:  c.Render,
		space:    c.Space,
		state:    st,
		reader: reader{
			copier: copier, links: links, state: st, allowDisk: c.AllowDisk,
			atomic: make([]string, len(links)), nested: map[string]bool{}, groups: map[uint32]bool{},
		},
		copies:  copies{copier: copier, links: links, state: st, log: c.Log},
		targets: targets{state: st, log: c.Log},
		trials:  trials{state: st, log: c.Log},
		watch:   newWatcher(c.Log),
		opens:   opens{hints: make(chan struct{}, 1)},
		log:     c.Log,
		ownDirs: st.ownDirs(),
		seen:    never,
	}
	for i := range links {
		if links[i].rendered {
			l.rendered = append(l.rendered, i)
		} else {
			l.reader.mounted = append(l.reader.mounted, i)
		}
	}
	return l
}

// resume makes the stored generation the one to go back to. The targets may
// resolve to another one, if confit was killed while it proved that.
func (l *Linker) resume() error {
	l.untrusted = l.readStored()
	l.trials.read()
	if l.accepted != nil {
		l.previous = &previous{number: l.accepted.Number, targets: l.accepted.targets}
	}
	return l.state.sweep(l.needed())
}

// Close ends all watches and the trial. No hint comes after it.
func (l *Linker) Close() {
	l.AbandonTrial()
	l.opens.unwatch()
	if w := l.watch; w.inotify != nil {
		for _, dir := range w.inotify.WatchList() {
			_ = w.inotify.Remove(dir)
		}
	}
}
