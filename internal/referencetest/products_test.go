package referencetest

import (
	"slices"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/kernels/seq"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func products() map[string]operator {
	return map[string]operator{
		"Gemm":          {"float32": gemm},
		"MatMul":        {"float32": matMul},
		"MatMulInteger": {"uint8": matMulInteger},
		"Einsum":        {"float64": einsum[float64], "bfloat16": einsum[gpu.BFloat16]},
		"Transpose":     {"float32": transpose},
		"Det":           {"float32": determinants},
		"AffineGrid":    {"float32": affineGrid},
	}
}

func gemm(e *env, n *node) []any {
	of := func(i int, transposed string) gpu.MatrixBuffer[float32] {
		x := n.Inputs[i]
		m := gpu.MatrixOf(upload(e, elements[float32](x)), x.Shape[0], x.Shape[1])
		if n.flag(transposed, false) {
			return m.T()
		}
		return m
	}
	a, b := of(0, "transA"), of(1, "transB")
	sum := make([]float32, a.Rows*b.Cols)
	if c := n.input(2); c != nil { // a row, a number or a matrix
		for i, list := 0, elements[float32](c); i < len(sum); i++ {
			sum[i] = list[i%len(list)]
		}
	}
	c := upload(e, sum)
	e.check(linalg.Gemm(e.s, n.number("alpha", 1), a, b, n.number("beta", 1), gpu.MatrixOf(c, a.Rows, b.Cols), linalg.Strict()))
	return []any{read(e, c)}
}

// matMul multiplies the last two dimensions. Vectors are a row and a column, and the other
// dimensions are those of both, or 1.
func matMul(e *env, n *node) []any {
	as, bs := slices.Clone(n.Inputs[0].Shape), slices.Clone(n.Inputs[1].Shape)
	if len(as) == 1 {
		as = []int{1, as[0]}
	}
	if len(bs) == 1 {
		bs = append(bs, 1)
	}
	for len(as) < len(bs) {
		as = slices.Insert(as, 0, 1)
	}
	for len(bs) < len(as) {
		bs = slices.Insert(bs, 0, 1)
	}
	outer := len(as) - 2
	a, b := upload(e, elements[float32](n.Inputs[0])), upload(e, elements[float32](n.Inputs[1]))
	rows, inner, cols := as[outer], as[outer+1], bs[outer+1]
	batch := 1
	for k := range outer {
		batch *= max(as[k], bs[k])
	}
	c := zeros[float32](e, batch*rows*cols)
	if slices.Equal(as[:outer], bs[:outer]) {
		e.check(linalg.GemmBatch(e.s, 1, linalg.BatchOf(a, batch, rows, inner), linalg.BatchOf(b, batch, inner, cols), 0, linalg.BatchOf(c, batch, rows, cols), linalg.Strict()))
		return []any{read(e, c)}
	}
	for p := range batch {
		// the number of p's matrix among those of a shape
		at := func(shape []int) int {
			index, stride := 0, 1
			for k, rest := outer-1, p; k >= 0; k-- {
				d := max(as[k], bs[k])
				index += rest % d % shape[k] * stride
				stride *= shape[k]
				rest /= d
			}
			return index
		}
		layout := func(offset, rows, cols int) gpu.MatrixLayout {
			return gpu.MatrixLayout{Offset: offset, Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}
		}
		e.check(linalg.Gemm(e.s, 1,
			gpu.MatrixBuffer[float32]{Buffer: a, MatrixLayout: layout(at(as)*rows*inner, rows, inner)},
			gpu.MatrixBuffer[float32]{Buffer: b, MatrixLayout: layout(at(bs)*inner*cols, inner, cols)}, 0,
			gpu.MatrixBuffer[float32]{Buffer: c, MatrixLayout: layout(p*rows*cols, rows, cols)}, linalg.Strict()))
	}
	return []any{read(e, c)}
}

// einsum has a function for each equation.
func einsum[T linalg.Element](e *env, n *node) []any {
	x, shape := upload(e, elements[T](n.Inputs[0])), n.Inputs[0].Shape
	result := zeros[T](e, count(n.Outputs[0].Shape))
	switch equation := n.text("equation", ""); equation {
	case "ij->ji":
		e.check(linalg.Transpose(e.s, gpu.MatrixOf(x, shape[0], shape[1]), gpu.MatrixOf(result, shape[1], shape[0])))
	case "ij->i":
		if x, ok := any(x).(*gpu.Buffer[float64]); ok {
			e.check(seq.SumAxis(e.s, x, seq.Axis{Outer: shape[0], N: shape[1], Inner: 1}, any(result).(*gpu.Buffer[float64])))
			break
		}
		ones := upload(e, slices.Repeat([]gpu.BFloat16{gpu.ToBFloat16(1)}, shape[1]))
		e.check(linalg.Gemm(e.s, 1, gpu.MatrixOf(any(x).(*gpu.Buffer[gpu.BFloat16]), shape[0], shape[1]), gpu.MatrixOf(ones, shape[1], 1), 0, gpu.MatrixOf(any(result).(*gpu.Buffer[gpu.BFloat16]), shape[0], 1), linalg.Strict()))
	case "...ii ->...i": // the transposes of columns whose elements are a row and an element apart
		for p := range shape[0] {
			diagonal := gpu.MatrixBuffer[T]{Buffer: x, MatrixLayout: gpu.MatrixLayout{Offset: p * shape[1] * shape[1], Rows: shape[1], Cols: 1, RowStride: shape[1] + 1, ColStride: 1}}
			row := gpu.MatrixBuffer[T]{Buffer: result, MatrixLayout: gpu.MatrixLayout{Offset: p * shape[1], Rows: 1, Cols: shape[1], RowStride: shape[1], ColStride: 1}}
			e.check(linalg.Transpose(e.s, diagonal, row))
		}
	case "i,i":
		y := upload(e, elements[T](n.Inputs[1]))
		e.check(linalg.Gemm(e.s, 1, gpu.MatrixOf(x, 1, shape[0]), gpu.MatrixOf(y, shape[0], 1), 0, gpu.MatrixOf(result, 1, 1), linalg.Strict()))
	case "bij, bjk -> bik":
		y, cols := upload(e, elements[T](n.Inputs[1])), n.Inputs[1].Shape[2]
		e.check(linalg.GemmBatch(e.s, 1, linalg.BatchOf(x, shape[0], shape[1], shape[2]), linalg.BatchOf(y, shape[0], shape[2], cols), 0, linalg.BatchOf(result, shape[0], shape[1], cols), linalg.Strict()))
	case "->":
		e.check(linalg.Transpose(e.s, gpu.MatrixOf(x, 1, 1), gpu.MatrixOf(result, 1, 1)))
	default:
		e.Fatalf("no function for %q", equation)
	}
	return []any{read(e, result)}
}

// transpose copies the matrices of the last two dimensions of the result.
func transpose(e *env, n *node) []any {
	shape := n.Inputs[0].Shape
	order := n.list("perm", nil)
	if order == nil {
		order = []int{2, 1, 0}
	}
	strides := []int{shape[1] * shape[2], shape[2], 1}
	x, result := upload(e, elements[float32](n.Inputs[0])), zeros[float32](e, count(shape))
	layers, rows, cols := shape[order[0]], shape[order[1]], shape[order[2]]
	for p := range layers {
		from := gpu.MatrixLayout{Offset: p * strides[order[0]], Rows: cols, Cols: rows, RowStride: strides[order[2]], ColStride: strides[order[1]]}
		to := gpu.MatrixLayout{Offset: p * rows * cols, Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}
		e.check(linalg.Transpose(e.s, gpu.MatrixBuffer[float32]{Buffer: x, MatrixLayout: from}, gpu.MatrixBuffer[float32]{Buffer: result, MatrixLayout: to}))
	}
	return []any{read(e, result)}
}

// determinants multiplies the diagonals of factors, whose sign each exchange of rows changes.
func determinants(e *env, n *node) []any {
	shape := n.Inputs[0].Shape
	size := shape[len(shape)-1]
	batch := count(shape) / (size * size)
	a, pivots, info := upload(e, elements[float32](n.Inputs[0])), zeros[int32](e, batch*size), zeros[int32](e, batch)
	e.check(linalg.LUBatch(e.s, linalg.BatchOf(a, batch, size, size), pivots, info))
	factors, exchanges := read(e, a), read(e, pivots)
	list := make([]float32, batch)
	for p := range list {
		list[p] = 1
		for k := range size {
			list[p] *= factors[p*size*size+k*(size+1)]
			if exchanges[p*size+k] != int32(k) {
				list[p] = -list[p]
			}
		}
	}
	return []any{list}
}

// affineGrid multiplies the points of a grid from −1 to 1 by matrices.
func affineGrid(e *env, n *node) []any {
	sizes := integers(n.Inputs[1])
	batch, sizes := sizes[0], sizes[2:]
	dimensions, points := len(sizes), count(sizes)
	grid := make([]float32, 0, points*(dimensions+1))
	for p := range points {
		for k, d := range slices.Backward(sizes) { // x is along the last dimension
			at := p / count(sizes[k+1:]) % d
			v := (2*float32(at)+1)/float32(d) - 1
			if n.flag("align_corners", false) {
				v = 2*float32(at)/float32(d-1) - 1
			}
			grid = append(grid, v)
		}
		grid = append(grid, 1)
	}
	theta := linalg.BatchOf(upload(e, elements[float32](n.Inputs[0])), batch, dimensions, dimensions+1)
	same := linalg.BatchOf(upload(e, grid), 1, points, dimensions+1)
	same.Count, same.Stride = batch, 0
	result := zeros[float32](e, batch*points*dimensions)
	e.check(linalg.GemmBatch(e.s, 1, same, theta.T(), 0, linalg.BatchOf(result, batch, points, dimensions), linalg.Strict()))
	return []any{read(e, result)}
}

// matMulInteger multiplies what integers differ from others, which float32 has exactly.
func matMulInteger(e *env, n *node) []any {
	of := func(i int) gpu.MatrixBuffer[float32] {
		x, zero := n.Inputs[i], elements[uint8](n.Inputs[i+2])[0]
		list := mapped(elements[uint8](x), func(v uint8) float32 { return float32(v) - float32(zero) })
		return gpu.MatrixOf(upload(e, list), x.Shape[0], x.Shape[1])
	}
	a, b := of(0), of(1)
	c := zeros[float32](e, a.Rows*b.Cols)
	e.check(linalg.Gemm(e.s, 1, a, b, 0, gpu.MatrixOf(c, a.Rows, b.Cols), linalg.Strict()))
	return []any{read(e, c)}
}
