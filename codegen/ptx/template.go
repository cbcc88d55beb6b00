package ptx

import (
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file expands templates: the text that the table gives for an operation
// on a kind (rows.go). A template is instructions separated by semicolons, with
//
//	$d  $d1…   the result's slots
//	$a $b $c $e  the operands' slots, a constant as its type spells it
//	#a #b …    the same with a constant as bits, for untyped instructions
//	$T  $B     the kind's instruction type (s32) and its untyped form (b32)
//	$p0 $h0 $r0 $l0 …  temporaries by class; $t0 is one of the kind's class
//
// Expanding copies bytes; there is no parsing beyond that.

// maxTemporaries bounds the digits after a temporary's class.
const maxTemporaries = 10

// arguments are what a template refers to.
type arguments struct {
	kind    scalar.Kind
	results []mir.Operand
	args    [4]mir.Operand
	count   int
}

// of makes the arguments of a template.
func of(k scalar.Kind, results []mir.Operand, args ...mir.Operand) arguments {
	x := arguments{kind: k, results: results}
	x.count = copy(x.args[:], args)
	return x
}

// expand emits a template.
func (e *emitter) expand(template string, x arguments) {
	// constants that need a register get it before the text that uses them
	for n, a := range x.args[:x.count] {
		if !a.IsConst() {
			continue
		}
		if c := mir.ClassOf(e.f.KindOf(a)); (c == mir.Predicate || c == mir.Half) && refers(template, n) {
			x.args[n] = e.register(a)
		}
	}
	var temporaries [mir.ClassCount][maxTemporaries]mir.Operand
	e.body = append(e.body, '\t')
	for i := 0; i < len(template); i++ {
		c := template[i]
		switch c {
		case ';':
			e.body = append(e.body, ";\n\t"...)
			if i+1 < len(template) && template[i+1] == ' ' {
				i++
			}
			continue
		case '$', '#':
		default:
			e.body = append(e.body, c)
			continue
		}
		i++
		letter := template[i]
		switch letter {
		case 'd':
			n := 0
			if i+1 < len(template) && template[i+1] >= '0' && template[i+1] <= '3' {
				i++
				n = int(template[i] - '0')
			}
			e.name(x.results[n])
		case 'a', 'b', 'c', 'e':
			a := x.args[argument(letter)]
			if c == '#' {
				e.bits(a)
			} else {
				e.typed(a)
			}
		case 'T':
			e.text(kinds[x.kind].typ)
		case 'B':
			e.text(kinds[x.kind].bits)
		default:
			i++
			k := temporaryClass(letter, x.kind)
			t := &temporaries[k][template[i]-'0']
			if *t == mir.NoOperand {
				*t = e.f.Fresh(k)
			}
			e.name(*t)
		}
	}
	e.body = append(e.body, ";\n"...)
}

func argument(letter byte) int {
	if letter == 'e' {
		return 3
	}
	return int(letter - 'a')
}

func temporaryClass(letter byte, k scalar.Kind) mir.Class {
	switch letter {
	case 'p':
		return mir.Predicate
	case 'h':
		return mir.Half
	case 'r':
		return mir.Word
	case 'l':
		return mir.Long
	case 't':
		return mir.ClassOf(k)
	}
	panic("ptx: a template has an unknown placeholder " + string(letter))
}

// refers reports whether a template uses operand n in its typed form.
func refers(template string, n int) bool {
	letter := "abce"[n]
	for i := 0; i+1 < len(template); i++ {
		if template[i] == '$' && template[i+1] == letter {
			return true
		}
	}
	return false
}
