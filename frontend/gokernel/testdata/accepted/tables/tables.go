// Package tables has tables of constants.
package tables

import "github.com/gpuc/gpuc/runtime/gpu"

const scale = 0.25

type corner struct {
	x, y float32
	next int32
}

var (
	weights = [...]float32{1, 2, 1}
	corners = [4]corner{{0, 0, 1}, {x: 1, next: 2}, 3: {y: scale}}
	kernel  = [3][3]float32{{1, 2, 1}, {2, 4, 2}, {1, 2, 1}}
	signs   = [...]int{-1, 1}
	masks   = [2]uint32{0xff, 0xff00}
	flags   = [2]bool{true, false}
	curve   = path{1, 2}
)

type path [2]float32

func (p path) at(i int) float32 { return p[i] }

//gpuc:kernel workgroup=64
func Tables(it gpu.Item, x []float32) {
	i := it.Index()
	for k, w := range weights {
		x[k] = w
	}
	x[0] = weights[i%len(weights)] + corners[i&3].x + corners[1].y
	c := corners[i&3]
	x[1] = float32(c.next) + kernel[i%3][1]
	row := kernel[i%3]
	x[2] = row[2] + float32(signs[i&1])
	if flags[i&1] && masks[i&1] > 3 {
		x[3] = curve.at(i & 1)
	}
	for i := range kernel {
		for j := range kernel[i] {
			x[4] += kernel[i][j]
		}
	}
	all := weights
	x[5] = all[i%3]
}
