package linker

import "confit/linker/generation"

// caller plays the part of package supervisor: a Linker doesn't know what a
// generation is to anybody.
type caller struct {
	*Linker
	former    *Former
	outcomes  []Outcome
	held      Ladder
	seen      Fingerprint
	candidate Candidate // Number 0: none
	partly    bool      // Reject went back, but could not put everything right
}

func (c *caller) known() Known { return Known{Fingerprint: c.seen, Accepted: c.held.InForce().Number} }

func (c *caller) Accepted() (Rung, error) { return *c.held.InForce(), c.former.Untrusted }

// accepted and staged are nil if there is no such generation.
func (c *caller) accepted() *generation.Copy { return c.generations[c.held.InForce().Number] }
func (c *caller) staged() *generation.Copy   { return c.generations[c.candidate.Number] }

// inUse is the candidate, or else the accepted generation.
func (c *caller) inUse() int {
	if c.candidate.Number != 0 {
		return c.candidate.Number
	}
	return c.held.InForce().Number
}

func (c *caller) Forget() { c.seen = "" }

func (c *caller) Stage() (Candidate, error) {
	c.Discard()
	got, err := c.Linker.Stage(c.known())
	if got.Fingerprint != "" {
		c.seen = got.Fingerprint
	}
	if err == nil {
		if c.candidate = got; got.Fresh {
			c.seen = ""
		}
	}
	return got, err
}

func (c *caller) StageFallback() (Candidate, error) {
	c.Discard()
	got, err := c.Linker.StageFallback(c.known())
	if err == nil {
		c.candidate = got
	}
	return got, err
}

func (c *caller) Complete() (Candidate, error) {
	got, err := c.Linker.Complete(c.candidate.Number, c.held.InForce().Number)
	if err == nil {
		got.Fallback = c.candidate.Fallback
		c.candidate = got
	}
	return got, err
}

func (c *caller) CheckNewest() error {
	err := c.Linker.CheckNewest(c.candidate.Number)
	if err != nil {
		c.seen = ""
	}
	return err
}

func (c *caller) Publish() error { return c.publish(false) }

// PublishAfterHook publishes what a hook was run on.
func (c *caller) PublishAfterHook() error { return c.publish(true) }

func (c *caller) publish(hooked bool) error {
	err := c.Linker.Publish(c.candidate.Number, hooked)
	if err != nil {
		c.seen = ""
	}
	return err
}

// Accept accepts the candidate, or that the accepted generation has survived.
func (c *caller) Accept(survived bool, at int64) {
	g := c.held.InForce().Generation
	if c.candidate.Number != 0 {
		g = c.candidate.Generation
	}
	g.AcceptedAt = at
	if r := c.held.InForce(); r.Hash == g.Hash && r.Number != 0 {
		r.Generation = g
	} else {
		c.held = c.held.Accept(g, survived, false)
	}
	if survived {
		c.held = c.held.Soak(true)
	}
	c.candidate, c.former.Untrusted = Candidate{}, nil
}

// Store writes down what is accepted and the outcomes.
func (c *caller) Store() error { return c.WriteNote(Note{Ladder: c.held, Outcomes: c.outcomes}) }

func (c *caller) Reject() error {
	done, err := c.Linker.GoBack(c.held.InForce().Number)
	if c.partly = done && err != nil; done {
		c.candidate = Candidate{}
	}
	return err
}

// GoBack goes down to the next rung, and has it soak.
func (c *caller) GoBack() ([]Change, error) {
	before := c.held.InForce().Number
	if !c.held.HasBelow() { // once more
		return nil, c.Reject()
	}
	to := c.held.Rungs[c.held.On+1].Number
	done, err := c.Linker.GoBack(to)
	if done {
		c.held.On++
		c.held, c.candidate = c.held.Soak(true), Candidate{}
	}
	return c.Changes(before, to), err
}

func (c *caller) Tidy() { c.Collect(c.Newest(), c.held.Numbers()...) }

// Discard drops a candidate that wasn't published.
func (c *caller) Discard() {
	if n := c.candidate.Number; n != 0 && n != c.held.InForce().Number {
		c.Tidy()
	}
	c.candidate = Candidate{}
}

func (c *caller) Repair() error {
	_, err := c.Linker.Repair(c.held.InForce().Number)
	return err
}

func (c *caller) Touch(changes []Change) (bool, error) {
	return c.Linker.Touch(c.inUse(), changes)
}

func (c *caller) WatchOpens(changes []Change) bool {
	return c.Linker.WatchOpens(c.inUse(), changes)
}

func (c *caller) Keys() map[string]string {
	if c.held.InForce().Number == 0 {
		return nil
	}
	return c.held.InForce().Keys.Sums()
}

func (c *caller) resume() error {
	clear(c.generations)
	c.noted = nil
	former, err := c.Linker.resume()
	c.former = former
	c.held, c.outcomes = c.former.Ladder, c.former.Outcomes
	return err
}

// lifeless is a generation without what each life has of its own.
func lifeless(g Generation) Generation {
	g.Keys = nil
	return g
}
