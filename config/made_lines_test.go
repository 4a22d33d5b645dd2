package config

import (
	"maps"
	"slices"
	"strings"

	"confit/integration/answers"
)

// operands are right ones of each line, as somebody writes them.
var operands = map[string]string{"link": "web/a HERE/etc/b", "input": "web/a", "env": "web/a LEVEL"}

// wrongOperands are those that a line can't have.
var wrongOperands = map[string][]wrong{
	"link": {
		{kind: answers.Type, value: "web/a"}, {kind: answers.Type, value: "web/a HERE/etc/b HERE/etc/c"},
		{kind: answers.Place, value: "HERE/etc/b web/a", right: "link web/a HERE/etc/b"},
		{kind: answers.Value, value: "../a HERE/etc/b", right: "VOLUME/KEY"}, {kind: answers.Value, value: "web/a etc/b", right: "from / on"},
		{kind: answers.Value, value: "web/a HERE/etc/", right: `"HERE/etc/a"`}, {kind: answers.Value, value: "web/* HERE/etc/b", right: `"HERE/etc/b/"`},
		{kind: answers.Value, value: "web/{a,b} HERE/etc/", right: `"web/a"`}, {kind: answers.Value, value: "web/$A HERE/etc/b", right: "quotes"},
		{kind: answers.Value, value: "web HERE/etc/b", right: `"web/"`, codes: inPlan},
		{kind: answers.Value, value: "wbe/a HERE/etc/b", right: `did you mean "web"`, codes: inPlan}, {kind: answers.Value, value: "web/A HERE/etc/b", right: `did you mean "a"`, codes: inPlan},
		{kind: answers.Value, value: "web/a HERE/etc/a", right: "a target of its own"}, {kind: answers.Value, value: "web/a HERE/etc/a/b", right: "outside"},
		{kind: answers.Value, value: "web/a HERE/volumes/web/b", right: "outside"}, {kind: answers.Value, value: "{rendered}/b HERE/etc/b", right: "render COMMAND"},
	},
	"input": {
		{kind: answers.Type, value: ""}, {kind: answers.Type, value: "web/a HERE/etc/b"},
		{kind: answers.Value, value: "../a", right: "VOLUME/KEY"}, {kind: answers.Value, value: "web/b", right: "optional", codes: inPlan},
	},
	"env": {
		{kind: answers.Type, value: "web/a"}, {kind: answers.Type, value: "web/a LEVEL debug"}, {kind: answers.Place, value: "LEVEL web/a", right: "env web/a LEVEL"},
		{kind: answers.Value, value: "web/a A=B", right: "LOG_LEVEL"}, {kind: answers.Value, value: "web/a CONFIT_STATE", right: "another name"},
		{kind: answers.Value, value: "web/a A_*", right: "web/a/"}, {kind: answers.Value, value: "web/ LEVEL", right: "APP_*"}, {kind: answers.Value, value: "LEVEL debug", right: "VOLUME/KEY", codes: inPlan},
	},
}

// wrongOptions are the mistakes of each option, of one that has a value of the part behind =.
var wrongOptions = map[string][]wrong{
	"optional":       {{kind: answers.Type, value: "optional=yes", right: "optional"}},
	"direct":         {{kind: answers.Type, value: "direct=yes", right: "direct"}},
	"local":          {{kind: answers.Type, value: "local=yes", right: "local"}},
	"reload=restart": {{kind: answers.Value, value: "reload=signal:HUP", right: "restart"}, {kind: answers.Value, value: "reload=touch", right: "restart"}},
	"reload=none":    {{kind: answers.Type, value: "reload=false", right: "none"}, {kind: answers.Type, value: "reload", right: "reload=none"}},
	"reload=ACTION": {
		{kind: answers.Type, value: "reload=HUP", right: "signal:HUP"}, {kind: answers.Type, value: "reload", right: "reload=ACTION"},
		{kind: answers.Value, value: "reload=restrat", right: "restart"}, {kind: answers.Value, value: "reload=signal:KILL", right: "TERM"},
		{kind: answers.Place, value: "reload=none reload=restart", right: "remove one"}, {kind: answers.Value, value: "reload=exec:nginx -s reload", right: "quotes"},
		{kind: answers.Value, value: "reload=exec:no-such-program", right: "no-such-program", codes: inPlan},
	},
	"mode=MODE": {
		{kind: answers.Type, value: "mode=rw", right: "0644"}, {kind: answers.Type, value: "mode", right: "mode=MODE"}, {kind: answers.Type, value: "mode 0644", right: "mode=MODE"},
		{kind: answers.Value, value: "mode=0999", right: "0644"}, {kind: answers.Value, value: "mode=4755", right: "0777"}, {kind: answers.Place, value: "mode=0644 mode=0600", right: "0644"},
		{kind: answers.Value, value: "mode=0644 direct", right: "defaultMode"},
	},
}

// namedKind is a kind of lines, and the word that they begin with.
type namedKind struct {
	*lineKind
	name string
}

// lines makes the mistakes of each line that names a source, and of each of its options.
func (m *maker) lines() {
	all := map[string]bool{}
	for _, kind := range sourceLines {
		for _, option := range kind.options {
			all[option] = true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(sourceLines)) {
		kind := &namedKind{sourceLines[name], name}
		about := answers.Mistake{About: kind.name, At: inLinks}
		right := kind.name + " " + operands[kind.name]
		m.make(attempt{lines: slip(kind.name) + " " + operands[kind.name]}, with(about, spelt("did you mean "+kind.name)))
		m.make(attempt{lines: strings.ToUpper(kind.name) + " " + operands[kind.name]}, with(about, spelt("did you mean "+kind.name)))
		m.elsewhere(kind)
		if wrongOperands[kind.name] == nil {
			m.t.Errorf("no wrong operands are known of %s", kind.name)
		}
		for _, w := range wrongOperands[kind.name] {
			m.make(attempt{lines: strings.TrimSpace(kind.name + " " + w.value)}, with(about, w.in))
		}
		for option := range all {
			m.option(kind, right, option)
		}
	}
}

// elsewhere writes a line as a flag, and as a variable.
func (m *maker) elsewhere(kind *namedKind) {
	about := answers.Mistake{About: kind.name, Kind: answers.Place, Right: "links file"}
	m.make(attempt{args: []string{"--" + kind.name, "web/a"}}, with(about, func(a *answers.Mistake) { a.At = "--" + kind.name }))
	m.make(attempt{environ: []string{variable(kind.name) + "=web/a"}}, with(about, func(a *answers.Mistake) { a.At = variable(kind.name) }))
}

// option makes the mistakes of an option, which a line may have or not.
func (m *maker) option(kind *namedKind, right, option string) {
	name, _, _ := strings.Cut(option, "=")
	about := answers.Mistake{About: kind.name + " … " + option, At: inLinks}
	written := strings.NewReplacer("ACTION", "restart", "MODE", "0644").Replace(option)
	mine := false
	for _, own := range kind.options {
		mine = mine || own == option
	}
	if !mine {
		if !strings.HasPrefix(option, "reload=") { // all lines have one
			m.make(attempt{lines: right + " " + written}, with(about, func(a *answers.Mistake) { a.Kind, a.Right = answers.Place, kind.options[0] }))
		}
		return
	}
	hint := "did you mean " + name
	if name != option {
		hint = option // all are listed
	}
	m.make(attempt{lines: right + " " + strings.Replace(written, name, slip(name), 1)}, with(about, spelt(hint)))
	m.make(attempt{lines: kind.name + " " + written + strings.TrimPrefix(right, kind.name)}, with(about, func(a *answers.Mistake) { a.Kind, a.Right = answers.Place, "end of a line" }))
	if name != "reload" { // which is a setting, too
		m.make(attempt{lines: written}, with(about, func(a *answers.Mistake) { a.Kind, a.Right = answers.Place, "end of a line" }))
	}
	if wrongOptions[option] == nil {
		m.t.Errorf("no wrong value is known of the option %s", option)
	}
	for _, w := range wrongOptions[option] {
		m.make(attempt{lines: right + " " + w.value}, with(about, w.in))
	}
}

func spelt(right string) func(*answers.Mistake) {
	return func(m *answers.Mistake) { m.Kind, m.Right = answers.Spelling, right }
}

func (w wrong) in(m *answers.Mistake) { m.Kind, m.Right, m.Codes = w.kind, w.right, w.codes }
