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
	c := p.config
	lines := ""
	for _, g := range strongest("lines", env, line) {
		if strings.TrimSpace(g.value) != "" {
			c.LinesFrom = g.where
			lines += g.value + "\n"
		}
	}
	var names []string
	for _, g := range strongest("links", env, line) {
		names = append(names, g.value)
	}
	isNamed := names != nil
	if !isNamed {
		names = []string{defaultLinks}
	}
	for _, name := range names {
		path, _ := filepath.Abs(name) // confit leaves its directory
		c.linksNames = append(c.linksNames, cmp.Or(path, name))
	}
	files, unread := readLinksFiles(names)
	c.LinksRead = sumOf(files)
	for _, err := range unread {
		// the lines stand for the default file
		if isNamed || c.LinesFrom == "" || !errors.Is(err, fs.ErrNotExist) {
			p.wrong = append(p.wrong, err)
		}
	}
	var list []given
	for _, f := range files {
		c.LinkFiles = append(c.LinkFiles, f.name)
		list = append(list, p.linksFile(f.name, f.text)...)
	}
	return append(list, p.linksFile(c.LinesFrom, lines)...)
}

// strongest are the values of a setting on the command line, or else in the environment: they don't
// add up.
func strongest(name string, env, line []given) (list []given) {
	for _, source := range [][]given{line, env} {
		for _, g := range source {
			if g.setting.name == name {
				list = append(list, g)
			}
		}
		if list != nil {
			break
		}
	}
	return list
}

// linksFile is one as it was read.
type linksFile struct{ name, text string }

// readLinksFiles reads each file that the names stand for.
func readLinksFiles(names []string) (files []linksFile, unread []error) {
	for _, name := range names {
		list, err := expandDir(name)
		if err != nil {
			unread = append(unread, err)
		}
		for _, file := range list {
			text, err := os.ReadFile(file)
			if err != nil {
				unread = append(unread, fmt.Errorf("cannot read links file %q: %w", file, linker.Reason(err)))
				continue
			}
			files = append(files, linksFile{file, string(text)})
		}
	}
	return files, unread
}

func sumOf(files []linksFile) LinksSum {
	h := sha256.New()
	for _, f := range files {
		fmt.Fprintf(h, "%q %d\n%s", filepath.Base(f.name), len(f.text), f.text)
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
	files, unread := readLinksFiles(c.linksNames)
	for _, err := range unread {
		if !errors.Is(err, fs.ErrNotExist) {
			return sum, false
		}
	}
	return sumOf(files), true
}

// expandDir lists the files of a directory in lexical order; a file stands for itself. It leaves
// out names that begin with a dot, as those of a mounted volume, and copies that editors leave.
func expandDir(name string) (files []string, err error) {
	if info, err := os.Stat(name); err == nil && !info.IsDir() {
		return []string{name}, nil
	}
	entries, err := os.ReadDir(name)
	if err != nil {
		hint := ""
		if errors.Is(err, fs.ErrNotExist) {
			hint = "; write one there, or name it with --links"
		}
		return nil, fmt.Errorf("cannot read links file %q: %w%s", name, linker.Reason(err), hint)
	}
	for _, e := range entries {
		file := filepath.Join(name, e.Name())
		if strings.HasPrefix(e.Name(), ".") || strings.HasSuffix(file, "~") {
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
		p.errorf("%s:1: the file begins as UTF-16 does: write it in UTF-8", name)
		return nil
	}
	number := 0
	for line := range strings.Lines(strings.TrimPrefix(text, "\ufeff")) { // a byte order mark, which editors put there
		number++
		line = strings.TrimRight(line, " \t\r\n") // a blank behind a \ can't be seen
		where := fmt.Sprintf("%s:%d", name, number)
		ws, err := words(line)
		switch {
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
		case sourceLines[ws[0].text] != nil:
			p.sourceLine(where, ws)
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
		return sourceLines[word] != nil || p.settings.find(word) != nil
	})
}

// settingLine reads a line that is a flag's name and its value; none if it is wrong.
func (p *parser) settingLine(where, line string, ws []word) []given {
	name := strings.TrimPrefix(ws[0].text, "--")
	s := p.settings.find(name)
	switch {
	case isOption(ws[0].text) && !strings.HasPrefix(name, "reload="):
		p.errorf(behind, where, name)
		return nil
	case s == nil:
		p.errorf("%s: %q is not known: %s", where, ws[0].text, didYouMean(name, p.lineNames(),
			"write link, input, env or a flag, as in link web/nginx.conf /etc/nginx/nginx.conf (confit --help lists the flags)"))
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
	values := ws[1:]
	switch {
	case len(values) == 0 && s.bare():
		g.value = "true"
	case len(values) == 0:
		p.errorf("%s: %q has no value: write %s%s", where, name, name, s.takes)
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
