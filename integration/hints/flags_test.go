package hints

import "strings"

// flags is a row about the command line.
func flags(hint string, wrong []string, right ...[]string) row {
	r := row{hint: hint, wrong: run{args: wrong}}
	for _, args := range right {
		r.right = append(r.right, run{args: args})
	}
	return r
}

// alone is a row about a command line without --check.
func alone(hint string, wrong []string, right ...run) row {
	for i := range right {
		right[i].alone = true
	}
	return row{hint: hint, wrong: run{args: wrong, alone: true}, right: right}
}

var flagRows = []row{
	flags("%q begins or ends with a blank: write it without", []string{"--state", "HERE/other "}, []string{"--state", "HERE/other"}),
	flags("%q holds no command: write a program and its arguments", []string{"--validate= "}, []string{"--validate=test -e /"}),
	flags("%q is neither on nor off: write true or false", []string{"--allow-disk=perhaps"}, []string{"--allow-disk=true"}, []string{"--allow-disk=false"}),
	alone("%q is no form of a status: write json or text", []string{"--status=xml"}, run{args: []string{"--status=json"}, code: 1}, run{args: []string{"--status=text"}, code: 1}),
	flags("%q stands before --, where only flags and their values do: remove it; or write -- in front of it, if it is the app",
		[]string{"env", "--", "true"}, []string{"--", "true"}, []string{"--", "env", "--", "true"}),
	flags("%s and %s: only one can be done, write one of the two", []string{"--bake"}, nil),
	flags("%s: %q is a word of its own: write %s=%s", []string{"--adopt", "true", "sh"}, []string{"--adopt=true", "sh"}),
	{"%s: a variable can't say that: write --%s on the command line", run{environ: []string{"CONFIT_VERSION=true"}}, []run{{args: []string{"--version"}}}},
	{"--optional is for --bake alone: write --bake --optional, or the option optional behind a line", run{args: []string{"--optional"}}, []run{
		{args: []string{"--bake", "--optional"}, alone: true}, {lines: "link web/none HERE/etc/a optional"},
	}},
	flags("; write --FLAG VALUE", []string{"--settle"}, []string{"--settle", "1s"}),
	flags("an empty path: write a directory such as /run/confit", []string{"--state="}, []string{"--state=/run/confit"}),
	alone("an empty path: write a directory that is laid out as --volumes is, or - for what comes on stdin", []string{"--try="},
		run{args: []string{"--try=HERE/volumes"}}, run{args: []string{"--try=-", "--state=/dev/shm/hints"}, stdin: `{"web": {"a": "eA=="}}`}),
	{"; write one there, or name it with --links", run{args: []string{"--links", "HERE/none"}}, []run{
		{args: []string{"--links", "HERE/none"}, files: map[string]string{"none": "settle 1s\n"}}, {},
	}},
	flags("fallback %q is --volumes itself: write a directory of the image, laid out in the same way", []string{"--fallback", "HERE/volumes"}, []string{"--fallback", "HERE/fallback"}),
	alone("no app: write its command after --, as in: confit -- nginx -g 'daemon off;'", nil, run{args: []string{"--", "true"}}),
	{"write a line of the links file", run{args: []string{"--env", "web/LEVEL"}}, []run{{lines: oneLink + "env web/LEVEL LEVEL"}}},
	flags("write exec in front of its last command\n", []string{"--", "sh", "-c", "true && sleep 1"}, []string{"--", "sh", "-c", "true && exec sleep 1"}),
	alone("%q is inside %q: write a directory of another volume", []string{"--seed", "HERE/abs=HERE/abs/b"}, run{args: []string{"--seed", "HERE/abs=HERE/seed"}}),
	alone("%q is the whole image: write the directory in which links are to be made, such as /etc/nginx", []string{"--seed", "/=HERE/seed"}, run{args: []string{"--seed", "HERE/abs=HERE/seed"}}),
	alone("%q names no two absolute paths: write DIR=TO, such as /etc/nginx=/seed/etc/nginx", []string{"--seed", "/etc"}, run{args: []string{"--seed", "HERE/abs=HERE/seed"}}),
	alone("cannot install to %q: it is a directory, or a device; write the file, such as %q", []string{"--install", "HERE/abs"}, run{args: []string{"--install", "HERE/abs/confit"}}),
	{"is no path of plain names: write it as it is below the directory of volumes",
		run{args: []string{"--try=-", "--state=/dev/shm/hints"}, stdin: `{"web": {"../a": "eA=="}}`, alone: true},
		[]run{{args: []string{"--try=-", "--state=/dev/shm/hints"}, stdin: `{"web": {"a": "eA=="}}`, alone: true}}},
	{"note: there is no validator: write one, and it is tried, too", run{args: []string{"--try=HERE/volumes"}, alone: true},
		[]run{{args: []string{"--try=HERE/volumes", "--validate=test -e {candidate}/web/a"}, alone: true}}},
	{"can't be tried aside: it reads what the app has; write %s into it, the directory that it is to read instead",
		run{args: []string{"--try=HERE/volumes", "--validate=test -e HERE/etc/a"}, alone: true},
		[]run{{args: []string{"--try=HERE/volumes", "--validate=test -e {candidate}/web/a"}, alone: true}}},
	{"%s: let it write elsewhere", run{args: []string{"--try=HERE/volumes", "--validate=sh -c 'echo y >> {candidate}/web/a'"}, alone: true},
		[]run{{args: []string{"--try=HERE/volumes", "--validate=sh -c 'cat {candidate}/web/a > HERE/new'"}, alone: true}}},
	{"cannot seed %d MiB: %d MiB are the most; write directories that hold less",
		run{args: []string{"--seed=HERE/large=HERE/seed"}, files: map[string]string{"large/a": strings.Repeat("x", 65<<20)}, alone: true},
		[]run{{args: []string{"--seed=HERE/abs=HERE/seed"}, alone: true}}},
	{"the renderer removed its directory: let it write below {rendered}", run{args: []string{"--try=HERE/volumes", "--render=rm -r {rendered}"}, alone: true},
		[]run{{args: []string{"--try=HERE/volumes", "--render=sh -c 'echo x > {rendered}/x'"}, alone: true}}},
}
