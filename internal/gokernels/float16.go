package gokernels

import "github.com/gpuc/gpuc/runtime/gpu"

// triple is vec3h of WGSL, which has the size of four.
type triple struct {
	X, Y, Z gpu.Float16
	_       gpu.Float16
}

// axpy has the layout of the structure in WGSL.
type axpy struct {
	A gpu.Float16
	_ [3]gpu.Float16
	B triple
}

//gpuc:kernel workgroup=32
func AxpyF16(it gpu.Item, parameters []axpy, x, y []gpu.Float16, triples []triple) {
	i, a := it.Index(), parameters[0].A
	if i < len(y) && i < len(x) {
		y[i] = a.Mul(x[i]).Add(y[i])
	}
	if i < len(triples) {
		t, b := &triples[i], parameters[0].B
		t.X, t.Y, t.Z = a.Mul(t.X).Add(b.X), a.Mul(t.Y).Add(b.Y), a.Mul(t.Z).Add(b.Z)
	}
}

type eight struct{ Lanes [8]gpu.Float16 }

//gpuc:kernel workgroup=4
func F16Lanes(it gpu.Item, given, turned, passed []eight, tile *[4]eight) {
	i, local := it.Index(), it.LocalIndex()
	var mine eight
	if i < len(given) {
		mine = given[i]
	}
	tile[local] = mine
	it.Barrier()
	two, one := gpu.ToFloat16(2), gpu.ToFloat16(1)
	for k := range 4 {
		low := mine.Lanes[k]
		mine.Lanes[k] = mine.Lanes[7-k].Mul(two)
		mine.Lanes[7-k] = low.Sub(one)
	}
	if i < len(turned) {
		turned[i] = mine
		passed[i] = tile[(local+1)%4]
	}
}

// h is the suffix of f16 in WGSL.
func h(x float32) gpu.Float16 { return gpu.ToFloat16(x) }

//gpuc:kernel workgroup=16
func F16Builtins(it gpu.Item, data []gpu.Float16, exact, bounded [][4]gpu.Float16) {
	i := it.Index()
	if i >= len(data) {
		return
	}
	x, zero, third := data[i], gpu.Float16{}, h(1).Div(h(3))
	magnitude := x.Neg()
	if x.Less(zero) {
		magnitude = x.Abs()
	}
	step := zero
	if h(1).LessEqual(x) {
		step = h(1)
	}
	exact[i] = [4]gpu.Float16{h(gpu.Floor(x.Float32())), x.Max(h(-1.5)).Min(h(2)), magnitude, h(gpu.Trunc(x.Mul(h(2)).Float32())).Add(step)}
	y := x.Abs().Add(h(0.25))
	bounded[i] = [4]gpu.Float16{y.Sqrt().Add(third), h(gpu.Exp2(x.Float32())).Add(third), x.Div(y).Add(third), h(gpu.Sin(x.Mul(h(0.5)).Float32())).Add(third)}
}
