package hints

// oneLink is a line that is right.
const oneLink = "link web/a HERE/etc/a\n"

// line is a row about lines of a links file.
func line(hint, wrong string, right ...string) row {
	r := row{hint: hint, wrong: run{lines: oneLink + wrong}}
	for _, text := range right {
		r.right = append(r.right, run{lines: oneLink + text})
	}
	return r
}

// every writes each of some words behind a text.
func every(before string, words ...string) (list []string) {
	for _, w := range words {
		list = append(list, before+w)
	}
	return list
}

var lineRows = []row{
	line("%q brings no variable to a running app: write restart, or none to have it count from the next start on",
		"env web/LEVEL LEVEL reload=signal:HUP", every("env web/LEVEL LEVEL reload=", "restart", "none")...),
	line("%q makes a new link, and an input has none: write restart, signal:NAME, exec:COMMAND or none",
		"input web/b reload=touch", every("input web/b reload=", "restart", "signal:USR1", "exec:true", "none")...),
	line("%q holds no placeholder: did you mean {%s}?", "validate test -e {candidte}/web/a", "validate test -e {candidate}/web/a"),
	line("%q holds what only looks like a blank, a quote or nothing: write that, or put quotes around the word",
		"link web/b\u00a0HERE/etc/b", "link web/b HERE/etc/b", "validate test -n 'a\u00a0b'"),
	line("%q is never closed: add a %c at the end of the word", "validate sh -c 'true", "validate sh -c 'true'"),
	line("%q is not a pair of exit codes: write two numbers from 0 to 255, as 143:0", "map-exit 256:0", "map-exit 143:0", "map-exit 0:255"),
	line("%q is not a pair: write FROM:TO", "map-exit 143", "map-exit 143:0"),
	line("%q is not a time: write a number with a unit, such as 500ms, 10s, 2m or 24h", "settle soon", every("settle ", "500ms", "10s", "2m", "24h")...),
	line("%q is not a way to reload: did you mean signal:%s?", "reload HUP", "reload signal:HUP"),
	line("%q is not a way to reload: write auto, touch, signal:NAME, restart, exec:COMMAND or none", "reload x",
		every("reload ", "auto", "touch", "signal:USR1", "restart", "exec:true", "none")...),
	line("%q is not known here: write one of %s", "log-level loud", every("log-level ", "debug", "error", "info", "warn")...),
	line("write one of ", "link web/b HERE/etc/b sometimes", every("link web/b HERE/etc/b ", "optional", "direct", "local", "reload=none")...),
	line("%q is too long: write at most %v", "stop-timeout 100001h", "stop-timeout 100000h0m0s"),
	line("%q is too short: write at least %v", "rescan 1ms", "rescan 10ms"),
	line("%q needs a shell, and a hook runs without one: write sh -c '…', or put quotes around what is meant as it stands",
		"validate true && true", "validate sh -c 'true && true'", "validate true '&&' true"),
	line("%s: %q can't stand in a links file: write --%s on the command line", "check true", ""),
	line("%s: %q has no value: write %s%s", "validate", "validate true"),
	line("%s: %q holds {rendered}, which only render has: write {candidate}/.rendered", "render true\nvalidate test -d {rendered}",
		"render true\nvalidate test -d {candidate}/.rendered"),
	line("%s: %q is an option: write it at the end of a line that names a source", "link optional web/b HERE/etc/b", "link web/b HERE/etc/b optional"),
	line("%s: %q is not an option of %s: write %s in a line of its own", "link web/b HERE/etc/b settle=1s", "link web/b HERE/etc/b\nsettle 1s"),
	line("%s: %q isn't the one mode of this line: write an octal number from 0400 to 0777, such as mode=0644",
		"render true\nlink {rendered}/m HERE/etc/m mode=9", every("render true\nlink {rendered}/m HERE/etc/m mode=", "0644", "0400", "0777")...),
	line("%s: %q means something to a shell alone: write it out, or put quotes around it to have it as it stands",
		"link web/$NAME HERE/etc/b", "link web/b HERE/etc/b", "link 'web/$NAME' HERE/etc/b optional"),
	line("%s: \\n is two characters here, and ends no line: write each line in one of its own, as a block of YAML has it (|), or put quotes around it",
		`validate true x\nsettle 1s`, "validate true x\nsettle 1s", `validate true 'x\nsettle' 1s`),
	line("%s: target %q is one link to a whole directory, which can't be touched: write %q, which links each key",
		"link web/sub/ HERE/etc/d reload=touch", "link web/sub/ HERE/etc/d/ reload=touch"),
	line("a line can't be continued by \\: write all of it in one line, or '\\' for the character itself", `validate true \`, "validate true x", `validate true '\'`),
	line("a link needs a source and a target: write link web/nginx.conf /etc/nginx/nginx.conf", "link web/b", "link web/b HERE/etc/b"),
	line("a variable needs a source and a name: write env app/LOG_LEVEL LOG_LEVEL", "env web/LEVEL", "env web/LEVEL LEVEL"),
	line("an input needs a source: write input web/nginx.conf.template", "input", "input web/b"),
	line("did you mean ", "lnik web/b HERE/etc/b", "link web/b HERE/etc/b"),
	line("no line puts %q into the candidate: a key that isn't direct is there by its source, write %s/%s", "validate test -e {candidate}/a", "validate test -e {candidate}/web/a"),
	line("nobody can catch %q: write another signal, such as TERM", "stop-signal KILL", "stop-signal TERM"),
	line("todo: an edit restarts the apps of all replicas within a minute, and no PodDisruptionBudget holds that: write splay 5m, or a gate",
		"reload restart", "reload restart\nsplay 5m", "reload restart\ngate true"),
	line("write link, input, env or a flag, as in link web/nginx.conf /etc/nginx/nginx.conf (confit --help lists the flags)", "colour blue", "link web/b HERE/etc/b", "input web/b", "env web/LEVEL LEVEL", "adopt"),
	line("%q is not a signal: write a name such as TERM, HUP or RTMIN+1, or a number from 1 to %d", "stop-signal TREM", every("stop-signal ", "TERM", "HUP", "RTMIN+1", "1", "64")...),
	line("%q is not a signal: write a number from 1 to 31 or from %d to %d, or a name such as TERM", "stop-signal 33", every("stop-signal ", "1", "31", "34", "64", "TERM")...),
	line("; write its path, or add it to the image", "validate no-such-program", "validate /bin/true"),
	line("%s: %q is of a template: have it rendered first, as by Helm, or put quotes around what is meant as it stands",
		"link web/{{ .key }} HERE/etc/b", "link web/b HERE/etc/b", "validate test -n '{{ .key }}'"),
	line("%s: %s is the stop signal, not one to reload by: write restart, or the signal by which the app reads its files again",
		"reload signal:TERM", "reload restart", "reload signal:USR1"),
	line("%s runs %q alone, the words behind it aren't its arguments: put quotes around all of them",
		"validate sh -c test -s {candidate}/web/a", "validate sh -c 'test -s {candidate}/web/a'"),
	line("it reads what is mounted, not the change: write %s in place of %s", "validate test -s HERE/volumes/web/a", "validate test -s {candidate}/web/a"),
	line("no line puts %q into the candidate: write a line input %s, if that is a key, and no option direct",
		"validate test -s {candidate}/web/b", "validate test -s {candidate}/web/b\ninput web/b"),
}
