package amdgpu

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file expands templates: the text that the table gives for an operation on a kind (rows.go).
// A template is instructions separated by semicolons, with
//
//	$d $g       the result, and the second one
//	$a $b $c $e the operands, of the kind's type
//	#a #b …     the same as integers of their width
//	$T $I $S    the kind's type (float), the integer of its width (i32), how intrinsics are called by it (f32)
//	$W $L       the width, and the number of its last bit
//	$f          the flags of floating-point arithmetic
//	$0 … $9     temporaries; letters behind one make other names ($7m)
//
// Expanding copies bytes; there is no parsing beyond that.

// arguments are what a template refers to.
type arguments struct {
	kind   scalar.Kind
	result value
	second mir.Operand
	args   [4]mir.Operand
	count  int
}

// arguments returns those of an instruction.
func (e *emitter) arguments(i mir.Inst) arguments {
	x := arguments{kind: e.f.Kind(i)}
	x.count = copy(x.args[:], e.f.Args(i))
	if len(e.f.Results(i)) > 0 {
		x.result.o = e.f.Result(i)
		x.second = e.f.Results(i)[len(e.f.Results(i))-1]
	}
	return x
}

// letterOf are the letters of the operands.
const letterOf = "abce"

func argument(letter byte) int {
	if letter == 'e' {
		return 3
	}
	return int(letter - 'a')
}

// expand prints a template.
func (e *emitter) expand(template string, x *arguments) { e.expandOf(template, x, &[4]uint32{}) }

// expandOf is expand with temporaries in the place of some operands.
func (e *emitter) expandOf(template string, x *arguments, instead *[4]uint32) {
	// what is of another type than the text wants is cast ahead of it
	var typed, integer [4]value
	for n, a := range x.args[:x.count] {
		typed[n], integer[n] = value{a, instead[n]}, value{a, instead[n]}
		if a.IsConst() || instead[n] != 0 {
			continue
		}
		asTyped, asBits := refers(template, letterOf[n])
		if asTyped {
			typed[n] = e.cast(a, kindForms[x.kind])
		}
		if asBits {
			integer[n] = e.cast(a, plain[a.Class()])
		}
	}
	first := e.temporaries + 1
	e.text("  ")
	for i := 0; i < len(template); i++ {
		c := template[i]
		switch c {
		case ';':
			e.text("\n  ")
			for i+1 < len(template) && template[i+1] == ' ' {
				i++
			}
			continue
		case '$', '#':
		default:
			e.body = append(e.body, c)
			continue
		}
		i++
		switch letter := template[i]; letter {
		case 'd':
			if x.result.temporary != 0 {
				e.printTemporary(x.result.temporary)
			} else {
				e.name(x.result.o)
			}
		case 'g':
			e.name(x.second)
		case 'a', 'b', 'c', 'e':
			n := argument(letter)
			if c == '#' {
				e.print(integer[n], plain[mir.ClassOf(e.f.KindOf(x.args[n]))])
			} else {
				e.print(typed[n], kindForms[x.kind])
			}
		case 'T':
			e.text(types[x.kind].typ)
		case 'I':
			e.text(types[x.kind].bits)
		case 'S':
			e.text(types[x.kind].suffix)
		case 'W':
			e.text(types[x.kind].width)
		case 'L':
			e.text(types[x.kind].last)
		case 'f':
			e.text(e.flags)
		default:
			n := first + uint32(letter-'0')
			e.temporaries = max(e.temporaries, n)
			e.printTemporary(n)
		}
	}
	e.text("\n")
}

// refers reports how a template uses an operand.
func refers(template string, letter byte) (typed, integer bool) {
	for i := 0; i+1 < len(template); i++ {
		if template[i+1] == letter {
			typed = typed || template[i] == '$'
			integer = integer || template[i] == '#'
		}
	}
	return typed, integer
}
