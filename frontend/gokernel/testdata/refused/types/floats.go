package types

import "github.com/gpuc/gpuc/runtime/gpu"

type halves struct{ A, B gpu.Float16 }

//gpuc:kernel workgroup=64
func Compared(it gpu.Item, x []gpu.Float16, y []gpu.BFloat16, z []halves) {
	if x[0] == x[1] { // want "== compares the bits of gpu\.Float16, by which the two zeros differ and NaN may be equal"
		x[2] = x[3]
	}
	if y[0] != y[1] { // want "!= compares the bits of gpu\.BFloat16"
		y[2] = y[3]
	}
	if z[0] == z[1] { // want "== compares the bits of gpu\.Float16"
		z[2] = z[3]
	}
	if x[0].Equal(x[1]) && y[0].Bits() == y[1].Bits() {
		x[2] = x[3]
	}
}

//gpuc:kernel workgroup=64
func Passed(it gpu.Item, a gpu.Float16, p halves, b gpu.Float8E4M3, x []gpu.Float16) { // want "a has a value of type gpu\.Float16, which a launch does not pass" "p has a value of type gpu\.Float16" "b has a value of type gpu\.Float8E4M3"
	x[0] = a
}
