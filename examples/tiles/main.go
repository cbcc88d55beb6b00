// Tiles computes a layer of a network, a product of bytes, a convolution and causal attention on a
// GPU, or on the processor if there is none:
//
//	go run ./examples/tiles            with small matrices
//	go run ./examples/tiles -n 4096    with matrices of 4096 rows, and heads of as many tokens
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"log"
	"math"
	"os"
	"time"

	"github.com/gpuc/gpuc/runtime/gpu"
)

func main() {
	n := flag.Int("n", 256, "rows of the matrices and tokens of a head, a multiple of 128")
	flag.Parse()
	device, err := gpu.Open(gpu.AllowCPU())
	if err != nil {
		log.Fatal(err)
	}
	defer device.Close()
	if err := run(os.Stdout, device, *n); err != nil {
		log.Fatal(err)
	}
}

// numbers returns numbers between -1 and 1.
func numbers(n int, seed uint32) []gpu.Float16 {
	list := make([]gpu.Float16, n)
	for i := range list {
		seed = seed*1664525 + 1013904223
		list[i] = gpu.ToFloat16(float32(int32(seed)) / (1 << 31))
	}
	return list
}

// example runs a kernel for a size of main. It prints the rate, and how far some of the results
// are from float64.
type example func(w io.Writer, device *gpu.Device, n int) error

// run runs all kernels on the device.
func run(w io.Writer, device *gpu.Device, n int) error {
	if n < Queries || n%Queries != 0 {
		return fmt.Errorf("%d is no multiple of %d", n, Queries)
	}
	for _, e := range []example{layer, product, convolution, attention} {
		if err := e(w, device, n); err != nil {
			return err
		}
	}
	return nil
}

// groups are workgroups, which take tiles until there are no more.
var groups = gpu.D1(1024)

// layer runs Gemm.
func layer(w io.Writer, device *gpu.Device, n int) error {
	ctx := context.Background()
	a, b, bias, c := numbers(n*n, 1), numbers(n*n, 2), make([]float32, n), make([]gpu.Float16, n*n)
	for i := range bias {
		bias[i] = float32(i%7) / 8
	}
	rate, err := measured(device, func(s *gpu.Stream) (launch func() error, err error) {
		left, err1 := gpu.Upload(ctx, device, a)
		right, err2 := gpu.Upload(ctx, device, b)
		add, err3 := gpu.Upload(ctx, device, bias)
		to, err4 := gpu.Upload(ctx, device, c)
		launch = func() error {
			return LaunchGemm(s, groups, gpu.MatrixOf(left, n, n), gpu.MatrixOf(right, n, n), add, gpu.MatrixOf(to, n, n))
		}
		return launch, errors.Join(err1, err2, err3, err4)
	})
	if err == nil {
		err = RunGemm(ctx, device, groups, gpu.NewMatrix(a, n, n), gpu.NewMatrix(b, n, n), bias, gpu.NewMatrix(c, n, n))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: gelu(a·b + bias) of %d rows: %.1f GFLOP/s, error %.1g\n", device.Info().Name, n,
		2*math.Pow(float64(n), 3)*rate/1e9, gemmError(n, a, b, bias, c))
	return nil
}

// product runs ProductI8.
func product(w io.Writer, device *gpu.Device, n int) error {
	ctx := context.Background()
	a, b, c := make([]int8, n*n), make([]int8, n*n), make([]int32, n*n)
	for i := range a {
		a[i], b[i] = int8(i*i>>3), int8(i*5>>2)
	}
	rate, err := measured(device, func(s *gpu.Stream) (launch func() error, err error) {
		left, err1 := gpu.Upload(ctx, device, a)
		right, err2 := gpu.Upload(ctx, device, b)
		to, err3 := gpu.Upload(ctx, device, c)
		launch = func() error {
			return LaunchProductI8(s, groups, gpu.MatrixOf(left, n, n), gpu.MatrixOf(right, n, n), gpu.MatrixOf(to, n, n))
		}
		return launch, errors.Join(err1, err2, err3)
	})
	if err == nil {
		err = RunProductI8(ctx, device, groups, gpu.NewMatrix(a, n, n), gpu.NewMatrix(b, n, n), gpu.NewMatrix(c, n, n))
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: a·bᵀ of bytes, %d rows: %.1f GOP/s, error %d\n", device.Info().Name, n, 2*math.Pow(float64(n), 3)*rate/1e9, productError(n, a, b, c))
	return nil
}

// The images of convolution.
const images, channels = 2, 64

// convolution runs Convolution for images of (n/16)² pixels.
func convolution(w io.Writer, device *gpu.Device, n int) error {
	ctx := context.Background()
	side := n / 16
	pixels := images * side * side
	x, weights, y := numbers(pixels*channels, 6), numbers(9*channels*channels, 7), make([]gpu.Float16, pixels*channels)
	rate, err := measured(device, func(s *gpu.Stream) (launch func() error, err error) {
		from, err1 := gpu.Upload(ctx, device, x)
		by, err2 := gpu.Upload(ctx, device, weights)
		to, err3 := gpu.Upload(ctx, device, y)
		launch = func() error {
			return LaunchConvolution(s, groups, gpu.TensorOf(from, images, side, side, channels), gpu.MatrixOf(by, 9*channels, channels), gpu.MatrixOf(to, pixels, channels),
				ConvolutionVariant{Features: channels})
		}
		return launch, errors.Join(err1, err2, err3)
	})
	if err == nil {
		err = RunConvolution(ctx, device, groups, gpu.NewTensor(x, images, side, side, channels), gpu.NewMatrix(weights, 9*channels, channels),
			gpu.NewMatrix(y, pixels, channels), ConvolutionVariant{Features: channels})
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: convolution of %d × %d pixels: %.1f GFLOP/s, error %.1g\n", device.Info().Name, side, side,
		2*float64(pixels)*9*channels*channels*rate/1e9, convolutionError(side, x, weights, y))
	return nil
}

// attention runs Attention.
func attention(w io.Writer, device *gpu.Device, n int) error {
	const heads = 2
	ctx := context.Background()
	q, k, v, o := numbers(heads*n*Head, 3), numbers(heads*n*Head, 4), numbers(heads*n*Head, 5), make([]gpu.Float16, heads*n*Head)
	scale := float32(1 / math.Sqrt(Head))
	blocks := gpu.D1(uint32(heads * n / Queries))
	rate, err := measured(device, func(s *gpu.Stream) (launch func() error, err error) {
		var list [4]*gpu.Buffer[gpu.Float16]
		for i, x := range [...][]gpu.Float16{q, k, v, o} {
			if list[i], err = gpu.Upload(ctx, device, x); err != nil {
				return nil, err
			}
		}
		of := func(i int) gpu.MatrixBuffer[gpu.Float16] { return gpu.MatrixOf(list[i], heads*n, Head) }
		return func() error { return LaunchAttention(s, blocks, of(0), of(1), of(2), of(3), int32(n), scale) }, nil
	})
	of := func(x []gpu.Float16) gpu.Matrix[gpu.Float16] { return gpu.NewMatrix(x, heads*n, Head) }
	if err == nil {
		err = RunAttention(ctx, device, blocks, of(q), of(k), of(v), of(o), int32(n), scale)
	}
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%s: attention of %d heads and %d tokens: %.1f GFLOP/s, error %.1g\n", device.Info().Name, heads, n,
		2*heads*float64(n)*float64(n)*Head*rate/1e9, attentionError(n, q, k, v, o))
	return nil
}

// measured returns how often a second the device does a launch. The first one loads the kernel and
// is not measured.
func measured(device *gpu.Device, prepare func(s *gpu.Stream) (launch func() error, err error)) (float64, error) {
	s, err := device.NewStream()
	if err != nil {
		return 0, err
	}
	defer s.Close()
	launch, err := prepare(s)
	if err != nil {
		return 0, err
	}
	if err := errors.Join(launch(), s.Wait(context.Background())); err != nil {
		return 0, err
	}
	start := time.Now()
	err = errors.Join(launch(), s.Wait(context.Background()))
	return 1 / time.Since(start).Seconds(), err
}
