package drivertest

import (
	"fmt"
	"strings"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/runtime/abi"
)

// Many compiles n different kernels for a target. Each has one binding, an array of f32 that it
// reads and writes, of ManyElements elements for one workgroup. They are of three kinds, with
// constants and lengths of their own: a polynomial, a sum by halves, and a product of tiles.
func Many(target string, n int) ([]*abi.Artefact, error) {
	t, err := all.Find(target)
	if err != nil {
		return nil, err
	}
	list := make([]*abi.Artefact, n)
	for i := range list {
		name := fmt.Sprintf("many%d", i)
		if list[i], err = compile(manySource(name, i), name, t); err != nil {
			return nil, err
		}
	}
	return list, nil
}

// ManyElements is how many elements the arrays of Many's kernels have, and their invocations.
const ManyElements = 256

func manySource(name string, n int) string {
	var b strings.Builder
	line := func(format string, a ...any) { fmt.Fprintf(&b, format+"\n", a...) }
	line("@group(0) @binding(0) var<storage, read_write> x: array<f32, %d>;", ManyElements)
	line("var<workgroup> tile: array<f32, %d>;", ManyElements)
	line("@compute @workgroup_size(%d) fn %s(@builtin(local_invocation_index) i: u32) {", ManyElements, name)
	switch n % 3 {
	case 0:
		line("var s = x[i];\nlet t = s * %d.125;", n+1)
		for k := range 40 + n {
			line("s = s * t + %d.5;\nif (s > %d.0) { s = s * 0.0078125; }", k+n, 100+k)
		}
		line("x[i] = s;")
	case 1:
		line("tile[i] = x[i] * %d.25;\nworkgroupBarrier();", n+1)
		for half := ManyElements / 2; half > 0; half /= 2 {
			line("if (i < %du) { tile[i] += tile[i + %du] * %d.0; }\nworkgroupBarrier();", half, half, n%7+1)
		}
		line("x[i] = tile[0] + tile[1] * 0.5;")
	case 2:
		line("let row = i / 16u;\nlet column = i %% 16u;\ntile[i] = x[i];\nworkgroupBarrier();\nvar sum = 0.0;")
		line("for (var step = 0u; step < %du; step++) {", n%5+2)
		line("for (var k = 0u; k < 16u; k++) { sum += tile[row * 16u + k] * tile[k * 16u + column] * %d.0e-3; }\n}", n+1)
		line("x[i] = sum;")
	}
	line("}")
	return b.String()
}
