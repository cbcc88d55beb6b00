package analysis

import (
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/irtest"
	"github.com/gpuc/gpuc/ir"
)

// TestBecause: what is partial has a branch that makes it so, whose condition varies. What varies
// has a source, which varies by itself, but for few that depend on each other around loops. This
// holds in the kernels of TestUniform and in random ones.
func TestBecause(t *testing.T) {
	varying, open := 0, 0
	explain := func(t *testing.T, m *ir.Module) {
		v, o := explained(t, m)
		varying, open = varying+v, open+o
	}
	for _, c := range uniformCases {
		t.Run(c.name, func(t *testing.T) { explain(t, irtest.Parse(t, uniformKernel+c.body+"}\n")) })
	}
	for seed := range uint64(150) {
		t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) {
			explain(t, irgen.Generate(seed, uniformOptions[seed%uint64(len(uniformOptions))]))
		})
	}
	if open > varying/1000 {
		t.Errorf("there is no source of %d of %d values that vary", open, varying)
	}
}

// explained returns how many values vary, and for how many of them no source is found.
func explained(t *testing.T, m *ir.Module) (varying, open int) {
	for _, f := range m.Funcs {
		for s := range scopeCount {
			u := Uniform{Entered: true}
			u.Analyse(f, s)
			for i := f.First(f.Entry); i != 0; i = f.After(i, f.Entry) {
				branch := u.Because(i)
				if branch == 0 != !u.Partial(i) {
					t.Errorf("scope %d: %s of @%s is partial: %v, because of %d", s, f.Op(i), f.Name, u.Partial(i), branch)
				} else if branch != 0 && !u.Varies(u.Condition(branch)) {
					t.Errorf("scope %d: the condition because of which %s of @%s is partial does not vary", s, f.Op(i), f.Name)
				}
			}
			for n := 1; n < f.ValueCount(); n++ {
				v := ir.Value(n)
				source := u.Source(v)
				if u.Varies(v) {
					if varying++; source == ir.NoValue {
						open++
					}
				} else if source != ir.NoValue {
					t.Errorf("scope %d: %%%s of @%s does not vary and has a source", s, f.ValueName(v), f.Name)
				}
				if i, ok := f.Def(source); ok {
					for _, a := range f.Args(i) {
						if u.Varies(a) {
							t.Errorf("scope %d: %%%s of @%s is no source: it varies with an operand", s, f.ValueName(source), f.Name)
						}
					}
				}
			}
		}
	}
	return varying, open
}
