package tiles

import (
	"fmt"
	"strings"
)

// Program returns the source of a program that runs kernels as plain Go. It reads the contents of
// their slices as JSON, a list of lists in the order of kernels and slices, and writes them
// likewise.
func Program(list []*Kernel) string {
	var b strings.Builder
	b.WriteString(prelude)
	for _, k := range list {
		b.WriteString(k.Text)
	}
	b.WriteString("\nvar kernels = []func(n int, data [][]byte){\n")
	for _, k := range list {
		fmt.Fprintf(&b, "\tfunc(n int, data [][]byte) {\n\t\tgpu.EachGroup(gpu.D1(%d), gpu.Int3{X: %d, Y: 1, Z: 1}, func() func(gpu.Item) {\n", k.Groups, k.Workgroup)
		for i, s := range k.Slices {
			fmt.Fprintf(&b, "\t\t\tp%d := *(*gpu.%s[%s])(unsafe.Pointer(&%s[%s]{of[%s](data[%d])", i, typeOf(&s), s.Type, strings.ToLower(typeOf(&s)), s.Type, s.Type, i)
			for _, x := range s.Layout {
				fmt.Fprintf(&b, ", %d", x)
			}
			b.WriteString("}))\n")
		}
		fmt.Fprintf(&b, "\t\t\treturn func(it gpu.Item) { %s(it, n", k.Name)
		for i := range k.Slices {
			fmt.Fprintf(&b, ", p%d", i)
		}
		b.WriteString(") }\n\t\t})\n\t},\n")
	}
	b.WriteString("}\n")
	return b.String()
}

func typeOf(s *Slice) string { return map[int]string{2: "Matrix", 4: "Tensor"}[s.Rank] }

// prelude is the common part of all programs. Views of any strides have no constructor in package
// gpu, so they are made from their fields.
const prelude = `package main

import (
	"encoding/json"
	"os"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/gpu"
)

type matrix[T any] struct {
	data                                     []T
	offset, rows, cols, rowStride, colStride int
}

type tensor[T any] struct {
	data                               []T
	offset, n, h, w, c                 int
	strideN, strideH, strideW, strideC int
}

var (
	_ = unsafe.Sizeof(gpu.Matrix[int8]{}) - unsafe.Sizeof(matrix[int8]{})
	_ = unsafe.Sizeof(gpu.Tensor[int8]{}) - unsafe.Sizeof(tensor[int8]{})
)

// of returns bytes as elements. They are aligned, as main has made them.
func of[T any](data []byte) []T {
	var x T
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), len(data)/int(unsafe.Sizeof(x)))
}

type input struct {
	N    int
	Data [][]byte
}

func main() {
	var list []input
	if err := json.NewDecoder(os.Stdin).Decode(&list); err != nil {
		panic(err)
	}
	for n := range list {
		for k, data := range list[n].Data {
			words := make([]uint64, len(data)/8+1)
			list[n].Data[k] = unsafe.Slice((*byte)(unsafe.Pointer(&words[0])), len(data))
			copy(list[n].Data[k], data)
		}
		kernels[n](list[n].N, list[n].Data)
	}
	if err := json.NewEncoder(os.Stdout).Encode(list); err != nil {
		panic(err)
	}
}

`
