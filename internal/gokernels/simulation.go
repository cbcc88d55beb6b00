package gokernels

import (
	"math"
	"math/bits"

	"github.com/gpuc/gpuc/runtime/gpu"
)

const (
	fftPoints = 256
	fftSize   = fftPoints / 2
)

// Complex is a complex number.
type Complex struct{ Re, Im float32 }

func (a Complex) plus(b Complex) Complex  { return Complex{a.Re + b.Re, a.Im + b.Im} }
func (a Complex) minus(b Complex) Complex { return Complex{a.Re - b.Re, a.Im - b.Im} }
func (a Complex) times(b Complex) Complex {
	return Complex{a.Re*b.Re - a.Im*b.Im, a.Re*b.Im + a.Im*b.Re}
}

//gpuc:kernel workgroup=fftSize
func Fft256(it gpu.Item, values *[fftPoints]Complex, signal, spectrum []Complex) {
	local, base := it.LocalIndex(), it.Group().X*fftPoints
	for i := local; i < fftPoints; i += fftSize {
		values[bits.Reverse32(uint32(i))>>24] = signal[base+i]
	}
	it.Barrier()
	for half := 1; half < fftPoints; half *= 2 {
		inside := local & (half - 1)
		low := 2*local - inside
		angle := -2 * math.Pi * float32(inside) / float32(2*half)
		a := values[low]
		b := values[low+half].times(Complex{gpu.Cos(angle), gpu.Sin(angle)})
		values[low], values[low+half] = a.plus(b), a.minus(b)
		it.Barrier()
	}
	for i := local; i < fftPoints; i += fftSize {
		spectrum[base+i] = values[i]
	}
}

const nbodySize = 32

type NbodySettings struct{ Step, Softening float32 }

//gpuc:kernel workgroup=nbodySize
func Nbody(it gpu.Item, tile *[nbodySize]Vec4f, settings NbodySettings, bodies, velocities, moved []Vec4f) {
	i, local := it.Index(), it.LocalIndex()
	me := bodies[min(i, len(bodies)-1)]
	var pull Vec3f
	for base := 0; base < len(bodies); base += nbodySize {
		tile[local] = Vec4f{}
		if other := base + local; other < len(bodies) {
			tile[local] = bodies[other]
		}
		it.Barrier()
		for _, body := range tile {
			towards := body.XYZ().Sub(me.XYZ())
			inverse := gpu.InverseSqrt(towards.Dot(towards) + settings.Softening)
			pull = pull.Add(towards.Scale(body.W * inverse * inverse * inverse))
		}
		it.Barrier()
	}
	if i < len(bodies) {
		velocity := velocities[i].XYZ().Add(pull.Scale(settings.Step))
		velocities[i] = velocity.With(gpu.Length(velocity))
		moved[i] = me.XYZ().Add(velocity.Scale(settings.Step)).With(me.W)
	}
}

const (
	jacobiWidth  = 43
	jacobiHeight = 35
	jacobiTile   = 8
	jacobiHalo   = jacobiTile + 2
)

//gpuc:kernel workgroup=jacobiTile,jacobiTile
func Jacobi(it gpu.Item, cells *[jacobiHalo][jacobiHalo]float32, temperature, next []float32) {
	group, local := it.Group(), it.Local()
	left, top := group.X*jacobiTile, group.Y*jacobiTile
	for i := it.LocalIndex(); i < jacobiHalo*jacobiHalo; i += jacobiTile * jacobiTile {
		row, column := i/jacobiHalo, i%jacobiHalo
		x, y := gpu.Clamp(left+column-1, 0, jacobiWidth-1), gpu.Clamp(top+row-1, 0, jacobiHeight-1)
		cells[row][column] = temperature[y*jacobiWidth+x]
	}
	it.Barrier()
	x, y := left+local.X, top+local.Y
	if x >= jacobiWidth || y >= jacobiHeight {
		return
	}
	row, column := local.Y+1, local.X+1
	value := cells[row][column]
	if x > 0 && y > 0 && x < jacobiWidth-1 && y < jacobiHeight-1 {
		value = ((cells[row][column-1] + cells[row][column+1]) + (cells[row-1][column] + cells[row+1][column])) * 0.25
	}
	next[y*jacobiWidth+x] = value
}

const (
	lifeWidth  = 50
	lifeHeight = 37
)

// board has the cells by rows. A buffer holds one: a slice of arrays tells the compiler how many
// cells there are.
type board [lifeWidth * lifeHeight]uint32

// generation computes one cell.
func generation(at gpu.Int3, before, after *board) {
	neighbours := uint32(0)
	for dy := -1; dy <= 1; dy++ {
		for dx := -1; dx <= 1; dx++ {
			if dx == 0 && dy == 0 {
				continue
			}
			x, y := (at.X+lifeWidth+dx)%lifeWidth, (at.Y+lifeHeight+dy)%lifeHeight
			neighbours += before[y*lifeWidth+x]
		}
	}
	here := at.Y*lifeWidth + at.X
	after[here] = one(neighbours == 3 || neighbours == 2 && before[here] == 1)
}

//gpuc:kernel workgroup=8,8
func GameOfLifeEvenToOdd(it gpu.Item, even, odd []board) {
	if at := it.Global(); at.X < lifeWidth && at.Y < lifeHeight {
		generation(at, &even[0], &odd[0])
	}
}

//gpuc:kernel workgroup=8,8
func GameOfLifeOddToEven(it gpu.Item, odd, even []board) {
	if at := it.Global(); at.X < lifeWidth && at.Y < lifeHeight {
		generation(at, &odd[0], &even[0])
	}
}

const (
	mandelbrotLimit  = 80
	mandelbrotWidth  = 61
	mandelbrotHeight = 45
)

// Mandelbrot is compiled strictly.
//
//gpuc:kernel workgroup=8,8
func Mandelbrot(it gpu.Item, counts []uint32) {
	at := it.Global()
	if at.X >= mandelbrotWidth || at.Y >= mandelbrotHeight {
		return
	}
	c := Complex{float32(float32(at.X)*0.046875) - 2, float32(float32(at.Y)*0.046875) - 1.03125}
	var z Complex
	n := uint32(0)
	for ; n < mandelbrotLimit; n++ {
		xx, yy := float32(z.Re*z.Re), float32(z.Im*z.Im)
		if xx+yy > 4 {
			break
		}
		z = Complex{xx - yy + c.Re, float32(2*z.Re*z.Im) + c.Im}
	}
	counts[at.Y*mandelbrotWidth+at.X] = n
}
