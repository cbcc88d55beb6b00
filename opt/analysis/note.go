package analysis

import (
	"math"
	"slices"
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

// Facts are the analyses of which Note speaks.
type Facts struct {
	f      *ir.Func
	ranges Ranges
	// uniform is by scope
	uniform [scopeCount]Uniform
}

// Analyse looks at a function with all of them.
func (a *Facts) Analyse(f *ir.Func) {
	a.f = f
	a.ranges.Arithmetic = true
	a.ranges.Indices = true
	a.ranges.Analyse(f)
	for s := range scopeCount {
		a.uniform[s].Analyse(f, s)
	}
}

// Note says what is known of an instruction of the function that was analysed. That is the
// intervals of its results, both ends included, what was proved of it, and what the invocations of
// a workgroup or a subgroup have in common. For a loop the parameters of its body come first. It is
// "" if nothing is known.
func (a *Facts) Note(i ir.Inst) string {
	f := a.f
	var notes []string
	values := func(what string, list []ir.Value) {
		for n, v := range list {
			if known := joined(", ", a.interval(v), a.common(v)); known != "" {
				notes = append(notes, what+" "+strconv.Itoa(n)+": "+known)
			}
		}
	}
	o := f.Op(i)
	if o.Is(op.Control) {
		if o == op.Loop {
			values("parameter", f.Params(f.Region(i, 0)))
		}
		values("result", f.Results(i))
		return joined("; ", append(notes, a.part(i))...)
	}
	r := f.Result(i)
	notes = append(append(notes, a.interval(r)), a.ranges.proved(i)...)
	notes = append(notes, a.common(r))
	if o.Is(op.Convergent) {
		notes = append(notes, a.part(i))
	}
	return joined(", ", notes...)
}

// joined joins the notes that are not empty.
func joined(separator string, notes ...string) string {
	return strings.Join(slices.DeleteFunc(notes, func(s string) bool { return s == "" }), separator)
}

// interval says between which numbers a value lies, and which of them are out of the question.
func (a *Facts) interval(v ir.Value) string {
	if v == ir.NoValue {
		return ""
	}
	r, all, lowest := a.ranges.Of(v), domain(a.f.TypeOf(v)), a.ranges.Residue(v)
	if !r.Empty() && r.Low == r.high() {
		return r.String()
	}
	known := ""
	if r != all && r != lowest.Tighten(all) && !r.Empty() { // else the lowest bits say it
		known = r.String()
	}
	return joined(", ", known, lowest.String())
}

// String names the numbers that have the lowest bits, "" for all.
func (r Residue) String() string {
	switch {
	case r.Count == 0:
		return ""
	case r.Count == 64:
		return "is " + strconv.FormatInt(int64(r.Bits), 10)
	case r.Bits == 0:
		return "a multiple of " + strconv.FormatUint(1<<r.Count, 10)
	}
	return strconv.FormatUint(r.Bits, 10) + " more than a multiple of " + strconv.FormatUint(1<<r.Count, 10)
}

// common says that a value is uniform and not always the same. Of pointers, textures and
// samplers it is not said: most are, and what is loaded from them says it.
func (a *Facts) common(v ir.Value) string {
	if v == ir.NoValue {
		return ""
	}
	if r := a.ranges.Of(v); !r.Empty() && r.Low == r.high() {
		return ""
	}
	switch a.f.Module.KindOf(a.f.TypeOf(v)) {
	case ir.PointerType, ir.TextureType, ir.SamplerType:
		return ""
	}
	for s := scopeCount; s > 0; s-- { // what a workgroup has in common, its subgroups have
		if !a.uniform[s-1].Varies(v) {
			return "uniform in the " + scopeNames[s-1]
		}
	}
	return ""
}

// part says that a part of the invocations executes an instruction of a kernel. Of other
// functions that is not known.
func (a *Facts) part(i ir.Inst) string {
	for s := range scopeCount { // if a part of a subgroup does, a part of the workgroup does
		if a.f.Kernel && a.uniform[s].Partial(i) {
			return "executed by a part of the " + scopeNames[s]
		}
	}
	return ""
}

var scopeNames = [scopeCount]string{Subgroup: "subgroup", Workgroup: "workgroup"}

// proved says what was proved of an instruction.
func (a *Ranges) proved(i ir.Inst) (notes []string) {
	f := a.f
	o := f.Op(i)
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
			// else the operand shows it
			if text != "" && a.Proves(i, n) && (n > 0 || !args[len(args)-1].IsConst()) {
				notes = append(notes, text)
			}
		}
	}
	return notes
}

// String returns the least and the greatest number.
func (v Interval) String() string {
	if v.Low == v.high() {
		return "is " + strconv.FormatInt(v.Low, 10)
	}
	switch low := strconv.FormatInt(v.Low, 10); {
	case v.End == math.MaxInt64:
		return low + " or more"
	case v.Low == math.MinInt64:
		return strconv.FormatInt(v.high(), 10) + " or less"
	}
	return strconv.FormatInt(v.Low, 10) + " to " + strconv.FormatInt(v.high(), 10)
}
