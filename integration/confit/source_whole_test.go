package confit

import (
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"sync"
	"testing"
)

// Keys of two volumes, a variable and a rendered file change together, again and again. Every process that is started finds all of an
// edit or all of an earlier one, and so does whoever reads the files all the time. Some of the edits are bad, in three ways.
// make check has a hundred edits: TestSource_whole.
func TestSource_whole_for_a_while(t *testing.T) { wholeThrough(t, 30) }

func wholeThrough(t *testing.T, swaps int) {
	t.Parallel()
	w := newWitness(t)
	w.edit("0" + good)
	c := w.start(w.app()...)
	c.meets(w, "0"+good)
	stop := w.readAllTheTime()
	deaths := 0
	for n := 1; n <= swaps; n++ {
		text := fmt.Sprint(n) + fateOfEdit(n)
		w.edit(text)
		c.meets(w, text)
		if strings.HasSuffix(text, deadly) {
			deaths++
		}
	}
	last := fmt.Sprint(swaps+1) + good
	w.edit(last)
	c.Eventually("the last edit being accepted", func() bool { return w.holds(last) })
	stop()
	c.wantWholeTexts()
	c.wantLogged("rolled back", deaths)
	found := len(c.Texts("stdout", "found "))
	c.reports("the counters", func(r report) bool {
		t.Logf("%d edits, %d starts of the app, %d of them deadly; %d rejections, those between two swaps of one edit included",
			swaps, found, deaths, r.Counters.Rejections)
		return true
	})
	c.stops(143)
}

// fateOfEdit makes a tenth of the edits bad.
func fateOfEdit(n int) string {
	if n%10 != 9 {
		return good
	}
	return []string{deadly, refused, unrendered}[n/10%3]
}

// readAllTheTime reads the files in three ways until it is told to stop. Then it checks that none of them ever showed a mix.
func (w *witness) readAllTheTime() (stop func()) {
	over, done := make(chan struct{}), sync.WaitGroup{}
	for name, read := range map[string]func() ([]string, error){
		"all of the live generation": w.readLive, "a whole volume": w.readWhole, "the targets": w.readTargets,
	} {
		done.Go(func() {
			reads := 0
			defer func() { w.t.Logf("read %s %d times", name, reads) }()
			for {
				texts, err := read()
				switch {
				case errors.Is(err, fs.ErrNotExist) && name != "the targets": // what was opened was removed, as another generation is live
				case err != nil:
					w.t.Errorf("cannot read %s: %v", name, err)
					return
				case len(texts) > 0 && same(texts) == "":
					w.t.Errorf("%s showed a mix: %q", name, texts)
					return
				case len(texts) > 0:
					reads++
				}
				select {
				case <-over:
					return
				default:
				}
			}
		})
	}
	return func() {
		close(over)
		done.Wait()
	}
}
