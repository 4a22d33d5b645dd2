package config

// ActionOf is what a change of a key of this link asks for.
func (c *Config) ActionOf(l *Link) Action {
	if l.Reload != nil {
		return *l.Reload
	}
	return c.Reload
}

// checkTouch refuses to touch a link to a whole directory: a new link to it
// tells nobody which keys have changed, and who watches inside hears nothing.
func (p *parser) checkTouch() {
	for i := range p.config.Links {
		l := &p.config.Links[i]
		if p.config.ActionOf(l).Kind == Touch && l.WholeDirectory() {
			p.errorf(`%s: target %q is one link to a whole directory, which can't be touched: write %q, which links each key`, l.Where, l.Target, l.Target+"/")
		}
	}
}
