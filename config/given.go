package config

import "fmt"

// given is one value of one setting.
type given struct {
	setting *setting
	value   string
	where   string // "--settle", "CONFIT_SETTLE", "/etc/confit/links:7"
}

// parser gathers what is wrong while it applies what is given.
type parser struct {
	config *Config
	wrong  []error
	set    map[string]string // where a setting stands in the links files
}

func (p *parser) note(err error) {
	if err != nil {
		p.wrong = append(p.wrong, err)
	}
}

func (p *parser) errorf(format string, args ...any) {
	p.wrong = append(p.wrong, fmt.Errorf(format, args...))
}

// applyAll applies the settings that pass, the weakest source first.
func (p *parser) applyAll(filter func(*setting) bool, sources ...[]given) {
	for _, source := range sources {
		for _, g := range source {
			if filter(g.setting) {
				p.apply(g)
			}
		}
	}
}

func (p *parser) apply(g given) {
	if err := g.setting.of(p.config).read(g.value); err != nil {
		p.errorf("%s: %w", g.where, err)
	}
}
