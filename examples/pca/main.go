// Pca finds the principal components of pictures of handwritten digits by a singular value
// decomposition, on a GPU, or on the processor if there is none:
//
//	go run ./examples/pca
//
// and writes pca.png. A digit of 8 × 8 pixels is a point in a space of 64 dimensions. On the left
// are 1,797 of them in the plane of the two components in which they differ most. Each class has a
// color, and digits of one class are close to each other. On the right are the first eight
// components as pictures: gray is zero, and what is brighter or darker adds to or takes from a
// digit.
//
// The digits are those of scikit-learn (testdata/make.py).
package main

import (
	"bytes"
	"compress/gzip"
	"context"
	_ "embed"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"io"
	"log"
	"math"
	"os"

	"github.com/gpuc/gpuc/kernels/linalg"
	"github.com/gpuc/gpuc/runtime/gpu"
)

//go:embed testdata/digits.gz
var compressed []byte

const (
	digits = 1797
	side   = 8 // pixels of a digit
	pixels = side * side
)

func main() {
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := run(os.Stdout, device); err != nil {
		log.Fatal(err)
	}
}

func run(w io.Writer, device *gpu.Device) error {
	points, classes, err := load()
	if err != nil {
		return err
	}
	c, err := analyse(device, points)
	if err != nil {
		return err
	}
	f, err := os.Create("pca.png")
	if err != nil {
		return err
	}
	if err := errors.Join(png.Encode(f, draw(c, classes)), f.Close()); err != nil {
		return err
	}
	fmt.Fprintf(w, "pca.png shows %.1f %% of the variance of %d digits in two dimensions of %d, on %s\n", 100*(c.shares[0]+c.shares[1]), digits, pixels, device.Info().Name)
	return nil
}

// load returns the digits, each less the mean of all, and their classes.
func load() (points []float32, classes []byte, err error) {
	r, err := gzip.NewReader(bytes.NewReader(compressed))
	if err != nil {
		return nil, nil, err
	}
	data, err := io.ReadAll(r)
	if err != nil {
		return nil, nil, err
	}
	points, classes = make([]float32, digits*pixels), data[digits*pixels:]
	for j := range pixels {
		sum := 0
		for i := range digits {
			sum += int(data[i*pixels+j])
		}
		for i := range digits {
			points[i*pixels+j] = float32(float64(data[i*pixels+j]) - float64(sum)/digits)
		}
	}
	return points, classes, nil
}

// components are the principal components of points.
type components struct {
	// vectors has a component in each column, of 64 × 64 elements.
	vectors []float32
	// positions has the coordinates of each point in the first two of them.
	positions []float32
	// values are the singular values, and shares those of the variance.
	values, shares []float32
}

// analyse finds the components: the right singular vectors of the matrix with a point in each row.
func analyse(device *gpu.Device, points []float32) (c components, err error) {
	ctx := context.Background()
	s, err := device.NewStream()
	if err != nil {
		return c, err
	}
	defer s.Close()
	data, err1 := gpu.Upload(ctx, device, points)
	right, err2 := gpu.Alloc[float32](s, pixels*pixels)
	values, err3 := gpu.Alloc[float32](s, pixels)
	plane, err4 := gpu.Alloc[float32](s, digits*2)
	info, err5 := gpu.Alloc[int32](s, 1)
	if err := errors.Join(err1, err2, err3, err4, err5); err != nil {
		return c, err
	}
	defer func() {
		err = errors.Join(err, data.Close(), right.Close(), values.Close(), plane.Close(), info.Close())
	}()
	x, v := gpu.MatrixOf(data, digits, pixels), gpu.MatrixOf(right, pixels, pixels)
	if err := errors.Join(
		linalg.SVD(s, x, gpu.MatrixBuffer[float32]{}, values, v, info),
		linalg.Gemm(s, 1, x, v.Sub(0, 0, pixels, 2), 0, gpu.MatrixOf(plane, digits, 2)),
	); err != nil {
		return c, err
	}
	c = components{make([]float32, pixels*pixels), make([]float32, digits*2), make([]float32, pixels), make([]float32, pixels)}
	var failed [1]int32
	if err := errors.Join(right.Read(ctx, s, c.vectors), plane.Read(ctx, s, c.positions), values.Read(ctx, s, c.values), info.Read(ctx, s, failed[:])); err != nil {
		return c, err
	}
	if failed[0] != 0 {
		return c, fmt.Errorf("the singular values have not converged: %d", failed[0])
	}
	sum := float32(0)
	for _, x := range c.values {
		sum += x * x
	}
	for k, x := range c.values {
		c.shares[k] = x * x / sum
	}
	return c, nil
}

// colors are those of the classes.
var colors = [10]color.RGBA{
	{31, 119, 180, 255}, {255, 127, 14, 255}, {44, 160, 44, 255}, {214, 39, 40, 255}, {148, 103, 189, 255},
	{140, 86, 75, 255}, {227, 119, 194, 255}, {90, 90, 90, 255}, {188, 189, 34, 255}, {23, 190, 207, 255},
}

const (
	size    = 640 // of the plane, in pixels
	zoom    = 18  // pixels of a component's pixel
	margin  = 12
	shown   = 8 // components, in two columns
	columns = 2
)

// draw returns the picture of the points in the plane and of the first components.
func draw(c components, classes []byte) *image.RGBA {
	each := zoom*side + margin
	m := image.NewRGBA(image.Rect(0, 0, size+columns*each+margin, size))
	for i := range m.Pix {
		m.Pix[i] = 255
	}
	most := 0.0
	for _, x := range c.positions {
		most = max(most, math.Abs(float64(x)))
	}
	for i, class := range classes {
		x := size/2 + int(float64(c.positions[2*i])/most*(size/2-margin))
		y := size/2 - int(float64(c.positions[2*i+1])/most*(size/2-margin))
		for dy := -2; dy <= 2; dy++ {
			for dx := -2; dx <= 2; dx++ {
				if dx*dx+dy*dy <= 5 {
					m.SetRGBA(x+dx, y+dy, colors[class])
				}
			}
		}
	}
	for k := range shown {
		left, top := size+k%columns*each+margin, k/columns*each+margin
		greatest := 0.0
		for j := range pixels {
			greatest = max(greatest, math.Abs(float64(c.vectors[j*pixels+k])))
		}
		for y := range zoom * side {
			for x := range zoom * side {
				v := float64(c.vectors[(y/zoom*side+x/zoom)*pixels+k]) / greatest
				gray := uint8(math.Round(127.5 + 127.5*v))
				m.SetRGBA(left+x, top+y, color.RGBA{gray, gray, gray, 255})
			}
		}
	}
	return m
}
