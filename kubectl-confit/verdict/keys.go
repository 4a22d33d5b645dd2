package verdict

import (
	"cmp"
	"path"
	"slices"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// held is a key as the API has it.
type held struct {
	sum    status.Sum
	object pods.Object
}

// comparison is what came of comparing a container with the API.
type comparison struct {
	keys       []Key
	old        bool           // some volume is an old confit's: keys may be missing here
	missing    []pods.Missing // why the kubelet can't bring a volume as the API has it
	frozen     []pods.Object  // immutable ones that differ
	unreadable []pods.Object  // asked about, and nobody could read them
}

// compare lists each key that the container's lines take of the objects that are asked about.
func compare(c *pods.Container, v view, have Objects, only []pods.Object) (r comparison) {
	for i := range c.Mounts {
		m := &c.Mounts[i]
		vol := v.volume(m)
		if m.SubPath || vol == nil || !asked(m, only) {
			continue
		}
		r.old = r.old || isOld(vol)
		r.volume(m, vol, v, have, only)
	}
	slices.SortFunc(r.keys, func(a, b Key) int { return cmp.Or(cmp.Compare(a.Volume, b.Volume), cmp.Compare(a.Path, b.Path)) })
	return r
}

// asked reports whether a volume has something of what is asked about.
func asked(m *pods.Mount, only []pods.Object) bool {
	return len(only) == 0 || slices.ContainsFunc(m.Sources, func(s pods.Source) bool { return slices.Contains(only, s.Object) })
}

func (r *comparison) volume(m *pods.Mount, vol *status.Volume, v view, have Objects, only []pods.Object) {
	all, readable := r.holdings(m, have, only)
	files, missing := pods.Lay(*m, all)
	for _, miss := range missing {
		if _, known := have[miss.Object]; known {
			r.missing = append(r.missing, miss)
		}
	}
	for key, h := range files {
		if v.takes(vol, key) && (len(only) == 0 || slices.Contains(only, h.object)) {
			r.add(m, vol, v, key, h)
			if last := &r.keys[len(r.keys)-1]; last.State == Behind && have[h.object].Immutable {
				r.frozen = append(r.frozen, h.object)
			}
		}
	}
	if !readable {
		return // what isn't in files may be another object's
	}
	for key := range v.taken(vol) {
		if _, there := files[key]; !there && v.takes(vol, key) && !slices.Contains(m.Others, key) {
			r.add(m, vol, v, key, held{})
		}
	}
}

// holdings are the objects of a volume that the API has, and whether all could be asked for.
func (r *comparison) holdings(m *pods.Mount, have Objects, only []pods.Object) (all map[pods.Object]map[string]held, readable bool) {
	all, readable = map[pods.Object]map[string]held{}, true
	for _, s := range m.Sources {
		d, known := have[s.Object]
		if readable = readable && known; !known && (len(only) == 0 || slices.Contains(only, s.Object)) {
			r.unreadable = append(r.unreadable, s.Object)
		}
		if d == nil {
			continue
		}
		keys := make(map[string]held, len(d.Sums))
		for key, sum := range d.Sums {
			keys[key] = held{sum, s.Object}
		}
		all[s.Object] = keys
	}
	return all, readable
}

// add adds a key. One that the API has no more has no sum.
func (r *comparison) add(m *pods.Mount, vol *status.Volume, v view, key string, h held) {
	full := path.Join(v.prefixOf(vol), key)
	k := Key{Volume: m.Path, Path: key, State: v.state(full, h.sum), Gone: h.sum == ""}
	switch {
	case !k.Gone:
		k.Object = h.object.String()
	case len(m.Sources) == 1:
		k.Object = m.Sources[0].String()
	}
	r.keys = append(r.keys, k)
}

// state is what became of one key.
func (v view) state(full string, want status.Sum) State {
	switch {
	case status.Sum(v.Keys[full]) == want:
		return Accepted
	case v.mounted(full) != want:
		return Behind
	case v.stands() && v.Rejection.Step == "gate":
		return Gated
	case v.stands():
		return Rejected
	case v.isLive():
		return Live
	}
	return OnItsWay
}

// all reports whether each key is in a state, and there is one.
func (r *comparison) all(s State) bool {
	return len(r.keys) > 0 && !slices.ContainsFunc(r.keys, func(k Key) bool { return k.State != s })
}

// has reports whether a key is in a state.
func (r *comparison) has(s State) bool {
	return slices.ContainsFunc(r.keys, func(k Key) bool { return k.State == s })
}
