// Package mir is the machine level: what a machine runs whose registers hold one scalar
// each. Targets that are such machines, or are written for them, print it; SPIR-V, MSL and
// WGSL, which have structured control and composite values, do not come here.
//
//	IR after a target's legalisers ─► Lower ─► Clean ─► the target's printer
//
// A function is basic blocks in the order of its text. Values are virtual registers, each assigned
// by one instruction or as the parameter of one block (static single assignment), or constants of
// the module. Edges of a terminator have arguments for the parameters of their block, so there are
// no moves. A printer that needs moves gets them in an order that works (Copies). Operations on
// scalars are those of the IR (package op), one scalar at a time, and the few of ops.go.
//
// Memory is named by operands (Memory): space, symbol, base, index, a constant of 64 bits,
// elements, alignment and ordering.
package mir

import (
	"slices"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Class is the width of a register. What it holds, an integer or a float, is a matter of
// the instructions that use it.
type Class uint8

// The classes.
const (
	NoClass    Class = iota
	Predicate        // a bool
	Half             // 16 bits
	Word             // 32 bits
	Long             // 64 bits
	constant         // not a register
	ClassCount = constant
)

// Operand is a register, or a scalar constant of the module; 0 is none. Registers are
// numbered from 1 in each class.
type Operand uint32

// NoOperand is the absence of an operand.
const NoOperand Operand = 0

const (
	classShift = 29
	numberMask = 1<<classShift - 1
)

// Register returns a register by class and number.
func Register(c Class, number uint32) Operand {
	return Operand(c)<<classShift | Operand(number)
}

// Class returns a register's class, or NoClass of a constant.
func (o Operand) Class() Class {
	if c := Class(o >> classShift); c != constant {
		return c
	}
	return NoClass
}

// Number returns a register's number in its class.
func (o Operand) Number() uint32 { return uint32(o & numberMask) }

// IsConst reports whether the operand is a constant.
func (o Operand) IsConst() bool { return Class(o>>classShift) == constant }

// Const returns the operand of a scalar constant of a module.
func Const(v ir.Value) Operand { return Operand(constant)<<classShift | Operand(v.Index()) }

// classes are those of the scalar kinds.
var classes = [scalar.Count]Class{
	scalar.Bool: Predicate, scalar.F16: Half,
	scalar.I32: Word, scalar.U32: Word, scalar.F32: Word,
	// their pattern, zero-extended
	scalar.I8: Word, scalar.U8: Word, scalar.I16: Word, scalar.U16: Word,
	scalar.I64: Long, scalar.U64: Long, scalar.F64: Long,
}

// ClassOf returns the class that holds a kind.
func ClassOf(k scalar.Kind) Class { return classes[k] }

// kinds are, for each class, an unsigned kind that it holds, or f16.
var kinds = [ClassCount]scalar.Kind{Predicate: scalar.Bool, Half: scalar.F16, Word: scalar.U32, Long: scalar.U64}

// Kind returns a kind that the class holds: of numbers an unsigned one, and f16.
func (c Class) Kind() scalar.Kind { return kinds[c] }

// Inst is an instruction of a function, Block one of its blocks; 0 is none.
type (
	Inst  uint32
	Block uint32
)

// Symbol is a variable whose address has a name: of workgroup memory, a table, the immediates, or
// one that each invocation has for itself. It may also be a uniform buffer that is passed by value,
// which is in the space of the immediates.
type Symbol struct {
	Space ir.Space
	// Variable is the module's or the function's, or none: then the symbol is a copy of the
	// immediates, for functions that are called.
	Variable ir.Value
	Bytes    uint32
	Align    uint32
}

// Memory is what a memory instruction reads or writes: in a space, at the sum of a symbol's address
// or a base, an index, and a constant.
type Memory struct {
	Space  ir.Space
	Symbol uint32  // a number in Func.Symbols, where Base is none
	Base   Operand // of the width of the space's addresses
	Index  Operand // or none
	Offset int64
	Kind   scalar.Kind // of each element
	Align  uint32      // of the first element's address
	// Unchanged says that nothing writes what is read as long as the kernel runs.
	Unchanged bool
	Order     Order
}

// Order is what an access promises other invocations.
type Order uint8

// The orders. WGSL's atomics are relaxed; who can see them depends on the space.
const (
	Plain   Order = iota
	Relaxed       // atomic
)

// Edge is a way from a block to another one, with the values of its parameters.
type Edge struct {
	To   Block
	args list
}

type list struct{ start, count uint32 }

type inst struct {
	op            Op
	kind, to      scalar.Kind
	results, args list // in pool
	aux           uint32
	memory        uint32 // in memory, from 1
	prev, next    Inst
}

type block struct {
	first, last Inst
	params      list // in pool
}

// Func is a function or kernel.
type Func struct {
	Module *ir.Module
	Source *ir.Func
	// Params are the registers of a function's parameters, in the order of Arguments.
	Params []Operand
	// ParamSpaces has for each of Params the space that it is an address in, or ir.Handle, which
	// has no addresses, for a value that is none. The text form does not have it, so a function
	// that was parsed has none.
	ParamSpaces []ir.Space
	// Symbols are what Memory and SymbolAddress name; the first is none.
	Symbols []Symbol
	// Order lists the blocks as the text has them; the first is where the function begins.
	Order []Block

	names      []string // of the machine's own operations
	firstConst ir.Value // the constant with the number 0
	count      [ClassCount]uint32
	insts      []inst
	spans      []source.Span
	blocks     []block
	edges      []Edge
	memory     []Memory
	pool       []Operand
}

func (f *Func) reset(m *ir.Module, source *ir.Func, names []string) {
	f.Module, f.Source, f.names = m, source, names
	zero := m.ConstBool(false)
	f.firstConst = zero - ir.Value(zero.Index())
	f.Params, f.ParamSpaces, f.Order = f.Params[:0], f.ParamSpaces[:0], f.Order[:0]
	f.Symbols = append(f.Symbols[:0], Symbol{})
	f.count = [ClassCount]uint32{Predicate: 1, Half: 1, Word: 1, Long: 1}
	f.insts, f.blocks, f.edges = append(f.insts[:0], inst{}), append(f.blocks[:0], block{}), f.edges[:0]
	f.spans, f.memory, f.pool = append(f.spans[:0], source0), append(f.memory[:0], Memory{}), f.pool[:0]
}

var source0 source.Span

// Clone returns a copy that takes no more memory than it needs and outlasts the Builder that made
// the function.
func (f *Func) Clone() *Func {
	c := *f
	c.Params, c.ParamSpaces, c.Symbols, c.Order = slices.Clone(f.Params), slices.Clone(f.ParamSpaces), slices.Clone(f.Symbols), slices.Clone(f.Order)
	c.insts, c.spans, c.blocks, c.edges = slices.Clone(f.insts), slices.Clone(f.spans), slices.Clone(f.blocks), slices.Clone(f.edges)
	c.memory, c.pool = slices.Clone(f.memory), slices.Clone(f.pool)
	return &c
}

// Fresh returns a register that nothing uses yet.
func (f *Func) Fresh(c Class) Operand {
	n := f.count[c]
	f.count[c]++
	return Register(c, n)
}

// Registers returns how many numbers a class has, with 0.
func (f *Func) Registers(c Class) uint32 { return f.count[c] }

// Index numbers all registers from 0: those of a class follow those of the classes before.
func (f *Func) Index(o Operand) uint32 {
	n := o.Number()
	for c := Predicate; c < o.Class(); c++ {
		n += f.count[c]
	}
	return n
}

// Indices returns what every index is below.
func (f *Func) Indices() int {
	return int(f.count[Predicate] + f.count[Half] + f.count[Word] + f.count[Long])
}

// Value returns the constant that an operand is.
func (f *Func) Value(o Operand) ir.Value { return f.firstConst + ir.Value(o.Number()) }

// Bits returns a constant operand's bits.
func (f *Func) Bits(o Operand) uint64 { return f.Module.ConstBits(f.Value(o)) }

// KindOf returns a constant's kind, or one that a register's class holds.
func (f *Func) KindOf(o Operand) scalar.Kind {
	if o.IsConst() {
		return f.Module.ScalarOf(f.Module.TypeOf(f.Value(o)))
	}
	return o.Class().Kind()
}

// as returns a constant as one of another kind of its width, or as it is.
func (f *Func) as(k scalar.Kind, o Operand) Operand {
	if from := f.KindOf(o); from == k || ClassOf(from) != ClassOf(k) {
		return o
	}
	return Const(f.Module.ConstScalar(ir.Type(k), f.Bits(o)))
}

// classOf returns the class of a register, or that of a constant's kind.
func (f *Func) classOf(o Operand) Class { return ClassOf(f.KindOf(o)) }

func (f *Func) list(operands []Operand) list {
	start := len(f.pool)
	f.pool = append(f.pool, operands...)
	return list{uint32(start), uint32(len(operands))}
}

func (f *Func) of(l list) []Operand { return f.pool[l.start : l.start+l.count : l.start+l.count] }

// NewBlock makes a block, which Order does not have yet.
func (f *Func) NewBlock() Block {
	f.blocks = append(f.blocks, block{})
	return Block(len(f.blocks) - 1)
}

// SetParams gives a block its parameters.
func (f *Func) SetParams(b Block, registers []Operand) { f.blocks[b].params = f.list(registers) }

// Blocks returns a number that every block is below.
func (f *Func) Blocks() int { return len(f.blocks) }

// First returns a block's first instruction.
func (f *Func) First(b Block) Inst { return f.blocks[b].first }

// Last returns a block's terminator.
func (f *Func) Last(b Block) Inst { return f.blocks[b].last }

// Next returns the instruction after i in its block, or 0.
func (f *Func) Next(i Inst) Inst { return f.insts[i].next }

// BlockParams returns a block's parameters.
func (f *Func) BlockParams(b Block) []Operand { return f.of(f.blocks[b].params) }

// Op returns what an instruction does.
func (f *Func) Op(i Inst) Op { return f.insts[i].op }

// Kind returns the kind of an instruction's operands.
func (f *Func) Kind(i Inst) scalar.Kind { return f.insts[i].kind }

// To returns the kind that a conversion makes.
func (f *Func) To(i Inst) scalar.Kind { return f.insts[i].to }

// Aux returns an instruction's number besides its operands: see the operation.
func (f *Func) Aux(i Inst) uint32 { return f.insts[i].aux }

// Results returns the registers that an instruction assigns.
func (f *Func) Results(i Inst) []Operand { return f.of(f.insts[i].results) }

// Result returns the only register that an instruction assigns.
func (f *Func) Result(i Inst) Operand { return f.pool[f.insts[i].results.start] }

// Args returns an instruction's operands, but for those of memory and of edges.
func (f *Func) Args(i Inst) []Operand { return f.of(f.insts[i].args) }

// Arg returns an operand.
func (f *Func) Arg(i Inst, n int) Operand { return f.pool[f.insts[i].args.start+uint32(n)] }

// Memory returns what a memory instruction names.
func (f *Func) Memory(i Inst) *Memory { return &f.memory[f.insts[i].memory] }

// HasMemory reports whether an instruction names memory.
func (f *Func) HasMemory(i Inst) bool { return f.insts[i].memory != 0 }

// SpanOf returns where an instruction comes from.
func (f *Func) SpanOf(i Inst) source.Span { return f.spans[i] }

// Edges returns where a terminator leads: a jump to one block, a branch to the one where
// its operand is true and to the other.
func (f *Func) Edges(i Inst) []Edge {
	switch f.insts[i].op {
	case Jump:
		return f.edges[f.insts[i].aux : f.insts[i].aux+1]
	case Branch:
		return f.edges[f.insts[i].aux : f.insts[i].aux+2]
	}
	return nil
}

// EdgeArgs returns the values that an edge passes.
func (f *Func) EdgeArgs(e Edge) []Operand { return f.of(e.args) }

// append puts an instruction at the end of a block.
func (f *Func) append(b Block, x inst, span source.Span) Inst {
	i := Inst(len(f.insts))
	f.insts = append(f.insts, x)
	f.spans = append(f.spans, span)
	if r := &f.blocks[b]; r.last == 0 {
		r.first, r.last = i, i
	} else {
		f.insts[r.last].next, f.insts[i].prev = i, r.last
		r.last = i
	}
	return i
}

// Rewrite makes an instruction another operation, of other operands, with the same results.
func (f *Func) Rewrite(i Inst, o Op, k scalar.Kind, args ...Operand) {
	x := &f.insts[i]
	x.op, x.kind, x.args = o, k, f.list(args)
}

// SetAux sets what Aux returns.
func (f *Func) SetAux(i Inst, aux uint32) { f.insts[i].aux = aux }

// Remove takes an instruction that does not end its block, and whose results nothing reads any
// more, out of it.
func (f *Func) Remove(b Block, i Inst) {
	x := &f.insts[i]
	f.insts[x.next].prev = x.prev
	if x.prev == 0 {
		f.blocks[b].first = x.next
	} else {
		f.insts[x.prev].next = x.next
	}
}

// AppendReads appends the registers and constants that an instruction reads: its operands, those of
// its memory, and what its edges pass.
func (f *Func) AppendReads(to []Operand, i Inst) []Operand {
	to = append(to, f.Args(i)...)
	if HasMemory(f.Op(i)) {
		for _, o := range [...]Operand{f.Memory(i).Base, f.Memory(i).Index} {
			if o != NoOperand {
				to = append(to, o)
			}
		}
	}
	for _, e := range f.Edges(i) {
		to = append(to, f.EdgeArgs(e)...)
	}
	return to
}

// HasMemory reports whether an operation names memory, instead of the operand that leads there in
// the IR.
func HasMemory(o Op) bool { return o < Join && op.Op(o).Operand(0) != 0 && !IsTexture(o) }

// AppendIdentifier appends a name as an identifier of letters, digits, `_` and `$`. Other bytes
// become `$` and two hexadecimal digits. WGSL has no `$`, so names stay distinct.
func AppendIdentifier(b []byte, name string) []byte {
	for i := range len(name) {
		c := name[i]
		if c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' {
			b = append(b, c)
			continue
		}
		b = append(b, '$', "0123456789abcdef"[c>>4], "0123456789abcdef"[c&15])
	}
	return b
}
