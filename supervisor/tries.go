package supervisor

import (
	"confit/config"
	"confit/signals"
)

// tries reports that nothing is published, and no app is started: --try says what a start would make of a candidate,
// up to there.
func (t *transition) tries() bool { return t.config.Mode == config.Try }

// endTry ends a try by a signal that ends any program which has no handler for it.
func (t *transition) endTry(s signals.Signal) {
	switch s {
	case signals.TERM, signals.INT, signals.HUP, signals.QUIT, signals.PIPE:
		t.endWith(exit{code: 128 + int(s)})
	}
}
