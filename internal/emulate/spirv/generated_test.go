package spirv_test

import (
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	target "github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

var (
	seeds = flag.Int("seeds", 21, "how many random modules the tests use")
	first = flag.Uint64("first", 0, "the first seed")
)

// shapes are the sorts of random modules. In strict mode the results of exact
// ones are those of the interpreter, bit by bit.
var shapes = []irgen.Options{
	{Exact: true},
	{Exact: true, Instructions: 600},
	{Kinds: []scalar.Kind{scalar.I32, scalar.F32, scalar.F16, scalar.I64, scalar.U64}},
	{Exact: true, Kinds: []scalar.Kind{scalar.I32, scalar.F32, scalar.I64, scalar.U64}},
	{},
	{Exact: true, Kinds: []scalar.Kind{scalar.I32}},
	{Exact: true, Kinds: []scalar.Kind{scalar.F32, scalar.F16}},
}

// variants are how random modules are compiled.
var variants = []struct {
	name    string
	options codegen.Options
}{
	{"robust", codegen.Options{}},
	{"plain", codegen.Options{NoOptimize: true}},
	{"unchecked", codegen.Options{Bounds: opt.BoundsOff}},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}},
}

// TestGenerated executes random modules, and compares them with the interpreter
// where the results are determined: all that is undefined is an error anywhere.
func TestGenerated(t *testing.T) {
	for n := range uint64(*seeds) {
		seed := *first + n
		options := shapes[seed%uint64(len(shapes))]
		for _, v := range variants {
			o := v.options
			o.Math = opt.MathStrict
			if err := generated(seed, options, o); err != nil {
				t.Errorf("seed %d, %s: %v", seed, v.name, err)
			}
		}
	}
}

func generated(seed uint64, options irgen.Options, o codegen.Options) error {
	m := irgen.Generate(seed, options)
	var list diag.List
	a := codegen.Compile(m, "", &target.Target, &o, &list)
	if a == nil {
		return errors.New("does not compile: " + list.Items()[0].Message)
	}
	got := map[uint32][]byte{}
	l := &emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{irgen.Groups, 1, 1}}
	for _, b := range a.Kernel.Arguments() {
		got[b.Binding] = contents(b.Binding, seed)
		l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: got[b.Binding]})
	}
	if a.Kernel.Fault != nil {
		b := a.Kernel.Bindings[len(a.Kernel.Bindings)-1]
		l.Buffers = append(l.Buffers, emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: make([]byte, abi.FaultRecordBytes)})
	}
	if err := spirv.Run(a.Code, l); err != nil {
		return err
	}
	if !options.Exact {
		return nil
	}
	want, err := interpret(m, seed)
	if err != nil {
		return err
	}
	for binding, data := range want {
		other := got[binding]
		if other == nil { // what no instruction is left to access
			other = contents(binding, seed)
		}
		for n := 0; n+4 <= len(data); n += 4 {
			x, y := binary.LittleEndian.Uint32(data[n:]), binary.LittleEndian.Uint32(other[n:])
			if isNaN := func(x uint32) bool { return x&0x7FFFFFFF > 0x7F800000 }; x != y && !(isNaN(x) && isNaN(y)) {
				return fmt.Errorf("word %d of binding %d is %#x, expected %#x", n/4, binding, y, x)
			}
		}
	}
	return nil
}

// interpret runs a module on the interpreter as it was generated.
func interpret(m *ir.Module, seed uint64) (map[uint32][]byte, error) {
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		return nil, err
	}
	result := map[uint32][]byte{}
	launch := interp.Launch{Grid: [3]uint32{irgen.Groups, 1, 1}, Workers: 1, Fuel: 1 << 22}
	for _, b := range p.Bindings() {
		result[b.Binding] = contents(b.Binding, seed)
		launch.Buffers = append(launch.Buffers, result[b.Binding])
	}
	items, err := p.Run(&launch)
	if err == nil && len(items) > 0 {
		err = errors.New(items[0].Message)
	}
	return result, err
}

// contents returns a buffer's initial bytes, small numbers of either kind.
func contents(binding uint32, seed uint64) []byte {
	data := make([]byte, irgen.BufferSizes()[binding])
	random := rand.New(rand.NewPCG(seed, uint64(binding)))
	for n := 0; n+4 <= len(data); n += 4 {
		x := uint32(random.IntN(200))
		if binding == irgen.InputFloats || binding == irgen.OutputFloats {
			x = uint32(scalar.FromFloat64(scalar.F32, float64(int(x)-100)/4))
		}
		binary.LittleEndian.PutUint32(data[n:], x)
	}
	return data
}
