package config

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// mistake is one that a newcomer makes, and what the answer must say: what to write
// instead. The volume web has the keys nginx.conf and LEVEL.
type mistake struct {
	args, environ []string // --check comes after them, unless they hold --
	links         string   // a line of the links file
	answer        string
}

// mistakes are those whose answers were poor, and that people made.
var mistakes = []mistake{
	// Flags
	{args: []string{"--adopt", "true", "--", "nginx"}, answer: `--adopt: "true" is a word of its own: write --adopt=true`},
	{args: []string{"--signal-group", "false", "nginx", "-g"}, answer: `--signal-group: "false" is a word of its own: write --signal-group=false`},
	{args: []string{"--probation", "10s", "s", "--", "app"}, answer: `"s" stands before --, where only flags and their values do: remove it`},
	{args: []string{"--status", "json"}, answer: `--status: "json" is a word of its own: write --status=json`},
	{args: []string{"--bake"}, answer: "--bake and --check: only one can be done, write one of the two"},
	{args: []string{"--optional"}, answer: "--optional is for --bake alone: write --bake --optional, or the option optional behind a line"},
	{args: []string{"--reload", "RESTART"}, answer: `"RESTART" is not a way to reload: write auto, touch, signal:NAME, restart`},
	{args: []string{"--probation 10s"}, answer: `unknown flag: --probation 10s (confit --help lists the flags; put quotes around a whole command, and none around a flag and its value)`},
	{args: []string{"--volumes", "/confit "}, answer: `--volumes: "/confit " begins or ends with a blank: write it without`},
	{environ: []string{"confit_settle=10s"}, answer: "confit_settle: no flag has this name: did you mean CONFIT_SETTLE?"},
	{environ: []string{"CONFIT_COLOUR=red"}, answer: "CONFIT_COLOUR: no flag has this name: confit --help lists the flags"},

	// The links file
	{links: "links:\n  - source: web/nginx.conf\n", answer: `:2: "-" is not known: write link, input, env or a flag, as in link web/nginx.conf /etc/nginx/nginx.conf`},
	{links: "mountPath: /confit/web", answer: `"mountPath:" is not known: write link, input, env or a flag, as in link`},
	{links: "link\x00\x00", answer: `"link\x00\x00" holds what only looks like`},
	{links: "l\x00i\x00n\x00k\x00", answer: "LINKS:1: the file begins as UTF-16 does: write it in UTF-8"},
	{links: "\xff\xfel\x00i\x00n\x00k\x00", answer: "LINKS:1: the file begins as UTF-16 does"},
	{links: "link web/nginx.conf {{ .Values.target }}", answer: `LINKS:1: "link web/nginx.conf {{ .Values.target }}" is of a template: have it rendered first`},
	{links: "{{- if .Values.check }}", answer: `"{{- if .Values.check }}" is of a template`},
	{links: "stop-signal=QUIT", answer: `"stop-signal=QUIT" is not known: did you mean stop-signal?`},
	{links: "link web/nginx.conf\u00a0/etc/a", answer: `"web/nginx.conf\u00a0/etc/a" holds what only looks like a blank`},
	{links: "\u200blink web/nginx.conf /etc/a", answer: `"\u200blink" holds what only looks like a blank, a quote or nothing: write that`},
	{links: "# a comment\n\ufefflink web/nginx.conf /etc/a", answer: `"\ufefflink" holds what only looks like`},
	{links: "link web/nginx.conf\x00 /etc/a", answer: `"web/nginx.conf\x00" holds what only looks like`},
	{links: "link web/nginx.conf '/etc/a\x00'", answer: "holds what only looks like a blank, a quote or nothing"},
	{links: "link “web/nginx.conf” /etc/a", answer: "holds what only looks like a blank, a quote"},
	{links: "validate sh -c ‘nginx -t’", answer: "holds what only looks like a blank, a quote"},
	{args: []string{"--validate", `nginx -t \`}, answer: `--validate: a line can't be continued by \: write all of it in one line`},
	{args: []string{"--stop-signal", "STOP"}, answer: `--stop-signal: nobody can catch "STOP": write another signal, such as TERM`},
	{links: "reload SIGKILL", answer: `"SIGKILL" is not a way to reload: write auto, touch`},
	{links: "stop-signal 9", answer: `nobody can catch "9"`},
	{links: "reload signal:KILL", answer: `nobody can catch "KILL"`},
	{links: "map-signal KILL:TERM", answer: `nobody can catch "KILL"`},
	{links: "link web/nginx.conf /etc/nginx/nginx.conf;", answer: `"/etc/nginx/nginx.conf;" means something to a shell alone`},
	{links: "stop-signal TERM;", answer: `"TERM;" means something to a shell alone`},
	{links: "link web/nginx.conf > /etc/a", answer: `">" means something to a shell alone`},
	{links: "link web/nginx.conf -> /etc/a", answer: `"/etc/a" is one word too many`},
	{links: "link web/nginx.conf /etc/a mode 0644", answer: `"mode" is not an option of link: write one of optional, direct, local, reload=ACTION, mode=MODE`},
	{links: "probation 5 s", answer: `LINKS:1: probation: "5 s" is not a time: write a number with a unit`},
	{links: "state /run/my state", answer: `"state" is one word too many`},
	{links: "reload SIGHUP", answer: "did you mean signal:HUP?"},

	// Mounts
	{links: "link webb/nginx.conf /etc/a", answer: `which is not mounted; did you mean "web"?`},
	{links: "link other/nginx.conf /etc/a", answer: `volume "VOLUMES" holds ["web"]`},
	{links: "link web/Nginx.conf /etc/a", answer: `key "Nginx.conf" is missing from volume "VOLUMES/web"; did you mean "nginx.conf"?`},
	{links: "link web/web/nginx.conf /etc/a", answer: `did you mean "nginx.conf"?`},
	{links: "link volumes/web/nginx.conf /etc/a", answer: `; a source is below "VOLUMES": did you mean "web/nginx.conf"?`},
	{links: "link nginx.conf /etc/a", answer: `; a source is VOLUME/KEY`},
	{links: "link web/nginx.conf/ /etc/a/", answer: `not a directory; for one key write "web/nginx.conf"`},
	{links: "link web/ngin.conf /etc/a optional", answer: `did you mean "nginx.conf"?; it is optional`},
	{links: "state /etc/passwd", answer: `cannot use state directory "/etc/passwd": not a directory`},
	{links: "fallback VOLUMES", answer: `fallback "VOLUMES" is --volumes itself`},
	{links: "link web/nginx.conf /proc/confit/a", answer: `it is the kernel's`},

	// The environment
	{links: "env LEVEL web/LEVEL", answer: `the source comes first, write env web/LEVEL LEVEL`},
	{links: "envFrom web/", answer: `"envFrom" is not known: write link, input, env`},
	{links: "env web *", answer: `or "web/" for all keys below it`},
	{links: "env LEVEL debug", answer: `; a source is VOLUME/KEY`},
	{links: "env web/ *", answer: `key "web/nginx.conf" becomes variable "nginx.conf", which no shell can read`},
	{links: "env web/LEVEL log-level", answer: `which no shell can read`},
	{links: "env web/ *\nenv web/* *\n", answer: `a line for one key wins: write env web/LEVEL LEVEL`},

	// Hooks
	{links: "validate nginx -t -c {live}/web/nginx.conf", answer: `"{live}/web/nginx.conf" holds no placeholder: did you mean {candidate}?`},
	{links: "validate nginx -t -c $CONFIT_CANDIDATE/web/nginx.conf", answer: "needs a shell, and a hook runs without one"},
	{links: "validate nginx -t -c {candidate}/etc/a\nlink web/nginx.conf /etc/a", answer: `no line puts "etc/a" into the candidate: a key that isn't direct is there by its source, write {candidate}/web/nginx.conf`},
	{links: "validate nginx -t -c {candidate}/nginx.conf\nlink web/nginx.conf /etc/a", answer: `is there by its source, write {candidate}/web/nginx.conf`},
	{links: "render cp {candidate}/a {rendered}/a\nlink {rendered}/a /etc/a", answer: `write {candidate}/.rendered/a`},
	{links: "render cp {candidate}/web/tmpl {rendered}/a\nlink {rendered}/a /etc/a", answer: `no line puts "web/tmpl" into the candidate: write a line input web/tmpl, if that is a key`},
	{links: "link web/nginx.conf /etc/a\nreload signal:TERM", answer: `LINKS:2: reload: TERM is the stop signal, not one to reload by: write restart, or the signal by which the app reads its files again`},
	{links: "stop-signal QUIT\nlink web/nginx.conf /etc/a reload=signal:3", answer: `LINKS:2: QUIT is the stop signal, not one to reload by`},
	{links: "link web/LEVEL /etc/a direct\nvalidate test -s {candidate}/web/LEVEL", answer: `no line puts "web/LEVEL" into the candidate: write a line input web/LEVEL, if that is a key, and no option direct`},
}

// TestMistakes: each is answered with what to write instead, by --check at the latest.
func TestMistakes(t *testing.T) {
	for _, m := range mistakes {
		dir := t.TempDir()
		volumes := filepath.Join(dir, "volumes")
		for _, key := range []string{"nginx.conf", "LEVEL"} {
			writeFile(t, filepath.Join(volumes, "web", key), "x")
		}
		here := strings.NewReplacer("VOLUMES", volumes)
		args := []string{"confit", "--volumes", volumes}
		if !strings.HasPrefix(m.links, "state ") {
			args = append(args, "--state", filepath.Join(dir, "state"))
		}
		if !slices.Contains(m.args, "--links") {
			args = append(args, "--links", write(t, "links", here.Replace(m.links)+"\n"))
		}
		if args = append(args, m.args...); !slices.Contains(m.args, "--") {
			args = append(args, "--check")
		}
		var plan strings.Builder
		c, err := Parse(args, append([]string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, m.environ...))
		if err == nil {
			err = Explain(&plan, &c, func(string) error { return nil }, never, none)
		}
		said := plan.String() + errorText(err)
		if at := slices.Index(args, "--links"); at >= 0 {
			said = strings.ReplaceAll(said, args[at+1], "LINKS")
		}
		if !strings.Contains(said, here.Replace(m.answer)) {
			t.Errorf("%+v: it says\n%s", m, said)
		}
	}
}

func errorText(err error) string {
	if err == nil {
		return ""
	}
	return err.Error()
}

// TestNoMistakes: what looks like one of them and is none is left alone.
func TestNoMistakes(t *testing.T) {
	for _, line := range []string{
		`verify sh -c 'ps -o "{{.Names}}"'`, `validate docker inspect -f '{{.State}}' x`,
		`validate sh -c 'test -e "$CONFIT_CANDIDATE/web/a"'`, `render envsubst '$CONFIT_CANDIDATE $LEVEL'`, `validate sh -c '${candidate}'`,
		`validate awk '{print $1}' {candidate}/web/nginx.conf`, `validate sh -c '{ render; }'`, "validate nginx -t -c {candidate}/web/", "validate ls {candidate}",
		"verify curl http://localhost/", "validate test [ a ]", "validate [ -e {candidate}/web ]", "validate sh -c 'test -e {candidate}/web/nginx.conf && true'",
		"validate test a = b", "validate bash -ec 'test a'", "map-signal TERM:KILL", "validate sh -c 'echo ‘a’'", "validate sh -c \"printf 'a\\nb'\"", "validate nginx \"\u00a0\"", "validate nginx '–t' a–b",
	} {
		c := mustParse(t, write(t, "links", "link web/nginx.conf /etc/a\n"+line+"\n"), nil, "--volumes", t.TempDir(), "--check")
		var plan strings.Builder
		_ = Explain(&plan, &c, func(string) error { return errors.ErrUnsupported }, never, none)
		if strings.Contains(plan.String(), "no line puts") {
			t.Errorf("%s: says %s", line, plan.String())
		}
	}
}
