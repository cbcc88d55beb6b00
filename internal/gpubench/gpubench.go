// Package gpubench compares gpuc's code with nvcc's. Each kernel exists as WGSL and as CUDA C, with
// the same algorithm, tiles and workgroups (testdata/benchmarks/gpu). NewBench and Bench.Kernel
// time them on devices. Tools.Machine counts the instructions of their machine code, without a
// device.
package gpubench

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"runtime"
	"sync"
)

// Kernel is a kernel of the bench. Its sources are the files name.wgsl and name.cu. The first
// parameters of the CUDA C are the addresses of the bindings in their order. Then come the number
// of elements of the binding Length, if set, and the immediates as one parameter.
type Kernel struct {
	Name   string
	Entry  string // "" is Name
	Length string // the binding whose element count the CUDA C has as a parameter, "" for none
	// Unit is the class of instructions that measures work: loops are compared by the number of
	// instructions per instruction of this class. Classes of accesses are without their width.
	Unit string
	// Large is the size for measurements, and Small that for tests.
	Large, Small int
	// Tolerance bounds the difference of two results, relative to the larger of the result and 1. 0
	// means equal bits. Outliers is the fraction of results that may differ by more, in kernels
	// that branch on rounded values.
	Tolerance, Outliers float64
	Work                func(n int) Work
}

// Work is a launch of a size.
type Work struct {
	Buffers    []Buffer // in the order of the bindings
	Immediates []uint32
	Grid       [3]uint32
	Bytes      float64 // the smallest possible memory traffic
	Flops      float64 // 0 if the kernel is limited by memory
}

// Buffer is the initial contents of a binding.
type Buffer struct {
	Words  int
	Word   func(r *rand.Rand, n int) uint32 // returns the n-th; nil means zeros
	Output bool                             // whether its results are compared
	Float  bool                             // whether the words are f32
}

// Fill returns the initial bytes, which depend only on the seed.
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

// floats returns a buffer of n random floats in [low, high).
func floats(n int, low, high float32) Buffer {
	return Buffer{Words: n, Float: true, Word: func(r *rand.Rand, _ int) uint32 {
		return math.Float32bits(low + (high-low)*r.Float32())
	}}
}

// integers returns a buffer of n random u32 below a bound; 0 means no bound.
func integers(n int, below uint32) Buffer {
	return Buffer{Words: n, Word: func(r *rand.Rand, _ int) uint32 {
		if below == 0 {
			return r.Uint32()
		}
		return r.Uint32N(below)
	}}
}

// results marks a buffer that the kernel reads and writes as an output.
func (b Buffer) results() Buffer {
	b.Output = true
	return b
}

// outFloats and outIntegers return outputs that the kernel only writes.
func outFloats(n int) Buffer   { return Buffer{Words: n, Output: true, Float: true} }
func outIntegers(n int) Buffer { return Buffer{Words: n, Output: true} }

func bits(f float32) uint32 { return math.Float32bits(f) }

// line returns the grid of n invocations in workgroups of a size, and square that of n×n
// invocations in workgroups of 16×16.
func line(n, size int) [3]uint32 { return [3]uint32{uint32((n + size - 1) / size), 1, 1} }
func square(n int) [3]uint32 {
	k := uint32((n + 15) / 16)
	return [3]uint32{k, k, 1}
}

// strides returns the grid of kernels with grid-stride loops: 16 workgroups for each of the 132
// multiprocessors of an H100, fewer for small inputs.
func strides(n int) [3]uint32 { return [3]uint32{uint32(min(2112, max(n/1024, 1))), 1, 1} }

// EntryPoint returns the name of the entry point.
func (k *Kernel) EntryPoint() string {
	if k.Entry != "" {
		return k.Entry
	}
	return k.Name
}
