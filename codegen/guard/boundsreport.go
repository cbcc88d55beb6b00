package guard

import (
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// This file reports which indices Robustness guards, and what was known of each (opt.Survey). It
// looks at the function after the range analysis and before the first guard, while values still are
// the source's. What an index is computed from is found by walking back its definitions, through
// integer operations, to values that no such operation made.

// survey notes the unproved indices of the function that was analysed.
func (p *Protector) survey(s *opt.Survey) {
	f := p.F
	const reads, writes = 1, 2
	effects := make([]uint8, f.InstCount())
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		for n, a := range f.Args(i) {
			e := f.Op(i).Operand(n)
			if e&(op.Reads|op.Writes) == 0 && f.Op(i) != op.Call || !p.M.IsPointer(f.TypeOf(a)) {
				continue
			}
			p.Follow(a)
			for _, access := range p.Chain {
				if e&op.Writes != 0 {
					effects[access] |= writes
				}
				// a function gets a pointer whose indices are clamped
				if e&op.Reads != 0 || f.Op(i) == op.Call {
					effects[access] |= reads
				}
			}
		}
	}
	for _, u := range p.Ranges.UnprovedIndices() {
		// nobody goes there, or somebody has promised
		if effects[u.Access] == 0 || f.Flags(u.Access)&ir.InBounds != 0 {
			continue
		}
		c := opt.Check{Access: f.SpanOf(u.Access), Reads: effects[u.Access]&reads != 0, Writes: effects[u.Access]&writes != 0}
		args := f.Args(u.Access)
		c.Variable = p.nameOf(args[0], args[1:1+u.Index])
		t := p.M.Element(f.TypeOf(args[0]))
		for _, index := range args[1 : 1+u.Index] {
			x, _ := p.M.ConstUint(index)
			t = p.M.PartType(t, uint32(x))
		}
		if count, ok := p.M.Count(t); ok {
			c.Count = uint64(count)
		}
		index := f.Arg(u.Access, u.Index+1)
		if index.IsConst() && c.Count > 0 { // what becomes of it is decided here, and takes no code
			continue
		}
		c.Low, c.High, c.Bounded = bounds(u.Known, f.TypeOf(index))
		for _, key := range u.Below {
			c.Below = append(c.Below, p.nameOfArray(key))
		}
		w := origins{Protector: p, seen: make([]bool, f.ValueCount())}
		w.of(index)
		c.Origins = w.list
		s.Add(c)
	}
}

// bounds are those of an interval that says something to people: numbers of a billion say no more
// than the type does.
func bounds(v analysis.Interval, t ir.Type) (low, high int64, ok bool) {
	const many = 1 << 30
	low, high, ok = v.Bounds(t)
	return low, high, ok && -many <= low && high < many
}

// nameOf names the object that a pointer and indices lead to, such as `particles` or
// `scene.lights`. Indices of arrays are left out. The name is "" if the path does not begin at a
// variable.
func (p *Protector) nameOf(pointer ir.Value, indices []ir.Value) string {
	f := p.F
	name := ""
	if i, ok := f.Def(pointer); ok && f.Op(i) == op.Access {
		name = p.nameOf(f.Arg(i, 0), f.Args(i)[1:])
	} else if pointer.IsGlobal() {
		name = p.M.Global(pointer).Name
	} else {
		name = f.ValueName(pointer)
	}
	t := p.M.Element(f.TypeOf(pointer))
	if i, ok := f.Def(pointer); ok && f.Op(i) == op.Access && name == "" {
		return ""
	}
	for _, index := range indices {
		x, _ := p.M.ConstUint(index)
		if p.M.KindOf(t) == ir.StructType && name != "" {
			name += "." + p.M.Members(t)[x].Name
		}
		t = p.M.PartType(t, uint32(x))
	}
	return name
}

// nameOfArray names a runtime-sized array.
func (p *Protector) nameOfArray(key analysis.ArrayKey) string {
	if key.Member == 0 {
		return p.nameOf(key.Root, nil)
	}
	member := [1]ir.Value{p.M.ConstU32(key.Member - 1)}
	return p.nameOf(key.Root, member[:])
}

// origins collects the values that an index is computed from.
type origins struct {
	*Protector
	seen []bool
	list []opt.Origin
}

// mostOrigins bounds the origins that are reported for an index: a reader wants to know where to
// begin.
const mostOrigins = 6

// of adds the origins of a value.
func (w *origins) of(v ir.Value) {
	f := w.F
	if !v.IsLocal() || w.seen[v.Index()] || len(w.list) == mostOrigins || w.M.ScalarOf(f.TypeOf(v)) == w.M.ScalarOf(ir.Bool) {
		return // of a condition two numbers are made, and nothing is to be known of it
	}
	w.seen[v.Index()] = true
	i, ok := f.Def(v)
	if !ok {
		w.parameter(v)
		return
	}
	o := f.Op(i)
	args := f.Args(i)
	switch {
	case o == op.Extract && w.component(v, i):
	case o == op.Load:
		w.loaded(v, args[0])
	case o == op.ArrayLength:
		w.add(v, opt.OfLength, w.nameOf(args[0], nil))
	case o == op.If, o == op.Switch, o == op.Scope:
		w.add(v, opt.OfBranch, "")
	case o == op.Loop:
		w.add(v, opt.OfLoop, "")
	case o == op.Convert && w.M.ScalarOf(f.TypeOf(args[0])).IsFloat():
		w.add(v, opt.OfFloat, "")
	case op.SignatureOf(o).Elementwise(), o == op.Select, o == op.Convert, o == op.Bitcast, o == op.Extract, o == op.Insert, o == op.Construct, o == op.Splat, o == op.Shuffle:
		for _, a := range args {
			w.of(a)
		}
	default:
		w.add(v, opt.OfOther, "")
	}
}

// component adds a component of a builtin value, and reports whether that is what an extract has.
func (w *origins) component(v ir.Value, extract ir.Inst) bool {
	f := w.F
	n, ok := w.M.ConstUint(f.Arg(extract, 1))
	builtin := w.builtin(f.Arg(extract, 0))
	if !ok || builtin == ir.NoBuiltin || n > 2 {
		return false
	}
	w.add(v, opt.OfBuiltin, builtin.String()+"."+"xyz"[n:n+1])
	return true
}

// builtin is what a parameter of a kernel holds.
func (w *origins) builtin(v ir.Value) ir.Builtin {
	if w.F.Kernel {
		for n, p := range w.F.Params(w.F.Entry) {
			if p == v {
				return w.F.Builtins[n]
			}
		}
	}
	return ir.NoBuiltin
}

// parameter adds a value that a block or the function is given.
func (w *origins) parameter(v ir.Value) {
	switch control := w.F.Parent(w.F.DefBlock(v)); {
	case control != 0:
		w.add(v, opt.OfLoop, "")
	case w.F.Kernel:
		w.add(v, opt.OfBuiltin, w.builtin(v).String())
	default:
		w.add(v, opt.OfOther, "")
	}
}

// loadedKinds are the kinds of what is read from a memory.
var loadedKinds = [...]opt.OriginKind{
	ir.Function: opt.OfVariable, ir.Private: opt.OfVariable, ir.Workgroup: opt.OfWorkgroup, ir.Uniform: opt.OfUniform, ir.Storage: opt.OfStorage,
	ir.Constant: opt.OfOther, ir.Handle: opt.OfOther, ir.Immediate: opt.OfImmediate,
}

// loaded adds a value that is read from memory.
func (w *origins) loaded(v, pointer ir.Value) {
	kind := loadedKinds[w.M.SpaceOf(w.F.TypeOf(pointer))]
	name, _, _ := strings.Cut(w.nameOf(pointer, nil), ".")
	w.add(v, kind, name)
}

// add adds an origin.
func (w *origins) add(v ir.Value, kind opt.OriginKind, name string) {
	o := opt.Origin{Kind: kind, Name: name, Hint: w.F.ValueName(v)}
	if i, ok := w.F.Def(v); ok {
		o.Span = w.F.SpanOf(i)
	}
	if !w.M.IsVector(w.F.TypeOf(v)) {
		o.Low, o.High, o.Bounded = bounds(w.Ranges.Of(v), w.F.TypeOf(v))
	}
	w.list = append(w.list, o)
}

// surveyTexel notes a texel whose coordinates are clamped. Of these nothing is asked but whether
// they are zero.
func (p *textureClamper) surveyTexel(s *opt.Survey, i ir.Inst) {
	o := p.F.TextureOperandsOf(i)
	for _, v := range [...]ir.Value{o.Coordinates, o.Layer, o.Level, o.Sample} {
		if v != ir.NoValue && !p.M.IsZero(v) {
			s.Add(opt.Check{Access: p.F.SpanOf(i), Reads: true, Texture: true})
			return
		}
	}
}
