package codegen

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// Form is what becomes of an operation on the way to a target's code. With neither Passes nor a
// Reason the emitter has a form of it.
type Form struct {
	// Passes are those that replace it, on all ways to the target or on some.
	Passes []string
	// Reason is why the target cannot express it.
	Reason string
}

// Forms says what becomes of each operation on the way to the target.
func (t *Target) Forms() *[op.Count]Form {
	t = t.orNone()
	forms := new([op.Count]Form)
	for _, way := range t.Ways() {
		for n := range way.Passes {
			p := &way.Passes[n]
			for o := range forms {
				if f := &forms[o]; p.Replaces.Has(op.Op(o)) && !slices.Contains(f.Passes, p.Name) {
					f.Passes = append(f.Passes, p.Name)
				}
			}
		}
	}
	if t.Unsupported != nil {
		for o, reason := range t.Unsupported {
			if forms[o].Passes == nil {
				forms[o].Reason = reason
			}
		}
	}
	if t.Silent != "" {
		forms[op.Print] = Form{Reason: t.Silent}
	}
	return forms
}
