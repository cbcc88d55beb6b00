package mir

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file writes the text form, which Parse reads back:
//
//	kernel @main
//	  symbol 1: workgroup 64 bytes align 16 @tile
//	  symbol 2: private 16 bytes align 16 immediates
//	b1:
//	  %r1 = builtin local_invocation_index.x
//	  %d1 = binding_address 0
//	  %r2, %r3 = load.u32 [storage %d1+8] align 8
//	  store.u32 [workgroup symbol 1+%r1] align 4 %r2
//	  %r5, %r6, %r7, %r8 = texture_sample.f32 texture 0 sampler 2 %r3, %r4, 0f
//	  barrier [workgroup]
//	  %p1 = lt.u32 %r1, 5u
//	  branch %p1 b2(%r2) b3
//
// Registers are p, h, r and d by class, with their number. A symbol is a variable of the module
// (@), one of the function (%), or the copy of the immediates. An instruction is one line: results,
// operation, the kinds of its operands and of what a conversion makes, what belongs to the
// operation, memory, operands, and where a terminator leads. Textures and samplers have the numbers
// of texture.go. What belongs to an operation of a machine is a number in brackets, unless it is 0.

// components are those of builtin values; none has a fourth.
const components = "xyzw"

var letters = [ClassCount]byte{Predicate: 'p', Half: 'h', Word: 'r', Long: 'd'}

// OperandString returns the text form of an operand.
func (f *Func) OperandString(o Operand) string {
	if o.IsConst() {
		return f.Module.ValueString(f.Value(o))
	}
	if o == NoOperand {
		return "none"
	}
	return fmt.Sprintf("%%%c%d", letters[o.Class()], o.Number())
}

func (f *Func) operandsString(list []Operand) string {
	var texts []string
	for _, o := range list {
		texts = append(texts, f.OperandString(o))
	}
	return strings.Join(texts, ", ")
}

// Text returns the text form of a function.
func (f *Func) Text() string {
	var b strings.Builder
	kind := "fn"
	if f.Source.Kernel {
		kind = "kernel"
	}
	b.WriteString(kind + " @" + f.sourceName())
	if len(f.Params) > 0 {
		b.WriteString("(" + f.operandsString(f.Params) + ")")
	}
	b.WriteString("\n")
	var local []string
	for n, s := range f.Symbols[1:] {
		name := immediateCopy
		switch {
		case s.Variable.IsGlobal():
			name = f.Module.ValueString(s.Variable)
		case s.Variable != ir.NoValue:
			if local == nil {
				local = f.Source.ValueNames()
			}
			name = "%" + local[s.Variable]
		}
		fmt.Fprintf(&b, "  symbol %d: %v %d bytes align %d %s\n", n+1, s.Space, s.Bytes, s.Align, name)
	}
	for _, block := range f.Order {
		fmt.Fprintf(&b, "b%d", block)
		if params := f.BlockParams(block); len(params) > 0 {
			b.WriteString("(" + f.operandsString(params) + ")")
		}
		b.WriteString(":\n")
		for i := f.First(block); i != 0; i = f.Next(i) {
			b.WriteString("  " + f.InstText(i) + "\n")
		}
	}
	return b.String()
}

// immediateCopy is printed for the variable of the symbol that is the copy of the immediates.
const immediateCopy = "immediates"

// sourceName returns the name that the module's text has for the function.
func (f *Func) sourceName() string {
	if n := slices.Index(f.Module.Funcs, f.Source); n >= 0 {
		return f.Module.FuncNames()[n]
	}
	return f.Source.Name
}

// InstText returns the text form of one instruction.
func (f *Func) InstText(i Inst) string {
	var b strings.Builder
	x := &f.insts[i]
	if r := f.Results(i); len(r) > 0 {
		b.WriteString(f.operandsString(r) + " = ")
	}
	b.WriteString(f.Name(x.op))
	if x.kind != scalar.None {
		b.WriteString("." + x.kind.String())
	}
	if x.to != scalar.None {
		b.WriteString("." + x.to.String())
	}
	switch {
	case x.op == Builtin:
		b.WriteString(" " + ir.Builtin(x.aux/4).String() + "." + string(components[x.aux%4]))
	case x.op == BindingAddress, x.op == BindingLength:
		fmt.Fprintf(&b, " %d", x.aux)
	case x.op == SymbolAddress:
		fmt.Fprintf(&b, " symbol %d", x.aux)
	case IsTexture(x.op):
		t, sampler := AuxHandles(x.aux)
		fmt.Fprintf(&b, " texture %d", t)
		if IsSampled(x.op) {
			fmt.Fprintf(&b, " sampler %d", sampler)
		}
	case x.op >= MachineOps && x.aux != 0:
		fmt.Fprintf(&b, " [%d]", x.aux)
	case x.op == Op(op.Call):
		b.WriteString(" @" + f.Module.FuncNames()[x.aux])
	case x.op == Op(op.ControlBarrier):
		var memories []string
		for n := range op.MemoryBits {
			if x.aux>>n&1 != 0 {
				memories = append(memories, op.Memory(0).Name(n))
			}
		}
		if len(memories) > 0 {
			b.WriteString(" [" + strings.Join(memories, ", ") + "]")
		}
	case x.op == Op(op.AtomicReadModifyWrite):
		b.WriteString(" " + op.AtomicOperation(x.aux).String())
	}
	if HasMemory(x.op) {
		b.WriteString(" " + f.memoryText(f.Memory(i)))
	}
	if args := f.Args(i); len(args) > 0 {
		b.WriteString(" " + f.operandsString(args))
	}
	for _, e := range f.Edges(i) {
		fmt.Fprintf(&b, " b%d", e.To)
		if args := f.EdgeArgs(e); len(args) > 0 {
			b.WriteString("(" + f.operandsString(args) + ")")
		}
	}
	return b.String()
}

func (f *Func) memoryText(m *Memory) string {
	var b strings.Builder
	fmt.Fprintf(&b, "[%v ", m.Space)
	if m.Base != NoOperand {
		b.WriteString(f.OperandString(m.Base))
	} else {
		fmt.Fprintf(&b, "symbol %d", m.Symbol)
	}
	if m.Index != NoOperand {
		b.WriteString("+" + f.OperandString(m.Index))
	}
	if m.Offset != 0 {
		fmt.Fprintf(&b, "%+d", m.Offset)
	}
	fmt.Fprintf(&b, "] align %d", m.Align)
	if m.Unchanged {
		b.WriteString(" unchanged")
	}
	if m.Order == Relaxed {
		b.WriteString(" relaxed")
	}
	return b.String()
}
