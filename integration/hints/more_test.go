package hints

import "strings"

// with is a row about keys of volumes: what is there beside those of every run.
func with(hint, lines string, wrong, right map[string]string) row {
	return row{hint, run{lines: oneLink + lines, files: wrong}, []run{{lines: oneLink + lines, files: right}}}
}

// key is one file.
func key(path string) map[string]string { return map[string]string{path: "x"} }

// moreRows are hints that say something else than to write or to add.
var moreRows = []row{
	line("%s: %q comes after a command: put quotes around the whole of reload=exec:COMMAND", "link web/b HERE/etc/b reload=exec:true x", "link web/b HERE/etc/b reload='exec:true x'"),
	line("%s: %q is one word too many: %q takes one, put quotes around it if it holds blanks", "fallback HERE/a b", "fallback 'HERE/a b'"),
	line("%s: %q is the second reload of this line: remove one of the two", "link web/b HERE/etc/b reload=none reload=restart", every("link web/b HERE/etc/b reload=", "none", "restart")...),
	line("%s: %q stands at %s already: remove one of the two", "settle 1s\nsettle 2s", "settle 1s", "settle 2s"),
	flags("put quotes around a whole command, and none around a flag and its value", []string{"--validate", "true", "-q"}, []string{"--validate", "true -q"}),
	with("key %q becomes one variable, %q, with all that it holds: give each variable a key", "env web/e/ *", key("volumes/web/e/a.env"), key("volumes/web/e/A")),
	{"curl succeeds at an answer such as 500, too: add -f", run{lines: oneLink + "verify HERE/curl -s localhost", files: key("curl")},
		[]run{{lines: oneLink + "verify HERE/curl -fs localhost", files: key("curl")}}},
	{"%s:1: the file begins as UTF-16 does: write it in UTF-8", run{lines: "l\x00i\x00n\x00k\x00"}, []run{{}}},
	line("source %q can't be direct: what is rendered is a part of the generation, remove the option", "render true\nlink {rendered}/b HERE/etc/b direct", "render true\nlink {rendered}/b HERE/etc/b"),
	line("source %q can't have the option mode: a direct key has no copy, set defaultMode of its volume", "link web/b HERE/etc/b direct mode=0644", "link web/b HERE/etc/b direct"),
	line("source %q is not a pattern: close every [, or put \\ in front of it", "link web/[n HERE/etc/n/", "link web/[n] HERE/etc/n/ optional", `link 'web/\[n' HERE/etc/n/ optional`),
	line("source %q leads through %s, which is the kubelet's: leave it out", "link web/..data/b HERE/etc/b", "link web/b HERE/etc/b"),
	line("source %q would stand where %s stands in a generation, at %q: mount one of the two elsewhere", "link web/b HERE/etc/b\nlink /web/b HERE/etc/c optional",
		"link web/b HERE/etc/b\nlink /elsewhere/b HERE/etc/c optional"),
	line("source %q: %s is where confit puts what is rendered: mount the volume elsewhere", "link .rendered/b HERE/etc/b", "link web/b HERE/etc/b"),
	line("target %q has a link already, for %s%s: give each source a target of its own", "link web/b HERE/etc/a", "link web/b HERE/etc/b"),
	line("target %q takes the keys of a pattern: end it in a slash, %q", "link web/* HERE/etc/d", "link web/* HERE/etc/d/"),
	line("variable %q has a key already, for %s: give each key a variable of its own", "env web/a LEVEL\nenv web/LEVEL LEVEL", "env web/a A\nenv web/LEVEL LEVEL"),
	line("; this is one word: remove the quotes around it", "validate 'true x'", "validate true x"),
	with("key %q can't be variable %q, which has a meaning of its own for confit or the app: rename it", "env web/e/ *", key("volumes/web/e/CONFIT_STATE"), key("volumes/web/e/STATE")),
	with("target %q has a name that confit gives to what it keeps: rename the key", "link web/k/ HERE/etc/k/", key("volumes/web/k/.confit-kept-a"), key("volumes/web/k/a")),
	with("key %q in volume %q has a name that %s: rename it", "link web/k/ HERE/etc/k/", key("volumes/web/k/a\x01"), key("volumes/web/k/a")),
	with("volume %q is no directory: mount the ConfigMap or Secret there, without subPath", "link file/b HERE/etc/b", key("volumes/file"), key("volumes/file/b")),
	flags("cannot use state directory %q: %w; name another one with --state, or %s", []string{"--state=HERE/volumes/web/a"}, []string{"--state=HERE/other"}),
	alone("cannot install to %q: %w; name a file of a volume that is mounted", []string{"--install=HERE/none/confit"}, run{args: []string{"--install=HERE/abs/confit"}}),
	alone("it has none of the volumes that the lines name: lay it out as --volumes is, DIR/VOLUME/KEY", []string{"--try=HERE/abs"}, run{args: []string{"--try=HERE/volumes"}}),
	{"a generation would hold more than %d MiB, with key %q of volume %q: link or render less, or give a large key the option direct",
		run{lines: "link web/large HERE/etc/a", files: map[string]string{"volumes/web/large": strings.Repeat("x", 65<<20)}, app: []string{"true"}}, []run{
			{lines: "link web/b HERE/etc/a", app: []string{"true"}},
			{lines: "link web/large HERE/etc/a direct", files: map[string]string{"volumes/web/large": strings.Repeat("x", 65<<20)}, app: []string{"true"}},
		}},
	{"cannot try what comes on stdin in state directory %q: it isn't in memory; name one that is, such as --state /dev/shm/try",
		run{args: []string{"--try=-", "--state=" + onDisk}, stdin: `{"web": {"a": "eA=="}}`, alone: true},
		[]run{{args: []string{"--try=-", "--state=/dev/shm/try"}, stdin: `{"web": {"a": "eA=="}}`, alone: true}}},
	{"something that isn't a socket is in its place: remove it", run{files: key("state/notify"), app: []string{"true"}}, []run{{app: []string{"true"}}}},
	{"the path has %d bytes: choose one of at most %d, as apps can't name a longer one", run{args: []string{"--state=HERE/" + strings.Repeat("x", 100)}, app: []string{"true"}}, []run{{app: []string{"true"}}}},
}

// editRows are hints of a start and of an edit.
var editRows = []row{
	{"fix the configuration and start again", run{lines: oneLink + "validate false", app: []string{"true"}}, []run{{lines: oneLink + "validate true", app: []string{"true"}}}},
	{"fix the links file or the image: the hook's program can't be started", run{lines: oneLink + "validate no-such-program", app: []string{"true"}},
		[]run{{lines: oneLink + "validate true", app: []string{"true"}}}},
	{"fix the configuration: the next change is tried", edited("validate grep -v y {candidate}/web/a\nreload restart", "", "sleep", "1000").at("candidate rejected"),
		[]run{edited("validate test -s {candidate}/web/a\nreload restart", "", "sleep", "1000")}},
	{"let confit signal the app: the candidate is tried again", signalled("", "reload signal:HUP").at("candidate rejected"), []run{signalled(",+kill", "reload signal:HUP")}},
	{"links file changed: restart the container to apply it", run{args: []string{"--rescan=100ms"}, app: []string{"sleep", "1000"}, then: relinked, until: "links file changed"},
		[]run{{lines: oneLink + "link web/b HERE/etc/b", args: []string{"--rescan=100ms", "--probation=0"}, app: []string{"sleep", "1000"}, until: "generation accepted"}}},
}
