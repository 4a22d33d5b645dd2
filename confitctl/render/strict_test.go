package render

import (
	"math/rand/v2"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestNumbers: integers stay integers, and a number has the text that its
// source has.
func TestNumbers(t *testing.T) {
	for text, want := range map[string]string{
		`{{(fromYaml "n: 104857600").n}}`:                                                    "104857600",
		`{{(fromJson "{\"n\": 104857600}").n}}`:                                              "104857600",
		`{{(fromYaml "n: 9007199254740993").n}}`:                                             "9007199254740993",
		`{{(fromJson "{\"n\": 9007199254740993}").n}}`:                                       "9007199254740993",
		`{{(fromYaml "n: -9223372036854775808").n}}`:                                         "-9223372036854775808",
		`{{(fromYaml "n: 18446744073709551615").n}}`:                                         "18446744073709551615",
		`{{(fromYaml "n: 123456789012345678901234567890").n}}`:                               "123456789012345678901234567890",
		`{{(fromJson "[123456789012345678901234567890]") | first}}`:                          "123456789012345678901234567890",
		`{{(fromYaml "n: 1.10").n}} {{(fromJson "1.10")}}`:                                   "1.10 1.10",
		`{{(fromYaml "n: 1e6").n}} {{(fromYaml "n: 0.5").n}} {{(fromYaml "n: 3.0").n}}`:      "1e6 0.5 3.0",
		`{{(fromYaml "n: .5").n}} {{(fromYaml "n: 0644").n}} {{(fromYaml "n: 0x1F").n}}`:     "0.5 420 31",
		`{{(fromYaml "n: 1.10").n | quote}} {{(fromYaml "n: 1.10").n | toString}}`:           `"1.10" 1.10`,
		`{{fromYaml "a: [1.10, 104857600, 1e6]" | toJson}}`:                                  `{"a":[1.10,104857600,1e6]}`,
		`{{fromYaml "a: [1.10, 104857600, 1e6]" | toYaml}}`:                                  "a:\n- 1.10\n- 104857600\n- 1e6",
		`{{mulf 1024 102400}} {{mulf 1024 102400 | quote}} {{list (mulf 1024 102400)}}`:      `104857600 "104857600" [104857600]`,
		`{{dict "n" (mulf 1024 102400) | toYaml}}`:                                           "\"n\": 104857600",
		`{{float64 "104857600"}} {{print (float64 "104857600")}}`:                            "104857600 104857600",
		`{{printf "%d %s %v" (fromYaml "104857600") "x" (float64 "104857600")}}`:             "104857600 x 104857600",
		`{{printf "%.2f %.2f %x %q" (fromYaml "1.10") (fromYaml "1e6") 255.0 "a"}}`:          `1.10 1000000.00 ff "a"`,
		`{{printf "%d" (fromYaml "123456789012345678901234567890")}}`:                        "123456789012345678901234567890",
		`{{printf "100%% of %s" "a%!d(b"}}`:                                                  "100% of a%!d(b",
		`{{add (fromYaml "9007199254740993") 1}} {{sub 1 3}} {{mul 2 "3"}} {{div -7 2}}`:     "9007199254740994 -2 6 -3",
		`{{mod 7 3}} {{max 1 9007199254740993 "4"}} {{min 3 2}} {{add1 4}} {{add}}`:          "1 9007199254740993 2 5 0",
		`{{int 12.7}} {{int64 "12"}} {{int "-3"}} {{atoi "010"}} {{toDecimal "0644"}}`:       "12 12 -3 10 420",
		`{{int (fromYaml "1.90")}} {{add (fromYaml "1e3") 1}} {{addf 0.1 "0.2"}}`:            "1 1001 0.3",
		`{{round 1.25 1}} {{ceil "1.2"}} {{floor (fromYaml "1.20")}} {{maxf 1 2.5}}`:         "1.3 2 1 2.5",
		`{{gt (fromYaml "1.10") 1.09}} {{eq (fromYaml "1.0") 1}} {{lt 1 (fromYaml "1.10")}}`: "true true true",
		`{{eq (fromYaml "9007199254740993") 9007199254740992}} {{ne 1 2}} {{eq 2 1 2}}`:      "false true true",
		`{{eq "a" "b" "a"}} {{eq true false}} {{eq nil nil}} {{lt "a" "b"}} {{eq nil 1}}`:    "true false true true false",
		`{{if (fromYaml "0.0")}}yes{{else}}no{{end}} {{default 5 (fromYaml "n: 0.0").n}}`:    "no 5",
		`{{range until (fromYaml "n: 3").n}}{{.}}{{end}} {{repeat (fromJson "2") "ab"}}`:     "012 abab",
		`{{untilStep 0 10 3}} {{untilStep 3 0 -2}} {{until -2}} {{untilStep 0 3 -1}}`:        "[0 3 6 9] [3 1] [0 -1] []",
		`{{seq 3}} {{seq 2 4}} {{seq 1 2 6}} {{seq 2 -1 0}} {{seq 0}} [{{seq 2 1 0}}]`:       "1 2 3 2 3 4 1 3 5 2 1 0 1 0 []",
		`{{slice (list 1 2 3) 1 "2"}} {{slice (list 1 2 3) 1}}`:                              "[2] [2 3]",
		`{{duration 95}} {{duration "95"}} {{durationRound "90m"}}`:                          "1m35s 1m35s 1h",
		`{{has 4 (fromYaml "[3, 4]")}} {{index (fromYaml "{a: [1]}") "a" 0}}`:                "true 1",
	} {
		if got, err := render(t, text); got != want || err != nil {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
	}
}

// TestYAML: what Kubernetes reads of the same text.
func TestYAML(t *testing.T) {
	for text, want := range map[string]string{
		`{{fromYaml "a: &x {b: 1, c: 2}\nd: {<<: *x, c: 3}" | toJson}}`:           `{"a":{"b":1,"c":2},"d":{"b":1,"c":3}}`,
		`{{fromYaml "a: &x {b: 1}\ne: &y {b: 2}\nd: {<<: [*x, *y]}" | toJson}}`:   `{"a":{"b":1},"d":{"b":1},"e":{"b":2}}`,
		`{{fromYaml "[yes, off, \"on\", true, ~, y]" | toJson}}`:                  `[true,false,"on",true,null,true]`,
		`{{fromYaml "on: 1\n2: x" | toJson}}`:                                     `{"2":"x","on":1}`,
		`{{fromYaml "[2024-01-02, 1:30, !!binary aGk=, !!str 1, '1']" | toJson}}`: `["2024-01-02","1:30","hi","1","1"]`,
		`{{fromYaml "---\na: 1\n...\n" | toJson}}`:                                `{"a":1}`,
		`{{fromYaml "# nothing" | toJson}} {{fromYaml "" | toJson}}`:              `null null`,
		`{{dict "b" "yes" "a" (list "1" nil) "c" "x\ny\n" | toYaml}}`:             "a:\n- \"1\"\n- null\nb: \"yes\"\nc: |\n  x\n  y",
		`{{fromJson "{\"a\": [true, null, \"x\\u00e4\", {}]}" | toJson}}`:         `{"a":[true,null,"xä",{}]}`,
		`{{fromYaml "a: |\n  x\n  y\n" | toJson}}`:                                `{"a":"x\ny\n"}`,
		`{{range $k, $v := fromYaml "b: 1\na: 2"}}{{$k}}={{$v}} {{end}}`:          "a=2 b=1 ",
	} {
		if got, err := render(t, text); got != want || err != nil {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
	}
}

// place begins each error of a template that is rendered.
var place = regexp.MustCompile(`template: app\.conf\.tmpl:[0-9]+:[0-9]+: `)

// TestNoWrongValue: what sprig and text/template would write something for is an
// error with file, line and column.
func TestNoWrongValue(t *testing.T) {
	for text, want := range map[string]string{
		`{{"x!" | b64dec}}`:                       "illegal base64 data",
		`{{"abc" | b64dec}}`:                      "illegal base64 data",
		`{{fromYaml "[!!binary 0000]" | toJson}}`: "no UTF-8",
		`{{"x!" | b32dec}}`:                       "illegal base32 data",
		`{{first (list)}}`:                        "an empty list has no first",
		`{{mustLast (list)}}`:                     "an empty list has no last",
		`{{first (fromYaml "a:").a}}`:             "nothing has no first",
		`{{atoi "12x"}}`:                          "its text is no number",
		`{{int "12x"}}`:                           "its text is no number",
		`{{int64 ""}}`:                            "its text is no number",
		`{{int " 12"}}`:                           "its text is no number",
		`{{int "010"}}`:                           "begins with 0",
		`{{int true}}`:                            "a value of type bool is no number",
		`{{int (list)}}`:                          "is no number",
		`{{int nil}}`:                             "is no number",
		`{{float64 "1,5"}}`:                       "its text is no number",
		`{{float64 "Inf"}}`:                       "its text is no number",
		`{{float64 "1e999"}}`:                     "too large",
		`{{float64 "9007199254740993"}}`:          "no place for all digits",
		`{{addf 9007199254740993 1}}`:             "no place for all digits",
		`{{slice (list 1 2) "x"}}`:                "its text is no number",
		`{{toDecimal "9"}}`:                       "no octal number",
		`{{add "12x" 1}}`:                         "its text is no number",
		`{{add 1.5 2}}`:                           "with a fraction is no integer",
		`{{add 9223372036854775807 1}}`:           "doesn't fit into 64 bits",
		`{{int64 (fromJson "1e999999999")}}`:      "doesn't fit into 64 bits",
		`{{mul 9223372036854775807 2}}`:           "doesn't fit into 64 bits",
		`{{div 1 0}}`:                             "division by zero",
		`{{addf "x" 1}}`:                          "its text is no number",
		`{{divf 1 0}}`:                            "division by",
		`{{round "x" 1}}`:                         "its text is no number",
		`{{duration "1h"}}`:                       "its text is no number",
		`{{durationRound "soon"}}`:                "no duration",
		`{{derivePassword 1 "nice" "a" "b" "c"}}`: "none of the kinds",
		`{{dict "a"}}`:                            "the last key has no value",
		`{{printf "%d" "x"}}`:                     "the format has other verbs",
		`{{printf "%d"}}`:                         "the format has other verbs",
		`{{printf "%d" 1 2}}`:                     "the format has other verbs",
		`{{printf "%s" 5}}`:                       "the format has other verbs",
		`{{printf "%!"}}`:                         "the format has other verbs",
		`{{printf "%v" nil}}`:                     "there is no value to print",
		`{{(fromYaml "a:").a}}`:                   "there is no value to print",
		`{{(fromYaml "a:").a | quote}}`:           "there is no value to print",
		`{{cat "a" nil}}`:                         "there is no value to print",
		`{{join "," (list "a" nil)}}`:             "there is no value to print",
		`{{toString nil}}`:                        "there is no value to print",
		`{{html nil}}`:                            "there is no value to print",
		`{{list nil}}`:                            "there is no value to print",
		`{{coalesce "" nil}}`:                     "there is no value to print",
		"{{`%!d(string=x)`}}":                     "its text holds <no value>, or %!",
		"{{`<no value>`}}":                        "its text holds <no value>, or %!",
		"{{if true}}a: <no value>{{end}}":         "its text holds <no value>, or %!",
		`{{fromYaml "a: 1\n---\nb: 2"}}`:          "line 2: a second document begins",
		`{{fromYaml "a: 1\na: 2"}}`:               "line 2: this key is there already",
		`{{fromYaml "a: {b: 1, 'b': 2}"}}`:        "this key is there already",
		`{{fromYaml "{? [a] : 1}"}}`:              "can't be a key",
		`{{fromYaml "a: &a [*a]"}}`:               "stands for what it is in",
		`{{fromYaml "<<: 1"}}`:                    "<< takes a map",
		`{{fromYaml "a: &a [1,1,1,1,1,1,1,1,1,1]\nb: &b [*a,*a,*a,*a,*a,*a,*a,*a,*a,*a]\nc: &c [*b,*b,*b,*b,*b,*b,*b,*b,*b,*b]\nd: &d [*c,*c,*c,*c,*c,*c,*c,*c,*c,*c]\ne: &e [*d,*d,*d,*d,*d,*d,*d,*d,*d,*d]\nf: [*e,*e,*e,*e,*e,*e,*e,*e,*e,*e]"}}`: "line 1: aliases make more than",
		`{{fromYaml "a: !!int x"}}`:           "cannot decode",
		`{{fromYaml "{"}}`:                    "yaml: line 1",
		`{{fromJson "{\"a\": 1, \"a\": 2}"}}`: "has a key twice",
		`{{fromJson "1 2"}}`:                  "after top-level value",
		`{{mustFromJson "1 2"}}`:              "after top-level value",
		"{{fromJson \"\\\"\\xff\\\"\"}}":      "no UTF-8",
		`{{lt 1 "2"}}`:                        "cannot compare a value of type int with one of type string",
		`{{eq (list) (list)}}`:                "cannot compare",
		`{{eq 1 "1"}}`:                        "cannot compare",
		`{{eq 1}}`:                            "nothing to compare it with",
	} {
		if got, err := render(t, text); err == nil || !strings.Contains(err.Error(), want) || !place.MatchString(err.Error()) {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
	}
}

// TestPlace: it is that of the action, in the file where it is.
func TestPlace(t *testing.T) {
	for text, want := range map[string]string{
		"a\n  {{first (list)}}":                                      `app.conf.tmpl:2:4: executing "app.conf.tmpl" at <first (list)>: error calling first: an empty`,
		"a\n  {{(fromYaml \"a:\").a}}":                               `app.conf.tmpl:2:4: there is no value to print`,
		"{{define \"x\"}}\n{{nil | quote}}{{end}}{{template \"x\"}}": "app.conf.tmpl:2:2: ",
	} {
		if _, err := render(t, text); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: got %v, want %q", text, err, want)
		}
	}
}

// TestLegal: what only looks like a mistake.
func TestLegal(t *testing.T) {
	for text, want := range map[string]string{
		`CustomLog "%!200,304{Referer}i %!"`:                       `CustomLog "%!200,304{Referer}i %!"`,
		`{{"50%! (a=b)"}} {{"<nothing>"}}`:                         "50%! (a=b) <nothing>",
		`{{$x := coalesce ""}}{{if $x}}a{{end}}{{default "d" $x}}`: "d",
		`{{range rest (list 1)}}a{{else}}none{{end}}`:              "none",
		`{{list "a" "b"}} {{toJson (dict "a" nil)}}`:               `[a b] {"a":null}`,
		`{{semver "1.2.3"}} {{print "a" 1 2}} {{println 1.5}}`:     "1.2.3 a1 2 1.5\n",
		`{{"aGk=\n" | b64dec}} {{"hi" | b64enc | b64dec}}`:         "hi hi",
		`{{html "<a>"}} {{urlquery "a b"}} {{quote 1 "a"}}`:        `&lt;a&gt; a+b "1" "a"`,
	} {
		if got, err := render(t, text); got != want || err != nil {
			t.Errorf("%s:\ngot  %q, %v\nwant %q", text, got, err, want)
		}
	}
}

// TestNumeral: whatever number JSON or YAML has, its text comes out again; what
// is zero is false.
func TestNumeral(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	digits := func(most int) string {
		text := strconv.Itoa(1 + random.IntN(9))
		for range random.IntN(most) {
			text += strconv.Itoa(random.IntN(10))
		}
		return text
	}
	for range 10_000 {
		text := []string{"", "-"}[random.IntN(2)] + digits(25)
		if random.IntN(2) == 0 {
			text += "." + digits(10) + []string{"", "0"}[random.IntN(2)]
		}
		if random.IntN(3) == 0 {
			text += []string{"e", "E+", "e-"}[random.IntN(3)] + digits(3)
		}
		for name, read := range map[string]func(string) (any, error){"JSON": fromJSON, "YAML": fromYAML} {
			v, err := read(text)
			if got, wrong := printed(v); err != nil || wrong != nil || got != text {
				t.Fatalf("%s: %s became %s, %v, %v", name, text, got, err, wrong)
			}
			if back, err := toYAML([]any{v}); err != nil || back != "- "+text && back != "- "+strconv.Quote(text) {
				t.Fatalf("%s: %s became %s, %v", name, text, back, err)
			}
		}
	}
}
