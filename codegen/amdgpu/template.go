package amdgpu

import (
	"slices"
	"strings"
	"sync"

	llvm "github.com/llir/llvm/ir"
	"github.com/llir/llvm/ir/enum"
	"github.com/llir/llvm/ir/types"
	"github.com/llir/llvm/ir/value"

	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file expands templates: the instructions that the table has for an operation on a kind
// (rows.go). A template is LLVM IR: instructions separated by semicolons, with
//
//	$d $g       the result, and the second one
//	$a $b $c $e the operands, of the kind's type
//	#a #b …     the same as integers of their width
//	$T $S       the kind's type (float), and the suffix of intrinsics for it (f32)
//	$W $L       the width of the kind, and the index of its last bit
//	$f          the fast-math flags
//	$0 $1 …     temporaries

// arguments are what a template refers to.
type arguments struct {
	kind           scalar.Kind
	result, second mir.Operand
	args           []mir.Operand
	values         []definition
}

// definition is the value of an operand or temporary of a template.
type definition struct {
	name string
	v    value.Value
}

func (x *arguments) define(name string, v value.Value) {
	x.values = append(x.values, definition{name, v})
}

// arguments returns those of an instruction.
func (e *emitter) arguments(i mir.Inst) *arguments {
	x := &e.expanded
	*x = arguments{kind: e.f.Kind(i), args: e.f.Args(i), values: x.values[:0]}
	if results := e.f.Results(i); len(results) > 0 {
		x.result, x.second = results[0], results[len(results)-1]
	}
	return x
}

// expand appends the instructions of a template. The value of $d is that of the result, or a
// temporary if there is none.
func (e *emitter) expand(template string, x *arguments) {
	for template != "" {
		var text string
		text, template, _ = strings.Cut(template, "; ")
		result, text, _ := strings.Cut(text, " = ")
		i := e.parse(text, x)
		switch {
		case result == "$d" && x.result != mir.NoOperand:
			e.set(x.result, i)
		case result == "$g":
			e.set(x.second, i)
		default:
			x.define(result, e.temp(i))
		}
	}
}

// parse returns an instruction of a template.
func (e *emitter) parse(text string, x *arguments) instruction {
	p := &e.parts
	*p = parts{operands: p.operands[:0]}
	text, inexact := strings.CutSuffix(text, ", !fpmath !2")
	if inexact {
		p.metadata = divisionError
	}
	opcode, text, _ := strings.Cut(text, " ")
	if list, fast := strings.CutPrefix(text, "$f"); fast {
		text, p.flags = list, e.flags
	}
	switch opcode {
	case "call":
		result, text, _ := strings.Cut(text, " @")
		name, list, _ := strings.Cut(text, "(")
		if prefix, overloaded := strings.CutSuffix(name, "$S"); overloaded {
			name = prefix + suffixes[x.kind]
		}
		p.addOperands(e, strings.TrimSuffix(list, ")"), x)
		c := e.call(name, x.typeNamed(result), slices.Clone(p.operands)...)
		c.FastMathFlags, c.Metadata = p.flags, p.metadata
		return c
	case "icmp", "fcmp":
		p.predicate, text, _ = strings.Cut(text, " ")
	}
	text, to, converts := strings.Cut(text, " to ")
	if converts {
		p.to = x.typeNamed(to)
	}
	p.addOperands(e, text, x)
	return instructions()[opcode](p)
}

// addOperands adds those of a list. The type of one without a type is that of the one before.
func (p *parts) addOperands(e *emitter, list string, x *arguments) {
	var t types.Type
	for list != "" {
		var text string
		text, list, _ = strings.Cut(list, ", ")
		if name, v, typed := strings.Cut(text, " "); typed {
			t, text = x.typeNamed(name), v
		}
		p.operands = append(p.operands, e.operandNamed(text, t, x))
	}
}

// letters are those of the operands.
const letters = "abce"

// operandNamed returns an operand of a template. Where it is not of the type that the template
// wants, it is cast, once for each template.
func (e *emitter) operandNamed(name string, t types.Type, x *arguments) value.Value {
	for _, d := range x.values {
		if d.name == name {
			return d.v
		}
	}
	switch {
	case name == "$W":
		return integer(t, int64(x.kind.Bits()))
	case name == "$L":
		return integer(t, int64(x.kind.Bits())-1)
	case name[0] != '$' && name[0] != '#':
		return newOperand(t, name)
	}
	o := x.args[strings.IndexByte(letters, name[1])]
	t = kindTypes[x.kind]
	if name[0] == '#' {
		t = e.classType(o)
	}
	x.define(name, e.cast(o, t))
	return x.values[len(x.values)-1].v
}

// typeNamed returns a type of a template.
func (x *arguments) typeNamed(name string) types.Type {
	switch name {
	case "$T":
		return kindTypes[x.kind]
	case "i1":
		return types.I1
	case "i16":
		return types.I16
	case "i32":
		return types.I32
	case "i64":
		return types.I64
	case "i128":
		return types.I128
	case "half":
		return types.Half
	case "float":
		return types.Float
	case "double":
		return types.Double
	}
	panic("amdgpu: a template has the type " + name)
}

// suffixes are those of overloaded intrinsics.
var suffixes = [scalar.Count]string{
	scalar.Bool: "i1", scalar.I32: "i32", scalar.U32: "i32", scalar.I64: "i64", scalar.U64: "i64", scalar.F16: "f16", scalar.F32: "f32", scalar.F64: "f64",
	scalar.I8: "i32", scalar.U8: "i32", scalar.I16: "i32", scalar.U16: "i32",
}

// parts are what an instruction of a template is made of.
type parts struct {
	operands  []value.Value
	to        types.Type
	predicate string
	flags     []enum.FastMathFlag
	metadata  llvm.Metadata
}

func unary[I instruction](f func(x value.Value) I) func(*parts) instruction {
	return func(p *parts) instruction { return f(p.operands[0]) }
}

func binary[I instruction](f func(x, y value.Value) I) func(*parts) instruction {
	return func(p *parts) instruction { return f(p.operands[0], p.operands[1]) }
}

func conversion[I instruction](f func(x value.Value, to types.Type) I) func(*parts) instruction {
	return func(p *parts) instruction { return f(p.operands[0], p.to) }
}

// predicateNamed returns the predicate of a comparison.
func predicateNamed[P interface {
	~uint8
	String() string
}](name string) P {
	for p := range P(32) {
		if p.String() == name {
			return p
		}
	}
	panic("amdgpu: a template has the predicate " + name)
}

// instructions make those of templates, by opcode.
var instructions = sync.OnceValue(func() map[string]func(*parts) instruction {
	return map[string]func(*parts) instruction{
		"add": binary(llvm.NewAdd), "sub": binary(llvm.NewSub), "mul": binary(llvm.NewMul),
		"sdiv": binary(llvm.NewSDiv), "udiv": binary(llvm.NewUDiv), "srem": binary(llvm.NewSRem), "urem": binary(llvm.NewURem),
		"and": binary(llvm.NewAnd), "or": binary(llvm.NewOr), "xor": binary(llvm.NewXor),
		"shl": binary(llvm.NewShl), "lshr": binary(llvm.NewLShr), "ashr": binary(llvm.NewAShr),
		"fneg": unary(llvm.NewFNeg),
		"fadd": func(p *parts) instruction {
			return &llvm.InstFAdd{X: p.operands[0], Y: p.operands[1], FastMathFlags: p.flags}
		},
		"fsub": func(p *parts) instruction {
			return &llvm.InstFSub{X: p.operands[0], Y: p.operands[1], FastMathFlags: p.flags}
		},
		"fmul": func(p *parts) instruction {
			return &llvm.InstFMul{X: p.operands[0], Y: p.operands[1], FastMathFlags: p.flags}
		},
		"fdiv": func(p *parts) instruction {
			return &llvm.InstFDiv{X: p.operands[0], Y: p.operands[1], FastMathFlags: p.flags, Metadata: p.metadata}
		},
		"icmp": func(p *parts) instruction {
			return llvm.NewICmp(predicateNamed[enum.IPred](p.predicate), p.operands[0], p.operands[1])
		},
		"fcmp": func(p *parts) instruction {
			return llvm.NewFCmp(predicateNamed[enum.FPred](p.predicate), p.operands[0], p.operands[1])
		},
		"select": func(p *parts) instruction {
			return llvm.NewSelect(p.operands[0], p.operands[1], p.operands[2])
		},
		"trunc": conversion(llvm.NewTrunc), "zext": conversion(llvm.NewZExt), "sext": conversion(llvm.NewSExt),
		"fptrunc": conversion(llvm.NewFPTrunc), "fpext": conversion(llvm.NewFPExt),
		"sitofp": conversion(llvm.NewSIToFP), "uitofp": conversion(llvm.NewUIToFP), "bitcast": conversion(llvm.NewBitCast),
	}
})
