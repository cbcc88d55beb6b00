package main

import (
	"math"

	"github.com/gpuc/gpuc/runtime/gpu"
)

// gemmError returns the greatest error of some elements of a product of n rows.
func gemmError(n int, a, b []gpu.Float16, bias []float32, c []gpu.Float16) (worst float64) {
	for i := 0; i < n; i += 1 + n/16 {
		for j := range n {
			x := float64(bias[j])
			for k := range n {
				x += float64(a[i*n+k].Float32()) * float64(b[k*n+j].Float32())
			}
			x /= 1 + math.Exp(-1.5957691*(x+0.044715*x*x*x))
			worst = max(worst, math.Abs(x-float64(c[i*n+j].Float32()))/max(1, math.Abs(x)))
		}
	}
	return worst
}

// productError returns the greatest error of some elements of a product of bytes with n rows.
func productError(n int, a, b []int8, c []int32) (worst int) {
	for i := 0; i < n; i += 1 + n/16 {
		for j := range n {
			x := -int(c[i*n+j])
			for k := range n {
				x += int(a[i*n+k]) * int(b[j*n+k])
			}
			worst = max(worst, x, -x)
		}
	}
	return worst
}

// convolutionError returns the greatest error of some pixels of a convolution.
func convolutionError(side int, x, weights, y []gpu.Float16) (worst float64) {
	for pixel := 0; pixel < images*side*side; pixel += 1 + side*side/16 {
		image, row, column := pixel/side/side, pixel/side%side, pixel%side
		for feature := range channels {
			sum := 0.0
			for tap := range 9 {
				i, j := row+tap/3-1, column+tap%3-1
				if i < 0 || i >= side || j < 0 || j >= side {
					continue
				}
				for c := range channels {
					sum += float64(x[((image*side+i)*side+j)*channels+c].Float32()) * float64(weights[(tap*channels+c)*channels+feature].Float32())
				}
			}
			worst = max(worst, math.Abs(sum-float64(y[pixel*channels+feature].Float32()))/max(1, math.Abs(sum)))
		}
	}
	return worst
}

// attentionError returns the greatest error of some rows of heads of n tokens.
func attentionError(n int, q, k, v, o []gpu.Float16) (worst float64) {
	at := func(x []gpu.Float16, row, column int) float64 { return float64(x[row*Head+column].Float32()) }
	for row := 0; row < len(q)/Head; row += 1 + n/16 {
		head := row / n * n
		weights, sum := make([]float64, row-head+1), 0.0
		for j := range weights {
			for d := range Head {
				weights[j] += at(q, row, d) * at(k, head+j, d)
			}
			weights[j] = math.Exp(weights[j] / math.Sqrt(Head))
			sum += weights[j]
		}
		for d := range Head {
			x := 0.0
			for j, weight := range weights {
				x += weight / sum * at(v, head+j, d)
			}
			worst = max(worst, math.Abs(x-at(o, row, d)))
		}
	}
	return worst
}
