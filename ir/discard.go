package ir

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// This file finds reads whose values only choices use: select(0, a[i], i < n) reads a[i] always,
// and WGSL defines what happens if that lies outside. Whoever reports reads outside of variables
// reports one whose value no choice takes as a note.

// A Choice is an operation that may ignore an operand. It is a select with its two values, or an
// and or an or of bools, which ignores its second operand if the first one decides. The first
// operand is used: front ends make an and of && where the right side is cheap, and its left side is
// a condition.
type Choice struct {
	At      Inst
	Operand int
}

// A ChoicePath is choices through which a value goes, one after the other. It is used if all of
// them take it.
type ChoicePath []Choice

// Bounds of what is followed. A read that goes further is one whose value is used.
const (
	maxChoicePaths = 8
	longestChoices = 4
)

// Discardable returns, by read, the paths on which its value is used, for those that use it by
// choices alone: directly, or through operations that do nothing but compute. Reads of kernels in
// Go have none, where an index outside panics, whatever becomes of the value; their positions are
// ints.
func (f *Func) Discardable() map[Inst][]ChoicePath {
	found := map[Inst][]ChoicePath{}
	if slices.ContainsFunc(f.Module.Funcs, func(g *Func) bool { return g.IntPositions }) {
		return found
	}
	type uses struct {
		paths []ChoicePath
		other bool // something else uses it
	}
	all := make([]uses, f.ValueCount())
	var order []Inst
	chooses := false
	for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
		order = append(order, i)
		chooses = chooses || f.choosing(i)
	}
	if !chooses {
		return found
	}
	for n := len(order) - 1; n >= 0; n-- { // users before what they use
		i := order[n]
		r := NoValue
		if !f.Op(i).Is(op.Control) {
			r = f.Result(i)
		}
		var result uses
		if r != NoValue {
			if result = all[r]; result.other || len(result.paths) > maxChoicePaths {
				result = uses{other: true}
			}
		}
		if o := f.Op(i); (o == op.Load || o == op.Extract || o == op.AtomicLoad || o == op.TextureLoad || o == op.TextureRead) && len(result.paths) > 0 {
			found[i] = result.paths
		}
		for k, v := range f.Args(i) {
			if !v.IsLocal() {
				continue
			}
			u := &all[v]
			switch {
			case f.choosing(i) && k > 0:
				if len(result.paths) == 0 {
					u.paths = append(u.paths, ChoicePath{{i, k}})
					break
				}
				for _, p := range result.paths {
					if len(p) == longestChoices {
						p = p[:0] // used as soon as this choice takes it
					}
					u.paths = append(u.paths, append(ChoicePath{{i, k}}, p...))
				}
			case f.computes(i, k):
				u.paths = append(u.paths, result.paths...)
				u.other = u.other || result.other
			default:
				u.other = true
			}
			if len(u.paths) > maxChoicePaths {
				*u = uses{other: true}
			}
		}
	}
	return found
}

// choosing reports whether an instruction is a choice.
func (f *Func) choosing(i Inst) bool {
	switch f.Op(i) {
	case op.Select:
		return true
	case op.And, op.Or:
		return f.Module.ScalarOf(f.Type(i)) == scalar.Bool
	}
	return false
}

// computes reports whether an instruction does nothing with an operand but compute its result of
// it.
func (f *Func) computes(i Inst, operand int) bool {
	switch o := f.Op(i); o {
	case op.Extract:
		return operand == 0
	case op.Insert:
		return operand < 2
	case op.Construct, op.Splat, op.Shuffle, op.Convert, op.Bitcast, op.Dot, op.All, op.Any,
		op.Eq, op.Ne, op.Lt, op.Le, op.Gt, op.Ge:
		return true
	case op.Select:
		return false // its condition decides something
	default:
		return op.SignatureOf(o).Elementwise() && !o.Is(op.Control|op.Terminator|op.Convergent) && !o.Reads() && !o.Writes()
	}
}

// Taken returns the value that decides whether a choice takes its operand: it does if some
// component is true or, where negated, false.
func (f *Func) Taken(c Choice) (by Value, negated bool) {
	switch f.Op(c.At) {
	case op.Select:
		return f.Arg(c.At, 0), c.Operand == 2
	case op.Or:
		return f.Arg(c.At, 1-c.Operand), true
	}
	return f.Arg(c.At, 1-c.Operand), false
}
