// Package sizeless has structures with fields of no size.
package sizeless

import "github.com/gpuc/gpuc/runtime/gpu"

type (
	A struct {
		X uint32
		Z struct{}
	}
	B struct {
		Z [0]int64
		X uint32
	}
	C struct {
		X uint8
		Z [0]uint32
		Y uint8
	}
	D struct {
		Z struct{}
		X [3]uint16
		E [2]struct{}
	}
	E struct {
		X A
		Y B
		Z [0]A
	}
	F struct {
		X uint64
		Y [2]E
		_ struct{}
		W uint8
	}
	G struct {
		X [2]A
		Z struct {
			U struct{}
			V [0]uint8
		}
	}
)

//gpuc:kernel workgroup=1
func K(it gpu.Item, a []A, b []B, c []C, d []D, e []E, f []F, g []G, out []uint32) {
	out[0] = a[1].X + b[1].X + uint32(c[1].Y) + uint32(d[1].X[2]) + e[1].Y.X + f[1].Y[1].X.X + uint32(f[1].W) + g[1].X[1].X
}
