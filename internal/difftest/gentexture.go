package difftest

// The generator's textures. All invocations read all texels of those that nobody writes; of the
// others each has one of its own, as nothing would order their accesses.

// handle is a texture that is in scope. Of a parameter nobody knows what it is bound to.
type handle struct {
	expr   *Expr
	texels *Texels
}

// makeTextures makes textures to load from, and some that the program writes.
func (g *generator) makeTextures() {
	for range 1 + g.r.IntN(2) {
		f := &texelFormats[g.r.IntN(len(texelFormats))]
		t := g.shape(f)
		x := &Texels{Format: f, Size: [3]int{1, 1, 1}, Levels: 1}
		for i := range t.axes() {
			x.Size[i] = 1 + g.r.IntN(7)
		}
		if most := max(x.Size[0], x.Size[1]); t.Count > 1 && g.chance(50) {
			for x.Levels < 4 && most>>x.Levels > 0 && g.chance(70) {
				x.Levels++
			}
		}
		g.bindTexture(t, x)
	}
	for range g.r.IntN(3) {
		f := &texelFormats[g.r.IntN(len(texelFormats))]
		for !f.storage {
			f = &texelFormats[g.r.IntN(len(texelFormats))]
		}
		t := g.shape(f)
		t.Format, t.Access = f, []Access{Write, Write, Read}[g.r.IntN(3)]
		if f.Channels == 1 && g.chance(70) {
			t.Access = ReadWrite
		}
		x := &Texels{Format: f, Size: [3]int{1, 1, 1}, Levels: 1}
		x.Size[0] = 1 + g.r.IntN(8)
		if t.axes() == 3 {
			x.Size[1] = 1 + g.r.IntN(4)
		}
		last, rest := t.axes()-1, g.lanes // the last axis takes as many texels as it needs
		for i := range last {
			rest = (rest + x.Size[i] - 1) / x.Size[i]
		}
		x.Size[last] = max(rest, 1+g.r.IntN(3))
		g.bindTexture(t, x)
	}
}

// axes is the number of dimensions, layers being one.
func (t *Type) axes() int {
	if t.Layered {
		return t.Count + 1
	}
	return t.Count
}

// shape makes the type of a texture to load from.
func (g *generator) shape(f *TexelFormat) *Type {
	t := &Type{Kind: Texture, Elem: f.channel(), Count: []int{1, 2, 2, 2, 3}[g.r.IntN(5)], Access: Read}
	t.Layered = t.Count == 2 && g.chance(40)
	return t
}

func (g *generator) bindTexture(t *Type, x *Texels) {
	v := &Var{Name: g.name("tex"), Space: HandleSpace, Type: t, Texels: x}
	f := x.Format
	for range x.texels(t, x.Levels) * f.Channels {
		w := g.literal(f.channel()).Bits
		switch {
		case f.encoding == encodesUnorm:
			w = word(float32(g.r.IntN(2)))
		case f.encoding == encodesSnorm:
			w = word(float32(g.r.IntN(3) - 1))
		case f.encoding == encodesFloat && f.Bytes == 2:
			w = g.literal(f16Type).Bits
		}
		bits := f.encode(w)
		for k := range f.Bytes {
			v.Data = append(v.Data, byte(bits>>(8*k)))
		}
	}
	g.bind(v)
	g.textures = append(g.textures, handle{g.varExpr(v), x})
	if t.Access != Read {
		g.weights[wTexel] = 8
	}
}

// texture chooses one in scope, or none.
func (g *generator) texture(fits func(*Type) bool) (handle, bool) {
	var fit []handle
	for _, h := range g.textures {
		if fits(h.expr.Type) {
			fit = append(fit, h)
		}
	}
	if len(fit) == 0 {
		return handle{}, false
	}
	h := fit[max(g.r.IntN(len(fit)), g.r.IntN(len(fit)))]
	h.expr = clone(h.expr)
	return h, true
}

// textureValue makes an expression of type t that queries a texture, or returns nil.
func (g *generator) textureValue(t *Type, depth int) *Expr {
	if t.isUnsigned() && t.width() < 4 && g.chance(25) {
		if e := g.textureQuery(t, depth); e != nil {
			return e
		}
	}
	h, ok := g.texture(func(s *Type) bool { return s.Elem == t.scalar() && s.Access != Write })
	if !ok {
		return nil
	}
	args := []*Expr{h.expr}
	if h.expr.Type.Access == ReadWrite {
		args = append(args, g.ownTexel(h, false)...)
	} else {
		args = append(args, g.anyTexel(h, depth)...)
	}
	return g.part(g.call("textureLoad", vectorOf(t.scalar(), 4), args...), t)
}

// part takes as many components of a vector as t has.
func (g *generator) part(e *Expr, t *Type) *Expr {
	if same(e.Type, t) {
		return e
	}
	letters := ""
	for range t.width() {
		letters += "xyzw"[g.r.IntN(e.Type.width()):][:1]
	}
	return &Expr{Op: OpSwizzle, Type: t, Args: []*Expr{e}, Name: letters, Style: g.style()}
}

// textureQuery queries the size, layers or levels of a texture.
func (g *generator) textureQuery(t *Type, depth int) *Expr {
	h, ok := g.texture(func(s *Type) bool { return s.Count >= t.width() })
	if !ok {
		return nil
	}
	s := h.expr.Type
	switch {
	case t == u32Type && s.Layered && g.chance(40):
		return g.call("textureNumLayers", t, h.expr)
	case t == u32Type && s.Format == nil && g.chance(40):
		return g.call("textureNumLevels", t, h.expr)
	}
	args := []*Expr{h.expr}
	if s.Format == nil && g.chance(50) {
		args = append(args, g.level(h, depth))
	}
	e := g.call("textureDimensions", s.coordinateType(u32Type), args...)
	if s.Count == 1 {
		return e
	}
	return g.part(e, t)
}

// level makes a level of detail.
func (g *generator) level(h handle, depth int) *Expr {
	if h.texels == nil {
		if g.chance(40) {
			return g.binary("-", g.call("textureNumLevels", u32Type, clone(h.expr)), literalOf(u32Type, 1))
		}
		return literalOf(g.integer(), 0)
	}
	if g.chance(60) {
		return literalOf(g.integer(), uint32(g.r.IntN(h.texels.Levels)))
	}
	return g.index(h.texels.Levels, depth-1)
}

// anyTexel makes the coordinates, layer and level of some texel; repair sees to it that there is
// one.
func (g *generator) anyTexel(h handle, depth int) []*Expr {
	t := h.expr.Type
	var level *Expr
	if t.Format == nil {
		level = g.level(h, depth)
	}
	scalar := g.integer()
	kind := t.coordinateType(scalar)
	splat := func(v uint32) *Expr {
		if t.Count == 1 {
			return literalOf(scalar, v)
		}
		return g.construct(kind, literalOf(scalar, v))
	}
	var at *Expr
	form := g.r.IntN(4)
	if h.texels != nil && form > 1 {
		// Component by component, by what is known of the smallest level.
		size := h.texels.levelSize(t, h.texels.Levels-1)
		k := -1
		component := func(*Type) *Expr {
			k++
			e := g.index(size[k], depth-1)
			if e.Type != scalar {
				e = g.construct(scalar, e)
			}
			return e
		}
		if t.Count == 1 {
			at = component(scalar)
		} else {
			at = g.construct(kind)
			for range t.Count {
				at.Args = append(at.Args, component(scalar))
			}
		}
	} else {
		query := []*Expr{clone(h.expr)}
		if level != nil && !hasEffects(level) {
			query = append(query, clone(level))
		}
		size := g.call("textureDimensions", t.coordinateType(u32Type), query...)
		at = g.expr(kind, depth-1)
		switch {
		case scalar == i32Type:
			at = g.call("clamp", kind, at, splat(0), g.binary("-", g.construct(kind, size), splat(1)))
		case form == 0:
			at = g.binary("%", at, size)
		default:
			at = g.call("min", kind, at, g.binary("-", size, splat(1)))
		}
	}
	args := []*Expr{at}
	if t.Layered {
		layers := 1 + g.r.IntN(2)
		if h.texels != nil {
			layers = h.texels.Size[2]
		}
		args = append(args, g.index(layers, depth-1))
	}
	if level != nil {
		args = append(args, level)
	}
	return args
}

// ownTexel makes the coordinates and the layer of the invocation's own texel; if outside, of none
// at times.
func (g *generator) ownTexel(h handle, outside bool) []*Expr {
	t := h.expr.Type
	known := h.texels != nil && g.chance(60)
	size := func(axis int) *Expr {
		switch {
		case known:
			return literalOf(u32Type, uint32(h.texels.Size[axis]))
		case axis == t.Count:
			return g.call("textureNumLayers", u32Type, clone(h.expr))
		}
		e := g.call("textureDimensions", t.coordinateType(u32Type), clone(h.expr))
		if t.Count == 1 {
			return e
		}
		return &Expr{Op: OpSwizzle, Type: u32Type, Args: []*Expr{e}, Name: "xyz"[axis:][:1], Style: g.style()}
	}
	axes := t.axes()
	locations := make([]*Expr, axes)
	rest := g.varExpr(g.lane)
	for i := range axes {
		locations[i] = clone(rest)
		if i < axes-1 {
			locations[i] = g.binary("%", locations[i], size(i))
			rest = g.binary("/", rest, size(i))
		}
	}
	if outside {
		i := g.r.IntN(axes)
		far := literalOf(u32Type, edgeInts[g.r.IntN(len(edgeInts))]|0x400)
		locations[i] = g.binary("+", locations[i], g.call("select", u32Type, literalOf(u32Type, 0), far, g.expr(boolType, 1)))
	}
	scalar := g.integer()
	convert := func(e *Expr, to *Type) *Expr {
		if to.scalar() == u32Type {
			return e
		}
		return g.construct(to, e)
	}
	at := locations[0]
	if t.Count > 1 {
		at = g.construct(t.coordinateType(u32Type), locations[:t.Count]...)
	}
	args := []*Expr{convert(at, t.coordinateType(scalar))}
	if t.Layered {
		args = append(args, convert(locations[2], g.integer()))
	}
	return args
}

// writeTexel makes a textureStore.
func (g *generator) writeTexel() []*Stmt {
	h, ok := g.texture(func(s *Type) bool { return s.Access != Read })
	if !ok {
		return nil
	}
	args := []*Expr{h.expr}
	if g.lanes == 1 && g.chance(60) {
		args = append(args, g.anyTexel(h, 2)...)
	} else {
		args = append(args, g.ownTexel(h, g.p.Robust && g.chance(20))...)
	}
	e := g.call("textureStore", nil, append(args, g.texelOf(h.expr.Type.Format))...)
	return one(&Stmt{Kind: StmtCall, Value: e})
}

// texelOf makes a value that a texel of the format holds, most of the time.
func (g *generator) texelOf(f *TexelFormat) *Expr {
	t := vectorOf(f.channel(), 4)
	switch {
	case f.encoding == encodesUnorm:
		return g.construct(t, g.expr(vectorOf(boolType, 4), 2))
	case f.encoding == encodesSnorm:
		return g.call("sign", t, g.expr(t, 2))
	case f.encoding == encodesFloat && f.Bytes == 2 && g.chance(50):
		return g.construct(t, g.texelOf(&TexelFormat{Bytes: 1, encoding: encodesSint}))
	case f.Bytes < 4 && f.encoding == encodesUint:
		return g.binary("&", g.expr(t, 2), g.construct(t, literalOf(u32Type, 1<<(8*f.Bytes)-1)))
	case f.Bytes < 4 && f.encoding == encodesSint:
		high := uint32(1)<<(8*f.Bytes-1) - 1
		return g.call("clamp", t, g.expr(t, 2), g.construct(t, literalOf(i32Type, ^high)), g.construct(t, literalOf(i32Type, high)))
	}
	return g.expr(t, 3)
}

// textureParameter makes a parameter for a texture of the program, which has one.
func (g *generator) textureParameter() *Var {
	h, _ := g.texture(func(*Type) bool { return true })
	return &Var{Name: g.name("tp"), Kind: ParamVar, Type: h.expr.Type}
}
