package ptx

import (
	"slices"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
)

// emitter writes the functions of one module. Its slices are indexed by the
// dense numbers of the IR and are reused from one compilation to the next.
type emitter struct {
	*codegen.Emission
	m      *ir.Module
	f      *ir.Func
	forms  *forms
	native *[op.Count]func(e *emitter, i ir.Inst) // natives, which functions in it could not name

	out      []byte // the module so far
	body     []byte // the function's instructions
	prologue []byte // what its entry computes for the body, made on demand

	firstConst ir.Value
	count      [classCount]uint32 // registers in use, by class
	labels     uint32

	values   []run // slots by local value
	slots    []operand
	pointers []pointer // by local value of pointer type
	uses     []uint32  // by local value
	globals  []pointer // by module variable; kind 0 until first used
	control  []control // by control instruction
	moves    []move
	leaves   []leaf
	builtins [ir.BuiltinCount][3]operand
	lengths  []operand // by binding
	inherits map[*ir.Func][]inherited
	used     []usage // by module variable, in one function
	locals   []ir.Value
	bases    []pointer // registers that hold a symbol's address
	jumped   []bool    // by label: something jumps there
	cases    []label   // by block, of the switches around
	placed   []uint32  // their blocks that have text, but for the default blocks
	flow     flow
	mask     operand // of the lanes that the warp has
	copied   operand // the place of the immediates' copy, once there is one
	line     int
	file     int

	sharedRoot ir.Value // the symbol of dynamic workgroup memory, or 0
	tableSpace string   // where tables of constants are
}

// run is a run of slots.
type run struct{ first, count uint32 }

// grown returns a cleared slice of n elements in the memory of s if that is
// large enough.
func grown[T any](s []T, n int) []T {
	s = slices.Grow(s[:0], n)[:n]
	clear(s)
	return s
}

// begin prepares for a function.
func (e *emitter) begin(f *ir.Func) {
	e.f = f
	e.body, e.prologue = e.body[:0], e.prologue[:0]
	e.count = [classCount]uint32{predicate: 1, half: 1, word: 1, long: 1} // 0 is no operand
	e.values = grown(e.values, f.ValueCount())
	e.pointers = grown(e.pointers, f.ValueCount())
	e.control = grown(e.control, f.InstCount())
	e.globals = grown(e.globals, len(e.m.Globals))
	e.lengths = grown(e.lengths, len(e.Bindings))
	e.slots = append(e.slots[:0], noOperand)
	e.uses = f.CountUses(e.uses)
	e.builtins = [ir.BuiltinCount][3]operand{}
	e.locals, e.bases, e.mask, e.copied = e.locals[:0], e.bases[:0], noOperand, noOperand
	e.flow.needed = false
	e.line, e.file = 0, 0
}

// block emits the instructions of a block. Next is the label that follows the
// block's text: jumps to it need no instruction.
func (e *emitter) block(b ir.Block, next label) { e.instructions(e.f.First(b), next) }

// instructions emits an instruction and those behind it in its block.
func (e *emitter) instructions(i ir.Inst, next label) {
	for ; i != 0; i = e.f.Next(i) {
		e.one(i, next)
	}
}

// one emits an instruction, if its result is used.
func (e *emitter) one(i ir.Inst, next label) {
	o := e.f.Op(i)
	if r := e.f.Result(i); r != 0 && e.uses[r] == 0 && (o.Pure() || o == op.Load) {
		return
	}
	mark := len(e.body)
	if e.Lines {
		e.location(i)
	}
	start := len(e.body)
	switch {
	case o.Is(op.Terminator):
		e.terminator(i, next)
	case o.Is(op.Control):
		e.structured(i, e.follow(i))
	default:
		e.instruction(i)
	}
	if start > mark && len(e.body) == start { // nothing came of it
		e.body, e.line = e.body[:mark], 0
	}
}

// instruction emits an instruction without blocks.
func (e *emitter) instruction(i ir.Inst) {
	o := e.f.Op(i)
	if emit := e.native[o]; emit != nil {
		emit(e, i)
		return
	}
	var args [4]operand
	n := 0
	for _, a := range e.f.Args(i) {
		n += copy(args[n:], e.slotsOf(a))
	}
	k := e.m.ScalarOf(e.f.TypeOf(e.f.Arg(i, 0)))
	e.compute(o, k, e.define(e.f.Result(i)), args[:n])
}

// compute emits the template of an operation on a kind.
func (e *emitter) compute(o op.Op, k scalar.Kind, results, args []operand) {
	if text := e.forms[o][k]; text != "" {
		e.expand(text, arguments{k, results, args})
		return
	}
	text := e.forms[o][scalar.F32]
	if k != scalar.F16 || text == "" {
		panic("ptx has no form for " + o.String() + " on " + k.String())
	}
	for n, a := range args {
		if a = e.register(a); a.class() == half {
			wide := e.fresh(word)
			e.expand("cvt.f32.f16 $d, $a", arguments{scalar.F32, []operand{wide}, []operand{a}})
			a = wide
		}
		args[n] = a
	}
	if results[0].class() != half {
		e.expand(text, arguments{scalar.F32, results, args})
		return
	}
	wide := e.fresh(word)
	e.expand(text, arguments{scalar.F32, []operand{wide}, args})
	e.expand("cvt.rn.f16.f32 $d, $a", arguments{scalar.F32, results, []operand{wide}})
}

// natives lists the operations that a function emits: those whose instructions
// depend on more than the kinds of the operands.
var natives = [op.Count]func(e *emitter, i ir.Inst){
	op.Abs:                    (*emitter).absolute,
	op.Mul:                    (*emitter).multiply,
	op.Select:                 (*emitter).selection,
	op.Convert:                (*emitter).convert,
	op.Bitcast:                (*emitter).bitcast,
	op.Construct:              (*emitter).construct,
	op.Extract:                (*emitter).extract,
	op.Insert:                 (*emitter).insert,
	op.Var:                    (*emitter).variable,
	op.Address:                (*emitter).address,
	op.Load:                   (*emitter).load,
	op.Store:                  (*emitter).store,
	op.ArrayLength:            (*emitter).arrayLength,
	op.AtomicLoad:             (*emitter).atomicLoad,
	op.AtomicStore:            (*emitter).atomicStore,
	op.AtomicReadModifyWrite:  (*emitter).atomicReadModifyWrite,
	op.AtomicCompareExchange:  (*emitter).atomicCompareExchange,
	op.ControlBarrier:         (*emitter).barrier,
	op.SubgroupElect:          (*emitter).subgroupElect,
	op.SubgroupAll:            (*emitter).subgroupVote,
	op.SubgroupAny:            (*emitter).subgroupVote,
	op.SubgroupBallot:         (*emitter).subgroupBallot,
	op.SubgroupBroadcast:      (*emitter).subgroupShuffle,
	op.SubgroupBroadcastFirst: (*emitter).subgroupBroadcastFirst,
	op.SubgroupShuffle:        (*emitter).subgroupShuffle,
	op.SubgroupShuffleXor:     (*emitter).subgroupShuffle,
	op.SubgroupShuffleUp:      (*emitter).subgroupShuffle,
	op.SubgroupShuffleDown:    (*emitter).subgroupShuffle,
	op.SubgroupAdd:            (*emitter).subgroupReduce,
	op.SubgroupMul:            (*emitter).subgroupReduce,
	op.SubgroupMin:            (*emitter).subgroupReduce,
	op.SubgroupMax:            (*emitter).subgroupReduce,
	op.SubgroupAnd:            (*emitter).subgroupReduce,
	op.SubgroupOr:             (*emitter).subgroupReduce,
	op.SubgroupXor:            (*emitter).subgroupReduce,
	op.SubgroupInclusiveAdd:   (*emitter).subgroupScan,
	op.SubgroupInclusiveMul:   (*emitter).subgroupScan,
	op.SubgroupExclusiveAdd:   (*emitter).subgroupScan,
	op.SubgroupExclusiveMul:   (*emitter).subgroupScan,
	op.QuadBroadcast:          (*emitter).quad,
	op.QuadSwapX:              (*emitter).quad,
	op.QuadSwapY:              (*emitter).quad,
	op.QuadSwapDiagonal:       (*emitter).quad,
	op.Call:                   (*emitter).call,
}

// formsOf returns the templates of a floating-point mode.
func formsOf(m opt.Math) *forms {
	switch m {
	case opt.MathStrict:
		return strictForms
	case opt.MathFast:
		return fastForms
	}
	return wgslForms
}
