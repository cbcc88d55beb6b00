package difftest

// Parsing of expressions.

import (
	"slices"
	"strconv"
	"strings"
)

// adopt gives a literal without a suffix the scalar type of t, if there is one.
func (x *parser) adopt(e *Expr, t *Type) *Expr {
	if t == nil || !x.bare[e] {
		return e
	}
	if s := t.scalar(); s == f32Type {
		e.Type, e.Bits = s, word(float32(int32(e.Bits)))
	} else if s == u32Type {
		e.Type = s
	}
	delete(x.bare, e)
	return e
}

var binaryOperators = []string{"||", "&&", "&", "|", "^", "<", "<=", ">", ">=", "==", "!=", "<<", ">>", "+", "-", "*", "/", "%"}

// expr parses an expression whose operators bind at least as strongly as a level.
func (x *parser) expr(level int) *Expr {
	e := x.unary()
	for {
		op := x.peek()
		if !slices.Contains(binaryOperators, op) || levelOf(op) < level {
			return e
		}
		x.at++
		e = x.binary(op, e, x.expr(levelOf(op)+1))
	}
}

func (x *parser) binary(op string, a, b *Expr) *Expr {
	e := &Expr{Op: OpBinary, Name: op, Args: []*Expr{a, b}}
	if op == "<<" || op == ">>" {
		x.adopt(b, u32Type)
		e.Type = a.Type
		return e
	}
	if x.bare[a] && x.bare[b] {
		e.Type = i32Type
	}
	x.adopt(a, b.Type)
	x.adopt(b, a.Type)
	if e.Type = a.Type; b.Type.width() > a.Type.width() {
		e.Type = b.Type
	}
	if isComparison(op) {
		e.Type = vectorOf(boolType, e.Type.width())
	}
	return e
}

func (x *parser) unary() *Expr {
	switch op := x.peek(); op {
	case "-", "!", "~":
		x.at++
		e := x.unary()
		if op == "-" && e.Op == OpLiteral && e.Type == i32Type {
			e.Bits = -e.Bits
			return e
		}
		if op == "-" && e.Op == OpLiteral && e.Type == f32Type {
			e.Bits ^= 1 << 31
			return e
		}
		return &Expr{Op: OpUnary, Name: op, Type: e.Type, Args: []*Expr{e}}
	case "&":
		x.at++
		return addressOf(x.unary())
	case "*":
		x.at++
		e := x.unary()
		return &Expr{Op: OpDeref, Type: e.Type.Elem, Args: []*Expr{e}}
	}
	e := x.primary()
	for {
		switch {
		case x.accept("["):
			e = &Expr{Op: OpIndex, Type: e.Type.Elem, Args: []*Expr{e, x.expr(0)}}
			x.expect("]")
		case x.accept("."):
			e = x.member(e, x.next())
		default:
			return e
		}
	}
}

func (x *parser) member(e *Expr, name string) *Expr {
	if e.Type.Kind == Struct {
		n := slices.IndexFunc(e.Type.Members, func(m Member) bool { return m.Name == name })
		return member(e, n)
	}
	return &Expr{Op: OpSwizzle, Type: vectorOf(e.Type.Elem, len(name)), Name: name, Args: []*Expr{e}}
}

func (x *parser) arguments() (args []*Expr) {
	x.expect("(")
	for !x.accept(")") {
		args = append(args, x.expr(0))
		x.accept(",")
	}
	return args
}

func (x *parser) primary() *Expr {
	if x.accept("(") {
		e := x.expr(0)
		x.expect(")")
		return e
	}
	name := x.peek()
	switch {
	case name[0] >= '0' && name[0] <= '9':
		return x.literal()
	case name == "true" || name == "false":
		x.at++
		return literalOf(boolType, truth(name == "true"))
	case name == "bitcast":
		x.at++
		x.expect("<")
		t := x.typ()
		x.expect(">")
		return &Expr{Op: OpBitcast, Type: t, Args: x.arguments()}
	case x.isType(name):
		return x.construct(x.typ())
	}
	x.at++
	if v := x.lookup(name); v != nil {
		return &Expr{Op: OpVar, Var: v, Type: v.Type}
	}
	if f := x.funcs[name]; f != nil {
		return &Expr{Op: OpCall, Func: f, Type: f.Result, Args: x.arguments()}
	}
	if x.peek() != "(" {
		panic("unknown name " + name)
	}
	return x.builtin(name, x.arguments())
}

func (x *parser) construct(t *Type) *Expr {
	e := &Expr{Op: OpConstruct, Type: t, Args: x.arguments()}
	for n, a := range e.Args {
		switch {
		case t.Kind == Struct:
			x.adopt(a, t.Members[n].Type)
		case t.Kind == Array:
			x.adopt(a, t.Elem)
		default:
			x.adopt(a, t.scalar())
		}
	}
	if t.isScalar() && len(e.Args) == 1 && e.Args[0].Op == OpLiteral && e.Args[0].Type == t {
		return e.Args[0]
	}
	return e
}

func (x *parser) literal() *Expr {
	text := x.next()
	suffix := text[len(text)-1]
	digits := strings.TrimRight(text, "iu")
	if suffix == 'f' && !strings.HasPrefix(text, "0x") {
		v, err := strconv.ParseFloat(text[:len(text)-1], 32)
		if err != nil {
			panic(err)
		}
		return literalOf(f32Type, word(float32(v)))
	}
	v, err := strconv.ParseUint(digits, 0, 32)
	if err != nil {
		panic(err)
	}
	e := literalOf(i32Type, uint32(v))
	if suffix == 'u' {
		e.Type = u32Type
	} else if suffix != 'i' {
		x.bare[e] = true
	}
	return e
}

// builtin gives a call of a builtin its type.
func (x *parser) builtin(name string, args []*Expr) *Expr {
	e := &Expr{Op: OpBuiltin, Name: name, Args: args}
	switch {
	case strings.HasSuffix(name, "Barrier"), name == "atomicStore":
	case isAtomic(name):
		e.Type = args[0].Type.Elem.Elem
	case name == "all", name == "any":
		e.Type = boolType
	case name == "arrayLength", name == "dot4U8Packed":
		e.Type = u32Type
	case name == "dot4I8Packed":
		e.Type = i32Type
	default:
		for _, a := range args[1:] {
			x.adopt(args[0], a.Type)
		}
		e.Type = args[0].Type
	}
	for n, a := range args {
		switch {
		case n == 0:
		case name == "extractBits" || name == "insertBits" && n > 1:
			x.adopt(a, u32Type)
		case e.Type != nil:
			x.adopt(a, e.Type)
		}
	}
	return e
}
