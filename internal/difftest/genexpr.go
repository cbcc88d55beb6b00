package difftest

// The generator's expressions.

var (
	edgeInts   = []uint32{0, 1, 2, 3, 5, 7, 8, 15, 16, 31, 32, 33, 63, 64, 127, 128, 255, 256, 0x7fff, 0x8000, 0xffff, 0x10000, 0x7fffffff, 0x80000000, 0x80000001, 0xfffffffe, 0xffffffff, 0x55555555, 0xaaaaaaaa, 0xaaaaaaab, 0xaaaaaaae, 0xc0000001, 0x40000000}
	edgeFloats = []float32{0, 1, -1, 0.5, -0.5, 1.5, 2.5, -2.5, 3.5, 2, 3, 4, 7, 8, 16, -16, 100, 255, 0.25, -0.75}
)

// literal makes a scalar literal.
func (g *generator) literal(t *Type) *Expr {
	e := &Expr{Op: OpLiteral, Type: t, Style: g.style()}
	switch t.Kind {
	case Bool:
		e.Bits = uint32(g.r.IntN(2))
	case I32, U32:
		switch g.r.IntN(5) {
		case 0:
			e.Bits = edgeInts[g.r.IntN(len(edgeInts))]
		case 1:
			e.Bits = g.r.Uint32()
		case 2:
			e.Bits = uint32(g.r.IntN(100))
		default:
			e.Bits = uint32(g.r.IntN(10))
			if t.Kind == I32 && g.chance(30) {
				e.Bits = -e.Bits
			}
		}
	case F16:
		e.Bits = word(float32(g.r.IntN(129)-64) / 4)
	default:
		switch g.r.IntN(10) {
		case 0, 1, 2, 3:
			e.Bits = word(edgeFloats[g.r.IntN(len(edgeFloats))])
		case 4:
			e.Bits = word(float32(g.r.IntN(1<<18)-1<<17) / 128)
		case 5:
			if g.chance(20) {
				e.Bits = word([]float32{4294967040, -2147483648, 2147483520, 3e9, -3e9, 1e10, 2147483648, 16777216}[g.r.IntN(8)])
				break
			}
			fallthrough
		default:
			e.Bits = word(float32(g.r.IntN(129) - 64))
		}
	}
	if e.Bits == 1<<31 && t.isFloat() {
		e.Bits = 0
	}
	return e
}

// constantOf makes a literal of any constructible type.
func (g *generator) constantOf(t *Type) *Expr {
	if t.isScalar() {
		return g.literal(t)
	}
	if t.leaves() > 8 || g.chance(20) {
		return &Expr{Op: OpConstruct, Type: t, Style: g.style()}
	}
	return g.compose(t, g.constantOf)
}

// compose constructs a composite from its parts.
func (g *generator) compose(t *Type, part func(*Type) *Expr) *Expr {
	e := &Expr{Op: OpConstruct, Type: t, Style: g.style()}
	switch t.Kind {
	case Struct:
		for _, m := range t.Members {
			e.Args = append(e.Args, part(m.Type))
		}
		return e
	case Matrix:
		if g.chance(40) {
			for range t.leaves() {
				e.Args = append(e.Args, part(t.scalar()))
			}
			return e
		}
	case Vector:
		if g.chance(20) {
			e.Args = append(e.Args, part(t.Elem))
			return e
		}
		if t.Count > 2 && g.chance(30) {
			k := 2 + g.r.IntN(t.Count-2)
			e.Args = append(e.Args, part(vectorOf(t.Elem, k)))
			for range t.Count - k {
				e.Args = append(e.Args, part(t.Elem))
			}
			if g.chance(50) {
				n := len(e.Args) - 1
				e.Args[0], e.Args[n] = e.Args[n], e.Args[0]
			}
			return e
		}
	}
	for range t.Count {
		e.Args = append(e.Args, part(t.Elem))
	}
	return e
}

// reaches says whether a value of type from has a part of type to.
func reaches(from, to *Type) bool {
	if same(from, to) {
		return true
	}
	switch from.Kind {
	case Vector, Matrix, Array:
		return reaches(from.Elem, to)
	case Struct:
		for _, m := range from.Members {
			if reaches(m.Type, to) {
				return true
			}
		}
	}
	return false
}

// descend goes from a value or reference to a part of type t.
func (g *generator) descend(e *Expr, t *Type, depth int) *Expr {
	for !same(e.Type, t) {
		switch e.Type.Kind {
		case Struct:
			fit := []int{}
			for i, m := range e.Type.Members {
				if reaches(m.Type, t) {
					fit = append(fit, i)
				}
			}
			e = member(e, fit[g.r.IntN(len(fit))])
		case Vector:
			if g.chance(70) {
				e = g.component(e)
				break
			}
			fallthrough
		default:
			n := e.Type.Count
			if n == 0 {
				n = g.r.IntN(12) + 1
			}
			e = &Expr{Op: OpIndex, Type: e.Type.Elem, Args: []*Expr{e, g.index(n, depth)}, Style: g.style()}
		}
		e.Style = g.style()
	}
	return e
}

func member(e *Expr, i int) *Expr {
	return &Expr{Op: OpMember, Type: e.Type.Members[i].Type, Args: []*Expr{e}, Index: i}
}

func (g *generator) component(e *Expr) *Expr {
	letters := "xyzw"
	if g.chance(15) {
		letters = "rgba"
	}
	return &Expr{Op: OpSwizzle, Type: e.Type.Elem, Args: []*Expr{e}, Name: letters[g.r.IntN(e.Type.Count):][:1]}
}

// read makes an expression that reads a variable, or returns nil.
func (g *generator) read(t *Type, depth int) *Expr {
	var fit []*source
	for i := range g.sources {
		if s := &g.sources[i]; reaches(s.t, t) {
			fit = append(fit, s)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	// Later declarations are likelier.
	k := max(g.r.IntN(len(fit)), g.r.IntN(len(fit)))
	return g.descend(clone(fit[k].expr), t, depth)
}

// clone copies an expression.
func clone(e *Expr) *Expr {
	c := *e
	c.Args = make([]*Expr, len(e.Args))
	for i, a := range e.Args {
		c.Args[i] = clone(a)
	}
	return &c
}

// index makes an index into n elements. It may lie outside; repair sees to that.
func (g *generator) index(n, depth int) *Expr {
	t := g.integer()
	if depth <= 0 || g.chance(25) {
		e := literalOf(t, uint32(g.r.IntN(n)))
		e.Style = g.style()
		return e
	}
	x := g.expr(t, depth-1)
	switch g.r.IntN(9) {
	case 0, 1:
		if t == i32Type {
			return g.construct(i32Type, g.binary("%", g.construct(u32Type, x), literalOf(u32Type, uint32(n))))
		}
		return g.binary("%", x, literalOf(t, uint32(n)))
	case 2:
		return g.call("min", t, x, literalOf(t, uint32(n-1)))
	case 3:
		return g.call("clamp", t, x, literalOf(t, 0), literalOf(t, uint32(n-1)))
	case 4:
		mask := 1
		for mask*2 <= n {
			mask *= 2
		}
		return g.binary("&", x, literalOf(t, uint32(mask-1)))
	case 5:
		return g.binary(">>", x, literalOf(u32Type, uint32(28+g.r.IntN(4))))
	case 6:
		return g.binary("*", x, literalOf(t, edgeInts[g.r.IntN(len(edgeInts))]))
	}
	return x
}

func (g *generator) binary(op string, x, y *Expr) *Expr {
	t := x.Type
	if isComparison(op) {
		t = vectorOf(boolType, x.Type.width())
	} else if y.Type.Kind == Vector && t.isScalar() {
		t = y.Type
	}
	return &Expr{Op: OpBinary, Name: op, Type: t, Args: []*Expr{x, y}, Style: g.style()}
}

func (g *generator) construct(t *Type, args ...*Expr) *Expr {
	return &Expr{Op: OpConstruct, Type: t, Args: args, Style: g.style()}
}

func (g *generator) call(name string, t *Type, args ...*Expr) *Expr {
	return &Expr{Op: OpBuiltin, Name: name, Type: t, Args: args, Style: g.style()}
}

// expr makes an expression of type t.
func (g *generator) expr(t *Type, depth int) *Expr {
	if depth <= 0 || g.chance(12) {
		if g.chance(65) {
			if e := g.read(t, 0); e != nil {
				return e
			}
		}
		return g.constantOf(t)
	}
	if g.pure == 0 && g.chance(g.profile.calls/3) {
		if e := g.callOf(t, depth-1); e != nil {
			return e
		}
	}
	if len(g.textures) > 0 && g.pure == 0 && (t.isScalar() || t.Kind == Vector) && g.chance(10) {
		if e := g.textureValue(t, depth); e != nil {
			return e
		}
	}
	switch t.Kind {
	case Array, Struct:
		if e := g.read(t, depth-1); e != nil && g.chance(75) {
			return e
		}
		if t.leaves() > 12 {
			depth = min(depth, 1)
		}
		return g.compose(t, func(p *Type) *Expr { return g.expr(p, depth-1) })
	case Matrix:
		return g.matrix(t, depth)
	}
	if g.chance(30) {
		if e := g.read(t, depth-1); e != nil {
			return e
		}
	}
	if t.Kind == Vector && g.chance(30) {
		return g.vector(t, depth)
	}
	switch t.scalar().Kind {
	case Bool:
		return g.boolean(t, depth)
	case I32, U32:
		return g.integral(t, depth)
	}
	return g.float(t, depth)
}

// vector makes a vector by other means than componentwise operators.
func (g *generator) vector(t *Type, depth int) *Expr {
	switch g.r.IntN(5) {
	case 0, 1:
		return g.compose(t, func(p *Type) *Expr { return g.expr(p, depth-1) })
	case 2:
		from := vectorOf(t.Elem, 2+g.r.IntN(3))
		name := ""
		for range t.Count {
			name += "xyzw"[g.r.IntN(from.Count):][:1]
		}
		return &Expr{Op: OpSwizzle, Type: t, Args: []*Expr{g.expr(from, depth-1)}, Name: name, Style: g.style()}
	case 3:
		// A scalar beside a vector.
		if t.Elem != boolType {
			op := []string{"+", "-", "*"}[g.r.IntN(3)]
			x, y := g.expr(t, depth-1), g.expr(t.Elem, depth-1)
			if g.chance(50) {
				x, y = y, x
			}
			return g.binary(op, x, y)
		}
	}
	from := g.scalar()
	if t.Elem == f16Type && from == f32Type {
		from = i32Type
	}
	return g.construct(t, g.expr(vectorOf(from, t.Count), depth-1))
}

func (g *generator) boolean(t *Type, depth int) *Expr {
	n := t.width()
	sub := func(s *Type) *Expr { return g.expr(s, depth-1) }
	switch g.r.IntN(9) {
	case 0:
		if n == 1 {
			return g.binary([]string{"&&", "||"}[g.r.IntN(2)], sub(boolType), sub(boolType))
		}
		return g.binary([]string{"&", "|"}[g.r.IntN(2)], sub(t), sub(t))
	case 1:
		return &Expr{Op: OpUnary, Name: "!", Type: t, Args: []*Expr{sub(t)}, Style: g.style()}
	case 2:
		if n == 1 {
			return g.call([]string{"all", "any"}[g.r.IntN(2)], boolType, sub(vectorOf(boolType, 2+g.r.IntN(3))))
		}
	case 3:
		return g.binary([]string{"==", "!=", "&", "|"}[g.r.IntN(4)], sub(t), sub(t))
	case 4:
		return g.choice(t, depth)
	}
	s := g.scalar()
	if s == boolType {
		s = u32Type
	}
	s = vectorOf(s, n)
	return g.binary([]string{"==", "!=", "<", "<=", ">", ">="}[g.r.IntN(6)], sub(s), sub(s))
}

func (g *generator) choice(t *Type, depth int) *Expr {
	cond := boolType
	if t.Kind == Vector && g.chance(50) {
		cond = vectorOf(boolType, t.Count)
	}
	return g.call("select", t, g.expr(t, depth-1), g.expr(t, depth-1), g.expr(cond, depth-1))
}

func (g *generator) integral(t *Type, depth int) *Expr {
	sub := func(s *Type) *Expr { return g.expr(s, depth-1) }
	n := t.width()
	if g.chance(g.profile.bits) {
		return g.bitBuiltin(t, depth)
	}
	switch g.r.IntN(14) {
	case 0, 1, 2:
		return g.binary([]string{"+", "-", "*"}[g.r.IntN(3)], sub(t), sub(t))
	case 3:
		return g.binary([]string{"/", "%"}[g.r.IntN(2)], sub(t), sub(t))
	case 4, 5:
		return g.binary([]string{"&", "|", "^"}[g.r.IntN(3)], sub(t), sub(t))
	case 6:
		amount := sub(vectorOf(u32Type, n))
		if g.chance(50) {
			amount = literalOf(u32Type, uint32(g.r.IntN(32)))
			if n > 1 {
				amount = g.construct(vectorOf(u32Type, n), amount)
			}
		}
		return g.binary([]string{"<<", ">>"}[g.r.IntN(2)], sub(t), amount)
	case 7:
		op := []string{"-", "~"}[g.r.IntN(2)]
		if t.scalar() == u32Type {
			op = "~"
		}
		return &Expr{Op: OpUnary, Name: op, Type: t, Args: []*Expr{sub(t)}, Style: g.style()}
	case 8:
		return g.call([]string{"min", "max"}[g.r.IntN(2)], t, sub(t), sub(t))
	case 9:
		return g.bitBuiltin(t, depth)
	case 10:
		return g.choice(t, depth)
	case 11:
		other := i32Type
		if t.scalar() == i32Type {
			other = u32Type
		}
		x := sub(vectorOf(other, n))
		if g.chance(50) {
			return &Expr{Op: OpBitcast, Type: t, Args: []*Expr{x}, Style: g.style()}
		}
		return g.construct(t, x)
	case 12:
		return g.construct(t, sub(vectorOf(g.scalar(), n)))
	}
	if g.chance(15) && n == 1 {
		if v := g.wideVar(); v != nil {
			return g.construct(t, v)
		}
		return g.construct(t, g.wideExpr(3))
	}
	return g.packed(t, depth)
}

// packed makes an integer by packing, dot products, or from floats.
func (g *generator) packed(t *Type, depth int) *Expr {
	sub := func(s *Type) *Expr { return g.expr(s, depth-1) }
	switch {
	case t == u32Type:
		switch g.r.IntN(7) {
		case 0:
			return g.call([]string{"pack4xU8", "pack4xU8Clamp"}[g.r.IntN(2)], t, sub(vectorOf(u32Type, 4)))
		case 1:
			return g.call([]string{"pack4xI8", "pack4xI8Clamp"}[g.r.IntN(2)], t, sub(vectorOf(i32Type, 4)))
		case 2:
			return g.call("dot4U8Packed", t, sub(t), sub(t))
		case 3:
			if a := g.runtimeArray(); a != nil {
				return g.call("arrayLength", t, &Expr{Op: OpAddress, Type: pointerTo(a.Type, StorageSpace, a.Access), Args: []*Expr{g.varExpr(a)}})
			}
		case 4:
			if g.profile.kinds[3] > 0 {
				if g.chance(40) {
					return g.call([]string{"pack4x8unorm", "pack4x8snorm"}[g.r.IntN(2)], t, sub(vectorOf(f32Type, 4)))
				}
				names := []string{"pack2x16float", "pack2x16unorm", "pack2x16snorm"}
				return g.call(names[g.r.IntN(3)], t, sub(vectorOf(f32Type, 2)))
			}
		case 5:
			if g.profile.kinds[3] > 0 {
				return &Expr{Op: OpBitcast, Type: t, Args: []*Expr{sub(f32Type)}, Style: g.style()}
			}
			if g.p.Half {
				return &Expr{Op: OpBitcast, Type: t, Args: []*Expr{sub(vectorOf(f16Type, 2))}, Style: g.style()}
			}
		}
	case t == i32Type:
		switch g.r.IntN(3) {
		case 0:
			return g.call("dot4I8Packed", t, sub(u32Type), sub(u32Type))
		case 1:
			if g.profile.kinds[3] > 0 {
				return &Expr{Op: OpResult, Name: "exp", Type: t, Args: []*Expr{g.call("frexp", nil, sub(f32Type))}}
			}
		}
	case t.Count == 4 && g.chance(50):
		name := "unpack4xU8"
		if t.Elem == i32Type {
			name = "unpack4xI8"
		}
		return g.call(name, t, sub(u32Type))
	}
	if t.isScalar() {
		v := vectorOf(t, 2+g.r.IntN(3))
		return g.call("dot", t, sub(v), sub(v))
	}
	return g.compose(t, sub)
}

// runtimeArray is a buffer that is a runtime-sized array, or nil.
func (g *generator) runtimeArray() *Var {
	if g.pure > 0 {
		return nil
	}
	var fit []*Var
	for _, v := range g.p.Globals {
		if v.Kind == MemoryVar && v.Space == StorageSpace && v.Type.Kind == Array && v.Type.Count == 0 {
			fit = append(fit, v)
		}
	}
	if len(fit) == 0 {
		return nil
	}
	return fit[g.r.IntN(len(fit))]
}

func (g *generator) bitBuiltin(t *Type, depth int) *Expr {
	sub := func(s *Type) *Expr { return g.expr(s, depth-1) }
	switch g.r.IntN(5) {
	case 0:
		return g.call("extractBits", t, sub(t), g.bitCount(depth), g.bitCount(depth))
	case 1:
		return g.call("insertBits", t, sub(t), sub(t), g.bitCount(depth), g.bitCount(depth))
	case 2:
		return g.call("clamp", t, sub(t), sub(t), sub(t))
	}
	names := []string{"countOneBits", "countLeadingZeros", "countTrailingZeros", "reverseBits", "firstLeadingBit", "firstTrailingBit", "abs"}
	if t.scalar() == i32Type {
		names = append(names, "sign")
	}
	return g.call(names[g.r.IntN(len(names))], t, sub(t))
}

func (g *generator) bitCount(depth int) *Expr {
	if g.chance(50) {
		return literalOf(u32Type, uint32(g.r.IntN(17)))
	}
	return g.expr(u32Type, depth-1)
}
