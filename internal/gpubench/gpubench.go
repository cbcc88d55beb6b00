// Package gpubench compares gpuc's code with nvcc's: kernels written twice, as WGSL and as CUDA C,
// with the same algorithm, tiles and workgroups (testdata/benchmarks/gpu). It times them on a
// device (Run), and without one counts what their machine code consists of (Take).
package gpubench

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// Kernel is a kernel of the bench. Files name.wgsl and name.cu have it. Its CUDA C takes the
// addresses of the bindings in their order, then the number of elements of a binding if Length has
// one, then the immediates as one parameter.
type Kernel struct {
	Name   string
	Entry  string // "" is Name
	Length string // the binding whose elements CUDA C is told the number of, "" for none
	// Unit is the class of instructions, or of accesses without their width, that says how much
	// work code does: loops are compared by instructions for one of it.
	Unit string
	// Large and Small are the sizes that devices and tests run.
	Large, Small int
	// Tolerance bounds how far numbers of two ways may be apart: relative to them, or to 1 where
	// they are less. It is 0 where results are equal to the bit. Outliers is the part that may be
	// further, where rounding decides which way a kernel goes.
	Tolerance, Outliers float64
	Work                func(n int) Work
}

// Work is a launch of a size.
type Work struct {
	Buffers    []Buffer // in the order of the bindings
	Immediates []uint32
	Grid       [3]uint32
	Bytes      float64 // that have to be moved at least
	Flops      float64 // 0 where bytes are what counts
}

// Buffer is what a binding begins with.
type Buffer struct {
	Words  int
	Word   func(r *rand.Rand, n int) uint32 // the n-th; nil stands for zeros
	Output bool                             // its results are compared
	Float  bool                             // it holds f32
}

// Fill returns the initial bytes. The same seed gives the same ones.
func (b *Buffer) Fill(seed uint64) []byte {
	data := make([]byte, 4*b.Words)
	if b.Word == nil {
		return data
	}
	const part = 1 << 16 // words of one generator
	var group sync.WaitGroup
	room := make(chan struct{}, runtime.GOMAXPROCS(0))
	for first := 0; first < b.Words; first += part {
		room <- struct{}{}
		group.Go(func() {
			r := rand.New(rand.NewPCG(seed, uint64(first)))
			for n := first; n < min(first+part, b.Words); n++ {
				binary.LittleEndian.PutUint32(data[4*n:], b.Word(r, n))
			}
			<-room
		})
	}
	group.Wait()
	return data
}

// floats is a buffer of n numbers from a range.
func floats(n int, least, most float32) Buffer {
	return Buffer{Words: n, Float: true, Word: func(r *rand.Rand, _ int) uint32 {
		return math.Float32bits(least + (most-least)*r.Float32())
	}}
}

// numbers is a buffer of n numbers below a bound, or of any if that is 0.
func numbers(n int, below uint32) Buffer {
	return Buffer{Words: n, Word: func(r *rand.Rand, _ int) uint32 {
		if below == 0 {
			return r.Uint32()
		}
		return r.Uint32N(below)
	}}
}

// results marks a buffer whose contents are compared; of n zeros begin what kernels write alone.
func (b Buffer) results() Buffer {
	b.Output = true
	return b
}

func outFloats(n int) Buffer  { return Buffer{Words: n, Output: true, Float: true} }
func outNumbers(n int) Buffer { return Buffer{Words: n, Output: true} }

func bits(f float32) uint32 { return math.Float32bits(f) }

// line is a grid of workgroups of a size over n invocations, square one of 16×16 over n×n.
func line(n, size int) [3]uint32 { return [3]uint32{uint32((n + size - 1) / size), 1, 1} }
func square(n int) [3]uint32 {
	k := uint32((n + 15) / 16)
	return [3]uint32{k, k, 1}
}

// strides is the grid of kernels that go through their input in strides of it: 16 workgroups for
// each of the 132 multiprocessors of an H100, fewer where there is less.
func strides(n int) [3]uint32 { return [3]uint32{uint32(min(2112, max(n/1024, 1))), 1, 1} }

// EntryPoint is the name of the entry point.
func (k *Kernel) EntryPoint() string {
	if k.Entry != "" {
		return k.Entry
	}
	return k.Name
}
