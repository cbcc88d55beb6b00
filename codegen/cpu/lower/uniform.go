package lower

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file is the uniformity analysis (Karrenberg and Hack, "Whole-Function Vectorization", 2011;
// LLVM's UniformityInfo). It finds which registers hold the same value in all lanes. As an
// optimistic fixed point, it begins with all registers and removes those that vary:
//
//   - what is computed from varying operands, or from the invocation's id or private memory;
//   - what is loaded from memory that may change, if lanes do not load it at the same time;
//   - a parameter of a block where diverged lanes reconverge with different operands (join
//     divergence);
//   - what a loop computes that lanes leave in different iterations, after the loop (temporal
//     divergence).
//
// Within a loop, a value can be uniform though lanes leave: those that remain are in the same
// iteration. A register is defined for the lanes that execute the instruction that assigns it;
// others never read it.

// Scope says which lanes are compared.
type Scope uint8

// The scopes.
const (
	// Group is a whole workgroup, whose lanes execute each instruction at once.
	Group Scope = iota
	// Block is Program.BlockSize lanes, from a multiple of that on, that execute each instruction
	// at once; other lanes may do so at other times.
	Block
	// Always is a whole workgroup whose lanes may execute instructions at different times between
	// two barriers.
	Always
	// MultiGroup is several workgroups whose lanes execute each instruction at once. It is computed
	// on demand (Program.MultiGroup).
	MultiGroup
	scopeCount
)

// BlockLanes is how many lanes a block has, and SubgroupLanes a subgroup, unless the kernel sets
// another size.
const (
	BlockLanes    = 8
	SubgroupLanes = 32
)

// BlockSize returns how many lanes scope Block has: those of a subgroup if the kernel has
// operations of subgroups, which need all of its lanes at once.
func (p *Program) BlockSize() uint32 {
	if p.Subgroups {
		return SubgroupLanes
	}
	return BlockLanes
}

// Uniform is the result of the uniformity analysis for a scope.
type Uniform struct {
	varies []bool // by register
	// by register: lanes may hold values of different paths or iterations
	pathDependent []bool
	divergent     []bool // by block
	f             *mir.Func
}

// Varies reports whether lanes may hold different values in a register. Constants do not vary.
func (u *Uniform) Varies(o mir.Operand) bool {
	return !o.IsConst() && o != mir.NoOperand && u.varies[u.f.Index(o)]
}

// PathDependent reports whether lanes that read a register may have got it by different paths or in
// different iterations of a loop. If not, an operation on the index of the lane and on uniform
// values gives the same result for all lanes that read it.
func (u *Uniform) PathDependent(o mir.Operand) bool { return u.pathDependent[u.f.Index(o)] }

// Divergent reports whether lanes that end a block together may go to different ones.
func (u *Uniform) Divergent(block int) bool { return u.divergent[block] }

// uniformity computes one scope.
type uniformity struct {
	*Uniform
	p             *Program
	scope         Scope
	divergentExit []bool  // by header: lanes leave the loop at different times
	joined        []bool  // by block: join has looked at it
	marks         []uint8 // by block, and those that have marks
	found         []int32
	stack         []int32
	work          int
	changed       bool
}

// liveOut is a use of a register outside of a loop in which it is assigned.
type liveOut struct {
	register  mir.Operand
	from, use int32
}

// maxWork bounds how many blocks are visited. Beyond that, registers count as varying.
const maxWork = 1 << 22

// MultiGroup returns the uniformity in scope MultiGroup.
func (p *Program) MultiGroup() *Uniform {
	u := new(Uniform)
	p.analyse(MultiGroup, u)
	return u
}

// analyse computes one scope, and returns false if it gave up.
func (p *Program) analyse(scope Scope, to *Uniform) bool {
	f := p.F
	u := uniformity{Uniform: to, p: p, scope: scope}
	u.Uniform.f = f
	u.varies, u.pathDependent, u.divergent = make([]bool, f.Indices()), make([]bool, f.Indices()), make([]bool, len(f.Order))
	u.divergentExit, u.joined, u.marks = make([]bool, len(f.Order)), make([]bool, len(f.Order)), make([]uint8, len(f.Order)+1)
	for u.changed = true; u.changed; {
		u.changed = false
		for n, b := range f.Order {
			for i := f.First(b); i != 0; i = f.Next(i) {
				if results := f.Results(i); len(results) > 0 && !u.varies[f.Index(results[0])] && u.resultVaries(i) {
					for _, r := range results {
						u.vary(r)
					}
				}
			}
			u.visitTerminator(n, f.Last(b))
			if u.work > maxWork {
				u.giveUp()
				return false
			}
		}
	}
	return true
}

// giveUp makes all registers vary, except for lengths and addresses of buffers and ids of
// workgroups, which have no operands and are the same everywhere.
func (u *uniformity) giveUp() {
	for n := range u.varies {
		u.varies[n], u.pathDependent[n] = true, true
	}
	f := u.f
	for _, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			if r := f.Results(i); len(r) > 0 && len(f.Args(i)) == 0 && !mir.HasMemory(f.Op(i)) && !u.resultVaries(i) {
				for _, r := range r {
					u.varies[f.Index(r)] = false
				}
			}
		}
	}
	for n, b := range u.f.Order {
		u.divergent[n] = u.f.Op(u.f.Last(b)) == mir.Branch
	}
}

func (u *uniformity) vary(r mir.Operand) {
	if n := u.f.Index(r); !u.varies[n] {
		u.varies[n], u.changed = true, true
	}
}

// setPathDependent notes that lanes may have a register by different paths.
func (u *uniformity) setPathDependent(r mir.Operand) {
	u.pathDependent[u.f.Index(r)] = true
	u.vary(r)
}

// findLiveOuts lists the uses outside of the loops that assign the register.
func (p *Program) findLiveOuts() {
	f := p.F
	var reads []mir.Operand
	for n, b := range f.Order {
		for i := f.First(b); i != 0; i = f.Next(i) {
			reads = f.AppendReads(reads[:0], i)
			for _, o := range reads {
				if o.IsConst() {
					continue
				}
				if from := p.DefBlock(o); p.Leaves(from, n) {
					p.liveOuts = append(p.liveOuts, liveOut{o, int32(from), int32(n)})
				}
			}
		}
	}
}

// visitTerminator passes varying operands to parameters, and handles a divergent branch.
func (u *uniformity) visitTerminator(n int, i mir.Inst) {
	f := u.f
	for _, e := range f.Edges(i) {
		params := f.BlockParams(e.To)
		for k, a := range f.EdgeArgs(e) {
			if u.Varies(a) {
				u.vary(params[k])
			}
		}
	}
	if f.Op(i) == mir.Branch && !u.divergent[n] && u.Varies(f.Arg(i, 0)) {
		u.divergent[n], u.changed = true, true
		u.diverge(int32(n))
	}
}

// diverge handles a branch at which lanes diverge. They reconverge at blocks that both of its paths
// reach before its post-dominator, and at the post-dominator.
func (u *uniformity) diverge(n int32) {
	end := int32(len(u.f.Order))
	stop := u.p.immediatePostdom[n]
	u.found = u.found[:0]
	for k, to := range u.p.succs[n] {
		u.markReachable(to, stop, 1<<k)
	}
	for _, at := range u.found {
		if u.marks[at] == 3 {
			u.joinDivergence(at)
		}
		u.marks[at] = 0
	}
	if stop != end {
		u.joinDivergence(stop)
	}
	for h := u.p.Loop[n]; h >= 0 && (stop == end || !u.p.Contains(h, int(stop))); h = u.p.Outer[h] {
		u.temporalDivergence(h)
	}
	u.work += len(u.marks)
}

// markReachable marks the blocks on the paths from one to a post-dominator.
func (u *uniformity) markReachable(from, stop int32, mark uint8) {
	u.stack = append(u.stack[:0], from)
	for len(u.stack) > 0 {
		at := u.stack[len(u.stack)-1]
		u.stack = u.stack[:len(u.stack)-1]
		if at == stop || at == int32(len(u.f.Order)) || u.marks[at]&mark != 0 {
			continue
		}
		if u.marks[at] == 0 {
			u.found = append(u.found, at)
		}
		u.marks[at] |= mark
		u.stack = append(u.stack, u.p.succs[at]...)
	}
}

// joinDivergence makes the parameters of a block vary that have different operands on different
// edges.
func (u *uniformity) joinDivergence(at int32) {
	if u.joined[at] {
		return
	}
	u.joined[at] = true
	f := u.f
	ways := u.p.preds[at]
	for k, r := range f.BlockParams(f.Order[at]) {
		for _, way := range ways[1:] {
			if f.EdgeArgs(way.edge)[k] != f.EdgeArgs(ways[0].edge)[k] {
				u.setPathDependent(r)
			}
		}
	}
}

// temporalDivergence makes vary, after a loop that lanes leave at different times, what the loop
// assigns.
func (u *uniformity) temporalDivergence(h int32) {
	if u.divergentExit[h] {
		return
	}
	u.divergentExit[h], u.changed = true, true
	f := u.f
	for n := h; n <= u.p.LoopEnd[h]; n++ {
		for _, e := range f.Edges(f.Last(f.Order[n])) {
			if !u.p.Contains(h, int(u.p.At[e.To])) {
				for _, r := range f.BlockParams(e.To) {
					u.setPathDependent(r)
				}
			}
		}
	}
	for _, e := range u.p.liveOuts {
		if u.p.Contains(h, int(e.from)) && !u.p.Contains(h, int(e.use)) {
			u.setPathDependent(e.register)
		}
	}
}

// uniformBuiltins are the builtin values that are the same in all lanes of a scope.
var uniformBuiltins = [ir.BuiltinCount][scopeCount]bool{
	ir.WorkgroupID:    {true, true, true, false},
	ir.WorkgroupIndex: {true, true, true, false},
	ir.NumWorkgroups:  {true, true, true, true},
	ir.LaunchExtent:   {true, true, true, true},
	ir.NumSubgroups:   {true, true, true, true},
	ir.SubgroupSize:   {true, true, true, true},
}

// subgroupUniform are the operations of subgroups with the same result in all lanes of one.
var subgroupUniform = [op.Count]bool{
	op.SubgroupAll: true, op.SubgroupAny: true, op.SubgroupBallot: true, op.SubgroupBroadcastFirst: true,
	op.SubgroupAdd: true, op.SubgroupMul: true, op.SubgroupMin: true, op.SubgroupMax: true, op.SubgroupAnd: true, op.SubgroupOr: true, op.SubgroupXor: true,
}

// resultVaries reports whether an instruction gives lanes different values.
func (u *uniformity) resultVaries(i mir.Inst) bool {
	f := u.f
	switch o := f.Op(i); {
	case o == mir.Builtin:
		x, component := AuxBuiltin(f.Aux(i))
		rows := component > 0 && (x == ir.LocalInvocationID || x == ir.GlobalInvocationID)
		// Along an axis of which a workgroup has one invocation all have the workgroup's own
		// number.
		if x == ir.GlobalInvocationID && u.scope == Group && u.p.Workgroup[component] == 1 {
			return false
		}
		return !uniformBuiltins[x][u.scope] && !(rows && u.scope == Block && u.p.Workgroup[0]%u.p.BlockSize() == 0 || x == ir.SubgroupID && u.scope == Block && u.p.Subgroups)
	case IsSubgroup(o):
		return u.scope != Block || !subgroupUniform[o]
	case o == mir.Op(op.AtomicReadModifyWrite), o == mir.Op(op.AtomicCompareExchange),
		// blocks of eight do that one after the other
		o == mir.Op(op.AtomicLoad) && u.scope == Block && u.p.Subgroups:
		return true
	case o == mir.Op(op.TextureRead):
		if u.scope == Always {
			return true
		}
	case o == mir.Op(op.Load), o == mir.Op(op.AtomicLoad):
		m := f.Memory(i)
		if m.Space == ir.Private || u.scope == Always && !m.Unchanged && m.Space != ir.Immediate || u.Varies(m.Base) || u.Varies(m.Index) {
			return true
		}
	}
	for _, a := range f.Args(i) {
		if u.Varies(a) {
			return true
		}
	}
	return false
}
