package ptx_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// checkParameters expects that the code declares what the description lists, and reads
// all of it, addresses and lengths once.
func checkParameters(t *testing.T, a *abi.Artefact) {
	t.Helper()
	text := string(a.Code)
	if declared := parametersIn(text); a.Kernel.Parameters == nil || !slices.Equal(declared, a.Kernel.Parameters) {
		t.Errorf("%s declares %v, its description lists %v", a.Kernel.Name, declared, a.Kernel.Parameters)
	}
	for _, p := range a.Kernel.Parameters {
		name := "[immediate_"
		switch p.Kind {
		case abi.AddressParameter:
			name = fmt.Sprintf("[binding_%d]", p.Binding)
		case abi.LengthParameter:
			name = fmt.Sprintf("[length_%d]", p.Binding)
		case abi.SampledParameter, abi.MinifiedParameter, abi.GatheredParameter, abi.ComparedParameter:
			name = fmt.Sprintf("[%s_%d_%d]", p.Kind, p.Binding, p.Sampler)
		case abi.ImmediatesParameter:
		case abi.ValueParameter: // behind its name there may be an offset
			name = fmt.Sprintf(" value_%d;", p.Binding)
			if at := fmt.Sprintf("[value_%d", p.Binding); strings.Contains(text, at+"]") || strings.Contains(text, at+"+") {
				name = at
			}
		default:
			name = fmt.Sprintf("[%s_%d]", p.Kind, p.Binding)
		}
		if !strings.Contains(text, name) {
			t.Errorf("%s does not read %s of binding %d", a.Kernel.Name, p.Kind, p.Binding)
		}
		if (p.Kind == abi.AddressParameter || p.Kind == abi.LengthParameter) && strings.Count(text, name) > 1 {
			t.Errorf("%s reads %s of binding %d several times", a.Kernel.Name, p.Kind, p.Binding)
		}
	}
}

// TestParameters compiles kernels that read some of what a launch has.
func TestParameters(t *testing.T) {
	const variables = `var @x : ptr<storage, array<u32>, read_write> [group 0, binding 0]
var @y : ptr<storage, array<u32>, read_write> [group 0, binding 1]
var @n : ptr<uniform, u32> [group 0, binding 2]
var @i : ptr<immediate, vec2<u32>>
`
	address := func(n int) abi.Parameter { return abi.Parameter{Kind: abi.AddressParameter, Binding: n} }
	length := func(n int) abi.Parameter { return abi.Parameter{Kind: abi.LengthParameter, Binding: n} }
	immediates := abi.Parameter{Kind: abi.ImmediatesParameter}
	for _, test := range []struct {
		name, functions, body string
		want                  []abi.Parameter
	}{
		{"nothing", "", "", []abi.Parameter{}},
		{"an address", "", "%p = access @y, 0u : ptr<storage, u32, read_write>\n store %p, 1u [inbounds]", []abi.Parameter{address(1)}},
		{"a length", "", "%k = array_length @x : u32\n %p = access @y, 0u : ptr<storage, u32, read_write>\n store %p, %k", []abi.Parameter{address(1), length(0)}},
		{"immediates", "", "%v = load @i : vec2<u32>\n %k = extract %v, 1u : u32\n %p = access @x, 0u : ptr<storage, u32, read_write>\n store %p, %k", []abi.Parameter{address(0), immediates}},
		{"a callee's", "fn @f() {\n %k = array_length @x : u32\n %p = access @y, 0u : ptr<storage, u32, read_write>\n %s = load @n : u32\n %j = add %s, %k : u32\n store %p, %j\n return\n}\nfn @g() {\n call @f\n return\n}\n", "call @g\n call @g", []abi.Parameter{address(1), address(2), length(0)}},
	} {
		m, _, items := ir.ParseString(variables + test.functions + "kernel @main() [workgroup 1u, 1u, 1u] [interface @x, @y, @n, @i] {\n " + test.body + "\n return\n}\n")
		if m == nil {
			t.Fatal(test.name, items)
		}
		var list diag.List
		a := codegen.Compile(m, "", &ptx.Target, &codegen.Options{NoOptimize: test.functions != "", Bounds: opt.BoundsOff}, &list)
		if a == nil {
			t.Fatal(test.name, list.Items())
		}
		if !slices.Equal(a.Kernel.Parameters, test.want) {
			t.Errorf("%s: parameters %v, want %v\n%s", test.name, a.Kernel.Parameters, test.want, numbered(string(a.Code)))
		}
		checkParameters(t, a)
	}
}
