package config

import (
	"fmt"
	"slices"
	"strings"
)

// given is one value of one setting.
type given struct {
	setting *setting
	value   string
	where   string // "--settle", "CONFIT_SETTLE", "/etc/confit/links:7"
}

// sibling is how another setting is written in the same place.
func (g given) sibling(name string) string {
	if strings.HasPrefix(g.where, prefix) {
		return variable(name)
	}
	return "--" + name
}

// parser gathers what is wrong while it applies what is given.
type parser struct {
	config *Config
	wrong  []error           // nil among them is none
	set    map[string]string // where a setting stands in the links files
}

func (p *parser) errorf(format string, args ...any) {
	p.wrong = append(p.wrong, fmt.Errorf(format, args...))
}

// applyAll applies the settings that pass, the weakest source first.
func (p *parser) applyAll(filter func(*setting) bool, sources ...[]given) {
	for _, g := range slices.Concat(sources...) {
		if filter(g.setting) {
			p.apply(g)
		}
	}
}

func (p *parser) apply(g given) {
	if err := g.setting.of(p.config).read(g.value); err != nil {
		p.errorf("%s: %w", g.where, err)
	}
	if g.setting.command() {
		p.config.places[g.setting.name] = g.where
	}
}

// isPlain refuses a word of a line that a shell would expand, or read to its end only.
func (p *parser) isPlain(where string, w word) bool {
	switch {
	case expands(w.bare):
		p.errorf("%s: nothing expands %q here: write it out, or put quotes around it to have it as it stands", where, w.text)
	case isPunctuated(w.bare):
		p.errorf("%s: %q holds punctuation: only blanks stand between words; remove it, or put quotes around it to have it as it stands", where, w.text)
	default:
		return true
	}
	return false
}
