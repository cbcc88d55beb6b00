// Kmeans paints a picture with eight colours, on a GPU, or on the processor if there is none:
//
//	go run ./examples/kmeans
//	go run ./examples/kmeans photo.jpg 16
//
// and writes kmeans.png: the picture, the same in the colours, and how much of it each colour has.
// Without a picture, PNG or JPEG, it draws an evening at the sea. The colours are those that the
// k-means algorithm finds (Lloyd, "Least squares quantization in PCM", 1982). Distances are a
// product of matrices, and the means are sums of segments of sorted pixels. All devices find the
// same colours, to the bit.
package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	_ "image/jpeg"
	"image/png"
	"io"
	"log"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strconv"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/kernels/seq"
	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := run(os.Stdout, device, os.Args[1:]); err != nil {
		log.Fatal(err)
	}
}

// run paints the picture that the first argument names, or its own, with as many colours as the
// second one says.
func run(w io.Writer, device *gpu.Device, arguments []string) error {
	picture, count := image.Image(evening(400, 300)), 8
	if len(arguments) > 0 {
		file, err := os.Open(arguments[0])
		if err != nil {
			return err
		}
		defer file.Close()
		if picture, _, err = image.Decode(file); err != nil {
			return fmt.Errorf("%s: %w", arguments[0], err)
		}
	}
	if len(arguments) > 1 {
		n, err := strconv.Atoi(arguments[1])
		if err != nil || n < 1 || n > 256 {
			return fmt.Errorf("%q colours: a number from 1 to 256 is possible", arguments[1])
		}
		count = n
	}
	points := pixels(picture)
	result, err := cluster(context.Background(), device, points, count)
	if err != nil {
		return err
	}
	file, err := os.Create("kmeans.png")
	if err != nil {
		return err
	}
	if err := png.Encode(file, result.paint(picture.Bounds().Size(), points)); err != nil {
		return err
	}
	fmt.Fprintf(w, "kmeans.png has %d colours, after %d iterations on %s; they are %.1f of 255 away from the pixels\n",
		count, result.iterations, device.Info().Name, 255*math.Sqrt(result.error/float64(points.len())))
	return file.Close()
}

// points are red, green and blue of all pixels, from 0 to 1, and then as many ones.
type points []float32

func (p points) len() int { return len(p) / 4 }

func (p points) at(i int) (c [3]float32) {
	for k := range c {
		c[k] = p[k*p.len()+i]
	}
	return c
}

func pixels(picture image.Image) points {
	b := picture.Bounds()
	n := b.Dx() * b.Dy()
	p := make(points, 4*n)
	for i := range n {
		c := color.NRGBAModel.Convert(picture.At(b.Min.X+i%b.Dx(), b.Min.Y+i/b.Dx())).(color.NRGBA)
		p[i], p[n+i], p[2*n+i], p[3*n+i] = float32(c.R)/255, float32(c.G)/255, float32(c.B)/255, 1
	}
	return p
}

// clusters are colours, which of them is the nearest of each pixel, how many pixels each has, and
// the sum of the squares of the distances.
type clusters struct {
	colours    [][3]float32
	nearest    []int32
	sizes      []uint32
	iterations int
	error      float64
}

// seeds chooses colours of pixels, each with a probability that grows with the square of its
// distance from those before. (Arthur and Vassilvitskii, "k-means++: the advantages of careful
// seeding", 2007)
func seeds(p points, count int) (list [][3]float32) {
	r := rand.New(rand.NewPCG(1, 1))
	sample := make([][3]float32, min(p.len(), 2000))
	for i := range sample {
		sample[i] = p.at(r.IntN(p.len()))
	}
	far := make([]float64, len(sample))
	for i := range far {
		far[i] = math.Inf(1)
	}
	next := sample[0]
	for len(list) < count {
		list = append(list, next)
		sum := 0.0
		for i, c := range sample {
			far[i] = min(far[i], square(c, next))
			sum += far[i]
		}
		at := r.Float64() * sum
		for i, c := range sample {
			if next = c; at < far[i] {
				break
			}
			at -= far[i]
		}
	}
	return list
}

// square is the square of the distance of two colours.
func square(a, b [3]float32) (sum float64) {
	for k := range a {
		d := float64(a[k] - b[k])
		sum += d * d
	}
	return sum
}

// buffers are on the device. N pixels have distances to k colours.
type buffers struct {
	points, centers, distances *gpu.Buffer[float32]
	channels                   [3]*gpu.Buffer[float32] // parts of points
	nearest, keys              *gpu.Buffer[int32]
	values, sums               *gpu.Buffer[float32]
	numbers                    *gpu.Buffer[int32] // 0 to k
	sizes, offsets             *gpu.Buffer[uint32]
}

// cluster moves colours to the means of the pixels that they are the nearest of, until they stay.
func cluster(ctx context.Context, device *gpu.Device, p points, count int) (*clusters, error) {
	s, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer s.Close()
	n, k := p.len(), count
	numbers := make([]int32, k+1)
	for i := range numbers {
		numbers[i] = int32(i)
	}
	var b buffers
	var failed [9]error
	b.points, failed[0] = gpu.Upload(ctx, device, p)
	b.centers, failed[1] = gpu.Alloc[float32](device, 4*k)
	b.distances, failed[2] = gpu.Alloc[float32](device, n*k)
	b.nearest, failed[3] = gpu.Alloc[int32](device, n)
	b.keys, failed[4] = gpu.Alloc[int32](device, n)
	b.values, failed[5] = gpu.Alloc[float32](device, n)
	b.sums, failed[6] = gpu.Alloc[float32](device, k)
	b.sizes, failed[7] = gpu.Alloc[uint32](device, k+1) // and one that stays 0, for the scan
	b.offsets, failed[8] = gpu.Alloc[uint32](device, k+1)
	if err := errors.Join(failed[:]...); err != nil { // closing the device frees the others
		return nil, err
	}
	if b.numbers, err = gpu.Upload(ctx, device, numbers); err != nil {
		return nil, err
	}
	for c := range b.channels {
		if b.channels[c], err = gpu.Alloc[float32](device, n); err != nil {
			return nil, err
		}
		if err := b.channels[c].Write(s, p[c*n:(c+1)*n]); err != nil {
			return nil, err
		}
	}

	result := &clusters{colours: seeds(p, k), sizes: make([]uint32, k)}
	for moved := true; moved && result.iterations < 50; result.iterations++ {
		if err := b.assign(s, result.colours); err != nil {
			return nil, err
		}
		means, err := b.means(ctx, s, result)
		if err != nil {
			return nil, err
		}
		moved = false
		for i, c := range means {
			moved = moved || square(c, result.colours[i]) > 1e-8
		}
		result.colours = means
	}
	if err := b.assign(s, result.colours); err != nil {
		return nil, err
	}
	result.nearest = make([]int32, n)
	if err := b.nearest.Read(ctx, s, result.nearest); err != nil {
		return nil, err
	}
	clear(result.sizes)
	for i, c := range result.nearest {
		result.sizes[c]++
		result.error += square(p.at(i), result.colours[c])
	}
	return result, nil
}

// assign finds the nearest colour of each pixel: the one with the least |c|² − 2·x·c, which is the
// product of (x, 1) and (−2c, |c|²). The square of the distance has |x|² beside it, which is the
// same for all colours.
func (b *buffers) assign(s *gpu.Stream, colours [][3]float32) error {
	n, k := b.nearest.Len(), len(colours)
	rows := make([]float32, 0, 4*k)
	for _, c := range colours {
		rows = append(rows, -2*c[0], -2*c[1], -2*c[2], c[0]*c[0]+c[1]*c[1]+c[2]*c[2])
	}
	return errors.Join(
		b.centers.Write(s, rows),
		linalg.Gemm(s, 1, gpu.MatrixOf(b.points, 4, n).T(), gpu.MatrixOf(b.centers, k, 4).T(), 0, gpu.MatrixOf(b.distances, n, k), linalg.Strict()),
		seq.ArgMinAxis(s, b.distances, seq.Axis{Outer: n, N: k, Inner: 1}, b.nearest))
}

// means returns the means of the pixels of each colour, which are a segment of those that are
// sorted by their colours. A colour without pixels stays.
func (b *buffers) means(ctx context.Context, s *gpu.Stream, c *clusters) ([][3]float32, error) {
	means := slices.Clone(c.colours)
	sizes, err := b.sizes.Slice(0, len(means))
	if err != nil {
		return nil, err
	}
	if err := errors.Join(
		seq.HistogramRanges(s, b.nearest, b.numbers, sizes),
		seq.ScanExclusive(s, seq.Add, b.sizes, b.offsets),
		sizes.Read(ctx, s, c.sizes)); err != nil {
		return nil, err
	}
	sums := make([]float32, len(means))
	for k, channel := range b.channels {
		if err := errors.Join(
			gpu.Copy(s, b.keys, b.nearest), gpu.Copy(s, b.values, channel),
			seq.SortPairs(s, b.keys, b.values),
			seq.SegmentReduce(s, seq.Add, b.values, b.offsets, b.sums),
			b.sums.Read(ctx, s, sums)); err != nil {
			return nil, err
		}
		for i, size := range c.sizes {
			if size > 0 {
				means[i][k] = sums[i] / float32(size)
			}
		}
	}
	return means, nil
}

// paint draws the picture, the same in the colours, and a bar of those, from the most frequent on.
func (c *clusters) paint(size image.Point, p points) *image.NRGBA {
	of := func(c [3]float32) color.NRGBA {
		level := func(v float32) uint8 { return uint8(255*v + 0.5) }
		return color.NRGBA{level(c[0]), level(c[1]), level(c[2]), 255}
	}
	bar := max(size.Y/10, 1)
	result := image.NewNRGBA(image.Rect(0, 0, 2*size.X, size.Y+bar))
	for i, nearest := range c.nearest {
		x, y := i%size.X, i/size.X
		result.SetNRGBA(x, y, of(p.at(i)))
		result.SetNRGBA(size.X+x, y, of(c.colours[nearest]))
	}
	order := make([]int, len(c.colours))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return int(c.sizes[j]) - int(c.sizes[i]) })
	before := 0
	for _, i := range order {
		end := before + int(c.sizes[i])
		for x := 2 * size.X * before / len(c.nearest); x < 2*size.X*end/len(c.nearest); x++ {
			for y := range bar {
				result.SetNRGBA(x, size.Y+y, of(c.colours[i]))
			}
		}
		before = end
	}
	return result
}

// evening draws a sun above the sea, with its light on the waves.
func evening(width, height int) *image.NRGBA {
	p := image.NewNRGBA(image.Rect(0, 0, width, height))
	mix := func(a, b [3]float64, t float64) (c [3]float64) {
		t = min(max(t, 0), 1)
		for k := range c {
			c[k] = a[k] + (b[k]-a[k])*t
		}
		return c
	}
	for y := range height {
		for x := range width {
			u, v := float64(x)/float64(width)-0.5, float64(y)/float64(height)
			far := math.Hypot(u, (v-0.5)*0.75)
			c := mix([3]float64{255, 190, 90}, mix([3]float64{225, 90, 80}, [3]float64{50, 30, 90}, 2.2*far-0.4), 3*far)
			if far < 0.09 {
				c = [3]float64{255, 240, 190}
			}
			if v > 0.6 {
				deep := (v - 0.6) / 0.4
				wave := math.Sin(90*math.Sqrt(deep)+4*math.Sin(40*u*(1.2-deep))) * math.Sin(13*u/(deep+0.2)+1)
				c = mix([3]float64{150, 70, 95}, [3]float64{15, 25, 60}, 1.4*deep)
				if math.Abs(u) < 0.06+0.16*deep && wave > 0.25 {
					c = mix([3]float64{255, 210, 120}, c, 0.5*deep+2*math.Abs(u))
				}
			}
			p.SetNRGBA(x, y, color.NRGBA{uint8(c[0]), uint8(c[1]), uint8(c[2]), 255})
		}
	}
	return p
}
