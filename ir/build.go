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
//
// A builder that NewEvaluator returned has no block. It makes constants, and
// override expressions of what depends on overrides.
type Builder struct {
	F *Func
	// Span and Flags are given to the instructions built next: of the flags, each gets
	// those that can refine it.
	Span  source.Span
	Flags Flags
	// Folds makes a pure operation on constants the constant that it gives instead of
	// an instruction.
	Folds bool
	// Problem says, as the predicate of a sentence, why an evaluation failed; "" if
	// none did.
	Problem string

	evaluates bool
	block     Block
	before    Inst
}

// NewBuilder returns a builder at the end of a function's entry block.
func NewBuilder(f *Func) *Builder {
	if f == nil {
		panic("ir.NewBuilder of nil; Module.NewFunc makes a function, and Module.Func finds one and returns nil if there is none")
	}
	return &Builder{F: f, block: f.Entry}
}

// NewEvaluator returns a builder that evaluates with what a module has: each operation
// on constants is a const-expression (Module.Evaluate), each on overrides an entry of
// the table of override expressions. After a failure the result is NoValue, and so is
// that of every operation on it.
func NewEvaluator(m *Module) Builder {
	return Builder{F: &Func{Module: m, values: make([]valueRecord, 1)}, evaluates: true}
}

// Evaluates reports whether NewEvaluator made the builder.
func (b *Builder) Evaluates() bool { return b.evaluates }

// Fail notes why an evaluation failed, unless one did before, and returns NoValue.
func (b *Builder) Fail(why string) Value {
	if b.Problem == "" {
		b.Problem = why
	}
	return NoValue
}

// SetBlock makes the builder append to a block.
func (b *Builder) SetBlock(block Block) { b.block, b.before = block, 0 }

// SetBefore makes the builder insert before an instruction.
func (b *Builder) SetBefore(i Inst) { b.block, b.before = b.F.BlockOf(i), i }

// At makes the builder insert before an instruction, with its span and without flags.
func (b *Builder) At(i Inst) {
	b.SetBefore(i)
	b.Span, b.Flags = b.F.SpanOf(i), 0
}

// Block returns the block that the builder works in.
func (b *Builder) Block() Block { return b.block }

// Terminated reports whether the block has its terminator already.
func (b *Builder) Terminated() bool { return b.F.Terminator(b.block) != 0 }

// Insert puts an instruction made with NewInst at the builder's insertion point.
func (b *Builder) Insert(i Inst) Inst {
	if b.before != 0 {
		b.F.InsertBefore(b.before, i)
	} else {
		b.F.Append(b.block, i)
	}
	return i
}

// Emit makes the result of an operation with an explicit result type and attribute. A builder
// evaluates, folds and appends nowhere else.
func (b *Builder) Emit(o op.Op, t Type, aux uint32, args ...Value) Value {
	switch {
	case b.evaluates:
		return b.evaluate(o, t, aux, args)
	case b.Folds:
		if v, ok := b.F.Module.Fold(o, t, aux, args); ok {
			return v
		}
	}
	i := b.F.NewInst(o, t, aux, b.Span, args...)
	made := &b.F.insts[i]
	if flags := b.Flags & refines[o]; flags&^(Contract|Fast) != 0 || flags != 0 && b.F.Module.elementOf(t).IsFloat() {
		made.flags = flags // rounded operations on integers have none
	}
	b.Insert(i)
	return made.result
}

// elementOf returns the kind of the numbers in a value.
func (m *Module) elementOf(t Type) (k scalar.Kind) {
	switch m.KindOf(t) {
	case TileType:
		k, _, _ = m.TileShape(t)
	case FragmentType:
		k, _, _ = m.FragmentShape(t)
	default:
		k = m.ScalarOf(t)
	}
	return k
}

// evaluate makes a constant, or an override expression if not all operands are constants.
func (b *Builder) evaluate(o op.Op, t Type, aux uint32, args []Value) Value {
	constant := true
	for _, a := range args {
		if a == NoValue {
			return NoValue
		}
		constant = constant && a.IsConst()
	}
	if !constant {
		return b.F.Module.AddOverride(Override{ID: -1, Type: t, Op: o, Aux: aux, Span: b.Span}, args...)
	}
	v, why := b.F.Module.Evaluate(o, t, aux, args)
	if v == NoValue {
		return b.Fail(why)
	}
	return v
}

// Later makes an override expression, even of constants: binding overrides evaluates it.
func (b *Builder) Later(o op.Op, t Type, args ...Value) Value {
	return b.F.Module.AddOverride(Override{ID: -1, Type: t, Op: o, Span: b.Span}, args...)
}

// Choose makes a select of overrides that evaluates only what it chooses.
func (b *Builder) Choose(t Type, condition, x, y Value) Value {
	return b.F.Module.AddOverride(Override{ID: -1, Type: t, Op: op.Select, Lazy: true, Span: b.Span}, condition, x, y)
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
	if p == (op.Pattern{}) && m.Components(t) > 0 {
		return t
	}
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

// Var builds a function variable. All variables are at the start of the entry block, wherever the
// builder is.
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
	var few [8]Value
	args := append(append(few[:0], base), indices...)
	return b.Emit(op.Access, m.PointerTo(m.SpaceOf(p), t, m.AccessOf(p)), 0, args...)
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

// Splat widens a scalar to a vector type; with another type, and of a vector, it is the value
// itself. Of a constant it is one, whether the builder folds or not, and so is Extract's part.
func (b *Builder) Splat(t Type, x Value) Value {
	m := b.F.Module
	switch {
	case !m.IsVector(t) || m.IsVector(b.F.TypeOf(x)):
		return x
	case x.IsConst():
		return m.ConstSplat(t, m.ConstBits(x))
	}
	return b.Emit(op.Splat, t, 0, x)
}

// Extract builds the constant part i of a value.
func (b *Builder) Extract(x Value, i uint32) Value {
	m := b.F.Module
	if x.IsConst() {
		return m.ConstPart(x, i)
	}
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

// Convert builds a conversion of a scalar or vector to a scalar kind, if that is another.
func (b *Builder) Convert(k scalar.Kind, x Value) Value {
	t := b.F.TypeOf(x)
	if b.F.Module.ScalarOf(t) == k {
		return x
	}
	return b.Emit(op.Convert, b.F.Module.WithScalar(t, k), 0, x)
}

// Bitcast builds a reinterpretation of the bits as a type, if that is another.
func (b *Builder) Bitcast(t Type, x Value) Value {
	if b.F.TypeOf(x) == t {
		return x
	}
	return b.Emit(op.Bitcast, t, 0, x)
}

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

// Count builds a loop that counts k from 0 to n-1, where n is at least 1; body builds its body.
// Afterwards the insertion point is after the loop.
func (b *Builder) Count(n uint32, body func(k Value)) {
	f, m := b.F, b.F.Module
	loop := b.Loop()
	behind := *b
	k := f.AddLoopParam(loop, m.ConstU32(0))
	b.SetBlock(f.Region(loop, 0))
	body(k)
	b.Continue(loop)
	b.SetBlock(f.Region(loop, 1))
	next := b.Op(op.Add, k, m.ConstU32(1))
	b.Next(loop, []Value{next}, b.Op(op.Ge, next, m.ConstU32(n)), nil)
	*b = behind
}

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
