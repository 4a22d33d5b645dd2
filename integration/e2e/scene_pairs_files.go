package main

import (
	"errors"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// seenFile is what a container sees of a file.
type seenFile struct{ kind, mode, owner, content string }

// followed are the files that become links to confit's copies, and copied the directories that hold them, which an init
// container fills.
var (
	followed = []string{"/etc/app/a.conf", "/etc/nginx/b.conf", "/scratch/b.conf", "/etc/app/data/deep.conf"}
	copied   = regexp.MustCompile("^/etc/(app$|nginx(/|$))")
)

// files are those that a container sees where something may be mounted. Links count as what they lead to; the kubelet's
// own names, of which each volume has others, don't count.
func (s *injected) files(pod string) (map[string]seenFile, error) {
	const list = `find -L /etc/app /etc/nginx /scratch /srv -name '..*' -prune -o -print 2>/dev/null | sort | while read -r f; do
		stat -Lc '%n|%F|%a|%u:%g' "$f" | tr -d '\n'; if [ -f "$f" ]; then echo "|$(cksum <"$f")"; else echo '|'; fi; done`
	text, err := s.kubectl("exec", pod, "-c", "app", "--", "sh", "-c", list)
	if err != nil {
		return nil, err
	}
	found := map[string]seenFile{}
	for line := range strings.Lines(text) {
		f := strings.Split(strings.TrimSpace(line), "|")
		if len(f) != 5 {
			return nil, fmt.Errorf("pod %s: %q", pod, line)
		}
		found[strings.Replace(f[0], "/"+pod, "/POD", 1)] = seenFile{f[1], f[2], f[3], f[4]}
	}
	return found, nil
}

// alike holds that a rewritten container sees what the plain one does. Nobody may write to confit's copies of keys.
// What else is copied for another user than root belongs to that user, and has no write bits.
func alike(plain, rewritten map[string]seenFile, root bool) error {
	var wrong []error
	paths := slices.Concat(slices.Collect(maps.Keys(plain)), slices.Collect(maps.Keys(rewritten)))
	slices.Sort(paths)
	for _, path := range slices.Compact(paths) {
		p, r := plain[path], rewritten[path]
		switch {
		case slices.Contains(followed, path):
			p = p.readOnly()
		case !root && copied.MatchString(path):
			p, r = p.readOnly(), r.readOnly()
		}
		if !root && (slices.Contains(followed, path) || copied.MatchString(path)) {
			p.owner, r.owner = "", ""
		}
		if p != r {
			wrong = append(wrong, fmt.Errorf("%s is %v, and was %v", path, r, p))
		}
	}
	if len(plain) == 0 {
		wrong = append(wrong, errors.New("there are no files"))
	}
	return errors.Join(wrong...)
}

// readOnly is the file without write bits.
func (f seenFile) readOnly() seenFile {
	if mode, err := strconv.ParseUint(f.mode, 8, 32); err == nil {
		f.mode = strconv.FormatUint(mode&^0o222, 8)
	}
	return f
}
