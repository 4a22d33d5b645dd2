package cli

import (
	"regexp"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"confit/process/entrypoint"
)

// parsed is what a parser of bash finds in a text: the rules of entrypoint.Read, asked of a syntax tree.
type parsed struct {
	text               string
	how                entrypoint.How
	unclear            bool // bash doesn't read it as the parser does
	sets, traps        bool
	functions          map[string]bool
	executes, withArgs bool
}

// joined is a word that goes on in the next line.
var joined = regexp.MustCompile(`\S\\\n`)

// parserSays is the answer for a text, if the parser can read it.
func parserSays(text string, how entrypoint.How) (executes, known bool) {
	parser := syntax.NewParser(syntax.Variant(syntax.LangBash), syntax.KeepComments(true))
	file, err := parser.Parse(strings.NewReader(text), "")
	if err != nil {
		return false, false
	}
	p := &parsed{text: text, how: how, functions: map[string]bool{}, unclear: joined.MatchString(text)}
	syntax.Walk(file, p.note)
	p.stmts(file.Stmts, false)
	return p.executes || p.withArgs && (how.Args || p.sets) || p.endsInProgram(file.Stmts), !p.unclear
}

// note collects what is true of a text as a whole.
func (p *parsed) note(node syntax.Node) bool {
	switch n := node.(type) {
	case *syntax.FuncDecl:
		if n.Name != nil {
			p.functions[n.Name.Value] = true
		}
		switch n.Body.Cmd.(type) {
		case *syntax.CallExpr, *syntax.BinaryCmd:
			p.unclear = true
		}
		p.unclear = p.unclear || n.Name == nil
	case *syntax.Comment:
		before := p.text[:n.Pos().Offset()]
		p.unclear = p.unclear || strings.HasSuffix(strings.TrimSpace(n.Text), "\\") || strings.HasSuffix(before, ")")
	case *syntax.CoprocClause:
		p.unclear = p.unclear || n.Name != nil
	case *syntax.WordIter:
		p.unclear = p.unclear || n.Name.Value == "exec"
	case *syntax.TestClause:
		p.unclear = p.unclear || strings.Contains(p.source(n), "exec")
	case *syntax.Assign:
		p.unclear = p.unclear || n.Index != nil && strings.ContainsAny(p.source(n.Index), " \t")
	case *syntax.CallExpr:
		words := p.words(n)
		if len(words) > 0 {
			p.unclear = p.unclear || words[0] == "local" && len(n.Assigns) > 0
			p.traps = p.traps || words[0] == "trap"
			p.sets = p.sets || words[0] == "set" && slices.Contains(words, "--")
		}
	}
	return true
}

func (p *parsed) source(n syntax.Node) string { return p.text[n.Pos().Offset():n.End().Offset()] }

func (p *parsed) words(call *syntax.CallExpr) (words []string) {
	for _, word := range call.Args {
		words = append(words, p.source(word))
	}
	return words
}

func (p *parsed) stmts(list []*syntax.Stmt, inFunction bool) {
	for _, s := range list {
		p.stmt(s, inFunction)
	}
}

// stmt goes through commands that the shell itself carries out.
func (p *parsed) stmt(s *syntax.Stmt, inFunction bool) {
	if s.Background || s.Coprocess {
		return
	}
	switch c := s.Cmd.(type) {
	case *syntax.CallExpr:
		p.assigns(c.Assigns)
		p.call(p.words(c), inFunction)
	case *syntax.DeclClause:
		p.assigns(c.Args)
	case *syntax.BinaryCmd:
		if c.Op == syntax.AndStmt || c.Op == syntax.OrStmt {
			p.stmts([]*syntax.Stmt{c.X, c.Y}, inFunction)
		}
	case *syntax.Block:
		p.stmts(c.Stmts, inFunction)
	case *syntax.IfClause:
		for ; c != nil; c = c.Else {
			p.stmts(c.Cond, inFunction)
			p.stmts(c.Then, inFunction)
		}
	case *syntax.WhileClause:
		p.stmts(c.Cond, inFunction)
		p.stmts(c.Do, inFunction)
	case *syntax.ForClause:
		p.stmts(c.Do, inFunction)
	case *syntax.CaseClause:
		for _, item := range c.Items {
			p.stmts(item.Stmts, inFunction)
		}
	case *syntax.TimeClause:
		if c.Stmt != nil {
			p.stmt(c.Stmt, inFunction)
		}
	case *syntax.FuncDecl:
		p.stmt(c.Body, true)
	}
}

var noQuotes = strings.NewReplacer(`"`, "", `'`, "", `\`, "")

func (p *parsed) assigns(list []*syntax.Assign) {
	for _, a := range list {
		value := ""
		switch {
		case a.Value != nil:
			value = p.source(a.Value)
		case a.Array != nil && len(a.Array.Elems) > 0 && a.Array.Elems[0].Value != nil:
			value = p.source(a.Array.Elems[0].Value)
		}
		words := strings.Fields(noQuotes.Replace(value))
		p.executes = p.executes || len(words) > 0 && words[0] == "exec"
	}
}

func (p *parsed) call(words []string, inFunction bool) {
	if len(words) > 0 && words[0] == "eval" {
		words = strings.Fields(noQuotes.Replace(strings.Join(words, " ")))
		for len(words) > 1 && words[0] == "eval" {
			words = words[1:]
		}
	}
	if len(words) == 0 || words[0] != "exec" {
		return
	}
	for words = words[1:]; len(words) > 0 && strings.HasPrefix(words[0], "-"); words = words[1:] {
		if strings.HasSuffix(words[0], "a") && len(words) > 1 {
			words = words[1:]
		}
	}
	switch {
	case len(words) == 0 || strings.ContainsAny(words[0], "<>"):
	case onlyArgs(words) && !inFunction:
		p.withArgs = true
	default:
		p.executes = true
	}
}

func onlyArgs(words []string) bool {
	return len(words) == 1 && slices.Contains([]string{"$@", "$*", "${@}", "${*}"}, strings.Trim(words[0], `"`))
}

// endsInProgram says of the last statement whether bash executes it without being told, or reads a file.
func (p *parsed) endsInProgram(list []*syntax.Stmt) bool {
	if len(list) == 0 {
		return false
	}
	whole := list[len(list)-1]
	last, linked := whole, false
	for {
		binary, ok := last.Cmd.(*syntax.BinaryCmd)
		if !ok || binary.Op != syntax.AndStmt && binary.Op != syntax.OrStmt {
			break
		}
		last, linked = binary.Y, true
	}
	call, ok := last.Cmd.(*syntax.CallExpr)
	if !ok || whole.Background || whole.Negated || last.Negated || len(call.Args) == 0 {
		return false
	}
	words := p.words(call)
	name := noQuotes.Replace(words[0])
	if name == "." || name == "source" {
		return len(words) > 1
	}
	if len(list) > 1 {
		before := list[len(list)-2]
		sameLine := !strings.Contains(p.text[before.End().Offset():whole.Pos().Offset()], "\n")
		if sameLine && (linked || before.Background) {
			return false
		}
	}
	able := p.how.Shell == "bash" || p.how.Shell == "busybox"
	free := !p.traps && len(last.Redirs) == 0 && !p.functions[name] && !isBuiltin(name)
	return p.how.Command && able && free && (p.how.Args || p.sets || !onlyArgs(words))
}

// builtins are those that a text at random may have.
const builtins = " : [ cd command echo eval exec exit export false printf read set shift shopt test time trap true" +
	" unset wait "

func isBuiltin(name string) bool { return strings.Contains(builtins, " "+name+" ") }
