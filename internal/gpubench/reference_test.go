package gpubench

import (
	"crypto/sha256"
	"encoding"
	"encoding/binary"
	"math"
	"math/cmplx"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/runtime/driver/vulkan"
)

// memories are the buffers of a launch, which a reference reads and writes.
type memories []reading

// reading is the contents of a buffer, as floats or as integers.
type reading struct {
	f []float64
	u []uint32
}

// side calls f for each of n×n pixels. at reads a pixel of the input, with coordinates clamped to
// the edge.
func side(n int, in []float64, f func(i, x, y int, at func(x, y int) float64)) {
	at := func(x, y int) float64 { return in[min(max(y, 0), n-1)*n+min(max(x, 0), n-1)] }
	for y := range n {
		for x := range n {
			f(y*n+x, x, y, at)
		}
	}
}

// resizedTo resizes an image to twice its size with a separable interpolation kernel.
func resizedTo(m memories, kernel func(d float64) float64) {
	n := int(math.Sqrt(float64(len(m[0].f))))
	at := func(x, y int) float64 { return m[0].f[min(max(y, 0), n-1)*n+min(max(x, 0), n-1)] }
	for y := range 2 * n {
		for x := range 2 * n {
			u, v := (float64(x)+0.5)/2-0.5, (float64(y)+0.5)/2-0.5
			sum := 0.0
			for j := int(math.Floor(v)) - 2; j <= int(math.Floor(v))+3; j++ {
				for i := int(math.Floor(u)) - 2; i <= int(math.Floor(u))+3; i++ {
					sum += kernel(math.Abs(u-float64(i))) * kernel(math.Abs(v-float64(j))) * at(i, j)
				}
			}
			m[1].f[y*2*n+x] = sum
		}
	}
}

func products(m memories, n, count int) {
	for k := range count {
		a, b, c := m[0].f[k*n*n:], m[1].f[k*n*n:], m[2].f[k*n*n:]
		for y := range n {
			for x := range n {
				sum := 0.0
				for i := range n {
					sum += a[y*n+i] * b[i*n+x]
				}
				c[y*n+x] = sum
			}
		}
	}
}

// strided returns the sums of the workgroups of a grid-stride loop.
func strided(sums []float64, n int, value func(i int) float64) {
	for i := range n {
		sums[i/256%len(sums)] += value(i)
	}
}

// references compute the kernels' results in double precision, from the definitions instead of the
// kernels' algorithms. The ray tracer has none.
var references = map[string]func(m memories){
	"vector_add": func(m memories) {
		for i := range m[2].f {
			m[2].f[i] = float64(float32(m[0].f[i] + m[1].f[i]))
		}
	},
	"copy": func(m memories) { copy(m[1].f, m[0].f) },
	"scale_add": func(m memories) {
		for i := range m[1].f {
			m[1].f[i] += 1.5 * m[0].f[i]
		}
	},
	"gelu": func(m memories) {
		for i, x := range m[0].f {
			m[1].f[i] = 0.5 * x * (1 + math.Tanh(math.Sqrt(2/math.Pi)*(x+0.044715*x*x*x)))
		}
	},
	"black_scholes": func(m memories) {
		normal := func(x float64) float64 { return 0.5 * math.Erfc(-x/math.Sqrt2) }
		for i, s := range m[0].f {
			x, t := m[1].f[i], m[2].f[i]
			d1 := (math.Log(s/x) + (0.02+0.045)*t) / (0.3 * math.Sqrt(t))
			d2 := d1 - 0.3*math.Sqrt(t)
			m[3].f[i] = s*normal(d1) - x*math.Exp(-0.02*t)*normal(d2)
			m[4].f[i] = m[3].f[i] - s + x*math.Exp(-0.02*t) // the parity of puts and calls
		}
	},
	"pcg_fill": func(m memories) {
		pcg := func(v uint32) uint32 {
			state := v*747796405 + 2891336453
			word := ((state >> (state>>28 + 4)) ^ state) * 277803737
			return word>>22 ^ word
		}
		for i := range m[0].u {
			m[0].u[i] = pcg(uint32(i) ^ pcg(42))
		}
	},
	"embedding": func(m memories) {
		for i := range m[2].f {
			m[2].f[i] = m[0].f[int(m[1].u[i/256])*256+i%256]
		}
	},
	"sum": func(m memories) { strided(m[1].f, len(m[0].f), func(i int) float64 { return m[0].f[i] }) },
	"dot": func(m memories) { strided(m[2].f, len(m[0].f), func(i int) float64 { return m[0].f[i] * m[1].f[i] }) },
	"matvec": func(m memories) {
		for y := range m[2].f {
			for i, x := range m[1].f {
				m[2].f[y] += m[0].f[y*len(m[1].f)+i] * x
			}
		}
	},
	"sgemm16":      func(m memories) { products(m, 64, 1) },
	"sgemm128":     func(m memories) { products(m, 256, 1) },
	"gemm_batched": func(m memories) { products(m, 16, 10) },
	"transpose": func(m memories) {
		side(96, m[0].f, func(i, x, y int, at func(x, y int) float64) { m[1].f[i] = at(y, x) })
	},
	"softmax": func(m memories) {
		for row := range slices.Chunk(m[0].f, 8192) {
			sum := 0.0
			for _, x := range row {
				sum += math.Exp(x)
			}
			for i, x := range row {
				m[1].f[i] = math.Exp(x) / sum
			}
			m[1].f = m[1].f[8192:]
		}
	},
	"layer_norm": func(m memories) {
		for row := range slices.Chunk(m[0].f, 4096) {
			mean, variance := 0.0, 0.0
			for _, x := range row {
				mean += x / 4096
			}
			for _, x := range row {
				variance += (x - mean) * (x - mean) / 4096
			}
			for i, x := range row {
				m[3].f[i] = (x-mean)/math.Sqrt(variance+1e-5)*m[1].f[i] + m[2].f[i]
			}
			m[3].f = m[3].f[4096:]
		}
	},
	"blur7x7": func(m memories) {
		side(100, m[0].f, func(i, x, y int, at func(x, y int) float64) {
			for k := range 49 {
				m[1].f[i] += at(x+k%7-3, y+k/7-3) / 49
			}
		})
	},
	"conv3x3": func(m memories) {
		side(100, m[0].f, func(i, x, y int, at func(x, y int) float64) {
			for k := range 9 {
				if u, v := x+k%3-1, y+k/3-1; u >= 0 && u < 100 && v >= 0 && v < 100 {
					m[2].f[i] += m[1].f[k] * at(u, v)
				}
			}
		})
	},
	"separable": func(m memories) {
		side(512, m[0].f, func(i, x, y int, at func(x, y int) float64) {
			for k := range 17 {
				m[2].f[i] += m[1].f[k] * at(x+k-8, y)
			}
		})
	},
	"bilinear": func(m memories) { resizedTo(m, func(d float64) float64 { return max(1-d, 0) }) },
	"bicubic": func(m memories) {
		resizedTo(m, func(d float64) float64 { // Keys, with a = -1/2
			switch {
			case d < 1:
				return 1.5*d*d*d - 2.5*d*d + 1
			case d < 2:
				return -0.5*d*d*d + 2.5*d*d - 4*d + 2
			}
			return 0
		})
	},
	"heat": func(m memories) {
		const n = 24
		for i, a := range m[0].f {
			m[1].f[i] = a
			inside := true
			for _, c := range [...]int{i % n, i / n % n, i / n / n} {
				inside = inside && c > 0 && c < n-1
			}
			if inside {
				for _, step := range [...]int{-1, 1, -n, n, -n * n, n * n} {
					m[1].f[i] += 0.1 * (m[0].f[i+step] - a)
				}
			}
		}
	},
	"lbm": func(m memories) {
		const n = 64
		directions := [9][2]int{{0, 0}, {1, 0}, {0, 1}, {-1, 0}, {0, -1}, {1, 1}, {-1, 1}, {-1, -1}, {1, -1}}
		for i := range n * n {
			var f [9]float64
			density, ux, uy := 0.0, 0.0, 0.0
			for q, d := range directions {
				f[q] = m[0].f[q*n*n+(i/n-d[1]+n)%n*n+(i%n-d[0]+n)%n]
				density, ux, uy = density+f[q], ux+f[q]*float64(d[0]), uy+f[q]*float64(d[1])
			}
			ux, uy = ux/density, uy/density
			for q, d := range directions {
				weight := [...]float64{4. / 9, 1. / 9, 1. / 36}[d[0]*d[0]+d[1]*d[1]]
				along := ux*float64(d[0]) + uy*float64(d[1])
				m[1].f[q*n*n+i] = 0.4*f[q] + 0.6*weight*density*(1+3*along+4.5*along*along-1.5*(ux*ux+uy*uy))
			}
		}
	},
	"nbody": func(m memories) {
		for i := 0; i < len(m[0].f); i += 4 {
			for j := 0; j < len(m[0].f); j += 4 {
				var d [3]float64
				square := 1e-4
				for k := range d {
					d[k] = m[0].f[j+k] - m[0].f[i+k]
					square += d[k] * d[k]
				}
				for k := range d {
					m[1].f[i+k] += m[0].f[j+3] * d[k] / (square * math.Sqrt(square))
				}
			}
		}
	},
	"mandelbrot": func(m memories) {
		for i := range m[0].u {
			c := complex(-2+3*float64(i%64)/64, -1.5+3*float64(i/64)/64)
			z := complex(0, 0)
			for m[0].u[i] < 256 && cmplx.Abs(z) < 2 {
				z = z*z + c
				m[0].u[i]++
			}
		}
	},
	"kmeans": func(m memories) {
		for i := range m[2].u {
			least := math.Inf(1)
			for c := range 64 {
				square := 0.0
				for k := range 4 {
					square += (m[0].f[4*i+k] - m[1].f[4*c+k]) * (m[0].f[4*i+k] - m[1].f[4*c+k])
				}
				if square < least {
					least, m[2].u[i] = square, uint32(c)
				}
			}
		}
	},
	"histogram": func(m memories) {
		for _, word := range m[0].u {
			for k := range 4 {
				m[1].u[word>>(8*k)&0xff]++
			}
		}
	},
	"scan": func(m memories) {
		for i, a := range m[0].u {
			m[1].u[i] = a
			if i%256 > 0 {
				m[1].u[i] += m[1].u[i-1]
			}
			m[2].u[i/256] += a
		}
	},
	"compact": func(m memories) {
		for i, a := range m[0].u {
			if group := i / 256; a >= 1<<31 {
				m[1].u[group*256+int(m[2].u[group])] = a
				m[2].u[group]++
			}
		}
	},
	"radix": func(m memories) {
		copy(m[1].u, m[0].u)
		digit := func(v uint32) uint32 { return v >> 4 & 15 }
		for keys := range slices.Chunk(m[1].u, 256) {
			slices.SortStableFunc(keys, func(a, b uint32) int { return int(digit(a)) - int(digit(b)) })
		}
		for i, a := range m[0].u {
			m[2].u[i/256*16+int(digit(a))]++
		}
	},
	"bitonic": func(m memories) {
		a := m[0].u
		for i := range a {
			if other := i ^ len(a)/8; other > i {
				if up := i/(len(a)/4)%2 == 0; up != (a[i] < a[other]) {
					a[i], a[other] = a[other], a[i]
				}
			}
		}
	},
	"spmv": func(m memories) {
		for row := range m[4].f {
			for i := m[0].u[row]; i < m[0].u[row+1]; i++ {
				m[4].f[row] += m[2].f[i] * m[3].f[m[1].u[i]]
			}
		}
	},
	"fft256": func(m memories) {
		for i := 0; i < len(m[0].f); i += 512 {
			for k := range 256 {
				sum := complex(0, 0)
				for n := range 256 {
					sum += complex(m[0].f[i+2*n], m[0].f[i+2*n+1]) * cmplx.Rect(1, -2*math.Pi*float64(k*n%256)/256)
				}
				m[1].f[i+2*k], m[1].f[i+2*k+1] = real(sum), imag(sum)
			}
		}
	},
	"levenshtein": func(m memories) {
		for g := range m[2].u {
			a, b := m[0].u[256*g:256*g+256], m[1].u[256*g:256*g+256]
			var row [257]uint32
			for j := range row {
				row[j] = uint32(j)
			}
			for i := range a {
				before := row[0]
				row[0]++
				for j := range b {
					next := before
					if a[i] != b[j] {
						next++
					}
					before = row[j+1]
					row[j+1] = min(next, row[j]+1, row[j+1]+1)
				}
			}
			m[2].u[g] = row[256]
		}
	},
	"floyd_warshall": func(m memories) {
		const n, k = 100, 33
		for i, d := range m[0].f {
			m[0].f[i] = min(d, float64(float32(m[0].f[i/n*n+k]+m[0].f[k*n+i%n])))
		}
	},
	"sha256": func(m memories) {
		for i := range len(m[1].u) / 8 {
			h := sha256.New()
			for _, word := range m[0].u[16*i : 16*i+16] {
				binary.Write(h, binary.BigEndian, word)
			}
			// a mark of four bytes, then the eight words
			state, _ := h.(encoding.BinaryMarshaler).MarshalBinary()
			for k := range 8 {
				m[1].u[8*i+k] = binary.BigEndian.Uint32(state[4+4*k:])
			}
		}
	},
}

// TestKernels runs the kernels on the Vulkan device at their small sizes and compares the results
// of every way with the references.
func TestKernels(t *testing.T) {
	b, err := NewBench(Options{Folder: folder, Small: true}, new(vulkan.Driver))
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if len(b.devices) == 0 {
		t.Skip("skipped: no Vulkan device (Debian's package mesa-vulkan-drivers has one)")
	}
	for n := range Kernels {
		k := &Kernels[n]
		t.Run(k.Name, func(t *testing.T) {
			result, err := b.Kernel(k, true)
			if err != nil {
				t.Fatal(err)
			}
			want := k.reference()
			for _, time := range result.Times {
				if time.Differs != "" {
					t.Errorf("%s: %s", time.Way, time.Differs)
				}
				work := k.Work(k.Small)
				if want == nil {
					continue
				}
				if differs := k.compare(&work, want, time.Results); differs != "" {
					t.Errorf("%s and the reference: %s", time.Way, differs)
				}
			}
		})
	}
}

// reference returns the expected outputs at the small size, nil if there is no reference.
func (k *Kernel) reference() (outputs [][]byte) {
	f := references[k.Name]
	if f == nil {
		return nil
	}
	work := k.Work(k.Small)
	var m memories
	for n := range work.Buffers {
		b := &work.Buffers[n]
		var r reading
		data := b.Fill(uint64(n))
		for i := 0; i < len(data); i += 4 {
			word := binary.LittleEndian.Uint32(data[i:])
			if b.Float {
				r.f = append(r.f, float64(math.Float32frombits(word)))
			} else {
				r.u = append(r.u, word)
			}
		}
		m = append(m, r)
	}
	f(slices.Clone(m))
	for n := range work.Buffers {
		if !work.Buffers[n].Output {
			continue
		}
		var data []byte
		for _, x := range m[n].f {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(x)))
		}
		for _, x := range m[n].u {
			data = binary.LittleEndian.AppendUint32(data, x)
		}
		outputs = append(outputs, data)
	}
	return outputs
}
