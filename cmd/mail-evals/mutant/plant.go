package mutant

import (
	"bytes"
	"encoding/json"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Mutant is one change.
type Mutant struct {
	ID       string   `json:"id"`
	Guard    string   `json:"guard"`
	Place    string   `json:"place"` // file:line, function
	Kind     string   `json:"kind"`
	Was      string   `json:"was"`
	Families []string `json:"-"`
}

// switchSource is the package that the planted code asks. It exists in the overlay alone.
const switchSource = `package mutation

import "os"

var active = os.Getenv("` + Variable + `")

func On(id string) bool { return active == id }

func Cond(negate, drop string, was func() bool) bool {
	switch active {
	case negate:
		return !was()
	case drop:
		return false
	}
	return was()
}

func Operand(id string, neutral bool, was func() bool) bool {
	if active == id {
		return neutral
	}
	return was()
}

func Compare(off, turned string, edge, round, was func() bool) bool {
	switch active {
	case off:
		return edge()
	case turned:
		return round()
	}
	return was()
}
`

// Variable names the mutant that a process is to be.
const Variable = "MAILGAP_EVAL_MUTANT"

// Plant writes copies of the targets' files with all mutants in them, and the overlay for go build, under dir. It returns the mutants and
// the name of the overlay file.
func Plant(root, dir string) ([]Mutant, string, error) {
	replace := map[string]string{}
	var all []Mutant
	byFile := map[string][]Target{}
	var files []string
	for _, t := range Targets() {
		if byFile[t.File] == nil {
			files = append(files, t.File)
		}
		byFile[t.File] = append(byFile[t.File], t)
	}
	for _, file := range files {
		text, mutants, err := plantFile(root, file, byFile[file], len(all))
		if err != nil {
			return nil, "", err
		}
		to := filepath.Join(dir, strings.ReplaceAll(file, "/", "_"))
		if err := os.WriteFile(to, text, 0o600); err != nil {
			return nil, "", err
		}
		replace[filepath.Join(root, file)] = to
		all = append(all, mutants...)
	}
	sw := filepath.Join(dir, "switch.go")
	if err := os.WriteFile(sw, []byte(switchSource), 0o600); err != nil {
		return nil, "", err
	}
	replace[filepath.Join(root, "shared", "mutation", "switch.go")] = sw
	overlay, err := json.Marshal(map[string]any{"Replace": replace})
	if err != nil {
		return nil, "", err
	}
	name := filepath.Join(dir, "overlay.json")
	return all, name, os.WriteFile(name, overlay, 0o600)
}

// edit replaces octets of the source.
type edit struct {
	from, to int
	text     string
}

// planter works on one file.
type planter struct {
	set     *token.FileSet
	src     []byte
	file    string
	target  Target
	fn      string
	first   int // number of the first mutant
	edits   []edit
	mutants []Mutant
}

func plantFile(root, file string, targets []Target, first int) ([]byte, []Mutant, error) {
	src, err := os.ReadFile(filepath.Join(root, file))
	if err != nil {
		return nil, nil, err
	}
	p := &planter{set: token.NewFileSet(), src: src, file: file, first: first}
	tree, err := parser.ParseFile(p.set, file, src, parser.ParseComments)
	if err != nil {
		return nil, nil, err
	}
	for _, d := range tree.Decls {
		f, ok := d.(*ast.FuncDecl)
		if !ok || f.Body == nil {
			continue
		}
		for _, t := range targets {
			if slices.Contains(t.Funcs, f.Name.Name) {
				p.target, p.fn = t, f.Name.Name
				p.function(f)
			}
		}
	}
	at := p.offset(tree.Name.End())
	p.edits = append(p.edits, edit{at, at, "\n\nimport mutation \"mailgap/shared/mutation\"\n"})
	if len(p.mutants) == 0 {
		p.edits = nil
	}
	return p.apply(), p.mutants, nil
}

func (p *planter) offset(pos token.Pos) int { return p.set.Position(pos).Offset }

func (p *planter) text(n ast.Node) string { return string(p.src[p.offset(n.Pos()):p.offset(n.End())]) }

// add makes a mutant and returns its quoted name.
func (p *planter) add(at token.Pos, kind, was string) string {
	id := fmt.Sprintf("m%03d", p.first+len(p.mutants))
	p.mutants = append(p.mutants, Mutant{ID: id, Guard: p.target.Guard, Kind: kind, Was: strings.Join(strings.Fields(was), " "),
		Place: fmt.Sprintf("%s:%d, %s", p.file, p.set.Position(at).Line, p.fn), Families: p.target.Families})
	return fmt.Sprintf("%q", id)
}

// function plants into one function: an early return, and a change of every condition.
func (p *planter) function(f *ast.FuncDecl) {
	if zero, ok := p.zeros(f.Type); ok {
		at := p.offset(f.Body.Lbrace) + 1
		p.edits = append(p.edits, edit{at, at, fmt.Sprintf("\nif mutation.On(%s) {\nreturn %s\n}\n", p.add(f.Pos(), "early return", f.Name.Name), zero)})
	}
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.IfStmt:
			p.condition(n.Cond)
		case *ast.SwitchStmt:
			if n.Tag == nil {
				p.cases(n)
			}
		case *ast.ReturnStmt:
			if boolean(f.Type) && len(n.Results) == 1 && compound(n.Results[0]) {
				p.condition(n.Results[0])
			}
		}
		return true
	})
}

func (p *planter) cases(s *ast.SwitchStmt) {
	for _, c := range s.Body.List {
		for _, e := range c.(*ast.CaseClause).List {
			p.condition(e)
		}
	}
}

// zeros writes zero values for the results of a function.
func (p *planter) zeros(t *ast.FuncType) (string, bool) {
	if t.Results == nil {
		return "", true
	}
	var out []string
	for _, r := range t.Results.List {
		for range max(len(r.Names), 1) {
			out = append(out, "*new("+p.text(r.Type)+")")
		}
	}
	return strings.Join(out, ", "), true
}

func boolean(t *ast.FuncType) bool {
	if t.Results == nil || len(t.Results.List) != 1 {
		return false
	}
	name, ok := t.Results.List[0].Type.(*ast.Ident)
	return ok && name.Name == "bool"
}

// compound reports an expression that decides something, not a constant or a name.
func compound(e ast.Expr) bool {
	switch e.(type) {
	case *ast.Ident, *ast.BasicLit:
		return false
	}
	return true
}

// condition plants into one condition. What only passes a fault on is left alone, and so are the switches of the evaluation.
func (p *planter) condition(e ast.Expr) {
	was := p.text(e)
	if was == "err != nil" || strings.Contains(was, "guardswitch.") || strings.Contains(was, "ctx.Err()") || strings.Contains(was, "errors.Is(err, sql") {
		return
	}
	from, to := p.offset(e.Pos()), p.offset(e.End())
	if slices.ContainsFunc(p.edits, func(x edit) bool { return x.from < to && from < x.to }) {
		return
	}
	negate, drop := p.add(e.Pos(), "negated", was), p.add(e.Pos(), "dropped", was)
	p.edits = append(p.edits, edit{from, to, fmt.Sprintf("mutation.Cond(%s, %s, func() bool { return %s })", negate, drop, p.inner(e))})
}

// inner plants into the parts of a condition.
func (p *planter) inner(e ast.Expr) string {
	b, ok := e.(*ast.BinaryExpr)
	if !ok {
		if q, ok := e.(*ast.ParenExpr); ok {
			return "(" + p.inner(q.X) + ")"
		}
		return p.text(e)
	}
	edge := map[token.Token]string{token.LSS: "<=", token.LEQ: "<", token.GTR: ">=", token.GEQ: ">"}
	round := map[token.Token]string{token.LSS: ">", token.LEQ: ">=", token.GTR: "<", token.GEQ: "<="}
	x, y := p.text(b.X), p.text(b.Y)
	switch {
	case b.Op == token.LAND || b.Op == token.LOR:
		part := func(e ast.Expr) string {
			return fmt.Sprintf("mutation.Operand(%s, %v, func() bool { return %s })", p.add(e.Pos(), "operand dropped", p.text(e)), b.Op == token.LAND, p.inner(e))
		}
		if strings.Contains(x, "guardswitch.") || strings.Contains(y, "guardswitch.") {
			return x + " " + b.Op.String() + " " + y
		}
		return part(b.X) + " " + b.Op.String() + " " + part(b.Y)
	case edge[b.Op] != "":
		f := func(op string) string { return fmt.Sprintf("func() bool { return %s %s %s }", x, op, y) }
		return fmt.Sprintf("mutation.Compare(%s, %s, %s, %s, %s)", p.add(b.Pos(), "off by one", p.text(b)), p.add(b.Pos(), "turned round", p.text(b)),
			f(edge[b.Op]), f(round[b.Op]), f(b.Op.String()))
	}
	return p.text(e)
}

// apply writes the source with all edits.
func (p *planter) apply() []byte {
	slices.SortStableFunc(p.edits, func(a, b edit) int { return a.from - b.from })
	var b bytes.Buffer
	last := 0
	for _, e := range p.edits {
		b.Write(p.src[last:e.from])
		b.WriteString(e.text)
		last = e.to
	}
	b.Write(p.src[last:])
	return b.Bytes()
}
