package ir

import (
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/source"
)

// Func is a function or a kernel: an entry point that a launch runs for every
// invocation of a grid.
//
// Instructions, values and blocks are records in slices, indexed by number. The
// instructions of a block form a doubly linked list, so that passes insert and
// remove without moving anything; control instructions own blocks through their
// record in controls.
type Func struct {
	Module     *Module
	Name       string
	Kernel     bool
	ResultType Type
	Span       source.Span
	// Workgroup is a kernel's size: u32 constants or overrides.
	Workgroup [3]Value
	// SubgroupSize is the size that a kernel's subgroups must have, a constant or
	// override, or 0 where the device chooses; SubgroupSpan is where it is asked for.
	SubgroupSize Value
	SubgroupSpan source.Span
	// IntPositions promises that a launch of a kernel has fewer than 2^31 invocations in each
	// dimension. Then their positions, and the counts and positions of workgroups, are the same as
	// signed integers.
	IntPositions bool
	// Resident says, if it is not 0, how many workgroups of the kernel a multiprocessor is to hold
	// at once: the code takes as few registers as that needs. Targets may ignore it.
	Resident uint32
	// Coarse says, if it is not zero, how many workgroups of the kernel that the source has each of
	// its workgroups does the work of, by dimension (opt.Coarsen).
	Coarse [3]uint32
	// Before is the size of the function before its loops were unrolled, in the measure of the
	// passes that unroll (opt/growth.go). It is 0 where no loop had a known trip count.
	Before int
	// Within are comparisons that the host makes before a launch: else accesses of it may be out of
	// bounds. They name variables as they are until a target's legalisers give them other types.
	Within []Within
	// Builtins says what each of a kernel's parameters holds.
	Builtins []Builtin
	// Checks are what binding overrides has to check; then there are none.
	Checks []Check
	// Interface are variables of a kernel's interface, resources and immediates,
	// that no instruction uses though the source names them (WGSL §13.3: what is
	// statically accessed belongs to the interface).
	Interface []Value
	// Entry is the function's body; its parameters are the function's.
	Entry Block

	insts    []inst
	spans    []source.Span
	values   []valueRecord
	names    []string // hints for the text form, by value; may be shorter
	had      op.Set   // the operations that it has, or had once
	blocks   []blockRecord
	controls []controlRecord
	pool     []Value  // operand lists, parameters, results
	targets  []uint32 // blocks of controls, and block numbers of switch cases
	forward  []Value  // pending replacements, by value; empty if none
	lastVar  Inst     // the variable that Builder.Var made last, if it still exists
}

// inst is an instruction's record: 40 bytes without pointers.
type inst struct {
	op         op.Op
	argCount   uint8 // pooled if the operands are in the pool: args[0] start, args[1] count
	flags      Flags
	typ        Type
	args       [3]Value
	aux        uint32
	prev, next Inst
	block      Block
	result     Value
}

const pooled = 0xFF

// valueRecord says where a local value comes from.
type valueRecord struct {
	typ Type
	def uint32 // Inst<<1, or Block<<1 | 1 for a parameter
}

type list struct{ start, count uint32 }

type blockRecord struct {
	first, last Inst
	parent      Inst  // the control instruction that owns the block
	sibling     Block // that it owns after this one, or 0
	params      list  // in pool
}

// controlRecord is the part of a control instruction that a plain record has no
// room for. An if has the blocks then and else; a loop has body and continuing;
// a switch has one block a case; a scope has one.
type controlRecord struct {
	blocks  list // in targets
	results list // in pool
	cases   list // in targets: for each case value, which block it selects
	other   uint32
	name    string // the label's hint
}

func newFunc(m *Module, name string, result Type) *Func {
	f := m.takeFunc()
	*f = Func{
		Module: m, Name: name, ResultType: result,
		Builtins: f.Builtins[:0],
		Checks:   f.Checks[:0], Interface: f.Interface[:0], Within: f.Within[:0],
		insts:    append(f.insts[:0], inst{}),
		spans:    append(f.spans[:0], source.Span{}),
		values:   append(f.values[:0], valueRecord{}),
		names:    f.names[:0],
		blocks:   append(f.blocks[:0], blockRecord{}),
		controls: append(f.controls[:0], controlRecord{}),
		pool:     f.pool[:0],
		targets:  f.targets[:0],
		forward:  f.forward[:0],
	}
	f.Entry = f.newBlock(0)
	return f
}

// copyTo makes another function, in the memory it has, the same as f, in the
// module m.
func (f *Func) copyTo(to *Func, m *Module) {
	old := *to
	*to = *f
	to.Module = m
	to.Builtins = append(old.Builtins[:0], f.Builtins...)
	to.Checks = append(old.Checks[:0], f.Checks...)
	to.Interface = append(old.Interface[:0], f.Interface...)
	to.Within = append(old.Within[:0], f.Within...)
	to.insts = append(old.insts[:0], f.insts...)
	to.spans = append(old.spans[:0], f.spans...)
	to.values = append(old.values[:0], f.values...)
	to.names = append(old.names[:0], f.names...)
	to.blocks = append(old.blocks[:0], f.blocks...)
	to.controls = append(old.controls[:0], f.controls...)
	to.pool = append(old.pool[:0], f.pool...)
	to.targets = append(old.targets[:0], f.targets...)
	to.forward = append(old.forward[:0], f.forward...)
}

// InstCount returns a number that every Inst of the function is below; passes
// size their side tables by it.
func (f *Func) InstCount() int { return len(f.insts) }

// ValueCount returns a number that the Index of every local is below.
func (f *Func) ValueCount() int { return len(f.values) }

// BlockCount returns a number that every Block is below.
func (f *Func) BlockCount() int { return len(f.blocks) }

// Op returns an instruction's operation; Invalid once it is removed.
func (f *Func) Op(i Inst) op.Op { return f.insts[i].op }

// Type returns the type of an instruction's result; of a control instruction
// with several results, that of the first.
func (f *Func) Type(i Inst) Type { return f.insts[i].typ }

// Flags returns an instruction's flags.
func (f *Func) Flags(i Inst) Flags { return f.insts[i].flags }

// SetFlags replaces an instruction's flags.
func (f *Func) SetFlags(i Inst, flags Flags) { f.insts[i].flags = flags }

// Aux returns the number that the operation's attribute describes.
func (f *Func) Aux(i Inst) uint32 { return f.insts[i].aux }

// SetAux replaces an instruction's attribute.
func (f *Func) SetAux(i Inst, aux uint32) { f.insts[i].aux = aux }

// SpanOf returns the source that an instruction comes from.
func (f *Func) SpanOf(i Inst) source.Span { return f.spans[i] }

// SetSpan replaces an instruction's span.
func (f *Func) SetSpan(i Inst, span source.Span) { f.spans[i] = span }

// Args returns an instruction's operands. The slice is the instruction's own:
// writing to it changes the instruction, and it is valid until one is added.
func (f *Func) Args(i Inst) []Value {
	r := &f.insts[i]
	if r.argCount == pooled {
		return f.pool[r.args[0] : r.args[0]+r.args[1]]
	}
	return r.args[:r.argCount]
}

// Arg returns operand n.
func (f *Func) Arg(i Inst, n int) Value { return f.Args(i)[n] }

// SetArg replaces operand n.
func (f *Func) SetArg(i Inst, n int, v Value) { f.Args(i)[n] = v }

// SetArgs replaces all operands.
func (f *Func) SetArgs(i Inst, args ...Value) {
	r := &f.insts[i]
	if len(args) <= len(r.args) {
		var copied [3]Value // args may alias the record
		copy(copied[:], args)
		r.args, r.argCount = copied, uint8(len(args))
		return
	}
	start := len(f.pool)
	f.pool = append(f.pool, args...)
	r.args = [3]Value{Value(start), Value(len(args))}
	r.argCount = pooled
}

// SetOp changes an instruction into another operation with a result of the same type; the operands
// are set separately.
func (f *Func) SetOp(i Inst, o op.Op) {
	f.insts[i].op = o
	f.had.Add(o)
}

// Had reports whether the function has any of the operations, or had them once. What is
// about others need not look at it.
func (f *Func) Had(ops *op.Set) bool { return f.had.Meets(ops) }

// Lacks notes for Had that the function has an operation no more.
func (f *Func) Lacks(o op.Op) { f.had.Remove(o) }

// HasOnly notes for Had that the function has no other operations than these.
func (f *Func) HasOnly(ops op.Set) { f.had = ops }

// Result returns the value an instruction defines, or 0. A control instruction
// has Results.
func (f *Func) Result(i Inst) Value { return f.insts[i].result }

// Results returns a control instruction's results; others have Result. The slice is the
// instruction's own.
func (f *Func) Results(i Inst) []Value {
	r := f.controls[f.insts[i].aux].results
	return f.pool[r.start : r.start+r.count]
}

// ResultCount returns the number of results of any instruction.
func (f *Func) ResultCount(i Inst) int {
	if f.Op(i).Is(op.Control) {
		return len(f.Results(i))
	}
	if f.Result(i) != 0 {
		return 1
	}
	return 0
}

// TypeOf returns the type of any value the function uses.
func (f *Func) TypeOf(v Value) Type {
	if v&tagMask == localTag {
		return f.values[v].typ
	}
	return f.Module.TypeOf(v)
}

// SetType replaces the type of a local value.
func (f *Func) SetType(v Value, t Type) {
	f.values[v].typ = t
	if i, ok := f.Def(v); ok && f.insts[i].result == v {
		f.insts[i].typ = t
	}
}

// Def returns the instruction that defines a value; ok is false for parameters
// and for values that are not local.
func (f *Func) Def(v Value) (i Inst, ok bool) {
	if !v.IsLocal() {
		return 0, false
	}
	d := f.values[v].def
	return Inst(d >> 1), d&1 == 0 && d != 0
}

// DefOp returns the operation that defines a value, or Invalid for parameters
// and values that are not local.
func (f *Func) DefOp(v Value) op.Op {
	if i, ok := f.Def(v); ok {
		return f.insts[i].op
	}
	return op.Invalid
}

// DefBlock returns the block in which a local value becomes visible.
func (f *Func) DefBlock(v Value) Block {
	d := f.values[v].def
	if d&1 == 1 {
		return Block(d >> 1)
	}
	return f.insts[d>>1].block
}

// ValueName returns a value's name hint.
func (f *Func) ValueName(v Value) string {
	if v.IsLocal() && int(v) < len(f.names) {
		return f.names[v]
	}
	return ""
}

// SetName gives a local value a name hint for the text form. Only the first
// hint stays.
func (f *Func) SetName(v Value, name string) {
	if !v.IsLocal() || name == "" {
		return
	}
	for int(v) >= len(f.names) {
		f.names = append(f.names, "")
	}
	if f.names[v] == "" {
		f.names[v] = name
	}
}

// Params returns a block's parameters. The slice is the block's own.
func (f *Func) Params(b Block) []Value {
	p := f.blocks[b].params
	return f.pool[p.start : p.start+p.count]
}

// Parent returns the control instruction that owns a block, or 0 for the entry.
func (f *Func) Parent(b Block) Inst { return f.blocks[b].parent }

// BlockOf returns the block that holds an instruction.
func (f *Func) BlockOf(i Inst) Block { return f.insts[i].block }

// First returns a block's first instruction, or 0.
func (f *Func) First(b Block) Inst { return f.blocks[b].first }

// Last returns a block's last instruction, which is its terminator once the
// block is complete, or 0.
func (f *Func) Last(b Block) Inst { return f.blocks[b].last }

// Next returns the instruction after i in its block, or 0.
func (f *Func) Next(i Inst) Inst { return f.insts[i].next }

// Prev returns the instruction before i in its block, or 0.
func (f *Func) Prev(i Inst) Inst { return f.insts[i].prev }

// Blocks returns the blocks that a control instruction owns. The slice's
// elements are block numbers.
func (f *Func) Blocks(i Inst) []uint32 {
	l := f.controls[f.insts[i].aux].blocks
	return f.targets[l.start : l.start+l.count]
}

// Region returns the n-th block that a control instruction owns.
func (f *Func) Region(i Inst, n int) Block { return Block(f.Blocks(i)[n]) }

// CaseTargets returns, for each case value of a switch (operands 1 and on),
// which of its blocks it selects.
func (f *Func) CaseTargets(i Inst) []uint32 {
	l := f.controls[f.insts[i].aux].cases
	return f.targets[l.start : l.start+l.count]
}

// DefaultCase returns which of a switch's blocks is the default.
func (f *Func) DefaultCase(i Inst) int { return int(f.controls[f.insts[i].aux].other) }

// Target returns the control instruction that a terminator names.
func (f *Func) Target(i Inst) Inst { return Inst(f.insts[i].aux) }

// LabelName returns the hint for a control instruction's label.
func (f *Func) LabelName(i Inst) string { return f.controls[f.insts[i].aux].name }

// SetLabelName sets the hint for a control instruction's label.
func (f *Func) SetLabelName(i Inst, name string) { f.controls[f.insts[i].aux].name = name }

// NextArgs splits the operands of a next: the parameters of the following
// iteration, the break_if condition or 0, and the loop's results.
func (f *Func) NextArgs(i Inst) (params []Value, condition Value, results []Value) {
	args := f.Args(i)
	n := len(f.Params(f.Region(f.Target(i), 0)))
	if len(args) <= n {
		return args, 0, nil
	}
	return args[:n], args[n], args[n+1:]
}
