package texture

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"
)

// The references here work in float64 and in the opposite direction to sample.go. Every texel of
// the unbounded, repeated or mirrored plane gets a weight by its distance, and faces of cubes are
// found by geometry.

// noise makes an image of random f32 texels.
func noise(d Description, random *rand.Rand) *Image {
	d.Format = RG32Float
	m := NewImage(&d)
	for level := range d.Levels {
		bytes := m.Level(level)
		for at := 0; at < len(bytes); at += 4 {
			binary.LittleEndian.PutUint32(bytes[at:], math.Float32bits(random.Float32()))
		}
	}
	return m
}

// texelOf reads the green channel by the documented layout.
func texelOf(m *Image, level, z, y, x int) float64 {
	w, h, _ := m.LevelSize(uint32(level))
	at := 8 * ((z*int(h)+y)*int(w) + x)
	return float64(math.Float32frombits(binary.LittleEndian.Uint32(m.Level(uint32(level))[at+4:])))
}

// fold finds the texel that a position in the plane shows, step by step.
func fold(mode AddressMode, i, n int) int {
	for i < 0 || i >= n {
		switch {
		case mode == Repeat && i < 0:
			i += n
		case mode == Repeat:
			i -= n
		case mode == MirrorRepeat && i < 0:
			i = -1 - i
		case mode == MirrorRepeat:
			i = 2*n - 1 - i
		case i < 0:
			i = 0
		default:
			i = n - 1
		}
	}
	return i
}

// weights returns the weight of each position along an axis.
func weights(filter Filter, coordinate float64, n, offset int) map[int]float64 {
	at := coordinate*float64(n) + float64(offset)
	all := map[int]float64{}
	for i := int(at) - 3; i <= int(at)+3; i++ {
		distance := math.Abs(at - (float64(i) + 0.5))
		if filter == Linear && distance < 1 {
			all[i] = 1 - distance
		}
		if filter == Nearest && float64(i) <= at && at < float64(i+1) {
			all[i] = 1
		}
	}
	return all
}

func reference(m *Image, s *Sampler, filter Filter, l *Lookup, level, layer int) (sum float64) {
	w, h, d := m.LevelSize(uint32(level))
	size := [3]int{int(w), int(h), int(d)}
	var along [3]map[int]float64
	for axis := range along {
		along[axis] = map[int]float64{0: 1}
		if axis < int(m.Dimension) {
			along[axis] = weights(filter, float64(l.Coordinates[axis]), size[axis], int(l.Offset[axis]))
		}
	}
	wrap := func(axis, i int) int { return fold(s.Address[axis], i, size[axis]) }
	for x, wx := range along[0] {
		for y, wy := range along[1] {
			for z, wz := range along[2] {
				sum += wx * wy * wz * texelOf(m, level, wrap(2, z)+layer, wrap(1, y), wrap(0, x))
			}
		}
	}
	return sum
}

func green(t Texel) float64 { return float64(math.Float32frombits(uint32(t[1]))) }

func TestSample(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	shapes := []struct {
		shape Shape
		d     Description
	}{
		{Sampled1D, Description{Dimension: D1, Width: 13, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}},
		{Sampled2D, Description{Dimension: D2, Width: 13, Height: 6, Depth: 1, Layers: 1, Levels: 4, Samples: 1}},
		{Sampled2DArray, Description{Dimension: D2, Width: 5, Height: 9, Depth: 1, Layers: 3, Levels: 3, Samples: 1}},
		{Sampled3D, Description{Dimension: D3, Width: 6, Height: 3, Depth: 7, Layers: 1, Levels: 3, Samples: 1}},
	}
	for n := range 40000 {
		c := &shapes[n%len(shapes)]
		m := noise(c.d, random)
		first := uint32(random.IntN(int(c.d.Levels)))
		h := Handle{Image: m, Level: first, Levels: uint32(random.IntN(int(c.d.Levels-first) + 1))}
		count := int(c.d.Levels - first)
		if h.Levels != 0 {
			count = int(h.Levels)
		}
		filter, mipmap := Filter(random.IntN(2)), Filter(random.IntN(2))
		s := Sampler{Magnify: filter, Minify: filter, Mipmap: mipmap, HighestLevel: 10}
		l := Lookup{Layer: uint32(random.IntN(5)), Detail: float32(random.Float64()*5 - 1)}
		for axis := range l.Coordinates {
			s.Address[axis] = AddressMode(random.IntN(3))
			// away from where nearest changes
			l.Coordinates[axis] = float32(random.IntN(6144)-2048)/2048 + 1.0/65536
			if axis < int(c.d.Dimension) {
				l.Offset[axis] = int32(random.IntN(16) - 8)
			}
		}
		layer := 0
		if c.shape == Sampled2DArray {
			layer = int(min(l.Layer, 2))
		}
		detail := math.Min(math.Max(float64(l.Detail), 0), float64(count-1))
		want := 0.0
		if mipmap == Nearest {
			if math.Abs(detail-math.Floor(detail)-0.5) < 1e-3 {
				continue
			}
			want = reference(m, &s, filter, &l, int(first)+int(math.Round(detail)), layer)
		} else {
			low := math.Floor(detail)
			high := math.Min(low+1, float64(count-1))
			want = (1-(detail-low))*reference(m, &s, filter, &l, int(first)+int(low), layer) +
				(detail-low)*reference(m, &s, filter, &l, int(first)+int(high), layer)
		}
		if got := green(h.Sample(c.shape, &s, &l)); math.Abs(got-want) > 1e-4 {
			t.Fatalf("%s, %+v, %+v, levels %d..+%d: got %v, want %v", c.shape, s, l, first, count, got, want)
		}
	}
}

// TestMagnifyAndMinify: the filter follows from the level of detail after the
// sampler's limits.
func TestMagnifyAndMinify(t *testing.T) {
	d := Description{Dimension: D1, Format: R32Float, Width: 2, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	m := NewImage(&d)
	binary.LittleEndian.PutUint32(m.Level(0)[4:], math.Float32bits(1))
	for _, c := range []struct {
		detail, low, high float32
		want              float64
	}{{-1, 0, 9, 0.5}, {0, 0, 9, 0.5}, {0.1, 0, 9, 1}, {0.1, 0, 0, 0.5}, {0, 2, 9, 1}, {float32(math.NaN()), 0, 9, 0.5}} {
		s := Sampler{Magnify: Linear, Minify: Nearest, LowestLevel: c.low, HighestLevel: c.high}
		h := Handle{Image: m}
		got := value(h.Sample(Sampled1D, &s, &Lookup{Coordinates: [3]float32{0.5}, Detail: c.detail})[0])
		if got != c.want {
			t.Errorf("%+v: got %v", c, got)
		}
	}
}

// TestCoordinatesStayInside samples at NaN, infinite, huge and tiny coordinates.
func TestCoordinatesStayInside(t *testing.T) {
	random := rand.New(rand.NewPCG(3, 4))
	m := noise(Description{Dimension: D2, Width: 3, Height: 3, Depth: 1, Layers: 6, Levels: 2, Samples: 1}, random)
	h := Handle{Image: m}
	values := []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1)), math.MaxFloat32, -math.MaxFloat32, 0, 1e-45, 1, -1, 1e10}
	for n := range 30000 {
		pick := func() float32 { return values[random.IntN(len(values))] }
		l := Lookup{Coordinates: [3]float32{pick(), pick(), pick()}, Layer: random.Uint32(), Detail: pick(),
			GradientX: [3]float32{pick(), pick(), pick()}, GradientY: [3]float32{pick(), pick(), pick()}, Component: 3}
		s := Sampler{Address: [3]AddressMode{AddressMode(n % 3), AddressMode(n / 3 % 3)}, Magnify: Filter(n & 1), Minify: Filter(n >> 1 & 1),
			Mipmap: Filter(n >> 2 & 1), LowestLevel: pick(), HighestLevel: pick()}
		for _, shape := range []Shape{Sampled2DArray, SampledCube} {
			h.Sample(shape, &s, &l)
			h.SampleGradient(shape, &s, &l)
			h.Gather(shape, &s, &l)
		}
	}
}

// figure returns the direction of a point of a cube's face. The axes of each face are those of the
// figure in the WebGPU specification: outwards, to the right and down.
var figure = [6][3][3]float64{
	{{1, 0, 0}, {0, 0, -1}, {0, -1, 0}},
	{{-1, 0, 0}, {0, 0, 1}, {0, -1, 0}},
	{{0, 1, 0}, {1, 0, 0}, {0, 0, 1}},
	{{0, -1, 0}, {1, 0, 0}, {0, 0, -1}},
	{{0, 0, 1}, {1, 0, 0}, {0, -1, 0}},
	{{0, 0, -1}, {-1, 0, 0}, {0, -1, 0}},
}

// toward returns the direction of a point of a face, whose coordinates go from
// 0 to 1; beyond that it stays in the plane.
func toward(face int, x, y float64) (d [3]float64) {
	for n := range d {
		d[n] = figure[face][0][n] + (2*x-1)*figure[face][1][n] + (2*y-1)*figure[face][2][n]
	}
	return d
}

func narrow(d [3]float64) [3]float32 { return [3]float32{float32(d[0]), float32(d[1]), float32(d[2])} }

// TestCubeFaces samples the middle of every texel of a cube.
func TestCubeFaces(t *testing.T) {
	const n = 5
	random := rand.New(rand.NewPCG(5, 6))
	m := noise(Description{Dimension: D2, Width: n, Height: n, Depth: 1, Layers: 12, Levels: 1, Samples: 1}, random)
	h := Handle{Image: m}
	for _, filter := range []Filter{Nearest, Linear} {
		s := Sampler{Magnify: filter, Minify: filter}
		for face := range 6 {
			for y := range n {
				for x := range n {
					d := narrow(toward(face, (float64(x)+0.5)/n, (float64(y)+0.5)/n))
					for k := range d {
						d[k] *= 3
					}
					got := green(h.Sample(SampledCubeArray, &s, &Lookup{Coordinates: d, Layer: 1}))
					if want := texelOf(m, 0, 6+face, y, x); math.Abs(got-want) > 1e-5 {
						t.Fatalf("face %d, texel (%d, %d), filter %s: got %v, want %v", face, x, y, filter, got, want)
					}
				}
			}
		}
	}
}

// TestCubeEdges compares the texel beyond each edge with the nearest of all
// others by direction, for several sizes.
func TestCubeEdges(t *testing.T) {
	for _, n := range []int{1, 2, 3, 8, 17} {
		for face := range 6 {
			for k := range n {
				for _, at := range [][2]int{{-1, k}, {n, k}, {k, -1}, {k, n}} {
					d := toward(face, (float64(at[0])+0.5)/float64(n), (float64(at[1])+0.5)/float64(n))
					best, want := -2.0, [3]int{}
					for other := range 6 {
						for y := range n {
							for x := range n {
								e := toward(other, (float64(x)+0.5)/float64(n), (float64(y)+0.5)/float64(n))
								// A point beyond the edge belongs to the face that its line meets.
								if c := cosine(d, e); other != face && c > best {
									best, want = c, [3]int{other, x, y}
								}
							}
						}
					}
					neighbour, x, y := AcrossEdge(uint8(face), int32(at[0]), int32(at[1]), int32(n))
					if got := [3]int{int(neighbour), int(x), int(y)}; got != want {
						t.Errorf("size %d, face %d, texel %v: got %v, want %v", n, face, at, got, want)
					}
				}
			}
		}
	}
}

func cosine(a, b [3]float64) float64 {
	dot := func(a, b [3]float64) float64 { return a[0]*b[0] + a[1]*b[1] + a[2]*b[2] }
	return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b))
}

// TestCubeIsSeamless samples closely on both sides of edges and around corners.
func TestCubeIsSeamless(t *testing.T) {
	const n = 4
	random := rand.New(rand.NewPCG(7, 8))
	m := noise(Description{Dimension: D2, Width: n, Height: n, Depth: 1, Layers: 6, Levels: 1, Samples: 1}, random)
	h, s := Handle{Image: m}, Sampler{Magnify: Linear}
	at := func(d [3]float64) float64 { return green(h.Sample(SampledCube, &s, &Lookup{Coordinates: narrow(d)})) }
	for face := range 6 {
		for k := range 101 {
			along := float64(k) / 100
			for _, edge := range [][2][2]float64{{{1e-6, along}, {-1e-6, along}}, {{1 - 1e-6, along}, {1 + 1e-6, along}}, {{along, 1e-6}, {along, -1e-6}}, {{along, 1 - 1e-6}, {along, 1 + 1e-6}}} {
				a, b := at(toward(face, edge[0][0], edge[0][1])), at(toward(face, edge[1][0], edge[1][1]))
				if math.Abs(a-b) > 1e-4 {
					t.Fatalf("face %d at %v: %v on one side, %v on the other", face, edge, a, b)
				}
			}
		}
	}
	// +x, +y, +z
	corner := (texelOf(m, 0, 0, 0, 0) + texelOf(m, 0, 2, n-1, n-1) + texelOf(m, 0, 4, 0, n-1)) / 3
	if got := at([3]float64{1, 1, 1}); math.Abs(got-corner) > 1e-5 {
		t.Errorf("the corner is %v, want the mean %v", got, corner)
	}
	g := h.Gather(SampledCube, &s, &Lookup{Coordinates: [3]float32{1, 1, 1}, Component: 1})
	// on +z: below left is inside
	want := [4]float64{texelOf(m, 0, 4, 0, n-1), texelOf(m, 0, 0, 0, 0), corner, texelOf(m, 0, 2, n-1, n-1)}
	for k := range want {
		if got := float64(math.Float32frombits(uint32(g[k]))); math.Abs(got-want[k]) > 1e-5 {
			t.Errorf("component %d of a gather at the corner is %v, want %v (%v)", k, got, want[k], want)
		}
	}
}

func TestCubeGradient(t *testing.T) {
	const n = 256
	d := Description{Dimension: D2, Format: R8Unorm, Width: n, Height: n, Depth: 1, Layers: 6, Levels: 9, Samples: 1}
	h := Handle{Image: NewImage(&d)}
	random := rand.New(rand.NewPCG(9, 10))
	for range 1000 {
		face := random.IntN(6)
		x, y := 0.1+0.8*random.Float64(), 0.1+0.8*random.Float64()
		scale := 0.5 + random.Float64()
		// A step on the face, and one along the line of sight, which changes nothing.
		dx, dy, sight := random.NormFloat64()*0.01, random.NormFloat64()*0.01, random.NormFloat64()
		from, to := toward(face, x, y), toward(face, x+dx, y+dy)
		var l Lookup
		for k := range from {
			l.Coordinates[k] = float32(scale * from[k])
			l.GradientX[k] = float32(scale * (to[k] - from[k] + sight*from[k]))
		}
		want := math.Log2(n * math.Hypot(dx, dy))
		if got := h.Detail(SampledCube, &l); math.Abs(float64(got)-want) > 1e-3 {
			t.Fatalf("face %d: got %v, want %v", face, got, want)
		}
	}
}

func TestCompare(t *testing.T) {
	nan := math.NaN()
	for _, c := range []struct {
		function Compare
		want     string // for a reference below, at, above the texel, and a NaN
	}{{Never, "0000"}, {Less, "1000"}, {Equal, "0100"}, {LessEqual, "1100"}, {Greater, "0010"}, {NotEqual, "1011"}, {GreaterEqual, "0110"}, {Always, "1111"}} {
		for n, reference := range []float64{0.25, 0.5, 0.75, nan} {
			if got := c.function.Holds(float32(reference), 0.5); got != (c.want[n] == '1') {
				t.Errorf("%s of %v and 0.5: %v", c.function, reference, got)
			}
		}
	}
	// Numbers of 16 bits are compared with a reference from 0 to 1.
	d := Description{Dimension: D2, Format: Depth16Unorm, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1}
	h := Handle{Image: NewImage(&d)}
	s := Sampler{Compare: Equal}
	if got := h.SampleCompare(Depth2D, &s, &Lookup{Reference: -3}); got != 1 {
		t.Errorf("-3 against 0 of depth16unorm: %v", got)
	}
	d.Format = Depth32Float
	h.Image = NewImage(&d)
	if got := h.SampleCompare(Depth2D, &s, &Lookup{Reference: -3}); got != 0 {
		t.Errorf("-3 against 0 of depth32float: %v", got)
	}
}

// TestConstantImage: equal texels yield their value, whatever the weights.
func TestConstantImage(t *testing.T) {
	d := Description{Dimension: D2, Format: RGBA8Unorm, Width: 7, Height: 7, Depth: 1, Layers: 1, Levels: 3, Samples: 1}
	m := NewImage(&d)
	for level := range d.Levels {
		for n := range m.Level(level) {
			m.Level(level)[n] = 77
		}
	}
	h := Handle{Image: m}
	random := rand.New(rand.NewPCG(11, 12))
	for range 10000 {
		l := Lookup{Coordinates: [3]float32{random.Float32(), random.Float32()}, Detail: 2 * random.Float32()}
		if got := h.Sample(Sampled2D, &Smooth, &l); got != m.Format.Decode(m.Level(0)) {
			t.Fatalf("%+v: got %x", l, got)
		}
	}
}

func TestLookupsDoNotAllocate(t *testing.T) {
	random := rand.New(rand.NewPCG(13, 14))
	m := noise(Description{Dimension: D2, Width: 4, Height: 4, Depth: 1, Layers: 6, Levels: 2, Samples: 1}, random)
	h, l := Handle{Image: m}, Lookup{Coordinates: [3]float32{0.9, 1, 0.99}, Detail: 0.5}
	if n := testing.AllocsPerRun(100, func() {
		h.Load(Sampled2DArray, &TexelAddress{X: 9})
		h.Sample(SampledCube, &Smooth, &l)
		h.SampleGradient(Sampled2DArray, &Smooth, &l)
		h.Gather(SampledCube, &Smooth, &l)
	}); n != 0 {
		t.Errorf("%v allocations", n)
	}
}
