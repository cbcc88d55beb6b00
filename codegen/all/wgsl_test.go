package all_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// readBack returns the module of an artefact's WGSL. A warning is an error.
func readBack(a *abi.Artefact) (*ir.Module, error) {
	set, list := new(source.Set), new(diag.List)
	file, err := set.Add("written.wgsl", string(a.Code))
	if err != nil {
		return nil, err
	}
	m, err := frontend.Load(set, file, frontend.Options{Lower: lower.Options{Math: opt.MathStrict}}, list)
	if items := list.Items(); err == nil && len(items) > 0 {
		err = fmt.Errorf("line %d: %s", set.Position(items[0].Span.Start).Line, items[0].Message)
	}
	if err != nil {
		return nil, fmt.Errorf("%w\n%s", err, a.Code)
	}
	return m, nil
}

// TestGeneratedModulesThroughWGSL writes random modules as WGSL, reads them back, and interprets
// them.
func TestGeneratedModulesThroughWGSL(t *testing.T) {
	ran, written := 0, 0
	for n := range uint64(3 * seedCount()) {
		seed := *first + n
		shape := seed % uint64(len(shapes))
		options := shapes[shape]
		if int(shape) >= widest { // WGSL has no integers of 64 bits
			continue
		}
		m := irgen.Generate(seed, options)
		want, err := interpret(m, seed)
		if err != nil {
			t.Fatal(err)
		}
		o := codegen.Options{Math: opt.MathStrict, NoOptimize: seed/uint64(len(shapes))%2 == 1}
		a, err := compile(m, all.Lookup(string(abi.WGSL)), o)
		if err != nil {
			t.Errorf("seed %d: %v", seed, err)
			continue
		}
		written++
		var got outcome
		read, err := readBack(a)
		if err == nil {
			got, err = interpret(read, seed)
		}
		if err == nil && options.Exact {
			ran++
			err = differ(want, got, seed)
		}
		if err != nil {
			t.Errorf("seed %d, %s: %v\n%s\n%s", seed, name(&o), err, a.Code, m.Text())
		}
	}
	t.Logf("%d modules are read back, %d of them compared", written, ran)
	if ran == 0 {
		t.Error(errors.New("nothing was compared"))
	}
}
