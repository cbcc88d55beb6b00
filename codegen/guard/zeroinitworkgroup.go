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
	m           *ir.Module
	f           *ir.Func
	b           ir.Builder
	leaves      []leaf
	steps       []step
	path        []step
	invocations uint32 // of a workgroup
	indices     []ir.Value
	init        definiteInit
}

// leaf is a set of elements of a variable whose addresses differ in array indices only.
type leaf struct {
	variable ir.Value
	// first and count give the steps to it in zeroer.steps.
	first, count int
	typ          ir.Type
	elements     uint32
}

// step is a step of a path into a variable: into an array with this many elements or, if that is 0,
// to a member of a structure.
type step struct{ elements, member uint32 }

// maxProofs bounds the variables for which definite initialisation is tried. Each proof walks over
// the kernel.
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
		if m.Global(v).Role == ir.TileRings {
			continue // no one reads what no copy has written
		}
		if n >= maxProofs || !z.init.isInitialised(m, f, v) {
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
		for same < len(z.leaves) && z.leaves[same].elements == z.leaves[n].elements {
			same++
		}
		z.zero(z.leaves[n:same], index, before)
		n = same
	}
	if z.invocations > 1 {
		z.b.SetBefore(before)
		z.b.Barrier(op.WorkgroupMemory)
	}
}

// localIndex returns the kernel's local_invocation_index, which is added if missing.
func (z *zeroer) localIndex() ir.Value {
	if z.invocations == 1 {
		return z.m.ConstU32(0)
	}
	return rewrite.Builtin(z.f, ir.LocalInvocationIndex, "local_index")
}

// split collects the leaves of a part of a variable. z.path leads to the part, through arrays that
// have this many elements in all.
func (z *zeroer) split(v ir.Value, t ir.Type, elements uint32) {
	m := z.m
	switch m.KindOf(t) {
	case ir.ArrayType:
		n, _ := m.Count(t)
		z.path = append(z.path, step{elements: n})
		z.split(v, m.Element(t), elements*n)
		z.path = z.path[:len(z.path)-1]
		return
	case ir.StructType:
		if z.isPlain(t) {
			break
		}
		for n, member := range m.Members(t) {
			z.path = append(z.path, step{member: uint32(n)})
			z.split(v, member.Type, elements)
			z.path = z.path[:len(z.path)-1]
		}
		return
	}
	l := leaf{v, len(z.steps), len(z.path), t, elements}
	z.steps = append(z.steps, z.path...)
	// sorted by element count, so that leaves with equal counts are adjacent
	at := len(z.leaves)
	for at > 0 && z.leaves[at-1].elements > elements {
		at--
	}
	z.leaves = append(z.leaves, leaf{})
	copy(z.leaves[at+1:], z.leaves[at:])
	z.leaves[at] = l
}

// maxPlain bounds the bytes of a structure that is zeroed by one store: four of the widest stores.
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

// zero zeroes leaves with equal element counts.
func (z *zeroer) zero(leaves []leaf, index ir.Value, before ir.Inst) {
	m := z.m
	elements := leaves[0].elements
	z.b.SetBefore(before)
	steps := elements / z.invocations
	if steps > maxUnrolled {
		z.loop(leaves, index, before)
		return
	}
	for step := range steps {
		element := index
		if step > 0 {
			element = z.b.Op(op.Add, index, m.ConstU32(step*z.invocations))
		}
		z.store(leaves, element)
	}
	if remainder := elements % z.invocations; remainder > 0 {
		test := z.b.If(z.b.Op(op.Lt, index, m.ConstU32(remainder)))
		z.b.SetBlock(z.f.Region(test, 1))
		z.b.Exit(test)
		z.b.SetBlock(z.f.Region(test, 0))
		element := index
		if steps > 0 {
			element = z.b.Op(op.Add, index, m.ConstU32(steps*z.invocations))
		}
		z.store(leaves, element)
		z.b.Exit(test)
		z.b.SetBefore(before)
	}
}

// loop stores with the stride of the workgroup.
func (z *zeroer) loop(leaves []leaf, index ir.Value, before ir.Inst) {
	m, f := z.m, z.f
	loop := z.b.Loop()
	element := f.AddLoopParam(loop, index)
	z.b.SetBlock(f.Region(loop, 0))
	test := z.b.If(z.b.Op(op.Lt, element, m.ConstU32(leaves[0].elements)))
	z.b.SetBlock(f.Region(test, 0))
	z.b.Exit(test)
	z.b.SetBlock(f.Region(test, 1))
	z.b.Exit(loop)
	z.b.SetBlock(f.Region(loop, 0))
	z.store(leaves, element)
	z.b.Continue(loop)
	z.b.SetBlock(f.Region(loop, 1))
	z.b.Next(loop, []ir.Value{z.b.Op(op.Add, element, m.ConstU32(z.invocations))}, 0, nil)
	z.b.SetBefore(before)
}

// store writes zero to the element of each leaf that has this linear index.
func (z *zeroer) store(leaves []leaf, element ir.Value) {
	m := z.m
	for _, l := range leaves {
		steps := z.steps[l.first : l.first+l.count]
		z.indices = ir.Zeroed(z.indices, len(steps))
		// the last array is the innermost: its index changes first
		remainder, left := element, l.elements
		for n := len(steps) - 1; n >= 0; n-- {
			s := steps[n]
			switch {
			case s.elements == 0:
				z.indices[n] = m.ConstU32(s.member)
			case s.elements == 1:
				z.indices[n] = m.ConstU32(0)
			case left == s.elements:
				z.indices[n] = remainder
			default:
				z.indices[n] = z.b.Op(op.Rem, remainder, m.ConstU32(s.elements))
				remainder = z.b.Op(op.Div, remainder, m.ConstU32(s.elements))
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
