package config

import (
	"slices"
	"strings"

	"confit/integration/answers"
)

// wrong is a value that a flag can't have.
type wrong struct {
	kind  answers.Kind
	value string
	right string // what the answer has to hold of a right one
	at    string // the place, if it isn't where the flag stands
	codes []int
}

// Most are found while the command line is read, with 64. What --check finds of volumes and programs ends with 78, and what --install and
// --try find with 71.
var inPlan, inDeed = []int{78}, []int{71}

// wrongValues are those of a flag, by what it takes.
var wrongValues = map[string][]wrong{
	"": {{kind: answers.Type, value: "perhaps", right: "true or false"}, {kind: answers.Value, value: "2", right: "true or false"}},
	" D": {
		{kind: answers.Type, value: "soon", right: "10s"}, {kind: answers.Type, value: "10", right: "10s"},
		{kind: answers.Value, value: "-1s", right: "at least"}, {kind: answers.Value, value: "100001h", right: "at most"},
	},
	" CMD": {
		{kind: answers.Type, value: " ", right: "a program"}, {kind: answers.Type, value: "true && true", right: "sh -c"},
		{kind: answers.Value, value: "no-such-program", right: "no-such-program", codes: inPlan},
		{kind: answers.Value, value: "test -e {candidte}/web/a", right: "{candidate}"},
		{kind: answers.Value, value: "test -e {candidate}/etc/a", right: "input etc/a", codes: inPlan},
	},
	" ACTION": {
		{kind: answers.Type, value: "HUP", right: "signal:HUP"}, {kind: answers.Type, value: "5s", right: "restart"},
		{kind: answers.Value, value: "restrat", right: "restart"}, {kind: answers.Value, value: "signal:KILL", right: "TERM"},
		{kind: answers.Value, value: "signal:HPU", right: "HUP"}, {kind: answers.Value, value: "exec:no-such-program", right: "no-such-program", codes: inPlan},
		{kind: answers.Value, value: "exec:", right: "exec:COMMAND"},
	},
	" NAME": {
		{kind: answers.Type, value: "10s", right: "TERM"}, {kind: answers.Value, value: "QIUT", right: "TERM"},
		{kind: answers.Value, value: "KILL", right: "TERM"}, {kind: answers.Value, value: "65", right: "64"},
	},
	" FROM:TO": {{kind: answers.Type, value: "15", right: "FROM:TO"}, {kind: answers.Value, value: "300:301"}},
	" FORMAT":  {{kind: answers.Type, value: "true", right: "json, text"}, {kind: answers.Value, value: "jsno", right: "json"}},
	" LEVEL":   {{kind: answers.Type, value: "3", right: "warn"}, {kind: answers.Value, value: "wran", right: "warn"}},
	"[=FORMAT]": {
		{kind: answers.Type, value: "perhaps", right: "json or text"}, {kind: answers.Value, value: "xml", right: "json or text"},
	},
	" TEXT": {
		{kind: answers.Type, value: "/etc/confit/links", right: "link"}, {kind: answers.Value, value: "lnik web/a /etc/b", right: "link"},
	},
	" DIR=TO": {
		{kind: answers.Type, value: "/etc/nginx", right: "/etc/nginx=/seed/etc/nginx"}, {kind: answers.Value, value: "etc=seed", right: "DIR=TO"},
		{kind: answers.Value, value: "/=/seed", right: "/etc/nginx"}, {kind: answers.Value, value: "/etc=/etc/seed", right: "another volume"},
	},
	" DIR|-": {
		{kind: answers.Type, value: "", right: "a directory"}, {kind: answers.Type, value: "HERE/volumes/file", right: "directory", at: "HERE/volumes/file", codes: inDeed},
		{kind: answers.Value, value: "HERE/none", right: "DIR/VOLUME/KEY", at: "HERE/none"},
	},
	" FILE": nil, // those of each flag differ
	" DIR":  nil,
}

// wrongPlaces are values of flags that name a directory or a file.
var wrongPlaces = map[string][]wrong{
	"links": {
		{kind: answers.Type, value: "link", at: `links file "link"`, right: "--links"}, {kind: answers.Value, value: "/nowhere", at: `"/nowhere"`, right: "--links"},
	},
	"install": {
		{kind: answers.Type, value: "/etc/", at: `"/etc"`, right: `"/etc/confit"`, codes: inDeed}, {kind: answers.Value, value: "/nowhere/confit", at: "/nowhere/confit", codes: inDeed},
	},
	"volumes": {
		{kind: answers.Type, value: "", right: "a directory"}, {kind: answers.Type, value: "HERE/volumes/file", at: "HERE/volumes/file/web", right: "subPath", codes: inPlan},
		{kind: answers.Value, value: "/nowhere", at: "/nowhere/web", right: "optional", codes: inPlan},
	},
	"fallback": {
		{kind: answers.Type, value: "HERE/volumes/file", at: "HERE/volumes/file", codes: inPlan}, {kind: answers.Value, value: "HERE/volumes", at: `fallback "HERE/volumes"`, right: "a directory"},
	},
	"state": {
		{kind: answers.Type, value: "", right: "a directory"}, {kind: answers.Value, value: "HERE/volumes/file", at: "HERE/volumes/file", codes: inPlan},
	},
	"view": nil, // the runtime makes the mount: whatever is there may come with it
}

// instead are the flags that say what to do: --check would contradict them.
var instead = []string{"try", "bake", "install", "seed", "status", "version", "help"}

// flags makes the mistakes of each flag.
func (m *maker) flags() {
	for _, s := range settingsOf(new(Config)) {
		m.misspelt(s)
		m.misplaced(s)
		values, known := wrongValues[s.takes]
		if !known {
			m.t.Errorf("no wrong value is known of what takes %q, as --%s", s.takes, s.name)
		}
		if values == nil {
			if values, known = wrongPlaces[s.name]; !known {
				m.t.Errorf("no wrong value is known of --%s", s.name)
			}
		}
		for _, w := range values {
			m.valued(s, w)
		}
	}
}

// misspelt makes a mistake of the name in each place.
func (m *maker) misspelt(s *setting) {
	about := "--" + s.name
	m.make(attempt{args: []string{"--" + slip(s.name), "x"}}, answers.Mistake{About: about, Kind: answers.Spelling, At: "--" + slip(s.name), Right: "did you mean " + about})
	if !s.notEnv {
		name := prefix + slip(strings.TrimPrefix(variable(s.name), prefix))
		m.make(attempt{environ: []string{name + "=x"}}, answers.Mistake{About: about, Kind: answers.Spelling, At: name, Right: "did you mean " + variable(s.name)})
	}
	if !s.notFile {
		m.make(attempt{lines: slip(s.name) + " x"}, answers.Mistake{About: about, Kind: answers.Spelling, At: inLinks, Right: "did you mean " + s.name})
		m.make(attempt{lines: s.name + ": x"}, answers.Mistake{About: about, Kind: answers.Spelling, At: inLinks, Right: "did you mean " + s.name})
	}
}

// misplaced makes mistakes of the place.
func (m *maker) misplaced(s *setting) {
	about := answers.Mistake{About: "--" + s.name, Kind: answers.Place, At: inLinks, Right: s.name}
	switch {
	case s.notFile:
		m.make(attempt{lines: s.name + " x"}, about)
	case !s.bare() && !s.repeat:
		right := s.name + " " + samples[s.name][0]
		m.make(attempt{lines: right + "\n" + right}, with(about, func(a *answers.Mistake) { a.At = "HERE/links:3: " }))
		m.make(attempt{lines: s.name}, about)
	}
	if s.notEnv {
		m.make(attempt{environ: []string{variable(s.name) + "=x"}}, with(about, func(a *answers.Mistake) { a.At = variable(s.name) }))
	}
	switch {
	case s.name == "help", s.name == "version": // what follows does no harm
	case s.name == "optional": // goes with --bake alone
		m.make(attempt{args: []string{"--bake", "--optional", "true", "app"}, alone: true}, with(about, func(a *answers.Mistake) { a.At, a.Right = "--optional", "--optional=true" }))
	case s.bare():
		m.make(attempt{args: []string{"--" + s.name, "true", "app"}, alone: true}, with(about, func(a *answers.Mistake) { a.At, a.Right = "--"+s.name, "--"+s.name+"=true" }))
	default:
		m.make(attempt{args: []string{"--" + s.name}}, with(about, func(a *answers.Mistake) { a.At, a.Right = "--"+s.name, "write --FLAG VALUE" }))
	}
	if !s.notFile && s.name != "reload" { // which is an option, too
		m.make(attempt{lines: "link web/a HERE/etc/b " + s.name + "=x"}, with(about, func(a *answers.Mistake) { a.Right = "write " + s.name + " in a line of its own" }))
	}
}

// valued gives a flag a wrong value on the command line, in the environment and in the links file.
func (m *maker) valued(s *setting, w wrong) {
	about := answers.Mistake{About: "--" + s.name, Kind: w.kind, Right: w.right, Codes: w.codes}
	alone := slices.Contains(instead, s.name)
	where := []string{"--" + s.name}
	runs := []attempt{{args: []string{"--" + s.name + "=" + w.value}, alone: alone}}
	if !s.notEnv && w.value != "" {
		where = append(where, variable(s.name))
		runs = append(runs, attempt{environ: []string{variable(s.name) + "=" + w.value}, alone: alone})
	}
	if text := w.value; !s.notFile && strings.TrimSpace(text) != "" {
		if !s.command() && s.takes != " D" {
			text = JoinWords([]string{text})
		}
		where = append(where, inLinks+s.name)
		runs = append(runs, attempt{lines: s.name + " " + text})
	}
	if slices.Contains([]string{"links", "volumes", "state"}, s.name) { // the command line of each run has one
		where, runs = where[:1], runs[:1]
	}
	first := len(m.list)
	for i, r := range runs {
		about.At = where[i]
		if w.at != "" {
			about.At = w.at
		}
		m.make(r, about)
		last := &m.list[len(m.list)-1]
		last.Again = i > 0 && strings.ReplaceAll(last.Answer, where[i], where[0]) == m.list[first].Answer
	}
}

// with is a mistake with something else.
func with(m answers.Mistake, change func(*answers.Mistake)) answers.Mistake {
	change(&m)
	return m
}
