package jit

import (
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/mir"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file lists the operations of the machine level that this package leaves to other executors,
// with the reason. TestOperations holds it against the tables of templates: an operation on a kind
// has one or the other.

// refusals are the reasons, by operation and the kinds for which there are no templates.
var refusals = map[op.Op]struct {
	on     kindSet
	reason string
}{
	op.Div:                {longs64, "quotients of 64 bits are made of many instructions"},
	op.Rem:                {longs64 | doubles, "remainders of 64 bits are made of many instructions"},
	op.Clamp:              {longs64, unmade},
	op.Sign:               {doubles, "few kernels have it"},
	op.Fma:                {halves16, "an fma of f16 is rounded once, and not by way of f32"},
	op.CountOneBits:       {longs64, "few kernels have it"},
	op.CountLeadingZeros:  {longs64, "few kernels have it"},
	op.CountTrailingZeros: {longs64, "few kernels have it"},
	op.FirstLeadingBit:    {longs64, "few kernels have it"},
	op.FirstTrailingBit:   {longs64, "few kernels have it"},
	op.ExtractBits:        {longs64, "few kernels have it"},
	op.InsertBits:         {longs64, "few kernels have it"},
	op.InverseSqrt:        {doubles, "few kernels have it"},

	op.Sin: {singles | halves16, expanded}, op.Cos: {singles | halves16, expanded}, op.Tan: {singles | halves16, expanded},
	op.Asin: {singles | halves16, expanded}, op.Acos: {singles | halves16, expanded}, op.Atan: {singles | halves16, expanded},
	op.Atan2: {singles | halves16, expanded}, op.Sinh: {singles | halves16, expanded}, op.Cosh: {singles | halves16, expanded},
	op.Tanh: {singles | halves16, expanded}, op.Asinh: {singles | halves16, expanded}, op.Acosh: {singles | halves16, expanded},
	op.Atanh: {singles | halves16, expanded}, op.Exp: {singles | halves16, expanded}, op.Exp2: {singles | halves16, expanded},
	op.Log: {singles | halves16, expanded}, op.Log2: {singles | halves16, expanded}, op.Pow: {singles | halves16, expanded},
	op.Ldexp: {singles | halves16, expanded}, op.FrexpSignificand: {singles | halves16, expanded}, op.FrexpExponent: {singles | halves16, expanded},
}

// expanded and unmade are what legalisers leave none of.
const (
	expanded = "the target's legalisers make polynomials of it"
	unmade   = "legalisers leave none"
)

// reasonOf returns why an instruction is not compiled.
func reasonOf(f *mir.Func, i mir.Inst) refusal {
	o := f.Op(i)
	reason := "there are no instructions for it"
	switch r, ok := refusals[op.Op(o)]; {
	case lower.IsSubgroup(o):
		reason = "those on numbers of 64 bits, and reductions of floats, are for the vector engine"
	case ok && r.on>>f.Kind(i)&1 == 1:
		reason = r.reason
	}
	if k := f.Kind(i); k != scalar.None {
		return refusal("the operation " + f.Name(o) + " of " + k.String() + ": " + reason)
	}
	return refusal("the operation " + f.Name(o) + ": " + reason)
}

// Refusal is an operation that is left to other executors, on some kinds.
type Refusal struct {
	Operation op.Op
	Kinds     []scalar.Kind
	Reason    string
}

// Refusals returns the operations on kinds that kernels have and that have no machine code, in the
// order of their numbers. Operations of subgroups are not among them: subgroup.go says which have.
func Refusals() (list []Refusal) {
	for o := op.Invalid + 1; o < op.Count; o++ {
		r, ok := refusals[o]
		if !ok || r.reason == expanded || r.reason == unmade {
			continue
		}
		x := Refusal{Operation: o, Reason: r.reason}
		for k := scalar.Bool; k < scalar.Count; k++ {
			if r.on>>k&1 == 1 {
				x.Kinds = append(x.Kinds, k)
			}
		}
		list = append(list, x)
	}
	return list
}
