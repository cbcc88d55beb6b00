// Tiles computes a layer of a network and causal attention on a GPU, or on the processor if there
// is none:
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

// run runs both kernels on the device, and prints their rates and how far some of the results are
// from float64.
func run(w io.Writer, device *gpu.Device, n int) error {
	const heads = 2
	if n < Queries || n%Queries != 0 {
		return fmt.Errorf("%d is no multiple of %d", n, Queries)
	}
	ctx := context.Background()
	a, b, bias, c := numbers(n*n, 1), numbers(n*n, 2), make([]float32, n), make([]gpu.Float16, n*n)
	for i := range bias {
		bias[i] = float32(i%7) / 8
	}
	groups := gpu.D1(1024) // workgroups take tiles until there are no more
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

	q, k, v, o := numbers(heads*n*Head, 3), numbers(heads*n*Head, 4), numbers(heads*n*Head, 5), make([]gpu.Float16, heads*n*Head)
	scale := float32(1 / math.Sqrt(Head))
	blocks := gpu.D1(uint32(heads * n / Queries))
	rate, err = measured(device, func(s *gpu.Stream) (launch func() error, err error) {
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
