package config

import (
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"confit/linker"
)

// linksFiles reads the links files, which the command line names, or CONFIT_LINKS, or the default,
// and after them the lines of --lines or CONFIT_LINES.
func (p *parser) linksFiles(env, line []given) []given {
	c, text := p.config, ""
	for _, g := range strongest("lines", env, line) {
		if strings.TrimSpace(g.value) != "" {
			c.LinesFrom, text = g.where, text+g.value+"\n"
		}
	}
	names, named := []string{defaultLinks}, strongest("links", env, line)
	if named != nil {
		names = nil
	}
	for _, g := range named {
		names = append(names, g.value)
	}
	for _, name := range names {
		path, _ := filepath.Abs(name) // confit leaves its directory
		c.linksNames = append(c.linksNames, cmp.Or(path, name))
	}
	var list []given
	c.LinksRead = readLinksFiles(names, func(file string, text []byte) {
		c.LinkFiles = append(c.LinkFiles, file)
		list = append(list, p.linksFile(file, string(text))...)
	}, func(err error) {
		// the lines stand for the default file
		if named != nil || c.LinesFrom == "" || !errors.Is(err, fs.ErrNotExist) {
			p.wrong = append(p.wrong, err)
		}
	})
	return append(list, p.linksFile(c.LinesFrom, text)...)
}

// strongest are the values of a setting on the command line, or else in the environment: they don't
// add up.
func strongest(name string, env, line []given) (list []given) {
	for _, g := range append(line[:len(line):len(line)], env...) {
		if g.setting.name == name && (list == nil || list[0].where == g.where) {
			list = append(list, g)
		}
	}
	return list
}

// readLinksFiles reads and sums up each file that the names stand for.
func readLinksFiles(names []string, found func(file string, text []byte), wrong func(error)) LinksSum {
	h := sha256.New()
	for _, name := range names {
		files, err := expandDir(name)
		if err != nil {
			wrong(err)
		}
		for _, file := range files {
			if file != name && strings.HasSuffix(file, "~") {
				wrong(fmt.Errorf("%q is an editor's copy of a links file: remove it", file))
				continue
			}
			text, err := os.ReadFile(file)
			if err != nil {
				wrong(fmt.Errorf("cannot read links file %q: %w", file, linker.Reason(err)))
				continue
			}
			fmt.Fprintf(h, "%q %d\n", filepath.Base(file), len(text))
			h.Write(text)
			found(file, text)
		}
	}
	return LinksSum(h.Sum(nil))
}

// LinksNow is what LinksRead would be now, known unless a file is a pipe or can't be read. A file
// that was removed counts as a change.
func (c *Config) LinksNow() (sum LinksSum, known bool) {
	for _, name := range c.linksNames {
		info, err := os.Stat(name)
		if err == nil && !info.IsDir() && !info.Mode().IsRegular() {
			return sum, false
		}
	}
	known = true
	sum = readLinksFiles(c.linksNames, func(string, []byte) {},
		func(err error) { known = known && errors.Is(err, fs.ErrNotExist) })
	return sum, known
}

// expandDir lists the files of a directory in lexical order; a file stands for itself. It leaves
// out names that begin with a dot, as those of a mounted volume.
func expandDir(name string) (files []string, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("cannot read links file %q: %w; write one there, or name it with --links", name,
			linker.Reason(err))
	case err != nil:
		return nil, fmt.Errorf("cannot read links file %q: %w", name, linker.Reason(err))
	}
	for _, e := range entries {
		file := filepath.Join(name, e.Name())
		if strings.HasPrefix(e.Name(), ".") {
			continue
		}
		if info, err := os.Stat(file); err != nil || info.Mode().IsRegular() { // the reader says what can't be read
			files = append(files, file)
		}
	}
	return files, nil
}

// linksFile adds the links of a file to the configuration and returns its other lines.
func (p *parser) linksFile(name, text string) (list []given) {
	if strings.Contains(text[:min(len(text), 4)], "\x00") {
		p.errorf("%s: it begins as UTF-16 does: write it in UTF-8", name)
		return nil
	}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) { // a byte order mark, which editors put there
		number++
		line = strings.TrimRight(line, " \t\r\n") // a blank behind a \ can't be seen
		where := fmt.Sprintf("%s:%d", name, number)
		switch ws, err := words(line); {
		case err != nil:
			p.errorf("%s: %w", where, err)
		case p.endsEarly(line, ws):
			p.errorf(
				`%s: \n is two characters here, and ends no line: write each line in one of its own, as a block of YAML has it (|), or put quotes around it`, where)
		case len(ws) == 0:
		case slices.ContainsFunc(ws, func(w word) bool { return strings.Contains(w.bare, "{{") }):
			p.errorf(
				"%s: %q is of a template: have it rendered first, as by Helm, or put quotes around what is meant as it stands",
				where, line)
		case kindOf(ws[0].text) != nil:
			p.sourceLine(where, kindOf(ws[0].text), ws)
		default:
			list = append(list, p.settingLine(where, line, ws)...)
		}
	}
	return list
}

// endsEarly reports that somebody meant the two characters \n as the end of a line, as they are in
// quotes of YAML or JSON: they stand outside quotes, where they mean n; or in a comment, or in a
// line that begins with a quote, and behind them is a word that begins a line.
func (p *parser) endsEarly(line string, ws []word) bool {
	comment := line
	for _, w := range ws {
		if w.breaks {
			return true
		}
		comment = line[w.end:]
	}
	return p.followed(comment) || strings.IndexAny(line, `'"`) == 0 && p.followed(line)
}

// followed reports that a line begins somewhere behind the two characters \n.
func (p *parser) followed(text string) bool {
	pieces := strings.Split(text, `\n`)
	return slices.ContainsFunc(pieces[1:], func(piece string) bool {
		word, _, _ := strings.Cut(strings.TrimLeft(piece, " \t"), " ")
		word = strings.TrimPrefix(word, "--")
		return kindOf(word) != nil || p.settings.find(word) != nil
	})
}

// settingLine reads a line that is a flag's name and its value; none if it is wrong.
func (p *parser) settingLine(where, line string, ws []word) []given {
	name := strings.TrimPrefix(ws[0].text, "--")
	s := p.settings.find(name)
	switch {
	case s == nil:
		otherwise := "write link, input, env or a flag (confit --help lists the flags)"
		if name == "-" || strings.HasSuffix(name, ":") {
			otherwise = "this is no YAML, write words as in link web/nginx.conf /etc/nginx/nginx.conf"
		}
		p.errorf("%s: %q is not known: %s", where, ws[0].text, didYouMean(name, p.lineNames(), otherwise))
		return nil
	case s.notFile:
		p.errorf("%s: %q can't stand in a links file: write --%s on the command line", where, name, name)
		return nil
	case p.set[name] != "" && !s.repeat:
		p.errorf("%s: %q stands at %s already: remove one of the two", where, name, p.set[name])
		return nil
	}
	p.set[name] = where
	g := given{setting: s, where: where + ": " + name}
	switch values := ws[1:]; {
	case len(values) == 0 && s.bare():
		g.value = "true"
	case len(values) == 0:
		p.errorf("%s: %q has no value: write one after it", where, name)
		return nil
	case s.command(), s.takes == " D": // that of a time says how one is written
		g.value = line[values[0].start:values[len(values)-1].end]
	case len(values) > 1:
		p.errorf("%s: %q is one word too many: %q takes one, put quotes around it if it holds blanks", where,
			values[1].text, name)
		return nil
	case !p.isPlain(where, values[0]):
		return nil
	default:
		g.value = values[0].text
	}
	return []given{g}
}
