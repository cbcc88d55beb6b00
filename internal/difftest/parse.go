package difftest

// A parser for the part of WGSL that the families of programs are written in. It trusts its input:
// names are declared before they are used, literals carry their suffix unless another operand or
// a declaration tells their type, and what breaks these rules panics.

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

var tokenPattern = regexp.MustCompile(`[A-Za-z_]\w*|0x[0-9a-f]+[iu]?|\d+(?:\.\d+)?(?:e[-+]?\d+)?[iuf]?|` +
	`->|<<=|>>=|&&|\|\||\+\+|--|[-+*/%&|^=!<>]=|<<|>>|\S`)

type parser struct {
	p      *Program
	tokens []string
	at     int
	scopes []map[string]*Var
	funcs  map[string]*Func
	types  map[string]*Type
	// literals without a suffix, which take the type of what they meet
	bare map[*Expr]bool
}

// parse reads a program. Its entry point is the function with @compute; resources have no data yet.
func parse(text string) *Program {
	x := &parser{p: &Program{Dispatch: [3]int{1, 1, 1}}, tokens: tokenPattern.FindAllString(text, -1),
		scopes: []map[string]*Var{{}}, funcs: map[string]*Func{}, types: map[string]*Type{}, bare: map[*Expr]bool{}}
	for x.at < len(x.tokens) {
		x.global()
	}
	return x.p
}

func (x *parser) peek() string {
	if x.at < len(x.tokens) {
		return x.tokens[x.at]
	}
	return ""
}

func (x *parser) next() string {
	x.at++
	return x.tokens[x.at-1]
}

// accept consumes a token if it is the next one.
func (x *parser) accept(token string) bool {
	if x.peek() == token {
		x.at++
		return true
	}
	return false
}

func (x *parser) expect(token string) {
	if token == ">" && x.peek() == ">>" { // the end of two template lists
		x.tokens[x.at] = ">"
		return
	}
	if !x.accept(token) {
		around := x.tokens[max(0, x.at-12):min(len(x.tokens), x.at+5)]
		panic(fmt.Sprintf("expected %q, found %q in %s", token, x.peek(), strings.Join(around, " ")))
	}
}

func (x *parser) number() int {
	n, err := strconv.Atoi(strings.TrimRight(x.next(), "iu"))
	if err != nil {
		panic(err)
	}
	return n
}

// attributes reads attributes: those with one argument by name, and the workgroup's size.
func (x *parser) attributes() (list map[string]string, size [3]*Expr) {
	list = map[string]string{}
	for x.accept("@") {
		name := x.next()
		list[name] = ""
		if !x.accept("(") {
			continue
		}
		for n := 0; !x.accept(")"); n++ {
			if name == "workgroup_size" {
				size[n] = literalOf(u32Type, uint32(x.number()))
			} else {
				list[name] = x.next()
			}
			x.accept(",")
		}
	}
	return list, size
}

func (x *parser) declare(v *Var) *Var {
	x.scopes[len(x.scopes)-1][v.Name] = v
	return v
}

func (x *parser) lookup(name string) *Var {
	for _, scope := range slices.Backward(x.scopes) {
		if v := scope[name]; v != nil {
			return v
		}
	}
	return nil
}

// scoped parses with a scope of its own.
func (x *parser) scoped(parse func()) {
	x.scopes = append(x.scopes, map[string]*Var{})
	parse()
	x.scopes = x.scopes[:len(x.scopes)-1]
}

var spacesByName = map[string]Space{"storage": StorageSpace, "uniform": UniformSpace, "private": PrivateSpace, "workgroup": WorkgroupSpace, "immediate": ImmediateSpace}

func (x *parser) global() {
	list, size := x.attributes()
	switch x.next() {
	case "struct":
		t := &Type{Kind: Struct, Name: x.next()}
		x.expect("{")
		for !x.accept("}") {
			name := x.next()
			x.expect(":")
			t.Members = append(t.Members, Member{Name: name, Type: x.typ()})
			x.accept(",")
		}
		x.types[t.Name] = t
		x.p.Structs = append(x.p.Structs, t)
	case "var":
		v := &Var{Kind: MemoryVar}
		x.expect("<")
		v.Space = spacesByName[x.next()]
		if x.accept(",") && x.next() == "read" {
			v.Access = Read
		}
		x.expect(">")
		v.Name = x.next()
		x.expect(":")
		v.Type = x.typ()
		if x.accept("=") {
			v.Init = x.adopt(x.expr(0), v.Type)
		}
		x.expect(";")
		if b, ok := list["binding"]; ok {
			v.Binding, _ = strconv.Atoi(b)
		}
		if v.Space == UniformSpace || v.Space == ImmediateSpace {
			v.Access = Read
		}
		x.p.Globals = append(x.p.Globals, x.declare(v))
	case "fn":
		_, entry := list["compute"]
		x.function(entry, size)
	default:
		panic("expected a declaration, found " + x.tokens[x.at-1])
	}
}

func (x *parser) function(entry bool, size [3]*Expr) {
	f := &Func{Name: x.next(), Entry: entry, Workgroup: size}
	x.funcs[f.Name] = f
	x.scoped(func() {
		x.expect("(")
		for !x.accept(")") {
			list, _ := x.attributes()
			v := &Var{Kind: ParamVar, Name: x.next()}
			if v.Builtin = list["builtin"]; v.Builtin != "" {
				v.Kind = BuiltinVar
			}
			x.expect(":")
			v.Type = x.typ()
			f.Params = append(f.Params, x.declare(v))
			x.accept(",")
		}
		if x.accept("->") {
			f.Result = x.typ()
		}
		f.Body = x.block()
	})
	if x.p.Funcs = append(x.p.Funcs, f); entry {
		x.p.Entry = f
	}
}

var scalarsByName = map[string]*Type{"bool": boolType, "i32": i32Type, "u32": u32Type, "f32": f32Type, "i": i32Type, "u": u32Type, "f": f32Type}

// isType says whether a name is that of a type, whose constructor may follow.
func (x *parser) isType(name string) bool {
	if scalarsByName[name] != nil && len(name) > 1 || name == "array" || x.types[name] != nil {
		return true
	}
	return len(name) > 3 && (name[:3] == "vec" || name[:3] == "mat") && name[3] >= '2' && name[3] <= '4'
}

func (x *parser) typ() *Type {
	name := x.next()
	switch {
	case x.types[name] != nil:
		return x.types[name]
	case name == "array":
		t := &Type{Kind: Array}
		x.expect("<")
		if t.Elem = x.typ(); x.accept(",") {
			t.Count = x.number()
		}
		x.expect(">")
		return t
	case name == "ptr":
		x.expect("<")
		space := spacesByName[x.next()]
		x.expect(",")
		t := pointerTo(x.typ(), space, ReadWrite)
		if x.accept(",") {
			x.next()
		} else if space == StorageSpace || space == UniformSpace {
			t.Access = Read
		}
		x.expect(">")
		return t
	case name == "atomic":
		x.expect("<")
		t := &Type{Kind: Atomic, Elem: x.typ()}
		x.expect(">")
		return t
	case strings.HasPrefix(name, "vec"), strings.HasPrefix(name, "mat"):
		dimensions := strings.TrimRight(name[3:], "iuf")
		scalar := scalarsByName[name[3+len(dimensions):]]
		if scalar == nil {
			x.expect("<")
			scalar = x.typ()
			x.expect(">")
		}
		if columns, rows, ok := strings.Cut(dimensions, "x"); ok {
			return matrixOf(scalar, int(columns[0]-'0'), int(rows[0]-'0'))
		}
		return vectorOf(scalar, int(dimensions[0]-'0'))
	case scalarsByName[name] != nil:
		return scalarsByName[name]
	}
	panic("unknown type " + name)
}

func (x *parser) block() (list []*Stmt) {
	x.expect("{")
	x.scoped(func() {
		for !x.accept("}") {
			list = append(list, x.statement())
		}
	})
	return list
}

func (x *parser) statement() (s *Stmt) {
	switch x.peek() {
	case "{":
		return &Stmt{Kind: StmtBlock, Body: x.block()}
	case "if":
		x.at++
		s = &Stmt{Kind: StmtIf, Value: x.expr(0), Body: x.block()}
		if x.accept("else") {
			if x.peek() == "if" {
				s.Else = []*Stmt{x.statement()}
			} else {
				s.Else = x.block()
			}
		}
		return s
	case "switch":
		return x.choose()
	case "loop":
		return x.loop()
	case "for":
		x.at++
		s = &Stmt{Kind: StmtFor}
		x.scoped(func() {
			x.expect("(")
			if x.peek() != ";" {
				s.Init = x.simple()
			}
			if x.expect(";"); x.peek() != ";" {
				s.Value = x.expr(0)
			}
			if x.expect(";"); x.peek() != ")" {
				s.Update = x.simple()
			}
			x.expect(")")
			s.Body = x.block()
		})
		return s
	case "while":
		x.at++
		return &Stmt{Kind: StmtWhile, Value: x.expr(0), Body: x.block()}
	}
	s = x.simple()
	x.expect(";")
	return s
}

func (x *parser) choose() *Stmt {
	x.at++
	s := &Stmt{Kind: StmtSwitch, Value: x.expr(0)}
	x.expect("{")
	for !x.accept("}") {
		c := &SwitchCase{}
		if x.next() == "default" {
			c.Default = true
		} else {
			for x.peek() != "{" && x.peek() != ":" {
				if x.accept("default") {
					c.Default, c.At = true, len(c.Selectors)
				} else {
					c.Selectors = append(c.Selectors, x.adopt(x.expr(0), s.Value.Type))
				}
				x.accept(",")
			}
		}
		x.accept(":")
		c.Body = x.block()
		s.Cases = append(s.Cases, c)
	}
	return s
}

// loop parses a loop statement, whose continuing block sees what the body declares.
func (x *parser) loop() *Stmt {
	x.at++
	s := &Stmt{Kind: StmtLoop}
	x.expect("{")
	x.scoped(func() {
		for !x.accept("}") {
			if !x.accept("continuing") {
				s.Body = append(s.Body, x.statement())
				continue
			}
			x.expect("{")
			for !x.accept("}") {
				if x.peek() == "break" {
					x.at += 2
					s.Value = x.expr(0)
					x.expect(";")
				} else {
					s.Else = append(s.Else, x.statement())
				}
			}
		}
	})
	return s
}

// simple parses a statement without its semicolon.
func (x *parser) simple() *Stmt {
	switch name := x.peek(); name {
	case "break", "continue":
		x.at++
		return &Stmt{Kind: map[string]StmtKind{"break": StmtBreak, "continue": StmtContinue}[name]}
	case "return":
		x.at++
		s := &Stmt{Kind: StmtReturn}
		if x.peek() != ";" {
			s.Value = x.expr(0)
		}
		return s
	case "let", "var", "const":
		x.at++
		v := &Var{Name: x.next(), Kind: map[string]VarKind{"let": LetVar, "var": MemoryVar, "const": ConstVar}[name]}
		if x.accept(":") {
			v.Type = x.typ()
		}
		if x.accept("=") {
			v.Init = x.adopt(x.expr(0), v.Type)
			if v.Type == nil {
				v.Type, v.Untyped = v.Init.Type, true
			}
		}
		return &Stmt{Kind: StmtDeclare, Var: x.declare(v)}
	case "_":
		x.at += 2
		return &Stmt{Kind: StmtPhony, Value: x.expr(0)}
	case "exchange": // a loop that exchanges the atomic exchange(reference, operator, value)
		x.at += 2
		s := &Stmt{Kind: StmtExchange, Target: x.unary()}
		x.expect(",")
		s.Name = x.next()
		x.expect(",")
		s.Value = x.adopt(x.expr(0), s.Target.Type.Elem)
		x.expect(")")
		s.Style = uint8(x.at & 1)
		return s
	}
	e := x.unary()
	switch token := x.peek(); {
	case token == "++" || token == "--":
		x.at++
		return &Stmt{Kind: StmtStep, Target: e, Name: token}
	case token == "=" || strings.HasSuffix(token, "=") && token != "==":
		x.at++
		t := e.Type
		if token == "<<=" || token == ">>=" {
			t = nil
		}
		return &Stmt{Kind: StmtAssign, Target: e, Name: strings.TrimSuffix(token, "="), Value: x.adopt(x.expr(0), t)}
	}
	return &Stmt{Kind: StmtCall, Value: e}
}
