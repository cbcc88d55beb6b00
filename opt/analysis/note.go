package analysis

import (
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/op"
)

// This file says in words what was found out, for people (`gpuc ir -facts`).

// claimed says what the claims about an operation are, by number.
var claimed = [op.Count][2]string{
	op.Add: {1: "does not wrap"}, op.Sub: {1: "does not wrap"}, op.Mul: {1: "does not wrap"}, op.Neg: {1: "does not wrap"},
	op.Shl: {"amount in range", "does not wrap"}, op.Shr: {0: "amount in range"},
	op.Div: {0: "divides"}, op.Rem: {0: "divides"},
	op.Extract: {0: "in range"}, op.Insert: {0: "in range"},
}

// Note says what is known of an instruction of the function that was analysed: the
// intervals of its results, both ends included, and what was proved of it. For a loop the
// parameters of its body come first. It is "" if nothing is known.
func (a *Ranges) Note(i ir.Inst) string {
	f := a.f
	var notes []string
	values := func(what string, list []ir.Value) {
		for n, v := range list {
			if r, all := a.Of(v), Whole(f.TypeOf(v)); r != all && !r.Empty() {
				name := what
				if what != "" {
					name += " " + strconv.Itoa(n) + ": "
				}
				notes = append(notes, name+r.String())
			}
		}
	}
	o := f.Op(i)
	switch {
	case o == op.Loop:
		values("parameter", f.Params(f.Region(i, 0)))
		values("result", f.Results(i))
	case o.Is(op.Control):
		values("result", f.Results(i))
	default:
		if r := f.Result(i); r != ir.NoValue {
			values("", []ir.Value{r})
		}
	}
	if o == op.Access {
		if n := len(f.Args(i)) - 1; n > 0 {
			known := 0
			for k := range n {
				if a.Proves(i, k) {
					known++
				}
			}
			switch known {
			case 0:
			case n:
				notes = append(notes, "in bounds")
			default:
				notes = append(notes, strconv.Itoa(known)+" of "+strconv.Itoa(n)+" indices in bounds")
			}
		}
	} else {
		for n, text := range claimed[o] {
			args := f.Args(i)
			if text != "" && a.Proves(i, n) && (n > 0 || !args[len(args)-1].IsConst()) { // else the operand shows it
				notes = append(notes, text)
			}
		}
	}
	return strings.Join(notes, ", ")
}

// String returns the least and the greatest number.
func (v Interval) String() string {
	if v.Low == v.high() {
		return "is " + strconv.FormatInt(v.Low, 10)
	}
	return strconv.FormatInt(v.Low, 10) + " to " + strconv.FormatInt(v.high(), 10)
}
