package linker

import "testing"

// TestNearNamesAtTheStart: who sees only the start's error finds the right name in it, of
// a key and of a volume, and never a value.
func TestNearNamesAtTheStart(t *testing.T) {
	for link, want := range map[string]string{
		"web/App.conf a":         `key "App.conf" is missing from volume`,
		"web/sub/app.conf a":     `; did you mean "app.conf"? (if it may be missing`,
		"wbe/app.conf a":         `which is not mounted; did you mean "web"? (if it may be missing`,
		"volumes/web/app.conf a": `: did you mean "web/app.conf"? (if it may be missing`,
		"app.conf a":             `; a source is VOLUME/KEY (if it may be missing`,
	} {
		h := newFixture(t, link)
		h.write("web", "app.conf", "secret value")
		h.open()
		h.invalid(want)
	}
}
