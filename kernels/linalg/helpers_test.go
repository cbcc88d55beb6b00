package linalg

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"hash/fnv"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// onDevices runs a test on the processor, and on the first devices of CUDA and of Vulkan if there
// are any. Where compiling the kernels takes seconds there, that is a long test.
func onDevices(t *testing.T, long bool, test func(t *testing.T, s *gpu.Stream)) {
	t.Helper()
	list, err := gpu.Devices()
	if err != nil {
		t.Fatal(err)
	}
	before = map[string]string{}
	for _, name := range []string{gpu.CPU, gpu.CUDA, gpu.Vulkan} {
		t.Run(name, func(t *testing.T) {
			if long && name != gpu.CPU {
				testmode.Long(t)
			}
			for _, info := range list {
				if info.Driver == name {
					test(t, streamOf(t, gputest.Open(t, gpu.Named(info.ID()))))
					return
				}
			}
			t.Skip("skipped: no device of " + name)
		})
	}
}

// before has results of the device that ran the test before, by what they are.
var before = map[string]string{}

// same reports a result whose bits differ from those of the device before. A result has a name of
// its own.
func same[T any](r *source, what string, result []T) {
	r.t.Helper()
	if r.loose {
		return
	}
	r.results++
	what = fmt.Sprintf("%d, %d: %s", r.seed, r.results, what)
	list := any(slices.Clone(result))
	switch list := list.(type) {
	case []float32:
		oneNaN(list)
	case []float64:
		oneNaN(list)
	}
	hash := sha256.New()
	if err := binary.Write(hash, binary.LittleEndian, list); err != nil {
		r.t.Fatal(err)
	}
	now := fmt.Sprintf("%x", hash.Sum(nil))
	if first, ok := before[what]; ok && now != first {
		r.t.Errorf("%s: the bits are not those of the other device", what)
	}
	before[what] = now
}

// oneNaN replaces each NaN by the same one: which of them operations return depends on the device.
func oneNaN[T Real](list []T) {
	for n, x := range list {
		if x != x {
			list[n] = T(math.NaN())
		}
	}
}

// onCPU returns a stream of the processor.
func onCPU(t testing.TB) *gpu.Stream {
	t.Helper()
	return streamOf(t, gputest.Open(t, gpu.Named(gpu.CPU)))
}

func streamOf(t testing.TB, d *gpu.Device) *gpu.Stream {
	t.Helper()
	return must[*gpu.Stream](t)(d.NewStream())
}

// must returns a function that fails the test for an error, and returns the value otherwise.
func must[T any](t testing.TB) func(T, error) T {
	return func(v T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return v
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// source makes operands with random numbers, sizes and strides.
type source struct {
	*rand.Rand
	t       testing.TB
	s       *gpu.Stream
	seed    uint64
	results int
	loose   bool // whether devices may differ
}

func sourceOf(t testing.TB, s *gpu.Stream, seed uint64) *source {
	return &source{Rand: rand.New(rand.NewPCG(seed, 1)), t: t, s: s, seed: seed}
}

// of returns a source for one of several cases. Devices that run other cases have the same numbers
// for it, so that their results are compared.
func (r *source) of(what ...any) *source {
	h := fnv.New64a()
	fmt.Fprint(h, r.seed, what)
	return sourceOf(r.t, r.s, h.Sum64())
}

// some returns all of a list in long tests, and otherwise so many, by chance.
func some[E any](r *source, list []E, usual int) []E {
	if testmode.IsLong() || len(list) <= usual {
		return list
	}
	list = slices.Clone(list)
	r.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	return list[:usual]
}

// number is between −1 and 1, and a multiple of 2⁻¹⁰.
func (r *source) number() float64 { return float64(r.IntN(2049)-1024) / 1024 }

// operand is a matrix or a vector, as one row, and what its buffer had when it was made.
type operand[T Element] struct {
	gpu.MatrixBuffer[T]
	host []T
}

// vector returns the operand as a vector.
func (x operand[T]) vector() Vector[T] { return Vector[T]{x.Buffer, x.Offset, x.Cols, x.ColStride} }

// at returns an element as it was.
func (x operand[T]) at(i, j int) float64 { return wide(x.host[x.Offset+i*x.RowStride+j*x.ColStride]) }

// element returns an element of a vector as it was.
func (x operand[T]) element(i int) float64 { return x.at(0, i) }

func (x operand[T]) T() operand[T] { return operand[T]{x.MatrixBuffer.T(), x.host} }

// wide returns a number as a float64.
func wide[T Element](x T) float64 {
	switch x := any(x).(type) {
	case float32:
		return float64(x)
	case gpu.Float16:
		return float64(x.Float32())
	case gpu.BFloat16:
		return float64(x.Float32())
	}
	return any(x).(float64)
}

// round returns the nearest number of a type.
func round[T Element](x float64) (v T) {
	switch v := any(&v).(type) {
	case *float32:
		*v = float32(x)
	case *float64:
		*v = x
	case *gpu.Float16:
		*v = gpu.ToFloat16(float32(x))
	case *gpu.BFloat16:
		*v = gpu.ToBFloat16(float32(x))
	}
	return v
}

// epsilon is the distance from one to the next number of a type.
func epsilon[T Element]() float64 {
	var v T
	switch any(v).(type) {
	case float32:
		return 0x1p-23
	case float64:
		return 0x1p-52
	case gpu.Float16:
		return 0x1p-10
	}
	return 0x1p-7
}

// matrix makes a matrix of random numbers with random strides.
func matrix[T Element](r *source, rows, cols int) operand[T] {
	l := gpu.MatrixLayout{Rows: rows, Cols: cols, RowStride: cols, ColStride: 1}
	if r.IntN(3) == 0 { // columns are contiguous
		l.RowStride, l.ColStride = 1, rows
	}
	if r.IntN(2) == 0 { // there is something between rows, and sometimes between elements
		gap := 1 + r.IntN(2)
		if l.ColStride == 1 {
			l.RowStride, l.ColStride = (cols+r.IntN(3))*gap, gap
		} else {
			l.RowStride, l.ColStride = gap, (rows+r.IntN(3))*gap
		}
	}
	if r.IntN(4) == 0 {
		l.RowStride = -l.RowStride
	}
	if r.IntN(4) == 0 {
		l.ColStride = -l.ColStride
	}
	low, high := 0, 0
	for _, reach := range []int{max(rows-1, 0) * l.RowStride, max(cols-1, 0) * l.ColStride} {
		low, high = low+min(reach, 0), high+max(reach, 0)
	}
	l.Offset = r.IntN(3) - low
	host := make([]T, l.Offset+high+1+r.IntN(3))
	for i := range host {
		host[i] = round[T](r.number())
	}
	return upload(r, l, host)
}

// upload makes an operand with these elements.
func upload[T Element](r *source, l gpu.MatrixLayout, host []T) operand[T] {
	r.t.Helper()
	b := must[*gpu.Buffer[T]](r.t)(gpu.Upload(context.Background(), r.s.Device(), host))
	r.t.Cleanup(func() { check(r.t, b.Close()) })
	return operand[T]{gpu.MatrixBuffer[T]{Buffer: b, MatrixLayout: l}, host}
}

// vector makes a vector of random numbers with a random stride.
func vector[T Element](r *source, n int) operand[T] {
	x := matrix[T](r, 1, n)
	x.RowStride = 0
	return x
}

// fill sets the elements of an operand.
func (x operand[T]) fill(r *source, f func(i, j int) float64) operand[T] {
	for i := range x.Rows {
		for j := range x.Cols {
			x.host[x.Offset+i*x.RowStride+j*x.ColStride] = round[T](f(i, j))
		}
	}
	check(r.t, x.Buffer.Write(r.s, x.host))
	return x
}

// read returns the elements of a buffer.
func read[T any](r *source, b *gpu.Buffer[T]) []T {
	r.t.Helper()
	host := make([]T, b.Len())
	check(r.t, b.Read(context.Background(), r.s, host))
	return host
}

// expect compares an operand with what it should have become, within a bound for the difference.
// Elements beside it, and those whose bound is negative, have to be as they were.
func (x operand[T]) expect(r *source, what string, want func(i, j int) (value, bound float64)) {
	r.t.Helper()
	got, used := read(r, x.Buffer), map[int]bool{}
	same(r, fmt.Sprintf("%s, %T", what, got), got)
	for i := range x.Rows {
		for j := range x.Cols {
			at := x.Offset + i*x.RowStride + j*x.ColStride
			v, bound := want(i, j)
			if bound < 0 {
				continue
			}
			used[at] = true
			if g := wide(got[at]); !(math.Abs(g-v) <= bound) && g != v && !(g != g && v != v) {
				r.t.Fatalf("%s: element (%d, %d) of %d × %d is %v, want %v within %v", what, i, j, x.Rows, x.Cols, g, v, bound)
			}
		}
	}
	for at, v := range got {
		if old := x.host[at]; !used[at] && v != old && wide(v) == wide(v) {
			r.t.Fatalf("%s: element %d of the buffer, beside the result, is %v, and was %v", what, at, wide(v), wide(old))
		}
	}
}

// lengths are those of vectors: none, one, odd ones, those about powers of two and blocks, and
// several blocks.
var lengths = []int{0, 1, 2, 3, 7, 31, 32, 33, 255, 256, 257, block - 1, block, block + 1, 3*block + 17}
