package all_test

import (
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/jit"
)

// TestLayersOfCalls compiles 25 layers of functions that each call the next twice with pointers.
// The code grows in proportion to the text, whatever the pointers are to.
func TestLayersOfCalls(t *testing.T) {
	const most = 400 << 10 // bytes of code; 2^25 calls would need more than 100 MB
	for _, c := range []struct{ name, pointer, variable, local, argument string }{
		{"function", "ptr<function, array<u32, 8>>", "", "var x: array<u32, 8>;", "&x"},
		{"private", "ptr<private, array<u32, 8>>", "var<private> x: array<u32, 8>;", "", "&x"},
		{"workgroup", "ptr<workgroup, array<u32, 8>>", "var<workgroup> x: array<u32, 8>;", "", "&x"},
		{"storage", "ptr<storage, array<u32, 8>, read_write>", "@group(0) @binding(1) var<storage, read_write> x: array<u32, 8>;", "", "&x"},
		{"parts", "ptr<function, array<u32, 8>>", "", "var y: array<array<u32, 8>, 3>;", "&y[o[2]]"},
	} {
		text := "@group(0) @binding(0) var<storage, read_write> o: array<u32>;\n" + c.variable + "\n" +
			chain(25, "fn g0(p: "+c.pointer+", k: u32) { (*p)[k] += k; }\n",
				"fn g§(p: "+c.pointer+", k: u32) { g¤(p, k + (*p)[k]); g¤(p, k ^ (*p)[1]); }\n") +
			"@compute @workgroup_size(1) fn main() {\n" + c.local + "\ng25(" + c.argument + ", o[1]);\no[0] = (*" + c.argument + ")[1];\n}\n"
		for _, o := range []codegen.Options{{}, {NoOptimize: true}} {
			p, err := jit.Parse("layers.wgsl", text, o)
			if err != nil {
				t.Fatalf("%s: %v", c.name, err)
			}
			for _, target := range all.Targets {
				a, err := compile(p.Module(), target, o)
				if err != nil {
					t.Errorf("%s: %v", c.name, err)
				} else if len(a.Code) > most {
					t.Errorf("%s: %d bytes for %s, %s", c.name, len(a.Code), target.Name, name(&o))
				}
			}
		}
	}
}
