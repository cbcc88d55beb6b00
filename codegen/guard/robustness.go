package guard

import (
	"github.com/gpuc/gpuc/codegen/lower"
	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/opt/analysis"
)

// Robustness makes every access stay within its variable (Tint: Robustness), as WGSL's robust
// access allows (WGSL §14.3, "invalid memory reference"):
//
//	loads     clamp the index
//	stores    happen only if the index is in range, and so do copies and atomics;
//	          the result of an atomic out of range is that of a load
//
// Package interp does the same, so that all devices agree.
//
// A clamped read costs one instruction and no branch. A clamped store would change an element that
// the program did not name, so a store out of range is left out instead. A guarded store gets
// new accesses in the block that the test guards, with the original indices, since nothing
// reads through them.
//
// Indices that analysis.Ranges proves to be in range need no guard. With bounds off the caller has
// promised what the pass would prove, and accesses are only marked. In the trap mode, checks that
// were inserted before the portable passes also record the first fault (instrument.Trap).
var Robustness = opt.Pass{
	Name:  "robustness",
	Doc:   "keep accesses within their variable: clamp reads, drop stores",
	Needs: ir.Bound | ir.Structured,
	Gives: ir.Robust,
	Run: func(c *opt.Context, m *ir.Module) {
		p := opt.Scratch[Protector](c, "robustness")
		for _, f := range m.Funcs {
			p.run(c, f)
		}
	},
}

// Protector guards one function at a time.
type Protector struct {
	rewrite.Rewriter
	uses []uint32
	// lengths are computed at the entry, so that no loop does it again.
	lengths []knownLength
	Chain   []ir.Inst   // the accesses from a pointer to its variable
	Tests   []IndexTest // of the condition that Test built last
	indices []ir.Value  // of the access that is being built
}

// IndexTest is a test that an index is less than a count.
type IndexTest struct {
	Access ir.Inst
	// Given is the index as the access has it, Index the same bits as an unsigned integer.
	Given, Index, Count, Test ir.Value
}

// knownLength is the element count of a runtime-sized array. last is one less, or NoValue if it has
// not been needed yet.
type knownLength struct {
	key          analysis.ArrayKey
	length, last ir.Value
}

// Enter starts a function.
func (p *Protector) Enter(c *opt.Context, f *ir.Func) {
	p.Rewriter = rewrite.New(c, f.Module)
	p.F, p.B.F, p.Ranges = f, f, opt.Scratch[analysis.Ranges](c, "ranges")
	p.lengths = p.lengths[:0]
}

func (p *Protector) run(c *opt.Context, f *ir.Func) {
	p.Enter(c, f)
	if c.Survey != nil {
		c.Survey.Guards, c.Survey.Off = true, c.Bounds == opt.BoundsOff
	}
	if c.Bounds == opt.BoundsOff {
		p.mark()
		return
	}
	p.Ranges.Indices, p.Ranges.Unproved = true, c.Survey != nil
	p.Ranges.Analyse(f)
	p.Ranges.Indices, p.Ranges.Unproved = false, false // the next user of the scratch has its own
	if c.Survey != nil {
		p.survey(c.Survey)
	}
	p.uses = f.CountUses(p.uses)
	p.stores()
	f.ApplyReplacements()
	p.accesses(f.Entry)
}

// mark promises that all accesses of the function are in bounds. Targets get no constant index that
// is out of range.
func (p *Protector) mark() {
	f := p.F
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		if f.Op(i) != op.Access {
			continue
		}
		f.SetFlags(i, f.Flags(i)|ir.InBounds)
		t := p.M.Element(f.TypeOf(f.Arg(i, 0)))
		for n := range f.Args(i)[1:] {
			at, ok := p.M.ConstIndex(t, f.Arg(i, n+1))
			if ok && p.M.KindOf(t) != ir.StructType || p.isSingle(t) {
				f.SetArg(i, n+1, p.M.ConstU32(at))
			}
			t = p.M.PartType(t, at)
		}
	}
}

// isProved reports whether an access needs no guard.
func (p *Protector) isProved(i ir.Inst) bool {
	if p.F.Flags(i)&ir.InBounds != 0 {
		return true
	}
	for n := range p.F.Args(i)[1:] {
		if !p.Ranges.Proves(i, n) {
			return false
		}
	}
	return true
}

// stores guards all writes to memory.
func (p *Protector) stores() {
	f := p.F
	for i := f.First(f.Entry); i != 0; {
		next := f.After(i, f.Entry)
		o := f.Op(i)
		// textures drop writes out of range
		if o.WritesOperand(0) && p.M.IsPointer(f.TypeOf(f.Arg(i, 0))) {
			p.guard(i)
		}
		i = next
	}
}

// guard makes an instruction conditional: it runs only if its first operand, a pointer, is in
// range.
func (p *Protector) guard(i ir.Inst) {
	f := p.F
	if !p.Follow(f.Arg(i, 0)) {
		return
	}
	condition := p.Test(i)
	test := p.B.If(condition)
	p.B.SetBlock(f.Region(test, 0))
	pointer := p.again()
	r := f.Result(i)
	if r == ir.NoValue || p.uses[r.Index()] == 0 {
		p.uses[f.Arg(i, 0).Index()]--
		f.Unlink(i)
		p.B.Insert(i)
		f.SetArg(i, 0, pointer)
		p.B.Exit(test)
		p.B.SetBlock(f.Region(test, 1))
		p.B.Exit(test)
		return
	}
	p.X = [4]ir.Value{}
	n := copy(p.X[:], f.Args(i))
	clamped := p.X[0]
	p.X[0] = pointer
	p.B.Exit(test, p.B.Emit(f.Op(i), f.Type(i), f.Aux(i), p.X[:n]...))
	p.B.SetBlock(f.Region(test, 1))
	p.B.Exit(test, p.B.Emit(op.AtomicLoad, f.Type(i), 0, clamped))
	f.Replace(r, f.AddResult(test, f.Type(i)))
	f.Remove(i)
}

// again rebuilds, at the builder, the accesses that Follow found, where they are known to be in
// range. Indices into private and function memory are clamped all the same. A driver may find that
// the index of a store that never runs is a constant out of range (workaround.Choices).
func (p *Protector) again() ir.Value {
	f := p.F
	pointer := f.Arg(p.Chain[len(p.Chain)-1], 0)
	space := p.M.SpaceOf(f.TypeOf(pointer))
	for n := len(p.Chain) - 1; n >= 0; n-- {
		access := p.Chain[n]
		indices := f.Args(access)[1:]
		if (space == ir.Function || space == ir.Private) && !p.isProved(access) {
			p.indices = append(p.indices[:0], indices...)
			indices = p.indices
			t := p.M.Element(f.TypeOf(pointer))
			for k, index := range indices {
				if !p.Ranges.Proves(access, k) {
					indices[k] = p.clamped(access, k, t)
				}
				x, _ := p.M.ConstUint(index)
				t = p.M.PartType(t, uint32(x))
			}
		}
		pointer = p.B.AccessWithin(pointer, indices...)
	}
	return pointer
}

// clamped returns the n-th index of an access, clamped to the last element of type t, which it
// indexes.
func (p *Protector) clamped(i ir.Inst, n int, t ir.Type) ir.Value {
	index := lower.Unsigned(&p.Rewriter, p.F.Arg(i, n+1))
	return p.Op(op.Min, index, p.last(i, n, t, p.F.TypeOf(index)))
}

// Follow collects in Chain the accesses from a pointer to its variable, and reports whether any of
// them has an index that is not proved to be in range.
func (p *Protector) Follow(pointer ir.Value) (unproved bool) {
	p.Chain = p.Chain[:0]
	for {
		access, ok := p.F.Def(pointer)
		if !ok || p.F.Op(access) != op.Access {
			return unproved
		}
		p.Chain = append(p.Chain, access)
		unproved = unproved || !p.isProved(access)
		pointer = p.F.Arg(access, 0)
	}
}

// Test builds, before an instruction, whether the accesses in Chain are in range. It leaves the
// single tests in Tests.
func (p *Protector) Test(i ir.Inst) ir.Value {
	p.B.At(i)
	p.Tests = p.Tests[:0]
	condition := ir.NoValue
	for n := len(p.Chain) - 1; n >= 0; n-- {
		condition = p.inRange(p.Chain[n], condition)
	}
	return condition
}

// inRange builds the conjunction of a condition, or NoValue, with the tests of an access's indices.
func (p *Protector) inRange(i ir.Inst, condition ir.Value) ir.Value {
	if p.isProved(i) {
		return condition
	}
	f := p.F
	args := f.Args(i)
	t := p.M.Element(f.TypeOf(args[0]))
	for n := range args[1:] {
		index := f.Arg(i, n+1)
		if !p.Ranges.Proves(i, n) {
			given, index := index, lower.Unsigned(&p.Rewriter, index)
			count := p.count(i, n, t, f.TypeOf(index))
			test := p.Op(op.Lt, index, count)
			p.Tests = append(p.Tests, IndexTest{i, given, index, count, test})
			if condition == ir.NoValue {
				condition = test
			} else {
				condition = p.Op(op.And, condition, test)
			}
		}
		x, _ := p.M.ConstUint(index)
		t = p.M.PartType(t, uint32(x))
	}
	return condition
}

// count returns the element count of type t, which the first n indices of an access lead to, as a
// value of an unsigned integer type.
func (p *Protector) count(i ir.Inst, n int, t, unsigned ir.Type) ir.Value {
	if count, ok := p.M.Count(t); ok {
		return p.Integer(unsigned, int64(count))
	}
	return p.B.Convert(p.M.ScalarOf(unsigned), p.lengths[p.length(i, n)].length)
}

// last returns one less than count.
func (p *Protector) last(i ir.Inst, n int, t, unsigned ir.Type) ir.Value {
	if count, ok := p.M.Count(t); ok {
		return p.Integer(unsigned, int64(count)-1)
	}
	l := &p.lengths[p.length(i, n)]
	if l.last == ir.NoValue {
		made, _ := p.F.Def(l.length)
		b := ir.Builder{F: p.F, Span: p.F.SpanOf(made)}
		b.SetBefore(p.F.Next(made))
		l.last = b.Op(op.Sub, l.length, p.M.ConstU32(1))
	}
	return p.B.Convert(p.M.ScalarOf(unsigned), l.last)
}

// length returns the index in lengths of the runtime-sized array that the first n indices of an
// access lead to.
func (p *Protector) length(i ir.Inst, n int) int {
	f := p.F
	base, path := f.Arg(i, 0), f.Args(i)[1:1+n]
	key := p.Ranges.ArrayOf(base, path)
	b := p.B
	if key != (analysis.ArrayKey{}) {
		for k, l := range p.lengths {
			if l.key == key {
				return k
			}
		}
		b.SetBefore(rewrite.AfterVars(f))
		var member [1]ir.Value
		base, path = key.Root, nil
		if key.Member != 0 {
			member[0] = p.M.ConstU32(key.Member - 1)
			path = member[:]
		}
	} // else the pointer is to no variable or member: the length is computed here
	if len(path) > 0 {
		base = b.AccessWithin(base, path...)
	}
	p.lengths = append(p.lengths, knownLength{key: key, length: b.Emit(op.ArrayLength, ir.U32, 0, base)})
	return len(p.lengths) - 1
}

// accesses clamps the indices of the remaining accesses, and removes accesses that only guarded
// stores used. It goes backwards, from uses to definitions.
func (p *Protector) accesses(b ir.Block) {
	f := p.F
	for i := f.Last(b); i != 0; {
		previous := f.Prev(i)
		switch o := f.Op(i); {
		case o == op.Access:
			p.clamp(i)
		case o.Is(op.Control):
			for n := len(f.Blocks(i)) - 1; n >= 0; n-- {
				p.accesses(f.Region(i, n))
			}
		}
		i = previous
	}
}

func (p *Protector) clamp(i ir.Inst) {
	f := p.F
	proved := p.isProved(i)
	if r := f.Result(i); !proved && int(r.Index()) < len(p.uses) && p.uses[r.Index()] == 0 {
		if base := f.Arg(i, 0); base.IsLocal() {
			p.uses[base.Index()]--
		}
		f.Remove(i)
		return
	}
	p.B.At(i)
	t := p.M.Element(f.TypeOf(f.Arg(i, 0)))
	for n := range f.Args(i)[1:] {
		index := f.Arg(i, n+1)
		switch {
		case p.isSingle(t):
			f.SetArg(i, n+1, p.M.ConstU32(0))
		case !proved && !p.Ranges.Proves(i, n):
			f.SetArg(i, n+1, p.clamped(i, n, t))
		}
		x, _ := p.M.ConstUint(index)
		t = p.M.PartType(t, uint32(x))
	}
	f.SetFlags(i, f.Flags(i)|ir.InBounds)
}

// isSingle reports whether a type is an array of one element, whose only index is 0
// (workaround.Choices has the reason to write it so).
func (p *Protector) isSingle(t ir.Type) bool {
	count, ok := p.M.Count(t)
	return ok && count == 1 && p.M.KindOf(t) == ir.ArrayType
}
