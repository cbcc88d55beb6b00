package ptx

import (
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

// maxTemporaries bounds the digits behind a temporary's class.
const maxTemporaries = 10

// arguments are what a template refers to.
type arguments struct {
	kind    scalar.Kind
	results []operand
	args    []operand
}

// expand emits a template.
func (e *emitter) expand(template string, x arguments) {
	// constants that need a register get it before the text that uses them
	for n, a := range x.args {
		if !a.isConst() {
			continue
		}
		v := e.constantValue(a)
		k := e.m.ScalarOf(e.m.TypeOf(v))
		if c := kinds[k].class; (c == predicate || c == half) && refers(template, n) {
			x.args[n] = e.register(a)
		}
	}
	var temporaries [classCount][maxTemporaries]operand
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
			if *t == noOperand {
				*t = e.fresh(k)
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

func temporaryClass(letter byte, k scalar.Kind) class {
	switch letter {
	case 'p':
		return predicate
	case 'h':
		return half
	case 'r':
		return word
	case 'l':
		return long
	case 't':
		return kinds[k].class
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
