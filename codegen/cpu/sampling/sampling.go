// Package sampling lowers operations on textures to loads, stores and arithmetic, for the texel
// formats and samplers that a launch binds. Software rasterisers do the same: format, filters and
// address modes become code, and sizes stay data.
//
//	handles of a launch ─► AppendStates ─┐
//	module and kernel ───────────────────┴─► Lower ─► Kernel: no operations on textures;
//	                                                  a buffer of texels for each texture,
//	                                                  and one of tables with sizes
//	launch ──────────────────────────────────────────► Kernel.Bind ─► launch
//
// What operations mean is package ir/texture, to the bit. Operations that have no lowering stay as
// they are (lowers).
//
//	tables.go   what the code reads of images: sizes and offsets of levels
//	texels.go   coordinates of texels to indices: loads, stores, queries
//	filter.go   samples and gathers
//	cube.go     the faces of cubes; detail.go: levels of detail for gradients
//	decode.go   words of texels to channels, and back
package sampling

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
)

// State is what code depends on of a texture or a sampler.
type State struct {
	Format texture.Format
	// Levels says that a texture has more than one level.
	Levels  bool
	Sampler texture.Sampler
}

// maxBytes bounds the texels of an image: indices are words with a sign.
const maxBytes = 1<<31 - 1<<12

// AppendStates appends the states of the handles of a launch. It reports false if code has to count
// accesses (texture.Traffic) or if an image is too large.
func AppendStates(states []State, handles []texture.Handle) ([]State, bool) {
	for n := range handles {
		h := &handles[n]
		var s State
		switch {
		case h.Sampler != nil:
			s.Sampler = *h.Sampler
		case h.Traffic != nil || uint64(len(h.Image.Memory())) > maxBytes:
			return nil, false
		default:
			s.Format, s.Levels = h.Image.Format, h.Image.Levels-h.Level > 1 && h.Levels != 1
		}
		states = append(states, s)
	}
	return states, true
}

// lowering lowers the operations of a kernel.
type lowering struct {
	builder
	states []State
	// handles are the globals of textures and samplers in the order of the states; texels are the
	// buffers of textures, and tables is that of their sizes.
	handles, texels []ir.Value
	tables          ir.Value
}

// group is the group of the buffers that Lower adds, after all that programs have: texels by
// handle, then the tables.
const group = 1<<32 - 1

// passes clean up what the lowering has made. Without opt.Simplify, which makes shifts of the
// products in addresses: the JIT looks for products.
var passes = [...]*opt.Pass{&opt.Gvn, &opt.Licm, &opt.Dce}

// Kernel is a kernel whose operations on textures are lowered.
type Kernel struct {
	Module *ir.Module
	Func   *ir.Func

	shapes []texture.Shape // of the handles of a launch
	// buffers says where each of the kernel's buffers comes from, and handles has the indices of
	// the handles that it still uses.
	buffers []origin
	handles []int
}

// origin is where a buffer comes from: the buffer, the texels of the handle, or the tables, by
// index.
type origin struct {
	kind  originKind
	index int
}

type originKind uint8

const (
	fromBuffer originKind = iota
	fromTexels
	fromTables
)

// Lower returns a copy of a module whose kernel has its operations on textures lowered. The module
// is what the target cpu leaves, and the kernel calls nothing.
func Lower(m *ir.Module, kernel *ir.Func, states []State) *Kernel {
	at := slices.Index(m.Funcs, kernel)
	m = m.Clone()
	f := m.Funcs[at]
	l := &lowering{builder: builder{m: m, Builder: ir.Builder{F: f, Folds: true}}, states: states, handles: ir.ReachOf(m, f).Handles}
	k, before := &Kernel{Module: m, Func: f}, reachOf(m, f)
	l.declare(k)
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		if mir.IsTexture(mir.Op(f.Op(i))) {
			l.lower(i)
		}
		i = next
	}
	f.ApplyReplacements()
	c := &opt.Context{Math: opt.MathStrict}
	for _, p := range passes {
		p.Apply(c, m)
	}
	k.find(before)
	return k
}

// find finds what the kernel still uses. Passes may have removed variables, so that resources are
// known by their bindings.
func (k *Kernel) find(before *reach) {
	m := k.Module
	after := ir.ReachOf(m, k.Func)
	for _, v := range after.Resources {
		switch g := m.Global(v); {
		case g.Group != group:
			k.buffers = append(k.buffers, origin{fromBuffer, slices.Index(before.resources, bindingOf(m, v))})
		case int(g.Binding) == len(k.shapes):
			k.buffers = append(k.buffers, origin{kind: fromTables})
		default:
			k.buffers = append(k.buffers, origin{fromTexels, int(g.Binding)})
		}
	}
	for _, v := range after.Handles {
		k.handles = append(k.handles, slices.Index(before.handles, bindingOf(m, v)))
	}
}

// reach is what a kernel uses.
type reach struct{ resources, handles []binding }

// binding identifies a resource; the runtime's have a role.
type binding struct {
	role           ir.Role
	group, binding uint32
}

func reachOf(m *ir.Module, f *ir.Func) *reach {
	r := new(reach)
	of := ir.ReachOf(m, f)
	for _, v := range of.Resources {
		r.resources = append(r.resources, bindingOf(m, v))
	}
	for _, v := range of.Handles {
		r.handles = append(r.handles, bindingOf(m, v))
	}
	return r
}

func bindingOf(m *ir.Module, v ir.Value) binding {
	g := m.Global(v)
	return binding{g.Role, g.Group, g.Binding}
}

// declare adds the buffers, and describes the handles.
func (l *lowering) declare(k *Kernel) {
	m := l.m
	words := m.ArrayOf(ir.U32, ir.NoValue)
	add := func(name string, n int, a ir.Access) ir.Value {
		return m.AddGlobal(ir.Global{Name: name, Type: m.PointerTo(ir.Storage, words, a), Group: group, Binding: uint32(n), Bound: true})
	}
	for n, h := range l.handles {
		buffer, shape := ir.NoValue, texture.Shape(0)
		if t := m.Element(m.TypeOf(h)); m.IsTexture(t) {
			access := ir.Read
			if shape = m.ShapeOf(t); shape.IsStorage() {
				access = m.AccessOf(t)
			}
			buffer = add(m.Global(h).Name+".texels", n, access)
		}
		l.texels = append(l.texels, buffer)
		k.shapes = append(k.shapes, shape)
	}
	l.tables = add("textures", len(l.handles), ir.Read)
}

// handle returns the index of the texture or sampler that a value is, which was loaded from its
// variable.
func (l *lowering) handle(v ir.Value) int {
	i, _ := l.F.Def(v)
	return slices.Index(l.handles, l.F.Arg(i, 0))
}

// lowers reports whether an operation on a texture of a state is lowered.
func lowers(o op.Op, t *State) bool {
	return o != op.TextureStore || encodes(t.Format.Info())
}

// lower lowers an operation on a texture.
func (l *lowering) lower(i ir.Inst) {
	f, m := l.F, l.m
	o := f.TextureOperandsOf(i)
	n := l.handle(o.Texture)
	t := &tex{l: l, n: n, shape: m.ShapeOf(f.TypeOf(o.Texture)), state: &l.states[n]}
	t.format = t.state.Format.Info()
	var s State
	if o.Sampler != ir.NoValue {
		s = l.states[l.handle(o.Sampler)]
	}
	if !lowers(f.Op(i), t.state) {
		return
	}
	l.At(i)
	var result []ir.Value
	switch k := f.Op(i); k {
	case op.TextureSize:
		result = t.size(&o)
	case op.TextureLayers:
		result = []ir.Value{l.add(t.entry(tableLastLayer), l.u(1))}
	case op.TextureLevels:
		result = []ir.Value{l.add(t.entry(tableLastLevel), l.u(1))}
	case op.TextureSamples:
		result = []ir.Value{t.entry(tableSamples)}
	case op.TextureLoad, op.TextureRead:
		result = t.load(&o)
	case op.TextureStore:
		t.store(&o)
		f.Remove(i)
		return
	default:
		result = t.sample(k, &o, &s.Sampler)
	}
	f.Replace(f.Result(i), l.join(f.Type(i), result))
	f.Remove(i)
}

// join makes a value of as many components as a type has.
func (l *lowering) join(t ir.Type, parts []ir.Value) ir.Value {
	if n := l.m.Components(t); n > 1 {
		return l.Construct(t, parts[:n]...)
	}
	return parts[0]
}
