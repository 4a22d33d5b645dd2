package verdict

import (
	"path"
	"strings"

	"confit/kubectl-confit/pods"
	"confit/status"
)

// view is what confit says of itself, as it is compared with what the API has.
type view struct {
	*status.Status
	volumesDir string
}

// volume finds what confit says of a mount; nil if it takes nothing of it.
func (v view) volume(m *pods.Mount) *status.Volume {
	for i := range v.Volumes {
		if path.Clean(v.Volumes[i].Path) == m.Path {
			return &v.Volumes[i]
		}
	}
	return nil
}

// isOld reports that a confit doesn't say yet which keys its lines take.
func isOld(vol *status.Volume) bool { return vol.Patterns == nil }

// prefixOf is where the keys of a volume stand among all keys.
func (v view) prefixOf(vol *status.Volume) string {
	if !isOld(vol) {
		return vol.Prefix
	}
	dir := path.Clean(vol.Path)
	if dir == v.volumesDir {
		return ""
	}
	return strings.TrimPrefix(strings.TrimPrefix(dir, v.volumesDir+"/"), "/")
}

// takes reports whether the lines take a key of a volume. Of an old confit only those are known that it has taken.
func (v view) takes(vol *status.Volume, key string) bool {
	if isOld(vol) {
		full := path.Join(v.prefixOf(vol), key)
		return v.Keys[full] != "" || v.mounted(full) != ""
	}
	for _, pattern := range vol.Patterns {
		dir, tree := strings.CutSuffix(pattern, "/")
		matches, _ := path.Match(pattern, key) // confit has refused what is no pattern
		switch {
		case tree && (dir == "." || strings.HasPrefix(key, dir+"/")), !tree && (matches || pattern == key):
			return true
		}
	}
	return false
}

// taken are the keys that confit has of a volume, by their paths in it: accepted, or mounted.
func (v view) taken(vol *status.Volume) map[string]bool {
	list := map[string]bool{}
	add := func(full string) {
		if !strings.HasPrefix(full, rendered) && v.owner(full) == vol {
			list[strings.TrimPrefix(strings.TrimPrefix(full, v.prefixOf(vol)), "/")] = true
		}
	}
	for full := range v.Keys {
		add(full)
	}
	if v.Mounted != nil {
		for full, sum := range v.Mounted.Keys {
			if sum != "" {
				add(full)
			}
		}
	}
	return list
}

// rendered is where files stand that are of no volume.
const rendered = ".rendered/"

// owner is the volume of a key: of several whose prefix fits the nearest.
func (v view) owner(full string) (owner *status.Volume) {
	longest := -1
	for i := range v.Volumes {
		prefix := v.prefixOf(&v.Volumes[i])
		if (prefix == "" || strings.HasPrefix(full, prefix+"/")) && len(prefix) > longest {
			owner, longest = &v.Volumes[i], len(prefix)
		}
	}
	return owner
}

// mounted is the sum of a key that is mounted: what differs from the accepted one, else that.
func (v view) mounted(full string) status.Sum {
	if v.Mounted != nil {
		if sum, differs := v.Mounted.Keys[full]; differs {
			return sum
		}
	}
	return status.Sum(v.Keys[full])
}

// stands reports that what is mounted is rejected.
func (v view) stands() bool {
	return v.Rejection != nil && v.Mounted != nil && v.PendingSince == "" && v.Rejection.Hash == v.Mounted.Hash && !v.hasAccepted()
}

func (v view) hasAccepted() bool {
	return v.Accepted != nil && v.Mounted != nil && v.Accepted.Hash == v.Mounted.Hash
}

// isDown reports that the app died of what is mounted, and that isn't rejected yet.
func (v view) isDown() bool {
	return v.GoneDown != nil && v.Mounted != nil && v.GoneDown.From.Hash == v.Mounted.Hash
}

func (v view) isLive() bool {
	return v.Live != nil && v.Mounted != nil && v.Live.Hash == v.Mounted.Hash
}
