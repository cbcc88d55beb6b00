package codegen

import (
	"slices"

	"github.com/gpuc/gpuc/ir/op"
)

// NoIntrinsics is why targets without intrinsics, or with those of other devices, cannot express
// one.
const NoIntrinsics = "it is an instruction of other devices, which only their lowering makes"

// Form is how a target implements an operation. With neither Passes nor a Reason, the emitter
// implements it.
type Form struct {
	// Passes are those that replace it, in all pipelines of the target or in some.
	Passes []string
	// Reason is why the target cannot express it.
	Reason string
}

// Forms returns how the target implements each operation.
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
