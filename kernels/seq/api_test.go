package seq

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// buffers is how many elements a buffer of a call has. With any, another length is allowed, too.
type buffer struct {
	of  reflect.Type
	n   int
	any bool
}

func bufferOf[T any](n int) buffer { return buffer{reflect.TypeFor[T](), n, false} }
func anyOf[T any](n int) buffer    { return buffer{reflect.TypeFor[T](), n, true} }

// functions are all functions that take a stream, with arguments that fit. Those that are written
// come first among equal types; written says which of the buffers.
var functions = []struct {
	name      string
	call      any
	arguments []any // behind the stream
	written   []int // indices of arguments
}{
	{"Sum", Sum[float32], []any{anyOf[float32](5000), bufferOf[float32](1)}, []int{1}},
	{"SumAxis", SumAxis[int32], []any{bufferOf[int32](60), Axis{3, 5, 4}, bufferOf[int32](12)}, []int{2}},
	{"Mean", Mean[float64], []any{anyOf[float64](50), bufferOf[float64](1)}, []int{1}},
	{"MeanAxis", MeanAxis[float64], []any{bufferOf[float64](60), Axis{3, 5, 4}, bufferOf[float64](12)}, []int{2}},
	{"Variance", Variance[float32], []any{anyOf[float32](50), 1, bufferOf[float32](1)}, []int{2}},
	{"VarianceAxis", VarianceAxis[float32], []any{bufferOf[float32](60), Axis{3, 5, 4}, 1, bufferOf[float32](12)}, []int{3}},
	{"Min", Min[uint64], []any{anyOf[uint64](50), bufferOf[uint64](1)}, []int{1}},
	{"MinAxis", MinAxis[uint64], []any{bufferOf[uint64](60), Axis{3, 5, 4}, bufferOf[uint64](12)}, []int{2}},
	{"Max", Max[uint32], []any{anyOf[uint32](50), bufferOf[uint32](1)}, []int{1}},
	{"MaxAxis", MaxAxis[uint32], []any{bufferOf[uint32](60), Axis{3, 5, 4}, bufferOf[uint32](12)}, []int{2}},
	{"ArgMin", ArgMin[float32], []any{anyOf[float32](50), bufferOf[int32](1)}, []int{1}},
	{"ArgMinAxis", ArgMinAxis[float32], []any{bufferOf[float32](60), Axis{3, 5, 4}, bufferOf[int32](12)}, []int{2}},
	{"ArgMax", ArgMax[int32], []any{anyOf[int32](50), bufferOf[int32](1)}, []int{1}},
	{"ArgMaxAxis", ArgMaxAxis[int32], []any{bufferOf[int32](60), Axis{3, 5, 4}, bufferOf[int32](12)}, []int{2}},
	{"Scan", Scan[float32], []any{Add, bufferOf[float32](5000), bufferOf[float32](5000)}, []int{2}},
	{"ScanExclusive", ScanExclusive[int64], []any{Maximum, bufferOf[int64](100), bufferOf[int64](100)}, []int{2}},
	{"SegmentReduce", SegmentReduce[float32], []any{Add, anyOf[float32](100), bufferOf[uint32](11), bufferOf[float32](10)}, []int{3}},
	{"SegmentReduceFlags", SegmentReduceFlags[float32], []any{Add, bufferOf[float32](100), bufferOf[uint8](100), bufferOf[float32](100), bufferOf[uint32](1)}, []int{3, 4}},
	{"SegmentScan", SegmentScan[float32], []any{Add, bufferOf[float32](100), bufferOf[uint8](100), bufferOf[float32](100)}, []int{3}},
	{"SegmentScanExclusive", SegmentScanExclusive[int32], []any{Minimum, bufferOf[int32](100), bufferOf[uint8](100), bufferOf[int32](100)}, []int{3}},
	{"SegmentScanOffsets", SegmentScanOffsets[int32], []any{Add, bufferOf[int32](100), anyOf[uint32](7), bufferOf[int32](100)}, []int{3}},
	{"Sort", Sort[float32], []any{anyOf[float32](5000)}, []int{0}},
	{"Sort of bytes", Sort[uint8], []any{anyOf[uint8](5000)}, []int{0}},
	{"SortPairs", SortPairs[uint32, float32], []any{bufferOf[uint32](5000), bufferOf[float32](5000)}, []int{0, 1}},
	{"SortPairs of 64 bits", SortPairs[int64, float64], []any{bufferOf[int64](3000), bufferOf[float64](3000)}, []int{0, 1}},
	{"SortRows", SortRows[uint32], []any{bufferOf[uint32](30), 6, 5}, []int{0}},
	{"Select", Select[float32], []any{bufferOf[float32](100), bufferOf[uint8](100), bufferOf[float32](100), bufferOf[uint32](1)}, []int{2, 3}},
	{"Partition", Partition[float64], []any{bufferOf[float64](100), bufferOf[uint8](100), bufferOf[float64](100), bufferOf[uint32](1)}, []int{2, 3}},
	{"SelectIndices", SelectIndices, []any{bufferOf[uint8](100), bufferOf[int32](100), bufferOf[uint32](1)}, []int{1, 2}},
	{"SelectIf", SelectIf[float32], []any{bufferOf[float32](100), Less, float32(3), bufferOf[float32](100), bufferOf[uint32](1)}, []int{3, 4}},
	{"RunLengths", RunLengths[uint32], []any{bufferOf[uint32](100), bufferOf[uint32](100), bufferOf[uint32](100), bufferOf[uint32](1)}, []int{1, 2, 3}},
	{"HistogramEven", HistogramEven[float32], []any{anyOf[float32](100), float32(0), float32(1), anyOf[uint32](10)}, []int{3}},
	{"HistogramRanges", HistogramRanges[uint32], []any{anyOf[uint32](100), bufferOf[uint32](11), bufferOf[uint32](10)}, []int{2}},
	{"HistogramBytes", HistogramBytes, []any{anyOf[uint8](100), bufferOf[uint32](256)}, []int{1}},
	{"TopK", TopK[float32], []any{bufferOf[float32](30), 3, 10, 4, bufferOf[float32](12), bufferOf[int32](12)}, []int{4, 5}},
	{"Random.Uint32", Random{}.Uint32, []any{anyOf[uint32](100)}, []int{0}},
	{"Uniform", Uniform[float32], []any{Random{}, anyOf[float32](100)}, []int{1}},
	{"Normal", Normal[float64], []any{Random{}, 0.0, 1.0, anyOf[float64](100)}, []int{3}},
	{"Permutation", Permutation, []any{Random{}, anyOf[uint32](3000)}, []int{1}},
	{"Shuffle", Shuffle[float32], []any{Random{}, anyOf[float32](3000)}, []int{1}},
}

// of returns a buffer of ones for an argument, or the argument itself.
func (e *environment) of(argument any, more int) reflect.Value {
	b, ok := argument.(buffer)
	if !ok {
		return reflect.ValueOf(argument)
	}
	switch b.of {
	case reflect.TypeFor[uint8]():
		return reflect.ValueOf(upload(e, filled(b.n+more, uint8(1))))
	case reflect.TypeFor[int32]():
		return reflect.ValueOf(upload(e, filled(b.n+more, int32(1))))
	case reflect.TypeFor[uint32]():
		return reflect.ValueOf(upload(e, filled(b.n+more, uint32(1))))
	case reflect.TypeFor[int64]():
		return reflect.ValueOf(upload(e, filled(b.n+more, int64(1))))
	case reflect.TypeFor[uint64]():
		return reflect.ValueOf(upload(e, filled(b.n+more, uint64(1))))
	case reflect.TypeFor[float32]():
		return reflect.ValueOf(upload(e, filled(b.n+more, float32(1))))
	}
	return reflect.ValueOf(upload(e, filled(b.n+more, 1.0)))
}

func (e *environment) arguments(list []any) []reflect.Value {
	values := []reflect.Value{reflect.ValueOf(e.s)}
	for _, a := range list {
		values = append(values, e.of(a, 0))
	}
	return values
}

func errorOf(f any, arguments []reflect.Value) error {
	err, _ := reflect.ValueOf(f).Call(arguments)[0].Interface().(error)
	return err
}

// bytes returns what a buffer holds.
func (e *environment) bytes(b reflect.Value) []byte {
	return read(e, b.MethodByName("Raw").Call(nil)[0].Interface().(*gpu.Buffer[byte]))
}

// cpu returns the environment of the CPU device.
func cpu(t testing.TB) *environment {
	for _, e := range environments(t) {
		if e.s.Device().Info().Driver == gpu.CPU {
			return e
		}
	}
	t.Fatal("there is no CPU device")
	return nil
}

// TestRefused calls each function with one argument that is nil, of the wrong length, closed or
// overlaps another, and with streams that are none. It is an error with the function's name, and
// what the function would write stays.
func TestRefused(t *testing.T) {
	e := cpu(t)
	closedStream, err := e.s.Device().NewStream()
	e.check(errors.Join(err, closedStream.Close()))
	for _, f := range functions {
		refused := func(what string, arguments []reflect.Value) {
			t.Helper()
			var before [][]byte
			usable := func(n int) bool {
				b, ok := arguments[n+1].Interface().(gpu.Bound)
				return ok && e.s.Usable(b) == nil
			}
			for _, n := range f.written {
				if usable(n) {
					before = append(before, e.bytes(arguments[n+1]))
				}
			}
			err := errorOf(f.call, arguments)
			operation, _, _ := strings.Cut(f.name, " ")
			operation = strings.TrimSuffix(operation, "Axis")
			if err == nil || !strings.HasPrefix(err.Error(), "seq."+operation) {
				t.Errorf("%s with %s: %v", f.name, what, err)
			} else if !errors.Is(err, gpu.ErrShape) && !errors.Is(err, gpu.ErrClosed) && !errors.Is(err, gpu.ErrAlias) {
				t.Errorf("%s with %s: an error of no kind: %v", f.name, what, err)
			}
			for _, n := range f.written {
				if usable(n) {
					if !slices.Equal(e.bytes(arguments[n+1]), before[0]) {
						t.Errorf("%s with %s: argument %d has changed", f.name, what, n)
					}
					before = before[1:]
				}
			}
		}
		for what, s := range map[string]*gpu.Stream{"no stream": nil, "a zero stream": new(gpu.Stream), "a closed stream": closedStream} {
			arguments := e.arguments(f.arguments)
			arguments[0] = reflect.ValueOf(s)
			refused(what, arguments)
		}
		for n, a := range f.arguments {
			b, ok := a.(buffer)
			if !ok {
				continue
			}
			arguments := e.arguments(f.arguments)
			arguments[n+1] = reflect.Zero(arguments[n+1].Type())
			refused("a nil buffer", arguments)
			arguments[n+1] = reflect.New(arguments[n+1].Type().Elem())
			refused("a zero buffer", arguments)
			closed := e.of(a, 0)
			closed.MethodByName("Close").Call(nil)
			arguments[n+1] = closed
			refused("a closed buffer", arguments)
			if !b.any {
				arguments[n+1] = e.of(a, 1)
				refused("a longer buffer", arguments)
			}
			for k, other := range f.arguments {
				o, ok := other.(buffer)
				if !ok || k == n || o.of != b.of || o.n < b.n || !slices.Contains(f.written, n) && !slices.Contains(f.written, k) {
					continue
				}
				arguments := e.arguments(f.arguments)
				arguments[n+1] = arguments[k+1].MethodByName("Slice").Call([]reflect.Value{reflect.ValueOf(0), reflect.ValueOf(b.n)})[0]
				refused("buffers that overlap", arguments)
			}
		}
	}
}

// TestRefusedValues: values that fit nothing.
func TestRefusedValues(t *testing.T) {
	e := cpu(t)
	f, g, u, one := alloc[float32](e, 12), alloc[float32](e, 12), alloc[uint32](e, 12), alloc[uint32](e, 1)
	b, i, short, shorter := alloc[uint8](e, 12), alloc[int32](e, 12), alloc[[3]uint8](e, 12), alloc[[3]uint8](e, 12)
	nan := float32(math.NaN())
	huge := Axis{1 << 40, 1 << 40, 1 << 40}
	for name, test := range map[string]struct {
		err  error
		says string
	}{
		"a negative axis":        {SumAxis(e.s, f, Axis{-1, -12, 1}, g), "axis"},
		"a huge axis":            {MinAxis(e.s, f, huge, g), "axis"},
		"another axis":           {MeanAxis(e.s, f, Axis{1, 13, 1}, g), "want 13 elements"},
		"negative freedom":       {Variance(e.s, f, -1, g), "freedom"},
		"no operation":           {Scan(e.s, 3, f, g), "Add, Minimum or Maximum"},
		"no operation, segments": {SegmentScan(e.s, 9, f, b, g), "Add, Minimum or Maximum"},
		"no comparison":          {SelectIf(e.s, f, 6, 0, g, one), "comparison"},
		"elements of three":      {Select(e.s, short, b, shorter, one), "4 or 8 bytes"},
		"to shuffle":             {Shuffle(e.s, Random{}, short), "4 or 8 bytes"},
		"values of three":        {SortPairs(e.s, u, short), "4 or 8 bytes"},
		"no option":              {Sort(e.s, f, nil), "options"},
		"long rows":              {SortRows(e.s, alloc[float32](e, 4098), 2, 2049), "at most 2048"},
		"negative rows":          {SortRows(e.s, f, -3, -4), "rows"},
		"equal limits":           {HistogramEven(e.s, f, 1, 1, u), "low < high"},
		"a NaN as a limit":       {HistogramEven(e.s, f, nan, 1, u), "low < high"},
		"distant limits":         {HistogramEven(e.s, f, -math.MaxFloat32, math.MaxFloat32, u), "finite"},
		"near limits":            {HistogramEven(e.s, f, 0, math.SmallestNonzeroFloat32, u), "finite"},
		"no bins":                {HistogramEven(e.s, f, 0, 1, alloc[uint32](e, 0)), "bins"},
		"few bins":               {HistogramBytes(e.s, b, u), "256"},
		"more than there are":    {TopK(e.s, f, 1, 12, 13, g, i), "k"},
		"a negative number":      {TopK(e.s, f, 1, 12, -1, g, i), "k"},
		"other rows":             {TopK(e.s, f, 3, 5, 1, g, i), "keys"},
	} {
		var shape *gpu.ShapeError
		if !errors.As(test.err, &shape) || !strings.Contains(test.err.Error(), test.says) || !strings.HasPrefix(shape.Operation, "seq.") {
			t.Errorf("%s: %v; want a *gpu.ShapeError that says %q", name, test.err, test.says)
		}
	}
}

// TestAllocates: a second call allocates nothing, neither in Go nor on the device.
func TestAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	e := cpu(t)
	wait := func() { e.check(e.s.Wait(context.Background())) }
	for _, f := range functions {
		arguments := e.arguments(f.arguments)
		call := callOf(f.call, e.s, arguments)
		if call == nil {
			continue
		}
		e.check(call())
		wait()
		reserved := e.s.Device().Memory().Reserved
		least := math.Inf(1) // the device's workers allocate when they begin, and not each time
		for attempt := 0; attempt < 50 && least > 0; attempt++ {
			least = min(least, testing.AllocsPerRun(2, func() {
				e.check(call())
				wait()
			}))
		}
		if least > 0 {
			t.Errorf("%s allocates %v times", f.name, least)
		}
		if after := e.s.Device().Memory().Reserved; after != reserved {
			t.Errorf("%s: the device has %d bytes more", f.name, after-reserved)
		}
	}
}

// callOf returns a call without reflection, which allocates, or nil.
func callOf(f any, s *gpu.Stream, a []reflect.Value) func() error {
	switch f := f.(type) {
	case func(*gpu.Stream, *gpu.Buffer[float32], *gpu.Buffer[float32]) error:
		x, y := a[1].Interface().(*gpu.Buffer[float32]), a[2].Interface().(*gpu.Buffer[float32])
		return func() error { return f(s, x, y) }
	case func(*gpu.Stream, Operation, *gpu.Buffer[float32], *gpu.Buffer[float32]) error:
		x, y := a[2].Interface().(*gpu.Buffer[float32]), a[3].Interface().(*gpu.Buffer[float32])
		return func() error { return f(s, Add, x, y) }
	case func(*gpu.Stream, *gpu.Buffer[float32], ...Option) error:
		x := a[1].Interface().(*gpu.Buffer[float32])
		return func() error { return f(s, x) }
	case func(*gpu.Stream, *gpu.Buffer[int64], *gpu.Buffer[float64], ...Option) error:
		x, y := a[1].Interface().(*gpu.Buffer[int64]), a[2].Interface().(*gpu.Buffer[float64])
		return func() error { return f(s, x, y) }
	case func(*gpu.Stream, *gpu.Buffer[float32], *gpu.Buffer[uint8], *gpu.Buffer[float32], *gpu.Buffer[uint32]) error:
		x, y, z, c := a[1].Interface().(*gpu.Buffer[float32]), a[2].Interface().(*gpu.Buffer[uint8]), a[3].Interface().(*gpu.Buffer[float32]), a[4].Interface().(*gpu.Buffer[uint32])
		return func() error { return f(s, x, y, z, c) }
	case func(*gpu.Stream, *gpu.Buffer[uint8], *gpu.Buffer[uint32]) error:
		x, y := a[1].Interface().(*gpu.Buffer[uint8]), a[2].Interface().(*gpu.Buffer[uint32])
		return func() error { return f(s, x, y) }
	case func(*gpu.Stream, Random, *gpu.Buffer[float32]) error:
		x := a[2].Interface().(*gpu.Buffer[float32])
		return func() error { return f(s, Random{}, x) }
	}
	return nil
}

// FuzzCalls calls functions with lengths, values and buffers of any kind. They do nothing, or it is
// an error of a kind.
func FuzzCalls(f *testing.F) {
	for seed := range uint64(60) {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		e := cpu(t)
		r := rand.New(rand.NewPCG(seed, 1))
		function := functions[r.IntN(len(functions))]
		lengths := []int{0, 1, 2, 12, 60, 100, 256, r.IntN(3000)}
		arguments := []reflect.Value{reflect.ValueOf(e.s)}
		same := lengths[r.IntN(len(lengths))]
		for _, a := range function.arguments {
			v := reflect.ValueOf(a)
			switch a := a.(type) {
			case buffer:
				switch r.IntN(4) {
				case 0:
					a.n = lengths[r.IntN(len(lengths))]
				case 1, 2:
					a.n = same
				}
				v = e.of(a, 0)
				if r.IntN(20) == 0 {
					v.MethodByName("Close").Call(nil)
				}
				for _, other := range arguments[1:] {
					if other.Type() == v.Type() && r.IntN(10) == 0 {
						v = other
					}
				}
			case Axis:
				v = reflect.ValueOf(Axis{r.IntN(5) - 1, same, 1 + r.IntN(2)})
			case int:
				v = reflect.ValueOf(r.IntN(70) - 3)
			case Operation:
				v = reflect.ValueOf(Operation(r.IntN(4)))
			case Comparison:
				v = reflect.ValueOf(Comparison(r.IntN(7)))
			case float32:
				v = reflect.ValueOf(float32(r.NormFloat64()))
			}
			arguments = append(arguments, v)
		}
		err := errorOf(function.call, arguments)
		if err != nil && !errors.Is(err, gpu.ErrShape) && !errors.Is(err, gpu.ErrClosed) && !errors.Is(err, gpu.ErrAlias) && !errors.Is(err, gpu.ErrLimit) {
			t.Errorf("%s: an error of no kind: %v", function.name, err)
		}
		e.check(e.s.Wait(t.Context()))
	})
}
