package guard

import (
	"slices"

	"github.com/gpuc/gpuc/codegen/rewrite"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/opt"
)

// ZeroInitWorkgroup zeroes workgroup memory when a kernel begins (Tint: ZeroInitWorkgroupMemory).
// WGSL demands it (WGSL §7.3.1) and machines do not do it. The invocations of a workgroup store
// zeros together, and a barrier follows. Variables that the kernel provably overwrites before it
// reads them are left alone (definiteinit.go).
//
// A variable is split into leaves: the parts that one store can write, reached through members and
// arrays. The elements of a leaf are numbered across all arrays around it. Invocation k zeroes
// elements k, k + n, k + 2n, … for a workgroup of n invocations, so that neighbours store to
// neighbouring memory.
var ZeroInitWorkgroup = opt.Pass{
	Name:  "zero-init-workgroup",
	Doc:   "store zeros to workgroup variables at the start of a kernel",
	Needs: ir.Bound | ir.Structured,
	Gives: ir.ZeroedMemory,
	Run: func(c *opt.Context, m *ir.Module) {
		if !slices.ContainsFunc(m.Globals, func(g ir.Global) bool { return m.SpaceOf(g.Type) == ir.Workgroup }) {
			return
		}
		z := opt.Scratch[zeroer](c, "zero-init-workgroup")
		for _, f := range m.Funcs {
			if f.Kernel {
				z.run(m, f)
			}
		}
	},
}

type zeroer struct {
	m      *ir.Module
	f      *ir.Func
	b      ir.Builder
	leaves []leaf
	steps  []step
	path   []step
	// invocations is the count of invocations of a workgroup.
	invocations uint32
	indices     []ir.Value
	overwriter  overwriter
}

// leaf is a set of elements of a variable whose addresses differ in array indices only.
type leaf struct {
	variable ir.Value
	// first and count give the steps to it in zeroer.steps.
	first, count int
	typ          ir.Type
	places       uint32
}

// step goes into an array with this many elements, or, if that is 0, to a structure's member.
type step struct{ elements, member uint32 }

// maxProofs bounds the variables for which definite initialisation is tried, each of which takes a
// walk over the kernel.
const maxProofs = 256

func (z *zeroer) run(m *ir.Module, f *ir.Func) {
	z.m, z.f = m, f
	z.leaves, z.steps, z.path = z.leaves[:0], z.steps[:0], z.path[:0]
	z.invocations = 1
	for _, w := range f.Workgroup {
		n, _ := m.ConstUint(w)
		z.invocations *= uint32(n)
	}
	for n, v := range ir.ReachOf(m, f).Workgroup {
		if n >= maxProofs || !z.overwriter.isOverwritten(m, f, v) {
			z.split(v, m.Element(m.Global(v).Type), 1)
		}
	}
	if len(z.leaves) == 0 {
		return
	}
	before := rewrite.AfterVars(f)
	z.b = ir.Builder{F: f, Span: f.Span, Folds: true}
	z.b.SetBefore(before)
	index := z.localIndex()
	for n := 0; n < len(z.leaves); {
		// leaves with equally many elements share their tests and loops
		same := n + 1
		for same < len(z.leaves) && z.leaves[same].places == z.leaves[n].places {
			same++
		}
		z.deal(z.leaves[n:same], index, before)
		n = same
	}
	if z.invocations > 1 {
		z.b.SetBefore(before)
		z.b.Barrier(op.WorkgroupMemory)
	}
}

// localIndex returns the kernel's local_invocation_index, a parameter that is
// added if it is missing.
func (z *zeroer) localIndex() ir.Value {
	if z.invocations == 1 {
		return z.m.ConstU32(0)
	}
	return rewrite.Builtin(z.f, ir.LocalInvocationIndex, "local_index")
}

// split notes the leaves of a part of a variable. The path leads to the part, through arrays that
// have this many elements together.
func (z *zeroer) split(v ir.Value, t ir.Type, places uint32) {
	m := z.m
	switch m.KindOf(t) {
	case ir.ArrayType:
		n, _ := m.Count(t)
		z.path = append(z.path, step{elements: n})
		z.split(v, m.Element(t), places*n)
		z.path = z.path[:len(z.path)-1]
		return
	case ir.StructType:
		if z.isPlain(t) {
			break
		}
		for n, member := range m.Members(t) {
			z.path = append(z.path, step{member: uint32(n)})
			z.split(v, member.Type, places)
			z.path = z.path[:len(z.path)-1]
		}
		return
	}
	l := leaf{v, len(z.steps), len(z.path), t, places}
	z.steps = append(z.steps, z.path...)
	// sorted by element count, so that leaves with equal counts are adjacent
	at := len(z.leaves)
	for at > 0 && z.leaves[at-1].places > places {
		at--
	}
	z.leaves = append(z.leaves, leaf{})
	copy(z.leaves[at+1:], z.leaves[at:])
	z.leaves[at] = l
}

// maxPlain bounds the structures that are stored whole: 16 words are four of
// the widest stores there are.
const maxPlain = 64

// isPlain reports whether one store of zero writes a structure.
func (z *zeroer) isPlain(t ir.Type) bool {
	m := z.m
	if m.Size(t) > maxPlain {
		return false
	}
	for _, member := range m.Members(t) {
		switch m.KindOf(member.Type) {
		case ir.ArrayType, ir.AtomicType:
			return false
		case ir.StructType:
			if !z.isPlain(member.Type) {
				return false
			}
		}
	}
	return true
}

// maxUnrolled bounds the stores that are unrolled; more become a loop.
const maxUnrolled = 8

// deal stores zeros to leaves that have equally many elements.
func (z *zeroer) deal(leaves []leaf, index ir.Value, before ir.Inst) {
	m := z.m
	places := leaves[0].places
	z.b.SetBefore(before)
	rounds := places / z.invocations
	if rounds > maxUnrolled {
		z.loop(leaves, index, before)
		return
	}
	for round := range rounds {
		place := index
		if round > 0 {
			place = z.b.Op(op.Add, index, m.ConstU32(round*z.invocations))
		}
		z.store(leaves, place)
	}
	if rest := places % z.invocations; rest > 0 {
		test := z.b.If(z.b.Op(op.Lt, index, m.ConstU32(rest)))
		z.b.SetBlock(z.f.Region(test, 1))
		z.b.Exit(test)
		z.b.SetBlock(z.f.Region(test, 0))
		place := index
		if rounds > 0 {
			place = z.b.Op(op.Add, index, m.ConstU32(rounds*z.invocations))
		}
		z.store(leaves, place)
		z.b.Exit(test)
		z.b.SetBefore(before)
	}
}

// loop stores with the stride of the workgroup.
func (z *zeroer) loop(leaves []leaf, index ir.Value, before ir.Inst) {
	m, f := z.m, z.f
	loop := z.b.Loop()
	place := f.AddLoopParam(loop, index)
	z.b.SetBlock(f.Region(loop, 0))
	test := z.b.If(z.b.Op(op.Lt, place, m.ConstU32(leaves[0].places)))
	z.b.SetBlock(f.Region(test, 0))
	z.b.Exit(test)
	z.b.SetBlock(f.Region(test, 1))
	z.b.Exit(loop)
	z.b.SetBlock(f.Region(loop, 0))
	z.store(leaves, place)
	z.b.Continue(loop)
	z.b.SetBlock(f.Region(loop, 1))
	z.b.Next(loop, []ir.Value{z.b.Op(op.Add, place, m.ConstU32(z.invocations))}, 0, nil)
	z.b.SetBefore(before)
}

// store writes zero to the element of each leaf that has this linear index.
func (z *zeroer) store(leaves []leaf, place ir.Value) {
	m := z.m
	for _, l := range leaves {
		steps := z.steps[l.first : l.first+l.count]
		z.indices = ir.Zeroed(z.indices, len(steps))
		// the last array is the innermost: its index changes first
		rest, left := place, l.places
		for n := len(steps) - 1; n >= 0; n-- {
			s := steps[n]
			switch {
			case s.elements == 0:
				z.indices[n] = m.ConstU32(s.member)
			case s.elements == 1:
				z.indices[n] = m.ConstU32(0)
			case left == s.elements:
				z.indices[n] = rest
			default:
				z.indices[n] = z.b.Op(op.Rem, rest, m.ConstU32(s.elements))
				rest = z.b.Op(op.Div, rest, m.ConstU32(s.elements))
				left /= s.elements
			}
		}
		pointer := l.variable
		if len(steps) > 0 {
			pointer = z.b.AccessWithin(pointer, z.indices...)
		}
		if m.KindOf(l.typ) == ir.AtomicType {
			z.b.Emit(op.AtomicStore, ir.Void, 0, pointer, m.Zero(m.Element(l.typ)))
		} else {
			z.b.Store(pointer, m.Zero(l.typ))
		}
	}
}
