package misusetest

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/gpu/gputest"
)

// fault is what is wrong with a buffer.
type fault int

const (
	whole   fault = iota
	absent        // nil
	zero          // a zero value
	closed        // closed before
	foreign       // of another device
	short         // an element less
	same          // the buffer of another argument
	overlap       // the end of that buffer
)

var faults = map[fault]string{absent: "nil", zero: "a zero value", closed: "closed", foreign: "of another device", short: "too short", same: "the same as another", overlap: "a part of another"}

// wrong is a fault of a buffer. It has the number of the buffer, and that of the other one.
type wrong struct {
	fault         fault
	number, other int
}

// made is a buffer of a call.
type made struct {
	of      reflect.Type
	n       int
	written bool
	buffer  any
	bytes   func() []byte // what it has; nil if that cannot be read
}

// kit makes the arguments of a call. Buffers are in the order in which they are made.
type kit struct {
	t       *testing.T
	s       *gpu.Stream // for the call
	good    *gpu.Stream
	another *gpu.Device
	wrong   wrong
	buffers []made
}

// in makes a buffer of n elements that a call reads.
func in[T any](k *kit, n int) *gpu.Buffer[T] { return buffer[T](k, n, false) }

// out makes a buffer of n elements that a call writes.
func out[T any](k *kit, n int) *gpu.Buffer[T] { return buffer[T](k, n, true) }

func buffer[T any](k *kit, n int, written bool) *gpu.Buffer[T] {
	k.t.Helper()
	number := len(k.buffers)
	m := made{of: reflect.TypeFor[T](), n: n, written: written}
	device := k.good.Device()
	var w fault
	if number == k.wrong.number {
		w = k.wrong.fault
	}
	if w == foreign {
		device = k.another
	}
	size := n
	if w == short {
		size--
	}
	ones := make([]byte, uintptr(size)*unsafe.Sizeof(*new(T)))
	for i := range ones { // small numbers of any type
		ones[i] = byte(i%int(unsafe.Sizeof(*new(T)))) % 2 * 0x3f
	}
	var b *gpu.Buffer[T]
	switch w {
	case absent:
	case zero:
		b = new(gpu.Buffer[T])
	case same, overlap:
		b = k.buffers[k.wrong.other].buffer.(*gpu.Buffer[T])
		if w == overlap {
			var err error
			b, err = b.Slice(b.Len()-n, b.Len())
			k.check(err)
		}
	default:
		var err error
		b, err = gpu.Alloc[T](device, size)
		k.check(err)
		k.t.Cleanup(func() { b.Close() })
		if w != foreign && len(ones) > 0 {
			k.check(b.Raw().Write(k.good, ones))
		}
		if w == closed {
			k.check(b.Close())
		} else if w != foreign {
			m.bytes = func() []byte {
				host := make([]byte, len(ones))
				k.check(b.Raw().Read(context.Background(), k.good, host))
				return host
			}
		}
	}
	m.buffer = b
	k.buffers = append(k.buffers, m)
	return b
}

func (k *kit) check(err error) {
	k.t.Helper()
	if err != nil {
		k.t.Fatal(err)
	}
}

// row is a function with a call of it that is right.
type row struct {
	name string
	call func(k *kit) error
	// allowed are the pairs of buffers that may be the same: the input and the output of what is
	// computed where it is.
	allowed [][2]int
	// lengths are the buffers that may have any length, and optional those that may be nil or
	// empty.
	lengths, optional []int
}

func rows() []row {
	return slices.Concat(linalgRows(), complexRows(), seqRows(), signalRows(), imageRows())
}

// TestMisuse: each fault is an error of the function, of a kind, and what the function writes
// stays. So it is on the CPU device, and in long mode on the first of Vulkan.
func TestMisuse(t *testing.T) {
	infos, err := gpu.Devices()
	if err != nil {
		t.Logf("a driver fails, and its devices are left out: %v", err)
	}
	for _, name := range []string{gpu.CPU, gpu.Vulkan} {
		t.Run(name, func(t *testing.T) {
			if name != gpu.CPU {
				testmode.Long(t)
			}
			for _, info := range infos {
				if info.Driver == name {
					misuse(t, info.ID())
					return
				}
			}
			t.Skip("skipped: there is no device of ", name)
		})
	}
}

func misuse(t *testing.T, id string) {
	device, another := gputest.Open(t, gpu.Named(id)), gputest.Open(t, gpu.Named(id))
	good, err := device.NewStream()
	if err != nil {
		t.Fatal(err)
	}
	ended, err := device.NewStream()
	if err := errors.Join(err, ended.Close()); err != nil {
		t.Fatal(err)
	}
	streams := map[string]*gpu.Stream{"no stream": nil, "a zero stream": new(gpu.Stream), "a closed stream": ended}
	for k, r := range rows() {
		if device.Info().Driver != gpu.CPU && !testmode.Sampled(k, 1) {
			continue
		}
		t.Run(r.name, func(t *testing.T) {
			right := &kit{t: t, s: good, good: good, another: another, wrong: wrong{number: -1}}
			right.check(r.call(right))
			right.check(good.Wait(t.Context()))
			for what, s := range streams {
				r.refused(&kit{t: t, s: s, good: good, another: another, wrong: wrong{number: -1}}, what)
			}
			for i, b := range right.buffers {
				for f := absent; f <= short; f++ {
					if f == short && slices.Contains(r.lengths, i) || f <= zero && slices.Contains(r.optional, i) {
						continue
					}
					r.refused(&kit{t: t, s: good, good: good, another: another, wrong: wrong{f, i, 0}}, fmt.Sprintf("buffer %d is %s", i, faults[f]))
				}
				for j, other := range right.buffers[:i] {
					if other.of != b.of || other.n < b.n || !other.written && !b.written || slices.Contains(r.allowed, [2]int{j, i}) {
						continue
					}
					for f := same; f <= overlap; f++ {
						r.refused(&kit{t: t, s: good, good: good, another: another, wrong: wrong{f, i, j}}, fmt.Sprintf("buffer %d is %s, %d", i, faults[f], j))
					}
				}
			}
		})
	}
}

// refused calls the function, which has to refuse.
func (r row) refused(k *kit, what string) {
	k.t.Helper()
	err := r.call(k)
	name, _, _ := strings.Cut(r.name, " ")
	aligned := k.wrong.fault == overlap // a part may begin where the device does not take it
	var shape *gpu.ShapeError
	if err == nil {
		k.t.Errorf("%s: no error", what)
	} else if !errors.Is(err, gpu.ErrShape) && !errors.Is(err, gpu.ErrClosed) && !errors.Is(err, gpu.ErrAlias) && !(aligned && errors.Is(err, gpu.ErrLimit)) {
		k.t.Errorf("%s: an error of no kind: %v", what, err)
	} else if pkg, _, _ := strings.Cut(name, "."); errors.As(err, &shape) && !strings.HasPrefix(shape.Operation, pkg+".") {
		k.t.Errorf("%s: the error does not say where: %v", what, err)
	}
	clean := &kit{t: k.t, s: k.good, good: k.good, another: k.another, wrong: wrong{number: -1}}
	for i, m := range k.buffers {
		if m.bytes == nil || !m.written {
			continue
		}
		got := m.bytes()
		want := make([]byte, len(got))
		for i := range want {
			want[i] = byte(i%int(m.of.Size())) % 2 * 0x3f
		}
		if !slices.Equal(got, want) {
			clean.t.Errorf("%s: buffer %d has changed", what, i)
		}
	}
}

// TestAllFunctions: there is a row for each exported function whose first parameter is a stream.
func TestAllFunctions(t *testing.T) {
	covered := map[string]bool{}
	for _, r := range rows() {
		name, _, _ := strings.Cut(r.name, " ")
		covered[name] = true
	}
	for _, pkg := range []string{"linalg", "seq", "signal", "image"} {
		folder := filepath.Join("..", "..", "kernels", pkg)
		names, err := fs.Glob(os.DirFS(folder), "*.go")
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			if strings.HasSuffix(name, "_test.go") || name == "gpuc_gen.go" {
				continue
			}
			file, err := parser.ParseFile(token.NewFileSet(), filepath.Join(folder, name), nil, parser.SkipObjectResolution)
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range file.Decls {
				f, ok := d.(*ast.FuncDecl)
				if !ok || f.Recv != nil || !f.Name.IsExported() || len(f.Type.Params.List) == 0 {
					continue
				}
				pointer, ok := f.Type.Params.List[0].Type.(*ast.StarExpr)
				if !ok {
					continue
				}
				if s, ok := pointer.X.(*ast.SelectorExpr); ok && s.Sel.Name == "Stream" && !covered[pkg+"."+f.Name.Name] {
					t.Errorf("there is no row for %s.%s", pkg, f.Name.Name)
				}
			}
		}
	}
}
