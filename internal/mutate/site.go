package main

import (
	"go/ast"
	"go/token"
	"go/types"
	"strings"
)

// This file finds the sites where a mutation applies. An operator is written such that the
// instrumented file compiles whatever surrounds the site. Where that is impossible, because a type
// has no name or a value must be constant, there is no site.

// site is a range of the source and what a mutation makes of it.
type site struct {
	file     *file
	function string
	operator string
	from, to int
	// pieces are the guarded text that replaces the site's.
	pieces            []piece
	original, mutated string
	// occurrence tells equal mutations of a function apart, from 1.
	occurrence int
}

// piece is text, in which mark is replaced by the mutation's number. If it is empty, it is a part
// of the file with the mutations in it.
type piece struct {
	text     string
	from, to int
}

const mark = "\x00"

// The operators.
const (
	negated    = "negate condition"
	swapped    = "swap arms"
	dropped    = "drop operand"
	compared   = "change comparison"
	deleted    = "delete statement"
	opposite   = "return opposite"
	subtracted = "change sign"
	offByOne   = "off by one"
)

// finder walks a file.
type finder struct {
	file     *file
	function string
	// constant holds the expressions that must stay constant.
	constant map[ast.Expr]bool
	// around are the nodes that the one in hand is in.
	around []ast.Node
	sites  []*site
}

// find returns the sites of a file in their order.
func find(f *file) []*site {
	w := &finder{file: f, constant: map[ast.Expr]bool{}}
	for _, d := range f.syntax.Decls {
		w.function = ""
		switch d := d.(type) {
		case *ast.FuncDecl:
			w.function = d.Name.Name
			if d.Recv != nil {
				receiver := f.text[f.at.Offset(d.Recv.List[0].Type.Pos()):f.at.Offset(d.Recv.List[0].Type.End())]
				w.function = strings.TrimPrefix(string(receiver), "*") + "." + w.function
			}
		case *ast.GenDecl:
			if d.Tok == token.VAR {
				w.function = d.Specs[0].(*ast.ValueSpec).Names[0].Name
			}
		}
		if w.function != "" {
			ast.Inspect(d, w.visit)
		}
	}
	count := map[string]int{}
	for _, s := range w.sites {
		key := s.function + "\n" + s.mutation()
		count[key]++
		s.occurrence = count[key]
	}
	return w.sites
}

// mutation says what is changed into what.
func (s *site) mutation() string {
	if s.operator == deleted {
		return "delete " + s.original
	}
	return s.original + " → " + s.mutated
}

// visit is called before and, with nil, after what is in a node.
func (w *finder) visit(n ast.Node) bool {
	switch n := n.(type) {
	case nil:
		w.around = w.around[:len(w.around)-1]
		return false
	case *ast.FuncType, *ast.ArrayType:
		return false
	case *ast.GenDecl:
		if n.Tok != token.VAR {
			return false
		}
	case *ast.IfStmt:
		w.condition(n.Cond, n.Else != nil)
	case *ast.ForStmt:
		if n.Cond != nil {
			w.condition(n.Cond, false)
		}
	case *ast.SwitchStmt:
		w.choice(n)
	case *ast.BlockStmt:
		w.statements(n.List)
	case *ast.CaseClause:
		w.statements(n.Body)
	case *ast.ReturnStmt:
		for _, x := range n.Results {
			if w.isBool(x, false) {
				w.add(opposite, x, w.not(x), piece{text: "mutant.Is(" + mark + ") != ("}, w.part(x), piece{text: ")"})
			}
		}
	case *ast.AssignStmt:
		if n.Tok == token.ADD_ASSIGN || n.Tok == token.SUB_ASSIGN {
			w.sign(n, n.Lhs[0], n.Rhs[0], n.Tok)
		}
	case *ast.BinaryExpr:
		w.binary(n)
	case *ast.CallExpr:
		w.call(n)
	case *ast.IndexExpr:
		if w.constantIndex(n) {
			w.constant[n.Index] = true
		}
	case *ast.CompositeLit:
		w.keys(n)
	case *ast.BasicLit:
		if n.Kind == token.INT && !w.constant[n] {
			w.increment(n)
		}
	}
	w.around = append(w.around, n)
	return true
}

// part is a node's own text.
func (w *finder) part(n ast.Node) piece {
	from, to := w.file.span(n)
	return piece{"", from, to}
}

func (w *finder) text(n ast.Node) string {
	from, to := w.file.span(n)
	return w.file.source(from, to)
}

// not returns the text of a condition's opposite.
func (w *finder) not(x ast.Expr) string {
	switch x := x.(type) {
	case *ast.BinaryExpr:
		return "!(" + w.text(x) + ")"
	case *ast.UnaryExpr:
		return w.text(x.X)
	}
	return "!" + w.text(x)
}

func (w *finder) add(operator string, n ast.Node, mutated string, pieces ...piece) {
	from, to := w.file.span(n)
	w.sites = append(w.sites, &site{file: w.file, function: w.function, operator: operator, from: from, to: to,
		pieces: pieces, original: brief(w.text(n)), mutated: brief(mutated)})
}

// brief puts text on one line of moderate length.
func brief(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > briefLength {
		return string(runes[:briefLength]) + "…"
	}
	return text
}

const briefLength = 90

// isBool reports whether an expression has the type bool itself, as comparisons and
// conditions that the instrumented form consists of have. Its value must vary if
// asked for.
func (w *finder) isBool(x ast.Expr, varies bool) bool {
	tv := w.file.pack.info.Types[x]
	return (tv.Type == types.Typ[types.Bool] || tv.Type == types.Typ[types.UntypedBool]) && (tv.Value == nil || !varies)
}

// condition negates a condition. For == and != that is what a changed comparison is,
// so they are left to it.
func (w *finder) condition(x ast.Expr, hasElse bool) {
	operator := negated
	if hasElse {
		operator = swapped
	}
	if b, ok := x.(*ast.BinaryExpr); ok && (b.Op == token.EQL || b.Op == token.NEQ) || !w.isBool(x, true) {
		return
	}
	w.add(operator, x, w.not(x), piece{text: "mutant.Is(" + mark + ") != ("}, w.part(x), piece{text: ")"})
}

// choice handles the cases of a switch: without a tag they are conditions, and with
// one they stay constant, for no two may be equal.
func (w *finder) choice(n *ast.SwitchStmt) {
	for _, clause := range n.Body.List {
		for _, x := range clause.(*ast.CaseClause).List {
			if n.Tag == nil {
				w.condition(x, false)
			} else {
				w.constant[x] = true
			}
		}
	}
}

// statements deletes statements of a block.
func (w *finder) statements(list []ast.Stmt) {
	for _, s := range list {
		switch n := s.(type) {
		case *ast.AssignStmt:
			if n.Tok == token.DEFINE {
				continue
			}
		case *ast.IncDecStmt:
		case *ast.ExprStmt:
			// a panic may be what ends a function
			call, ok := n.X.(*ast.CallExpr)
			if name, plain := call.Fun.(*ast.Ident); !ok || plain && name.Name == "panic" {
				continue
			}
		default:
			continue
		}
		w.add(deleted, s, "", piece{text: "if !mutant.Is(" + mark + ") { "}, w.part(s), piece{text: " }"})
	}
}

func (w *finder) binary(n *ast.BinaryExpr) {
	switch n.Op {
	case token.LAND, token.LOR:
		w.operand(n, n.X)
		w.operand(n, n.Y)
	case token.EQL, token.NEQ, token.LSS, token.LEQ, token.GTR, token.GEQ:
		w.comparison(n)
	case token.ADD, token.SUB:
		if w.file.pack.info.Types[n].Value == nil {
			w.sign(n, n.X, n.Y, n.Op)
		}
	}
}

// operand drops an operand of && or ||. Of a && b && c, which is (a && b) && c, the
// first two belong to the inner expression.
func (w *finder) operand(n *ast.BinaryExpr, x ast.Expr) {
	if inner, ok := x.(*ast.BinaryExpr); ok && inner.Op == n.Op || !w.isBool(x, true) || !w.isBool(n, true) {
		return
	}
	open, neutral := "(mutant.Is("+mark+") || (", "true"
	if n.Op == token.LOR {
		open, neutral = "(!mutant.Is("+mark+") && (", "false"
	}
	w.add(dropped, x, neutral, piece{text: open}, w.part(x), piece{text: "))"})
}

var comparisons = map[token.Token]token.Token{
	token.EQL: token.NEQ, token.NEQ: token.EQL,
	token.LSS: token.LEQ, token.LEQ: token.LSS, token.GTR: token.GEQ, token.GEQ: token.GTR,
}

func (w *finder) comparison(n *ast.BinaryExpr) {
	if !w.isBool(n, true) {
		return
	}
	changed := comparisons[n.Op]
	x, y := w.part(n.X), w.part(n.Y)
	between := func(o token.Token) piece { return piece{text: " " + o.String() + " "} }
	w.add(compared, n, w.text(n.X)+" "+changed.String()+" "+w.text(n.Y),
		piece{text: "(mutant.Is(" + mark + ") && ("}, x, between(changed), y,
		piece{text: ") || !mutant.Is(" + mark + ") && ("}, x, between(n.Op), y, piece{text: "))"})
}

// sign makes a sum a difference, and a difference a sum, of integers.
func (w *finder) sign(n ast.Node, x, y ast.Expr, o token.Token) {
	info := w.file.pack.info
	name, ok := w.integer(y, info.Types[x].Type)
	if !ok {
		return
	}
	from, _ := w.file.span(n)
	at, end := w.file.span(y)
	other := strings.NewReplacer("+", "-", "-", "+").Replace(o.String())
	w.add(subtracted, n, w.text(x)+" "+other+" "+w.text(y),
		piece{"", from, at}, piece{text: "mutant.Negate[" + name + "](" + mark + ", "}, piece{"", at, end}, piece{text: ")"})
}

// call makes the result of len one too large. The capacity argument of make, and the types of it
// and of conversions, are no sites.
func (w *finder) call(n *ast.CallExpr) {
	name, ok := n.Fun.(*ast.Ident)
	if !ok {
		return
	}
	tv := w.file.pack.info.Types[n.Fun]
	switch {
	case tv.IsBuiltin() && name.Name == "make" && len(n.Args) == 3:
		w.constant[n.Args[2]] = true
	case tv.IsBuiltin() && name.Name == "len":
		w.increment(n)
	}
}

// increment makes an integer one too large.
func (w *finder) increment(x ast.Expr) {
	name, ok := w.integer(x, nil)
	if _, literal := x.(*ast.BasicLit); !ok || !literal && w.file.pack.info.Types[x].Value != nil {
		return
	}
	w.add(offByOne, x, "", piece{text: "mutant.Increment[" + name + "](" + mark + ", "}, w.part(x), piece{text: ")"})
	// a number says little without what it is in
	s := w.sites[len(w.sites)-1]
	from, to := s.from, s.to
	switch outer := w.around[len(w.around)-1].(type) {
	case ast.Expr, *ast.AssignStmt, *ast.ReturnStmt:
		if a, b := w.file.span(outer); b-a <= briefLength {
			from, to = a, b
		}
	}
	s.original = brief(w.file.source(from, to))
	s.mutated = brief(w.file.source(from, s.from) + "(" + w.text(x) + "+1)" + w.file.source(s.to, to))
}

// integer returns the name of an expression's integer type in its scope. An operand of an
// expression must have the type of the other.
func (w *finder) integer(x ast.Expr, other types.Type) (name string, ok bool) {
	p := w.file.pack
	t := p.info.Types[x].Type
	if t == nil || other != nil && !types.Identical(t, other) {
		return "", false
	}
	if basic, is := t.Underlying().(*types.Basic); !is || basic.Info()&types.IsInteger == 0 || basic.Info()&types.IsUntyped != 0 {
		return "", false
	}
	var object types.Object
	qualifier := ""
	switch t := t.(type) {
	case *types.Basic:
		object = types.Universe.Lookup(t.Name())
	case *types.Alias:
		object = t.Obj()
	case *types.Named:
		object = t.Obj()
	}
	if object == nil || object.Pkg() != nil && object.Pkg() != p.types && !object.Exported() {
		return "", false
	}
	scope := p.types.Scope().Innermost(x.Pos())
	if object.Pkg() != nil && object.Pkg() != p.types {
		qualifier = object.Pkg().Name() + "."
		_, found := scope.LookupParent(object.Pkg().Name(), x.Pos())
		imported, is := found.(*types.PkgName)
		return qualifier + object.Name(), is && imported.Imported() == object.Pkg()
	}
	_, found := scope.LookupParent(object.Name(), x.Pos())
	return object.Name(), found == object
}

// constantIndex reports whether an index is checked by the compiler.
func (w *finder) constantIndex(n *ast.IndexExpr) bool {
	t := w.file.pack.info.Types[n.X].Type
	if t == nil {
		return false
	}
	t = t.Underlying()
	if p, ok := t.(*types.Pointer); ok {
		t = p.Elem().Underlying()
	}
	_, slice := t.(*types.Slice)
	return !slice
}

// keys marks the indices of an array's or slice's literal.
func (w *finder) keys(n *ast.CompositeLit) {
	for _, e := range n.Elts {
		if pair, ok := e.(*ast.KeyValueExpr); ok {
			w.constant[pair.Key] = true
		}
	}
}
