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
	{args: []string{"--allow-disk", "yes", "--", "app"}, answer: `--allow-disk: "yes" is a word of its own: write --allow-disk=true`},
	{args: []string{"--adopt", "no", "--", "app"}, answer: `write --adopt=false`},
	{args: []string{"--probation", "10s", "s", "--", "app"}, answer: `"s" stands before --, where only flags and their values do: remove it`},
	{args: []string{"--status", "yes"}, answer: `--status: "yes" is a word of its own: write --status=true`},
	{args: []string{"--dry-run"}, answer: "did you mean --check?"},
	{args: []string{"--mount", "/x"}, answer: "did you mean --volumes?"},
	{args: []string{"--config", "/x"}, answer: "did you mean --links?"},
	{args: []string{"-v"}, answer: "did you mean --version?"},
	{args: []string{"--status", "--json"}, answer: "did you mean --status?"},
	{args: []string{"--bake"}, answer: "--bake and --check: only one can be done, write one of the two"},
	{args: []string{"--optional"}, answer: "--optional is for --bake alone: write --bake --optional, or the option optional behind a line"},
	{args: []string{"--reload", "RESTART"}, answer: `"RESTART" is not a way to reload: write restart`},
	{args: []string{"--links", "/a,/b"}, answer: "write --links once for each file, as in --links /a --links /b"},
	{environ: []string{"CONFIT_RELOAD_SIGNAL=HUP"}, answer: "did you mean CONFIT_RELOAD?"},
	{environ: []string{"CONFIT_COLOUR=red"}, answer: "CONFIT_COLOUR: no flag has this name: confit --help lists the flags"},

	// The links file
	{links: "links:\n  - source: web/nginx.conf\n", answer: `:1: this is YAML, and a links file isn't: write lines such as link web/nginx.conf /etc/nginx/nginx.conf`},
	{links: "# mine\n---\n", answer: ":2: this is YAML"},
	{links: "apiVersion: v1\n", answer: ":1: this is YAML"},
	{links: "{\n", answer: ":1: this is JSON"},
	{links: "[links]\n", answer: ":1: this is INI or TOML"},
	{links: "link web/nginx.conf\u00a0/etc/a", answer: `"web/nginx.conf\u00a0/etc/a" holds what can't be told from a blank`},
	{links: "\u200blink web/nginx.conf /etc/a", answer: `"\u200blink" holds what can't be told from a blank`},
	{links: "link “web/nginx.conf” /etc/a", answer: "holds a typographic quote: write ' or \""},
	{links: "validate sh -c ‘nginx -t’", answer: "holds a typographic quote"},
	{links: `settle 1s\nlink web/nginx.conf /etc/a`, answer: `LINKS:1: \n ends no line: write a new one`},
	{args: []string{"--validate", `nginx -t \`}, answer: `--validate: a line can't be continued by \: write all of it in one line`},
	{args: []string{"--stop-signal", "STOP"}, answer: `--stop-signal: nobody can catch "STOP": write another signal, such as TERM`},
	{links: "reload SIGKILL", answer: `"SIGKILL" is not a way to reload: write auto, touch`},
	{links: "validate nginx –t", answer: `"–t" holds a typographic dash: write -, or put quotes around the word`},
	{args: []string{"—check"}, answer: `"—check" holds a typographic dash: write -`},
	{links: "stop-signal 9", answer: `nobody can catch "9"`},
	{links: "reload signal:KILL", answer: `nobody can catch "KILL"`},
	{links: "map-signal KILL:TERM", answer: `nobody can catch "KILL"`},
	{links: "settle 10m", answer: "note: settle 10m0s: an edit waits until nothing has changed for so long; to spread reloads, write splay\n"},
	{links: "probation 10h", answer: "note: probation 10h0m0s leaves nothing to soak, and the next edit waits for its end: write a shorter one\n"},
	{links: "soak 1m\nprobation 2m", answer: "note: probation 2m0s leaves nothing to soak"},
	{links: "link web/nginx.conf /etc/nginx/nginx.conf;", answer: `"/etc/nginx/nginx.conf;" holds punctuation: only blanks stand between words; remove it`},
	{links: "link web/nginx.conf, /etc/nginx/nginx.conf", answer: `"web/nginx.conf," holds punctuation`},
	{links: "stop-signal TERM;", answer: `"TERM;" holds punctuation`},
	{links: "link web/nginx.conf > /etc/a", answer: `">" holds punctuation`},
	{links: "link web/nginx.conf -> /etc/a", answer: `LINKS:1: "->" stands between two words: remove it`},
	{links: "input = web/nginx.conf", answer: `"=" stands between two words: remove it`},
	{links: "link web/nginx.conf /etc/a mode 0644", answer: `"mode" is not an option of link: did you mean mode=MODE?`},
	{links: "probation 5 s", answer: `LINKS:1: probation: "5 s" is not a time: write a number with a unit`},
	{links: "state /run/my state", answer: `"state" is one word too many`},
	{links: "secret web/a /etc/a", answer: `"secret" is not known: did you mean link?`},
	{links: "reload SIGHUP", answer: "write signal:HUP"},

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
	{links: "envFrom web/", answer: `"envFrom" is not known: did you mean env?`},
	{links: "env web *", answer: `or "web/" for all keys below it`},
	{links: "env LEVEL debug", answer: `; a source is VOLUME/KEY`},
	{links: "env web/ *", answer: `key "web/nginx.conf" becomes variable "nginx.conf", which no shell can read`},
	{links: "env web/LEVEL log-level", answer: `which no shell can read`},
	{links: "env web/ *\nenv web/* *\n", answer: `a line for one key wins: write env web/LEVEL LEVEL`},
	{environ: []string{"CONFIT_LINKS=link a b"}, answer: "if these are lines, write CONFIT_LINES"},

	// Hooks
	{links: "validate nginx -t -c $CONFIT_CANDIDATE/web/nginx.conf", answer: "write {candidate}/web/nginx.conf"},
	{links: `validate nginx -t -c "${CONFIT_CANDIDATE}/web/nginx.conf"`, answer: "write {candidate}/web/nginx.conf"},
	{links: "render cp a $CONFIT_RENDERED/a", answer: "write {rendered}/a"},
	{links: "validate nginx -t -c {{ candidate }}/web/nginx.conf", answer: "did you mean {candidate}?"},
	{links: "validate nginx -t -c {candidate/web/nginx.conf", answer: "did you mean {candidate}?"},
	{links: "validate nginx -t -c {candidate}/etc/a\nlink web/nginx.conf /etc/a", answer: `no line puts "etc/a" into the candidate: a key is there by its source, as in {candidate}/web/nginx.conf`},
	{links: "link web/LEVEL /etc/a direct\nvalidate test -s {candidate}/web/LEVEL", answer: `no candidate holds "web/LEVEL", as LINKS:1 links it direct: remove direct there`},
	{links: "validate sh -c 'test ‘a’ = a'", answer: "LINKS:1: validate: a typographic quote is a letter to a shell, as in \"‘a’ = a\": write ' or \""},
	{links: "validate sh 'nginx -t'", answer: `"nginx -t" is no script for sh: write sh -c in front of what it is to do`},
	{args: []string{"--check", "--", "cat", "{candidate}/web/nginx.conf"}, answer: `note: app: "{candidate}" is for hooks alone: write the target of a link`},
	{links: "validate exec:nginx -t", answer: "write nginx -t"},
	{links: `validate ["nginx", "-t"]`, answer: "as in nginx -t"},
	{links: "verify http://localhost/", answer: "write curl -fsS http://localhost/"},
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
		if !slices.Contains(m.args, "--links") && !slices.Contains(m.environ, "CONFIT_LINKS=link a b") {
			args = append(args, "--links", write(t, "links", here.Replace(m.links)+"\n"))
		}
		if args = append(args, m.args...); !slices.Contains(m.args, "--") {
			args = append(args, "--check")
		}
		var plan strings.Builder
		c, err := Parse(args, append([]string{"KUBERNETES_SERVICE_HOST=10.0.0.1"}, m.environ...))
		if err == nil {
			err = Explain(&plan, &c, func(string) error { return nil }, never)
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
		`validate sh -c 'test -e "$CONFIT_CANDIDATE/web/a"'`, `render envsubst '$CONFIT_CANDIDATE $LEVEL'`, `validate sh -c '${candidate}'`,
		`validate awk '{print $1}' {candidate}/web/nginx.conf`, `validate sh -c '{ render; }'`, "validate nginx -t -c {candidate}/web/", "validate ls {candidate}",
		"verify curl http://localhost/", "validate test [ a ]", "validate [ -e {candidate}/web ]", "validate sh -c 'test -e {candidate}/web/nginx.conf && true'",
		"validate test a = b", "validate bash -ec 'test a'", "soak 0\nprobation 2h", "probation 59m", "soak 6s", "probation 0", "settle 10s", "map-signal TERM:KILL", "validate sh -c 'echo ‘a’'", "validate sh -c \"printf 'a\\nb'\"", "validate nginx \"\u00a0\"", "validate nginx '–t' a–b",
	} {
		c := mustParse(t, write(t, "links", "link web/nginx.conf /etc/a\n"+line+"\n"), nil, "--volumes", t.TempDir(), "--check")
		var plan strings.Builder
		_ = Explain(&plan, &c, func(string) error { return errors.ErrUnsupported }, never)
		if strings.Contains(plan.String(), "no line puts") || strings.Contains(plan.String(), "so long") || strings.Contains(plan.String(), "leaves nothing") {
			t.Errorf("%s: says %s", line, plan.String())
		}
	}
}
