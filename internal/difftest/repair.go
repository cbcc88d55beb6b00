package difftest

// Repairs of programs where the evaluator finds them undefined.

import "math/rand/v2"

const maxRepairs = 25

// discarded is told why a program was thrown away, in tests.
var discarded = func(why string) {}

// repair changes the program until it is well-defined, or says that it cannot.
func repair(p *Program, r *rand.Rand) bool {
	fix := &fixer{p: p, r: r, tries: map[faultKey]int{}}
	for range maxRepairs {
		if fault := p.checkStatic(); fault != nil {
			discarded(fault.Error())
			return false
		}
		c, err := compileProgram(p)
		if err != nil {
			panic(err)
		}
		m := c.run(false)
		if len(m.faults) == 0 {
			_, err := p.Case()
			if err != nil {
				discarded(err.Error())
			}
			return err == nil
		}
		for _, f := range m.faults {
			if !fix.fix(f) {
				discarded(f.Error())
				return false
			}
		}
	}
	discarded("too many repairs")
	return false
}

type fixer struct {
	p     *Program
	r     *rand.Rand
	tries map[faultKey]int
}

// fix removes one fault, or says that it cannot.
func (x *fixer) fix(f *Fault) bool {
	key := faultKey{f.Expr, f.Stmt}
	x.tries[key]++
	again := x.tries[key] > 1
	switch f.Kind {
	case FaultBounds:
		return x.bound(f.Expr, f.Expr.Op != OpIndex || x.p.Robust)
	case FaultLoop:
		f.Stmt.Fuel = 1 + x.r.IntN(8)
		return true
	case FaultSteps:
		return x.shorten()
	case FaultConst, FaultFloat, FaultRange:
		if f.Stmt != nil {
			return x.assignment(f.Stmt, f.Kind)
		}
		if again && f.Expr.Name != "textureStore" {
			return x.replace(f.Expr)
		}
		return x.operands(f.Expr, f.Kind)
	}
	return false
}

// literal is a small value of any type, which no arithmetic makes inexact.
func (x *fixer) literal(t *Type) *Expr {
	if !t.isScalar() {
		if t.Kind == Vector {
			return &Expr{Op: OpConstruct, Type: t, Args: []*Expr{x.literal(t.Elem)}}
		}
		return &Expr{Op: OpConstruct, Type: t}
	}
	v := uint32(1 + x.r.IntN(7))
	switch t.Kind {
	case Bool:
		v &= 1
	case F32, F16:
		v = word(float32(v))
	}
	return literalOf(t, v)
}

func (x *fixer) replace(e *Expr) bool {
	if e.Type == nil || !e.Type.isConstructible() {
		return false
	}
	if e.Type.Kind == AbstractInt {
		*e = Expr{Op: OpLiteral, Type: wideType, Wide: int64(x.r.IntN(100))}
		return true
	}
	*e = *x.literal(e.Type)
	return true
}

// bound makes an index stay inside; if all, all indices of a reference, or of the one that e is
// the address of.
func (x *fixer) bound(e *Expr, all bool) bool {
	if e.Op == OpAddress {
		e = e.Args[0]
	}
	for p := e; p.Op == OpIndex || p.Op == OpMember || p.Op == OpSwizzle; p = p.Args[0] {
		if p.Op == OpIndex {
			x.boundIndex(p)
		}
		if !all {
			break
		}
	}
	return true
}

func (x *fixer) boundIndex(e *Expr) {
	n := e.Args[0].Type.Count
	old := *e.Args[1]
	i, t := &old, old.Type
	if n == 0 {
		// The length of a buffer is what arrayLength says.
		root := rootOf(e.Args[0])
		if x.r.IntN(2) == 0 && i.Type == u32Type && root.Type.Kind == Array {
			length := &Expr{Op: OpBuiltin, Name: "arrayLength", Type: u32Type, Args: []*Expr{{Op: OpAddress, Type: pointerTo(root.Type, StorageSpace, root.Access), Args: []*Expr{clone(e.Args[0])}}}}
			e.Args[1] = &Expr{Op: OpBinary, Name: "%", Type: t, Args: []*Expr{i, length}}
			return
		}
		n = 1
		if root.Kind == MemoryVar {
			if a, at := root.Type.runtimeArray(); a != nil {
				n = max(1, (len(root.Data)-at)/a.stride())
			}
		}
	}
	limit := literalOf(t, uint32(n-1))
	count := literalOf(t, uint32(n))
	zero := literalOf(t, 0)
	mask := 1
	for mask*2 <= n {
		mask *= 2
	}
	form := x.r.IntN(5)
	if stageOf(i) != runStage {
		form = 4
	}
	binary := func(op string, a, b *Expr) *Expr {
		return &Expr{Op: OpBinary, Name: op, Type: a.Type, Args: []*Expr{a, b}}
	}
	call := func(name string, args ...*Expr) *Expr {
		return &Expr{Op: OpBuiltin, Name: name, Type: t, Args: args}
	}
	switch {
	case form == 0 && t == i32Type:
		e.Args[1] = call("clamp", i, zero, limit)
	case form == 0:
		e.Args[1] = call("min", i, limit)
	case form == 1:
		e.Args[1] = binary("&", i, literalOf(t, uint32(mask-1)))
	case form == 2 && t == u32Type:
		e.Args[1] = binary("%", i, count)
	case form == 2:
		u := &Expr{Op: OpConstruct, Type: u32Type, Args: []*Expr{i}}
		e.Args[1] = binary("%", u, literalOf(u32Type, uint32(n)))
	case form == 3 && !hasEffects(i):
		cond := &Expr{Op: OpBinary, Name: "<", Type: boolType, Args: []*Expr{clone(i), count}}
		if t == i32Type {
			low := &Expr{Op: OpBinary, Name: ">=", Type: boolType, Args: []*Expr{clone(i), zero}}
			cond = &Expr{Op: OpBinary, Name: "&&", Type: boolType, Args: []*Expr{low, cond}}
		}
		e.Args[1] = call("select", zero, i, cond)
	case form == 4 && stageOf(i) != runStage:
		e.Args[1] = literalOf(t, uint32(x.r.IntN(n)))
	default:
		e.Args[1] = call("min", call("max", i, zero), limit)
	}
}

// hasEffects says whether an expression must not be evaluated twice.
func hasEffects(e *Expr) bool {
	found := false
	walkExpr(e, func(e *Expr) {
		found = found || e.Op == OpCall || e.Op == OpBuiltin && !isConstBuiltin(e.Name) && e.Name != "arrayLength" && !isTextureQuery(e.Name)
	})
	return found
}

// shorten gives every loop few iterations.
func (x *fixer) shorten() bool {
	changed := false
	for _, f := range x.p.Funcs {
		walkStmts(f.Body, func(s *Stmt) {
			if s.Kind == StmtLoop || s.Kind == StmtFor || s.Kind == StmtWhile {
				if s.Fuel == 0 || s.Fuel > 2 {
					s.Fuel = 1 + x.r.IntN(2)
					changed = true
				}
			}
		}, func(*Expr) {})
	}
	return changed
}

// tame wraps a float so that arithmetic on it is exact.
func (x *fixer) tame(e *Expr, factor bool) {
	t := e.Type
	if t.Kind == Matrix {
		if e.Op == OpConstruct && len(e.Args) > 0 && (e.Args[0].Type == t.scalar() || e.Args[0].Type == t.Elem) {
			for _, a := range e.Args {
				x.tame(a, factor)
			}
			return
		}
		*e = Expr{Op: OpConstruct, Type: t, Args: x.columns(t)}
		return
	}
	bound := float32(1000)
	if factor {
		bound = 16
	}
	if t.scalar().Kind == F16 {
		bound = 32
		if factor {
			bound = 8
		}
	}
	if x.r.IntN(3) == 0 {
		bound = 4
	}
	part := func(v float32) *Expr {
		l := literalOf(t.scalar(), word(v))
		if t.Kind == Vector {
			return &Expr{Op: OpConstruct, Type: t, Args: []*Expr{l}}
		}
		return l
	}
	call := func(name string, args ...*Expr) *Expr {
		return &Expr{Op: OpBuiltin, Name: name, Type: t, Args: args}
	}
	old := *e
	integral := call([]string{"floor", "ceil", "round", "trunc"}[x.r.IntN(4)], &old)
	if x.r.IntN(2) == 0 {
		*e = *call("clamp", integral, part(-bound), part(bound))
	} else {
		*e = *call("max", call("min", integral, part(bound)), part(-bound))
	}
}

func (x *fixer) columns(t *Type) []*Expr {
	var list []*Expr
	for range t.Count {
		v := &Expr{Op: OpConstruct, Type: t.Elem}
		for range t.Elem.Count {
			v.Args = append(v.Args, x.literal(t.Elem.Elem))
		}
		list = append(list, v)
	}
	return list
}

// operands changes what an operation works on.
func (x *fixer) operands(e *Expr, kind FaultKind) bool {
	if kind == FaultConst {
		switch {
		case e.Op == OpIndex:
			x.boundIndex(e)
			return true
		case e.Op == OpBinary && stageOf(e) == runStage:
			e.Args[1] = x.literal(e.Args[1].Type)
			return true
		case e.Op == OpBuiltin && (e.Name == "extractBits" || e.Name == "insertBits"):
			n := len(e.Args)
			e.Args[n-1], e.Args[n-2] = x.literal(u32Type), x.literal(u32Type)
			return true
		}
		return x.replace(e)
	}
	switch e.Op {
	case OpBinary:
		if !e.Args[0].Type.isFloat() {
			break // what was at fault here has been masked since
		}
		for _, a := range e.Args {
			x.tame(a, e.Name == "*")
		}
		return true
	case OpConstruct:
		a := e.Args[0]
		if a.Type.isFloat() {
			x.tame(a, false)
			return true
		}
		old := *a
		mask := literalOf(a.Type.scalar(), 63)
		right := mask
		if a.Type.Kind == Vector {
			right = &Expr{Op: OpConstruct, Type: a.Type, Args: []*Expr{mask}}
		}
		*a = Expr{Op: OpBinary, Name: "&", Type: a.Type, Args: []*Expr{&old, right}}
		return true
	case OpBuiltin:
		switch e.Name {
		case "textureLoad":
			x.insideTexture(e)
			return true
		case "textureStore":
			if kind == FaultRange {
				x.insideTexture(e)
				return true
			}
			_, _, value := textureArguments(e)
			e.Args[value] = x.literal(e.Args[value].Type)
			if f := e.Args[0].Type.Format.encoding; f == encodesUnorm || f == encodesSnorm {
				e.Args[value].Args = []*Expr{literalOf(f32Type, word(1))}
			}
			return true
		case "fma", "mix", "dot", "cross", "fract":
			for _, a := range e.Args {
				x.tame(a, true)
			}
			return true
		}
	case OpResult:
		if e.Name == "fract" {
			x.tame(e.Args[0].Args[0], false)
			return true
		}
	}
	return x.replace(e)
}

// assignment fixes a compound assignment by making it a simple one.
func (x *fixer) assignment(s *Stmt, kind FaultKind) bool {
	if kind == FaultConst {
		s.Value = x.literal(s.Value.Type)
		return true
	}
	if s.Name == "" {
		return x.replace(s.Value)
	}
	s.Name = ""
	if !same(s.Value.Type, s.Target.Type) {
		s.Value = x.literal(s.Target.Type)
		if s.Target.Type.Kind == Matrix {
			s.Value = &Expr{Op: OpConstruct, Type: s.Target.Type, Args: x.columns(s.Target.Type)}
		}
	}
	return true
}

// insideTexture makes a builtin's level, layer and coordinates stay inside of its texture.
func (x *fixer) insideTexture(e *Expr) {
	texture := e.Args[0]
	call := func(name string, t *Type, args ...*Expr) *Expr {
		return &Expr{Op: OpBuiltin, Name: name, Type: t, Args: args}
	}
	// below makes i less than count, which is of u32, component by component.
	below := func(i, count *Expr) *Expr {
		t := i.Type
		splat := func(v uint32) *Expr {
			e := literalOf(t.scalar(), v)
			if t.Kind == Vector {
				e = &Expr{Op: OpConstruct, Type: t, Args: []*Expr{e}}
			}
			return e
		}
		if t.isUnsigned() && x.r.IntN(2) == 0 {
			return &Expr{Op: OpBinary, Name: "%", Type: t, Args: []*Expr{i, count}}
		}
		if !t.isUnsigned() {
			count = &Expr{Op: OpConstruct, Type: t, Args: []*Expr{count}}
		}
		last := &Expr{Op: OpBinary, Name: "-", Type: t, Args: []*Expr{count, splat(1)}}
		if t.isUnsigned() {
			return call("min", t, i, last)
		}
		return call("clamp", t, i, splat(0), last)
	}
	layer, level, _ := textureArguments(e)
	dimensions := call("textureDimensions", texture.Type.coordinateType(u32Type), clone(texture))
	if level > 0 {
		if hasEffects(e.Args[level]) {
			e.Args[level] = literalOf(i32Type, 0)
		} else if e.Args[level].Op != OpLiteral {
			e.Args[level] = below(e.Args[level], call("textureNumLevels", u32Type, clone(texture)))
		}
		dimensions.Args = append(dimensions.Args, clone(e.Args[level]))
	}
	if layer > 0 {
		e.Args[layer] = below(e.Args[layer], call("textureNumLayers", u32Type, clone(texture)))
	}
	e.Args[1] = below(e.Args[1], dimensions)
}
