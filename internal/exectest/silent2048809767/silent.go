package silent

import "github.com/gpuc/gpuc/runtime/gpu"

type body struct{ At, Speed gpu.Vec3f }

func (b *body) move(it gpu.Item, by float32) {
	b.At = b.At.Add(b.Speed.Scale(by))

}

//gpuc:kernel workgroup=64
func Move(it gpu.Item, by float32, bodies []body, energy []float32) {

	i := it.Index()
	b := &bodies[i]
	for n := range 4 {

		b.move(it, by*float32(n))
	}

	energy[i] = b.Speed.Dot(b.Speed) / 2
}

//gpuc:kernel workgroup=64
func Sum(it gpu.Item, shared *[64]float32, x, sums []float32) {
	l := it.LocalIndex()
	shared[l] = x[it.Index()]
	for step := 32; step > 0; step /= 2 {
		it.Barrier()
		if l < step {

			shared[l] += shared[l+step]
		}
	}
	if l == 0 {
		sums[it.Group().X] = shared[0]

	}
}
