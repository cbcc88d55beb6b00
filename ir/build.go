package ir

import (
	"fmt"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/ir/source"
)

// Builder appends instructions to a block, or inserts them before one. It
// infers result types from the op table. Operands of wrong types are a bug in
// the caller and panic; the verifier says where.
type Builder struct {
	F *Func
	// Span and Flags are given to the instructions built next: of the flags, each gets
	// those that can refine it.
	Span  source.Span
	Flags Flags

	block  Block
	before Inst
}

// NewBuilder returns a builder at the end of a function's entry block.
func NewBuilder(f *Func) *Builder { return &Builder{F: f, block: f.Entry} }

// SetBlock makes the builder append to a block.
func (b *Builder) SetBlock(block Block) { b.block, b.before = block, 0 }

// SetBefore makes the builder insert before an instruction.
func (b *Builder) SetBefore(i Inst) { b.block, b.before = b.F.BlockOf(i), i }

// Block returns the block that the builder works in.
func (b *Builder) Block() Block { return b.block }

// Terminated reports whether the block has its terminator already.
func (b *Builder) Terminated() bool { return b.F.Terminator(b.block) != 0 }

// Insert puts an instruction made with NewInst where the builder stands.
func (b *Builder) Insert(i Inst) Inst {
	if b.before != 0 {
		b.F.InsertBefore(b.before, i)
	} else {
		b.F.Append(b.block, i)
	}
	return i
}

// Emit builds an instruction with an explicit result type and attribute.
func (b *Builder) Emit(o op.Op, t Type, aux uint32, args ...Value) Value {
	i := b.F.NewInst(o, t, aux, b.Span, args...)
	return b.place(i, o, t)
}

// place gives an instruction the flags that can refine it and inserts it.
func (b *Builder) place(i Inst, o op.Op, t Type) Value {
	b.F.insts[i].flags = b.F.Module.refining(b.Flags, o, t)
	b.Insert(i)
	return b.F.insts[i].result
}

// Fold gives the constant that a pure operation on constants is, and builds the
// operation if its operands are not all constants.
func (b *Builder) Fold(o op.Op, t Type, aux uint32, args ...Value) Value {
	if v, _, ok := b.F.Module.Fold(o, t, aux, args, false); ok {
		return v
	}
	return b.Emit(o, t, aux, args...)
}

// Op builds an operation whose signature determines the result type: all of
// arithmetic, bits, comparison, floating point, packing and subgroups.
func (b *Builder) Op(o op.Op, args ...Value) Value {
	t, err := b.F.InferType(o, args)
	if err != nil {
		panic(fmt.Sprintf("building %s: %v", o, err))
	}
	return b.Emit(o, t, 0, args...)
}

// InferType returns the result type that an operation's signature gives for
// operands. It covers regular signatures and those that the operands determine
// alone: select, extract, insert.
func (f *Func) InferType(o op.Op, args []Value) (Type, error) {
	m := f.Module
	s := op.SignatureOf(o)
	switch s.Special {
	case "":
	case "select":
		if len(args) != 3 {
			return Void, fmt.Errorf("%d operands, want 3", len(args))
		}
		return f.TypeOf(args[1]), nil
	case "insert":
		return f.TypeOf(args[0]), nil
	case "extract":
		index, _ := m.ConstUint(args[1])
		return m.PartType(f.TypeOf(args[0]), uint32(index)), nil
	default:
		return Void, fmt.Errorf("the operands do not determine the result type")
	}
	if len(args) != s.Count {
		return Void, fmt.Errorf("%d operands, want %d", len(args), s.Count)
	}
	t := Void
	for i := range args {
		if s.Operands[i] == (op.Pattern{}) {
			t = f.TypeOf(args[i])
			break
		}
	}
	return m.PatternType(s.Result, t), nil
}

// PatternType returns the type that a signature's pattern means for a given T.
func (m *Module) PatternType(p op.Pattern, t Type) Type {
	element := Type(m.ScalarOf(t))
	if p.Kind != scalar.None {
		element = Type(p.Kind)
	}
	n := int(p.Shape)
	if p.Shape == op.AsT {
		n = m.Components(t)
	}
	if n > 1 {
		return m.VectorOf(element, n)
	}
	return element
}

// Var builds a function variable. All variables stand at the start of the entry
// block, wherever the builder is.
func (b *Builder) Var(t Type, name string) Value {
	f := b.F
	i := f.NewInst(op.Var, f.Module.PointerTo(Function, t, ReadWrite), 0, b.Span)
	at := f.blocks[f.Entry].first
	if last := &f.insts[f.lastVar]; last.op == op.Var && last.block == f.Entry {
		at = last.next // with many variables, walking over all of them takes too long
	}
	for at != 0 && f.insts[at].op == op.Var {
		at = f.insts[at].next
	}
	f.lastVar = i
	if at != 0 {
		f.InsertBefore(at, i)
	} else {
		f.Append(f.Entry, i)
	}
	f.SetName(f.insts[i].result, name)
	return f.insts[i].result
}

// Load builds a load through a pointer.
func (b *Builder) Load(pointer Value) Value {
	return b.Emit(op.Load, b.F.Module.Element(b.F.TypeOf(pointer)), 0, pointer)
}

// Store builds a store through a pointer.
func (b *Builder) Store(pointer, value Value) { b.Emit(op.Store, Void, 0, pointer, value) }

// Access builds a pointer to a part of what base points to. Members of
// structures are u32 constants.
func (b *Builder) Access(base Value, indices ...Value) Value {
	m := b.F.Module
	p := b.F.TypeOf(base)
	t := m.Element(p)
	for _, index := range indices {
		k, _ := m.ConstUint(index)
		t = m.PartType(t, uint32(k))
	}
	t = m.PointerTo(m.SpaceOf(p), t, m.AccessOf(p))
	i := b.F.NewInst(op.Access, t, 0, b.Span, base)
	for _, index := range indices {
		b.F.AppendArg(i, index)
	}
	return b.place(i, op.Access, t)
}

// AccessWithin builds an access that is known to stay within what base points to.
func (b *Builder) AccessWithin(base Value, indices ...Value) Value {
	flags := b.Flags
	b.Flags |= InBounds
	p := b.Access(base, indices...)
	b.Flags = flags
	return p
}

// Construct builds a composite from its parts.
func (b *Builder) Construct(t Type, parts ...Value) Value {
	return b.Emit(op.Construct, t, 0, parts...)
}

// Splat builds a vector of equal components.
func (b *Builder) Splat(t Type, x Value) Value { return b.Emit(op.Splat, t, 0, x) }

// Extract builds the constant part i of a value.
func (b *Builder) Extract(x Value, i uint32) Value {
	m := b.F.Module
	return b.Emit(op.Extract, m.PartType(b.F.TypeOf(x), i), 0, x, m.ConstU32(i))
}

// Shuffle builds a vector, or with one component a scalar, of components.
func (b *Builder) Shuffle(x Value, components ...uint32) Value {
	m := b.F.Module
	t := m.Element(b.F.TypeOf(x))
	if len(components) == 1 {
		return b.Extract(x, components[0])
	}
	return b.Emit(op.Shuffle, m.VectorOf(t, len(components)), op.EncodeSwizzle(components...), x)
}

// Convert builds a conversion of a scalar or vector to another scalar kind.
func (b *Builder) Convert(k scalar.Kind, x Value) Value {
	return b.Emit(op.Convert, b.F.Module.WithScalar(b.F.TypeOf(x), k), 0, x)
}

// Bitcast builds a reinterpretation of the bits.
func (b *Builder) Bitcast(t Type, x Value) Value { return b.Emit(op.Bitcast, t, 0, x) }

// Barrier builds a workgroup barrier that orders the given memories.
func (b *Builder) Barrier(memory op.Memory) {
	b.Emit(op.ControlBarrier, Void, uint32(memory))
}

// Call builds a call; the result is 0 for functions without one.
func (b *Builder) Call(callee *Func, args ...Value) Value {
	for n, f := range b.F.Module.Funcs {
		if f == callee {
			return b.Emit(op.Call, callee.ResultType, uint32(n), args...)
		}
	}
	panic("building call: the callee belongs to another module")
}

// If builds an if and returns it; its blocks are Region(i, 0) and Region(i, 1).
func (b *Builder) If(condition Value) Inst { return b.Insert(b.F.NewIf(condition, b.Span)) }

// Switch builds a switch; see NewSwitch.
func (b *Builder) Switch(selector Value, blocks, other int) Inst {
	return b.Insert(b.F.NewSwitch(selector, blocks, other, b.Span))
}

// Loop builds a loop; its body and continuing are Region(i, 0) and Region(i, 1).
func (b *Builder) Loop() Inst { return b.Insert(b.F.NewLoop(b.Span)) }

// Scope builds a scope; its block is Region(i, 0).
func (b *Builder) Scope() Inst { return b.Insert(b.F.NewScope(b.Span)) }

// Exit leaves a control instruction with its results.
func (b *Builder) Exit(target Inst, results ...Value) {
	b.Emit(op.Exit, Void, uint32(target), results...)
}

// Continue enters a loop's continuing block with its parameters.
func (b *Builder) Continue(target Inst, params ...Value) {
	b.Emit(op.Continue, Void, uint32(target), params...)
}

// Next ends a continuing block. A condition of 0 means none; then there are no
// results.
func (b *Builder) Next(target Inst, params []Value, condition Value, results []Value) {
	i := b.F.NewInst(op.Next, Void, uint32(target), b.Span, params...)
	if condition != 0 {
		b.F.AppendArg(i, condition)
		for _, r := range results {
			b.F.AppendArg(i, r)
		}
	}
	b.Insert(i)
}

// Return leaves the function; value is 0 for functions without a result.
func (b *Builder) Return(value Value) {
	if value == 0 {
		b.Emit(op.Return, Void, 0)
		return
	}
	b.Emit(op.Return, Void, 0, value)
}

// Unreachable ends a block that is never left.
func (b *Builder) Unreachable() { b.Emit(op.Unreachable, Void, 0) }
