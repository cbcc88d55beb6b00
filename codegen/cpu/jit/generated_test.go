package jit

import (
	"bytes"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/opt"
)

var (
	generated     = flag.Uint64("generated", 0, "how many programs of each kind TestGenerated makes; 0 is the mode's number")
	generatedFrom = flag.Uint64("generatedfrom", 1, "the seed of the first of them")
)

// generatedCount is how many programs of each kind are made.
func generatedCount() uint64 {
	if *generated > 0 {
		return *generated
	}
	return uint64(testmode.Count(1, 4, 10))
}

// TestGenerated executes generated programs in ways that a launch meets only by chance. Each number
// of blocks is executed together, calls return as often as they can, and registers are verified.
// What programs leave is compared with what their own evaluator says. Of the family divergence, a
// third are refused: functions stay functions.
func TestGenerated(t *testing.T) {
	needCode(t)
	makers := map[string]func(seed uint64) *difftest.Case{"whole": func(seed uint64) *difftest.Case {
		c, err := difftest.Generate(seed).Case()
		if err != nil {
			t.Fatal(err)
		}
		return c
	}}
	for _, f := range difftest.Families {
		makers[f.Name] = f.Case
	}
	defer func(budget, most uint32) { forced, firstBudget, largestBudget = 0, budget, most }(firstBudget, largestBudget)
	for name, maker := range makers {
		t.Run(name, func(t *testing.T) {
			ran, refused := 0, 0
			for seed := *generatedFrom; seed < *generatedFrom+generatedCount(); seed++ {
				c := maker(seed)
				if c.Textures() {
					refused++
					continue
				}
				rng := rand.New(rand.NewPCG(seed, 0x9e7))
				forced = [...]int{0, 1, 2, 4}[rng.IntN(4)]
				firstBudget, largestBudget = 1+rng.Uint32N(60), 1
				o := codegen.Options{Math: opt.Math(rng.IntN(2)), Context: &opt.Context{Verify: true}, NoOptimize: rng.IntN(8) == 0}
				what := fmt.Sprintf("%s, %d together, budget %d, %+v", c.Name, forced, firstBudget, o.Math)
				switch err := executeCase(t, c, &o); {
				case errors.As(err, new(*Refused)):
					refused++
				case err != nil:
					t.Errorf("%s: %v", what, err)
				default:
					ran++
				}
			}
			t.Logf("%d programs run, %d are refused", ran, refused)
			if ran < refused/3 {
				t.Errorf("%d programs are refused, and %d run", refused, ran)
			}
		})
	}
}

// executeCase executes a case and compares.
func executeCase(t *testing.T, c *difftest.Case, o *codegen.Options) error {
	t.Helper()
	for name, value := range c.Constants {
		o.Settings = append(o.Settings, ir.Setting{Key: name, Value: value})
	}
	p, info, err := compiled(t, parsed(t, c.Code), c.Entry, o)
	if err != nil {
		return &Refused{err.Error()} // functions that stay
	}
	k, err := Load(p, Options{Verify: true})
	if err != nil {
		return err
	}
	launch := interp.Launch{Grid: [3]uint32{uint32(c.Dispatch[0]), uint32(c.Dispatch[1]), uint32(c.Dispatch[2])}}
	if info.Immediates != nil {
		launch.Immediates = append(bytes.Clone(c.Immediates), make([]byte, info.Immediates.Size)...)[:info.Immediates.Size]
	}
	got := make([][]byte, len(c.Bindings))
	for _, b := range p.Bindings {
		at := slices.IndexFunc(c.Bindings, func(x difftest.Binding) bool { return uint32(x.Group) == b.Group && uint32(x.Binding) == b.Binding })
		got[at] = bytes.Clone(c.Bindings[at].Data)
		launch.Buffers = append(launch.Buffers, got[at])
	}
	if !k.Takes(&launch) {
		return &Refused{"the launch is not one for the code"}
	}
	if _, err := k.Run(&launch); err != nil {
		return err
	}
	return c.Compare(got)
}
