package people

import "confit/confitctl/rollout"

// news tells what has happened since a while before the first look from what was so before.
type news struct {
	since int64                  // by the server's clock
	first map[rollout.Event]bool // of the first look, but for what was on its way then
}

func newNews(r rollout.Record, since int64) *news {
	n := &news{since, map[rollout.Event]bool{}}
	for _, e := range r.Events() {
		if r.Progress(e.Hash).Waits == "" {
			n.first[e] = true
		}
	}
	return n
}

// isNew reports that something has happened in time. Of what the first look found without a time nobody knows that.
func (n *news) isNew(e rollout.Event) bool { return !n.first[e] || e.At != 0 && e.At >= n.since }

// of are the news of a record.
func (n *news) of(r rollout.Record) (list []rollout.Event) {
	for _, e := range r.Events() {
		if n.isNew(e) {
			list = append(list, e)
		}
	}
	return list
}

// old reports that a hash is known for longer.
func (n *news) old(hash string) bool {
	for e := range n.first {
		if e.Hash == hash && !n.isNew(e) {
			return true
		}
	}
	return false
}

// rejected is who has rejected what happened last in a revision; "": nobody. fresh: that was after the first look.
func (n *news) rejected(r rollout.Record) (why string, fresh bool) {
	last := map[string]rollout.Event{}
	for _, e := range n.of(r) {
		if other, is := last[e.Revision]; !is || e.At > other.At || e.At == other.At && e.Rejected != "" {
			last[e.Revision] = e
		}
	}
	for _, e := range last {
		if e.Rejected != "" && (why == "" || !n.first[e]) {
			why, fresh = e.Rejected, !n.first[e]
		}
	}
	return why, fresh
}
