package all_test

import (
	"flag"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file sends random modules through every pipeline, legaliser and emitter.

var (
	seeds = flag.Int("seeds", 0, "how many random modules the tests use; 0 is the mode's number")
	first = flag.Uint64("first", 0, "the first seed")
)

// shapes are the sorts of random modules. Where floats are exact, results must
// be equal bit by bit in strict mode, on every way and device.
var shapes = []irgen.Options{
	{Exact: true},
	{Exact: true, Instructions: 600},
	{Exact: true, NoCalls: true, NoBarriers: true},
	{Exact: true, Kinds: []scalar.Kind{scalar.I32}},
	{},
	{Kinds: []scalar.Kind{scalar.I32, scalar.F32, scalar.F16, scalar.I64, scalar.U64}},
	{Exact: true, Kinds: []scalar.Kind{scalar.I32, scalar.F32, scalar.I64, scalar.U64}, Instructions: 100},
}

// widest is the first shape with kinds that not every device has.
const widest = 5

// variants are the ways to compile.
var variants = func() (list []codegen.Options) {
	for _, math := range []opt.Math{opt.MathWGSL, opt.MathStrict, opt.MathFast} {
		for _, bounds := range []opt.Bounds{opt.BoundsRobust, opt.BoundsTrap, opt.BoundsOff} {
			for _, plain := range []bool{false, true} {
				list = append(list, codegen.Options{Math: math, Bounds: bounds, NoOptimize: plain, Lines: plain})
			}
		}
	}
	return list
}()

func name(o *codegen.Options) string {
	return fmt.Sprintf("math %d, bounds %d, plain %v", o.Math, o.Bounds, o.NoOptimize)
}

// compile compiles a module's kernel with every check between the passes.
func compile(m *ir.Module, target *codegen.Target, o codegen.Options) (*abi.Artefact, error) {
	var list diag.List
	o.Context = &opt.Context{Verify: true}
	a := codegen.Compile(m, "", target, &o, &list)
	if a == nil {
		return nil, fmt.Errorf("%s, %s: %s", target.Name, name(&o), list.Items()[0].Message)
	}
	return a, nil
}

// legalised returns a module behind the portable passes and a target's
// legalisers, checked between any two of them.
func legalised(m *ir.Module, target *codegen.Target, o *codegen.Options) (result *ir.Module, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%s, %s: %v", target.Name, name(o), r)
		}
	}()
	result = m.Clone()
	pipeline := opt.Standard()
	if o.NoOptimize {
		pipeline = opt.Minimal()
	}
	var list diag.List
	c := &opt.Context{Verify: true, Math: o.Math, Bounds: o.Bounds, List: &list}
	c.Run(result, target.Lowering(workaround.All), c.Run(result, pipeline, ir.Initial))
	if list.Errors() > 0 {
		return nil, fmt.Errorf("%s, %s: %s", target.Name, name(o), list.Items()[0].Message)
	}
	return result, nil
}

// FuzzCompile compiles a random module for every target in one of the ways, and
// runs what the passes and the legalisers make of it.
func FuzzCompile(f *testing.F) {
	for n := range max(len(shapes), len(variants)) {
		f.Add(uint64(n), uint8(n%len(shapes)), uint8(n))
	}
	f.Fuzz(func(t *testing.T, seed uint64, shape, variant uint8) {
		options := shapes[int(shape)%len(shapes)]
		if err := try(seed, options, variants[int(variant)%len(variants)]); err != nil {
			t.Fatalf("seed %d: %v\n%s", seed, err, irgen.Generate(seed, options).Text())
		}
	})
}

func try(seed uint64, options irgen.Options, o codegen.Options) error {
	m := irgen.Generate(seed, options)
	var want outcome
	var err error
	comparable := options.Exact && o.Math == opt.MathStrict
	if comparable {
		if want, err = interpret(m, seed); err != nil {
			return err
		}
	}
	for _, target := range all.Targets {
		_, err := compile(m, target, o)
		if target.Name == abi.WGSL && slices.Contains(options.Kinds, scalar.I64) {
			if err != nil && !strings.Contains(err.Error(), "has no numbers of type") {
				return err
			}
			continue // not every module has some
		}
		if err != nil {
			return err
		}
		if !comparable {
			continue
		}
		l, err := legalised(m, target, &o)
		if err != nil {
			return err
		}
		got, err := interpret(l, seed)
		if err == nil {
			err = differ(want, got, seed)
		}
		if err != nil {
			return fmt.Errorf("%s, %s: %w\nlegalised:\n%s", target.Name, name(&o), err, l.Text())
		}
	}
	return nil
}

// seedCount is how many random modules the tests use.
func seedCount() int {
	if *seeds > 0 {
		return *seeds
	}
	return testmode.Count(12, 30, 100)
}

// TestGeneratedModulesCompile is FuzzCompile on fixed seeds: every shape in
// every way.
func TestGeneratedModulesCompile(t *testing.T) {
	for n := range uint64(max(2*seedCount(), len(shapes)*len(variants))) {
		seed := *first + n
		options := shapes[seed%uint64(len(shapes))]
		if err := try(seed, options, variants[seed%uint64(len(variants))]); err != nil {
			t.Errorf("seed %d: %v\n%s", seed, err, irgen.Generate(seed, options).Text())
		}
	}
}

// TestJudgesAcceptGeneratedModules has spirv-val and ptxas look at the code.
func TestJudgesAcceptGeneratedModules(t *testing.T) {
	for n := range judges {
		j := &judges[n]
		t.Run(j.program, func(t *testing.T) {
			path := j.find(t)
			count := uint64(seedCount())
			if j.target == abi.PTX {
				count = (count + 2) / 3 // the assembler takes its time
			}
			folder := t.TempDir()
			for n := range count {
				seed := *first + n
				options := shapes[seed%uint64(len(shapes))]
				m := irgen.Generate(seed, options)
				a, err := compile(m, all.Lookup(string(j.target)), variants[seed%uint64(len(variants))])
				if err == nil {
					err = j.check(path, folder, a.Code)
				}
				if err != nil {
					t.Errorf("seed %d: %v\n%s", seed, err, m.Text())
				}
			}
		})
	}
}

// TestGeneratedModulesOnDevices runs modules on the Vulkan devices, optimised
// and not, and compares them with the interpreter.
func TestGeneratedModulesOnDevices(t *testing.T) {
	for _, device := range devicetest.Devices(t, abi.SPIRV) {
		for n := range uint64(seedCount()) {
			seed := *first + n
			options := shapes[seed%uint64(len(shapes))]
			if !options.Exact || int(seed)%len(shapes) >= widest {
				continue
			}
			m := irgen.Generate(seed, options)
			want, err := interpret(m, seed)
			if err != nil {
				t.Fatal(err)
			}
			o := codegen.Options{Math: opt.MathStrict, NoOptimize: seed/uint64(len(shapes))%2 == 1}
			a, err := compile(m, all.Lookup(string(abi.SPIRV)), o)
			if err != nil {
				t.Errorf("seed %d: %v", seed, err)
				continue
			}
			got, err := execute(device, a, seed)
			if err == nil {
				err = differOnDevice(want, got, seed)
			}
			if err != nil {
				t.Errorf("seed %d on %s, %s: %v\n%s", seed, device.Info().Name, name(&o), err, m.Text())
			}
		}
	}
}
