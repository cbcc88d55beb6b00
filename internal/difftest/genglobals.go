package difftest

// Module-scope variables: buffers, workgroup sizes, immediates.

func (g *generator) bind(v *Var) *Var {
	v.Kind = MemoryVar
	for {
		v.Group, v.Binding = g.r.IntN(4), g.r.IntN(8)
		free := true
		for _, o := range g.p.Globals {
			if o.Kind == MemoryVar && (o.Space == StorageSpace || o.Space == UniformSpace || o.Space == HandleSpace) {
				free = free && (o.Group != v.Group || o.Binding != v.Binding)
			}
		}
		if free {
			break
		}
	}
	g.p.Globals = append(g.p.Globals, v)
	return v
}

// fill gives a buffer contents: every scalar a value worth having.
func (g *generator) fill(v *Var, elements int) {
	size := v.Type.sizeOf()
	if a, at := v.Type.runtimeArray(); a != nil {
		size = roundUp(at+elements*a.stride(), 4)
		if v.Type.Kind == Struct {
			size = roundUp(size, v.Type.alignOf())
		}
	}
	size = roundUp(size, 4) // as WebGPU has it for bindings
	v.Data = make([]byte, size)
	leaves, _ := v.Type.layout(size)
	for _, l := range leaves {
		bits := g.literal(&Type{Kind: l.kind}).Bits
		if l.kind == F16 {
			h := halfBits(f32(bits))
			v.Data[l.offset], v.Data[l.offset+1] = byte(h), byte(h>>8)
			continue
		}
		for k := range 4 {
			v.Data[l.offset+k] = byte(bits >> (8 * k))
		}
	}
}

func (g *generator) makeBuffers() {
	g.outs = 4 + g.r.IntN(12)
	g.out = g.bind(&Var{Name: g.name("out"), Space: StorageSpace, Type: arrayOf(u32Type, 0)})
	g.fill(g.out, g.outs*g.lanes)
	g.lane = &Var{Name: g.name("lane"), Kind: MemoryVar, Space: PrivateSpace, Type: u32Type}
	g.p.Globals = append(g.p.Globals, g.lane)
	for range 1 + g.r.IntN(2) { // inputs
		v := &Var{Name: g.name("in"), Space: StorageSpace, Access: Read}
		v.Type = arrayOf(g.shareable(1), 0)
		n := 1 + g.r.IntN(16)
		if g.chance(30) {
			v.Type = arrayOf(v.Type.Elem, n)
		}
		g.bind(v)
		g.fill(v, n)
		g.addSource(&Expr{Op: OpVar, Var: v, Type: v.Type}, false)
	}
	if g.chance(40) {
		if t := g.uniformType(); t != nil {
			v := g.bind(&Var{Name: g.name("uni"), Space: UniformSpace, Access: Read, Type: t})
			g.fill(v, 0)
			g.addSource(&Expr{Op: OpVar, Var: v, Type: v.Type}, false)
		}
	}
	for range g.r.IntN(3) { // a cell for each invocation
		v := g.bind(&Var{Name: g.name("own"), Space: StorageSpace, Type: arrayOf(g.shareable(1), 0)})
		g.fill(v, g.lanes)
		g.addSource(g.cell(v), true)
		g.owns = append(g.owns, v)
	}
	if g.weights[wAtomic] > 1 && g.chance(60) {
		v := g.bind(&Var{Name: g.name("cell"), Space: StorageSpace, Type: arrayOf(&Type{Kind: Atomic, Elem: g.integer()}, 0)})
		g.fill(v, g.lanes)
		g.cells = append(g.cells, v)
	}
	if g.chance(6) {
		g.makeImmediate()
	}
	if g.lanes == 1 {
		for range g.r.IntN(3) {
			v := &Var{Name: g.name("buf"), Space: StorageSpace}
			v.Type = arrayOf(g.shareable(1), 0)
			n := 1 + g.r.IntN(9)
			if g.chance(50) {
				v.Type = arrayOf(v.Type.Elem, n)
			} else if g.chance(40) {
				t := &Type{Kind: Struct, Name: g.name("R"), Members: []Member{{Name: g.name("m"), Type: g.shareable(0)}, {Name: g.name("m"), Type: v.Type}}}
				g.p.Structs = append(g.p.Structs, t)
				v.Type = t
			}
			g.bind(v)
			g.fill(v, n)
			g.addSource(&Expr{Op: OpVar, Var: v, Type: v.Type}, true)
		}
	}
	if g.weights[wAtomic] > 1 || g.chance(20) {
		n := 1 + g.r.IntN(4)
		t := arrayOf(&Type{Kind: Atomic, Elem: g.integer()}, n)
		v := &Var{Name: g.name("count"), Space: StorageSpace, Type: t}
		if g.chance(40) {
			other := arrayOf(&Type{Kind: Atomic, Elem: g.integer()}, 1+g.r.IntN(3))
			v.Type = &Type{Kind: Struct, Name: g.name("S"), Members: []Member{
				{Name: g.name("m"), Type: t}, {Name: g.name("m"), Type: g.shareable(0)}, {Name: g.name("m"), Type: other, Align: 16 * g.r.IntN(2)},
			}}
			g.p.Structs = append(g.p.Structs, v.Type)
		}
		g.fill(g.bind(v), n)
		if v.Type == t {
			g.addAtomics(g.varExpr(v))
		} else {
			g.addAtomics(member(g.varExpr(v), 0))
			g.addAtomics(member(g.varExpr(v), 2))
		}
	}
}

// makeSizes makes an override of the workgroup's size.
func (g *generator) makeSizes() {
	if !g.chance(15 + g.profile.consts/2) {
		return
	}
	v := &Var{Name: g.name("W"), Kind: OverrideVar, Type: u32Type, ID: -1, Init: literalOf(u32Type, uint32(g.size[0]))}
	if g.chance(50) {
		v.ID = 100
	}
	if v.Set = g.chance(50); v.Set {
		v.Value = uint32(g.size[0])
		v.Init.Bits = 1
	}
	g.width = v
	g.p.Globals = append(g.p.Globals, v)
	g.addSource(g.varExpr(v), false)
}

// groupSize is the number of invocations of a workgroup as an expression.
func (g *generator) groupSize() *Expr {
	if g.width == nil {
		return literalOf(u32Type, uint32(g.group))
	}
	rest := g.size[1] * g.size[2]
	if rest == 1 {
		return g.varExpr(g.width)
	}
	return g.binary("*", g.varExpr(g.width), literalOf(u32Type, uint32(rest)))
}

// makeImmediate makes the variable of immediate data, which holds no arrays.
func (g *generator) makeImmediate() {
	hasArray := func(t *Type) bool { return t.Kind == Array || t.Kind == Bool || t.Kind == F16 || t.Kind == Matrix }
	t := g.shareable(0)
	for t.uses(hasArray) {
		t = g.shareable(0)
	}
	v := &Var{Name: g.name("imm"), Kind: MemoryVar, Space: ImmediateSpace, Access: Read, Type: t}
	g.fill(v, 0)
	g.p.Immediates = v.Data
	g.p.Globals = append(g.p.Globals, v)
	g.addSource(g.varExpr(v), false)
}

// addAtomics notes an array of atomics.
func (g *generator) addAtomics(e *Expr) { g.atomics = append(g.atomics, source{expr: e, t: e.Type}) }

// uniformType is a type that uniform buffers hold under the strictest rules of layout.
func (g *generator) uniformType() *Type {
	t := &Type{Kind: Struct, Name: g.name("U")}
	for range 1 + g.r.IntN(4) {
		m := Member{Name: g.name("m")}
		if m.Type = g.shareable(0); m.Type.Kind == Matrix || g.chance(25) {
			m.Type = arrayOf(vectorOf([]*Type{i32Type, u32Type, f32Type}[g.r.IntN(3)], 4), 1+g.r.IntN(4))
			m.Align = 16
		}
		if g.chance(20) {
			m.Size = m.Type.sizeOf() + 4*g.r.IntN(4)
		}
		t.Members = append(t.Members, m)
	}
	g.p.Structs = append(g.p.Structs, t)
	return t
}

// cell is the element of an array that belongs to the invocation.
func (g *generator) cell(v *Var) *Expr {
	return index(g.varExpr(v), g.varExpr(g.lane))
}

func (g *generator) makeVariables() {
	for range g.r.IntN(4) {
		v := &Var{Name: g.name("priv"), Kind: MemoryVar, Space: PrivateSpace, Type: g.valueType(2)}
		if g.profile.name == "memory" && g.chance(4) {
			v.Type = arrayOf(g.scalar(), 500+g.r.IntN(4000))
		} else if v.Type.leaves() > 100 {
			continue
		}
		if g.chance(40) && v.Type.leaves() <= 100 {
			v.Init = g.constant(v.Type, 1)
			v.Untyped = g.chance(30)
		}
		g.p.Globals = append(g.p.Globals, v)
		g.addSource(g.varExpr(v), true)
	}
	if !g.chance(g.profile.shared) {
		return
	}
	for range 1 + g.r.IntN(2) {
		t := g.valueType(1)
		if t.leaves() > 30 || g.large && t.leaves()*g.group > sharedLeaves {
			t = g.scalar()
		}
		v := &Var{Name: g.name("shared"), Kind: MemoryVar, Space: WorkgroupSpace, Type: arrayOf(t, g.group)}
		if g.width != nil && g.chance(60) {
			v.Type.Size = g.groupSize()
		}
		g.p.Globals = append(g.p.Globals, v)
		g.shares = append(g.shares, v)
	}
	if g.chance(60) {
		v := &Var{Name: g.name("tally"), Kind: MemoryVar, Space: WorkgroupSpace, Type: arrayOf(&Type{Kind: Atomic, Elem: g.integer()}, 1+g.r.IntN(3))}
		g.p.Globals = append(g.p.Globals, v)
		g.addAtomics(g.varExpr(v))
	}
}
