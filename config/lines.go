package config

import (
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"

	"confit/linker"
	"confit/signals"
)

// lineKind is a kind of line that names a source.
type lineKind struct {
	use     linker.Use
	needs   string   // the error when a word is missing
	options []string // those that may follow
	reload  *Action  // what a change asks for unless the line says it; nil: --reload
}

// sourceLines are the lines that name a source, by their first word.
var sourceLines = map[string]*lineKind{
	"link": {
		use:     linker.Linked,
		needs:   "a link needs a source and a target: write link web/nginx.conf /etc/nginx/nginx.conf",
		options: []string{"optional", "direct", "local", "reload=ACTION", "mode=MODE"},
	},
	"input": {
		use: linker.Input, needs: "an input needs a source: write input web/nginx.conf.template",
		options: []string{"optional", "local", "reload=ACTION"}, reload: &Action{Kind: None},
	},
	"env": {
		use:     linker.Variable,
		needs:   "a variable needs a source and a name: write env app/LOG_LEVEL LOG_LEVEL",
		options: []string{"optional", "local", "reload=restart", "reload=none"}, reload: &Action{Kind: Restart},
	},
}

// isOption reports whether a word is an option of a line.
func isOption(word string) bool {
	return slices.Contains(sourceLines["link"].options, word) || strings.HasPrefix(word, "reload=") ||
		strings.HasPrefix(word, "mode=")
}

// lineNames are the words that a line may begin with.
func (p *parser) lineNames() (list []string) {
	for _, s := range p.settings {
		if !s.notFile {
			list = append(list, s.name)
		}
	}
	return append(list, slices.Sorted(maps.Keys(sourceLines))...)
}

// behind says where an option belongs.
const behind = "%s: %q is an option: write it at the end of a line that names a source"

// sourceLine reads link SOURCE TARGET, input SOURCE or env SOURCE NAME, and the options that
// follow.
func (p *parser) sourceLine(where string, ws []word) {
	name := ws[0].text
	kind := sourceLines[name]
	l := Link{Link: linker.Link{Use: kind.use, Where: where}, Reload: kind.reload}
	operands := []*string{&l.Source}
	switch kind.use {
	case linker.Linked:
		operands = append(operands, (*string)(&l.Target))
	case linker.Variable:
		operands = append(operands, &l.Name)
	}
	ws = ws[1:]
	if len(ws) < len(operands) {
		p.errorf("%s: %s", where, kind.needs)
		return
	}
	if isOption(ws[0].text) {
		p.errorf(behind, where, ws[0].text)
		return
	}
	for i, operand := range operands {
		p.isPlain(where, ws[i]) // the line is looked at further
		*operand = ws[i].text
	}
	before := len(p.wrong)
	for _, w := range ws[len(operands):] {
		if len(p.wrong) == before { // behind a wrong one all may belong to it
			p.sourceOption(where, name, &l, w.text)
		}
	}
	p.config.Links = append(p.config.Links, l)
}

// sourceOption reads an option of a line that begins with a name.
func (p *parser) sourceOption(where, name string, l *Link, option string) {
	kind := sourceLines[name]
	key, value, assigns := strings.Cut(option, "=")
	switch {
	case option == "optional":
		l.Optional = true
	case option == "local":
		l.Local = true
	case option == "direct" && l.Use == linker.Linked:
		l.Direct = true
	case key == "mode" && assigns && l.Use == linker.Linked:
		mode, err := strconv.ParseUint(value, 8, 32)
		if err != nil || mode < 0o400 || mode > 0o777 || l.Mode != 0 {
			p.errorf(
				"%s: %q isn't the one mode of this line: write an octal number from 0400 to 0777, such as mode=0644",
				where, option)
			return
		}
		l.Mode = fs.FileMode(mode)
	case key == "reload" && assigns && l.Reload != kind.reload:
		p.errorf("%s: %q is the second reload of this line: remove one of the two", where, option)
	case key == "reload" && assigns:
		a, err := parseSourceAction(l.Use, value)
		if err != nil {
			p.errorf("%s: reload: %w", where, err)
			return
		}
		l.Reload = &a
	case l.Reload != nil && l.Reload.Kind == Exec:
		p.errorf("%s: %q comes after a command: put quotes around the whole of reload=exec:COMMAND", where, option)
	case p.settings.find(key) != nil && key != "reload" && key != "optional":
		p.errorf("%s: %q is not an option of %s: write %s in a line of its own", where, option, name, key)
	case strings.Contains(option, "/"):
		p.errorf("%s: %q is one word too many: %s", where, option, kind.needs)
	default:
		p.errorf("%s: %q is not an option of %s: %s", where, option, name,
			didYouMean(option, kind.options, "write one of "+strings.Join(kind.options, ", ")))
	}
}

// parseSourceAction reads an action. Only a restart brings a new variable to the app.
func parseSourceAction(use linker.Use, value string) (Action, error) {
	a, err := ParseAction(value)
	if err == nil && use == linker.Variable && a.Kind != None && a.Kind != Restart {
		err = fmt.Errorf(
			"%q brings no variable to a running app: write restart, or none to have it count from the next start on",
			value)
	}
	if err == nil && use == linker.Input && a.Kind == Touch {
		err = fmt.Errorf("%q makes a new link, and an input has none: write restart, signal:NAME, exec:COMMAND or none",
			value)
	}
	return a, err
}

// checkReloads refuses to reload by the signal that ends the app, and to touch a link to a whole
// directory: a new link doesn't tell which keys have changed, and no watch inside the directory
// notices it.
func (p *parser) checkReloads() {
	for _, l := range p.config.Links {
		a := p.config.ActionOf(&l)
		if a.Kind == Signal && !a.Auto && a.Signal == p.config.StopSignal {
			where := l.Where
			if l.Reload == nil {
				where = p.config.places["reload"]
			}
			p.errorf(
				"%s: %s is the stop signal, not one to reload by: write restart, or the signal by which the app reads its files again",
				where, signals.Name(a.Signal))
			return // other lines most likely have it from the same setting
		}
		if a.Kind == Touch && l.WholeDirectory() {
			p.errorf(
				`%s: target %q is one link to a whole directory, which can't be touched: write %q, which links each key`, l.Where, l.Target, l.Target+"/")
		}
	}
}
