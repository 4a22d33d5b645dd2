package confit

import (
	"testing"
)

// database is what an app meets that ends as soon as its database doesn't take the password in its key.
const database = `known() { grep -q "${text##* }" database; }
known || exit 4
look
while known; do sleep 0.05; done
exit 4`

// takes says which passwords the database takes; none: it is down.
func (l ladder) takes(passwords ...string) {
	text := ""
	for _, p := range passwords {
		text += p + "\n"
	}
	l.replace(l.path("database"), text)
}

// connected is a ladder of two generations, the second one by a reload, whose app needs a database.
func connected(t *testing.T, soak, world string) (ladder, *confit) {
	t.Helper()
	l := newLadder(t, "signal:HUP", soak)
	l.world(world)
	l.takes("old", "new")
	c := l.begins("good old")
	l.edits(c, "good new")
	c.soaks(2, "false")
	return l, c
}

// The database is down for all: that is a crash loop, as without confit. The app is tried on what is below at each second container, and
// ends there as well. So nothing is to blame, and the first container that finds the database serves the edit.
func TestLadder_outage(t *testing.T) {
	t.Parallel()
	for name, back := range map[string][]string{
		"database_down":    {"old", "new"},
		"password_rotated": {"new"}, // the generation below could never work again
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			l, c := connected(t, "2s", database)
			l.takes()
			c.Ends(4) // after a reload: that counts for nobody
			c.wantLogged(died, 0)
			l.soaksFor("4s")
			for range 3 {
				l.fails(4)
				c = l.runs()
				c.logs(goesDown, 1)
				c.logs(backOnTop, 1)
				c.Ends(4)
				c.wantStarts("good new", 1)
				c.wantStarts("good old", 1)
				c.wantLogged(isRejected, 0)
			}
			l.takes(back...)
			c = l.runs()
			c.soaks(1, "true")
			c.Says("serves good new", 1)
			c.wantLogged(goesDown, 0)
			c.tells(0, "that all is well", report.quiet)
			l.hears("good new", "accepted, mounted", "soaked, mounted", "relapsed at soak, stored, more within 346", "soaked, mounted")
		})
	}
}

// The database comes back while the app is on the lower rung. There it lives for --soak, so the edit is taken for the cause: that is the
// price. The next edit is tried.
func TestLadder_outage_blames_an_edit(t *testing.T) {
	t.Parallel()
	l, c := connected(t, "4s", "rest\n"+database)
	l.takes()
	c.Ends(4)
	l.fails(4)
	c = l.runs()
	c.logs(goesDown, 1)
	l.takes("old", "new")
	c.Says("serves good old", 1)
	l.wantBlamed(c, 1)
	l.hears("good new", "accepted, mounted", "soaked, mounted", "relapsed at soak, stored, more within 346", "rolled-back at soak, stored")
	l.edits(c, "better new")
	c.Says("serves better new", 1)
}
