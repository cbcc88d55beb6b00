package gpu

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"reflect"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// background is the context of tests that are not about contexts.
var background = context.Background()

// newFake opens a fake device. At the end of the test it must have been used
// properly.
func newFake(t testing.TB) (*Device, *fakeDevice) {
	t.Helper()
	d, err := open([]driver.Driver{&fakeDriver{name: "cuda", kinds: []driver.Kind{driver.GPU}}}, []Option{Prefer(CUDA)})
	if err != nil {
		t.Fatal(err)
	}
	fake := d.driver.(*fakeDevice)
	t.Cleanup(func() {
		if err := d.Close(); err != nil {
			t.Error(err)
		}
		for _, m := range fake.mistakes {
			t.Error(m)
		}
	})
	return d, fake
}

// must returns the value of a call that does not fail.
func must[T any](value T, err error) T {
	if err != nil {
		panic(err)
	}
	return value
}

// check ends the test on an error.
func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// artefact is a kernel that reads x, writes y and takes parameters.
func artefact() *abi.Artefact {
	return &abi.Artefact{Target: "fake", Kernel: abi.Kernel{
		Name: "k", Workgroup: [3]uint32{64, 2, 1},
		Bindings: []abi.Binding{
			{Name: "x", Access: abi.Read, Stride: 4, Element: "f32"},
			{Name: "y", Access: abi.ReadWrite, Size: 16, Stride: 4, Element: "f32"},
			{Name: "p", Access: abi.Uniform, Size: 8},
		},
	}}
}

func TestOpen(t *testing.T) {
	gpus, software, mixed := []driver.Kind{driver.GPU, driver.GPU}, []driver.Kind{driver.Software}, []driver.Kind{driver.Software, driver.GPU}
	cpu := &fakeDriver{name: CPU, kinds: []driver.Kind{driver.CPU}}
	outside := &fakeDriver{name: "outside", kinds: []driver.Kind{driver.Software, driver.Software}}
	for _, c := range []struct {
		name         string
		cuda, vulkan *fakeDriver
		options      []Option
		want         string
		err          error
	}{
		{"CUDA first", &fakeDriver{kinds: gpus}, &fakeDriver{kinds: gpus}, nil, "cuda:0", nil},
		{"a preference", &fakeDriver{kinds: gpus}, &fakeDriver{kinds: gpus}, []Option{Prefer(Vulkan, CUDA)}, "vulkan:0", nil},
		{"only one driver", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Prefer(Vulkan)}, "", ErrNoDevice},
		{"the other driver", &fakeDriver{}, &fakeDriver{kinds: gpus}, nil, "vulkan:0", nil},
		{"software is no GPU", &fakeDriver{}, &fakeDriver{kinds: software}, nil, "", ErrNoDevice},
		{"a GPU behind software", &fakeDriver{}, &fakeDriver{kinds: mixed}, nil, "vulkan:1", nil},
		{"the CPU is no GPU", &fakeDriver{}, &fakeDriver{}, nil, "", ErrNoDevice},
		{"the CPU if allowed", &fakeDriver{}, &fakeDriver{kinds: software}, []Option{AllowCPU()}, "cpu:0", nil},
		{"a GPU before the CPU", &fakeDriver{}, &fakeDriver{kinds: gpus}, []Option{AllowCPU()}, "vulkan:0", nil},
		{"a broken GPU before another", &fakeDriver{kinds: gpus, broken: true}, &fakeDriver{kinds: gpus}, nil, "vulkan:0", nil},
		{"the CPU by name", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Named("cpu")}, "cpu:0", nil},
		{"software by name", &fakeDriver{kinds: gpus}, &fakeDriver{kinds: software}, []Option{Named("vulkan")}, "vulkan:0", nil},
		{"a name prefers GPUs", &fakeDriver{}, &fakeDriver{kinds: mixed}, []Option{Named("vulkan")}, "vulkan:1", nil},
		{"a number", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Named("cuda:1")}, "cuda:1", nil},
		{"a number too high", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Named("cuda:2")}, "", ErrNoDevice},
		{"no number", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Named("cuda:x")}, "", ErrNoDevice},
		{"no driver", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Named("metal")}, "", ErrNoDevice},
		{"no devices", &fakeDriver{}, &fakeDriver{}, []Option{Named("cuda")}, "", ErrNoDevice},
		{"a driver from outside first", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Driver(outside)}, "outside:0", nil},
		{"a preference before it", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Prefer(CUDA, "outside"), Driver(outside)}, "cuda:0", nil},
		{"its device by name", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Driver(outside), Named("outside:1")}, "outside:1", nil},
		{"others by name", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Driver(outside), Named("cuda:1")}, "cuda:1", nil},
		{"one of the same name", &fakeDriver{}, &fakeDriver{}, []Option{Driver(&fakeDriver{name: CUDA, kinds: gpus}), Named("cuda:1")}, "cuda:1", nil},
		{"one without devices", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Driver(&fakeDriver{name: "outside"})}, "cuda:0", nil},
		{"no driver from outside", &fakeDriver{kinds: gpus}, &fakeDriver{}, []Option{Driver(nil)}, "", ErrShape},
	} {
		c.cuda.name, c.vulkan.name = CUDA, Vulkan
		d, err := open([]driver.Driver{cpu, c.cuda, c.vulkan}, c.options)
		if !errors.Is(err, c.err) {
			t.Errorf("%s: got error %v, want %v", c.name, err, c.err)
			continue
		}
		if err != nil {
			continue
		}
		info := d.Info()
		if info.ID() != c.want {
			t.Errorf("%s: got %s, want %s", c.name, info.ID(), c.want)
		}
	}
}

func TestDevicesReportsFailures(t *testing.T) {
	failure := errors.New("the library is too old")
	infos, err := devices([]driver.Driver{
		&fakeDriver{name: CUDA, failure: failure},
		&fakeDriver{name: Vulkan, kinds: []driver.Kind{driver.GPU}},
	})
	if len(infos) != 1 || !errors.Is(err, failure) {
		t.Errorf("got %d devices and error %v, want one device beside the failure", len(infos), err)
	}
}

func TestElements(t *testing.T) {
	type point struct{ X, Y, Z float32 }
	for _, c := range []struct {
		of   reflect.Type
		want string
		err  error
	}{
		{reflect.TypeFor[float32](), "f32", nil},
		{reflect.TypeFor[uint64](), "u64", nil},
		{reflect.TypeFor[byte](), "", nil},
		{reflect.TypeFor[[4]int32](), "i32", nil},
		{reflect.TypeFor[point](), "f32", nil},
		{reflect.TypeFor[[2]point](), "f32", nil},
		{reflect.TypeFor[struct {
			A point
			N uint32
		}](), "", nil},
		{reflect.TypeFor[struct {
			A byte
			B float32
		}](), "", nil},
		{reflect.TypeFor[bool](), "", ErrShape},
		{reflect.TypeFor[int](), "", ErrShape},
		{reflect.TypeFor[*float32](), "", ErrShape},
		{reflect.TypeFor[struct{ S string }](), "", ErrShape},
		{reflect.TypeFor[struct{}](), "", ErrShape},
		{reflect.TypeFor[[0]uint32](), "", ErrShape},
	} {
		got, err := elementOf(c.of)
		if got != c.want || !errors.Is(err, c.err) {
			t.Errorf("%v: got %q and error %v, want %q and %v", c.of, got, err, c.want, c.err)
		}
	}
}

func TestBuffers(t *testing.T) {
	d, fake := newFake(t)
	s := must(d.NewStream())
	host := []float32{1, 2, 3, 4, 5, 6, 7, 8}
	b := must(Upload(background, d, host))
	if b.Len() != 8 || b.Bytes() != 32 {
		t.Errorf("got %d elements and %d bytes", b.Len(), b.Bytes())
	}
	middle := must(b.Slice(2, 6))
	inner := must(middle.Slice(1, 3))
	check(t, inner.Write(s, []float32{40, 50}))
	got := make([]float32, 8)
	check(t, b.Read(background, s, got))
	if want := []float32{1, 2, 3, 40, 50, 6, 7, 8}; !reflect.DeepEqual(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	other := must(Alloc[float32](d, 2))
	check(t, Copy(s, other, inner))
	check(t, other.Read(background, s, got[:2]))
	if got[0] != 40 || got[1] != 50 {
		t.Errorf("after the copy: got %v", got[:2])
	}

	ended, cancel := context.WithCancel(background)
	cancel()
	untouched := []float32{7, 7, 7, 7, 7, 7, 7, 7}
	event := must(s.Record())
	foreign, _ := newFake(t)
	foreignStream := must(foreign.NewStream())
	for name, c := range map[string]struct {
		got, want error
	}{
		"too short":          {b.Write(s, host[:7]), ErrShape},
		"too long":           {b.Read(background, s, make([]float32, 9)), ErrShape},
		"lengths differ":     {Copy(s, other, b), ErrShape},
		"overlap":            {Copy(s, must(b.Slice(0, 4)), must(b.Slice(2, 6))), ErrAlias},
		"past the end":       {errorOf(b.Slice(2, 9)), ErrShape},
		"backwards":          {errorOf(b.Slice(3, 2)), ErrShape},
		"negative":           {errorOf(Alloc[float32](d, -1)), ErrShape},
		"3 bytes":            {errorOf(Alloc[byte](d, 3)), nil},
		"strings":            {errorOf(Alloc[string](d, 3)), ErrShape},
		"beyond the limit":   {errorOf(Alloc[float32](d, 1025)), ErrLimit},
		"an ended context":   {b.Read(ended, s, untouched), context.Canceled},
		"an ended wait":      {s.Wait(ended), context.Canceled},
		"an ended event":     {event.Wait(ended), context.Canceled},
		"an ended upload":    {errorOf(Upload(ended, d, host)), context.Canceled},
		"a foreign stream":   {b.Write(foreignStream, host), ErrShape},
		"a slice in a byte":  {errorOf(must(Alloc[byte](d, 8)).Slice(1, 5)), ErrShape},
		"half a word of u16": {errorOf(must(Alloc[uint16](d, 4)).Slice(0, 3)), nil},
		"from half a word":   {errorOf(must(Alloc[uint16](d, 4)).Slice(1, 3)), ErrShape},
	} {
		if c.want == nil && c.got != nil || !errors.Is(c.got, c.want) {
			t.Errorf("%s: got %v, want %v", name, c.got, c.want)
		}
	}

	if untouched[0] != 7 || untouched[7] != 7 {
		t.Errorf("a read that failed has left %v", untouched)
	}
	check(t, event.Close())

	check(t, middle.Close())
	if _, err := middle.Slice(0, 1); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed slice: %v", err)
	}
	check(t, b.Read(background, s, got)) // closing a slice leaves its buffer
	live := fake.count()
	check(t, b.Close())
	check(t, b.Close())
	if fake.count() != live-1 {
		t.Errorf("closing freed %d allocations, want 1", live-fake.count())
	}
	if err := inner.Read(background, s, got[:2]); !errors.Is(err, ErrClosed) {
		t.Errorf("a slice of a closed buffer: %v", err)
	}
}

// errorOf is the error of a call with a value.
func errorOf[T any](_ T, err error) error { return err }

func TestArguments(t *testing.T) {
	d, fake := newFake(t)
	s := must(d.NewStream())
	k := must(d.Load(artefact()))
	x, y := must(Alloc[float32](d, 8)), must(Alloc[float32](d, 8))
	p := must(Alloc[uint32](d, 2))
	foreign, _ := newFake(t)
	closed := must(Alloc[float32](d, 8))
	check(t, closed.Close())

	args := k.Args()
	for name, c := range map[string]struct {
		index  int
		buffer Bound
		want   error
	}{
		"below":            {-1, x, ErrShape},
		"above":            {3, x, ErrShape},
		"wrong element":    {0, must(Alloc[int32](d, 8)), ErrShape},
		"raw bytes":        {0, must(Alloc[byte](d, 8)), nil},
		"mixed binding":    {2, must(Alloc[float32](d, 8)), nil},
		"too small":        {1, must(Alloc[float32](d, 4)), ErrShape},
		"just enough":      {1, must(Alloc[float32](d, 5)), nil},
		"misaligned slice": {0, must(x.Slice(1, 8)), ErrLimit},
		"aligned slice":    {0, must(x.Slice(4, 8)), nil},
		"closed":           {0, closed, ErrClosed},
		"foreign":          {0, must(Alloc[float32](foreign, 8)), ErrShape},
	} {
		if err := args.Set(c.index, c.buffer); !errors.Is(err, c.want) {
			t.Errorf("%s: got %v, want %v", name, err, c.want)
		}
	}

	args = k.Args()
	check(t, args.Set(0, x))
	check(t, args.Set(1, y))
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrShape) {
		t.Errorf("a binding that is not set: %v", err)
	}
	check(t, args.Set(2, p))
	check(t, s.Launch(args, D2(3, 4)))
	check(t, s.Launch(args, D1(0)))
	for _, grid := range []Grid{{}, {X: 100}, {X: 3, Y: 4}, {X: 3, Z: 1}, k.Cover(100, 0, 0), k.Cover(100, 1, 0)} {
		err := s.Launch(args, grid)
		if want := fmt.Sprintf("as in gpu.D1(%d)", grid.X); !errors.Is(err, ErrShape) || !strings.HasSuffix(err.Error(), want) {
			t.Errorf("%+v: got %v, want an error with %q", grid, err, want)
		}
	}
	if len(fake.launches) != 2 {
		t.Errorf("the driver got %d launches, want 2", len(fake.launches))
	}
	l := fake.launches[0]
	if l.Grid != [3]uint32{3, 4, 1} || len(l.Bindings) != 3 || l.Bindings[2].Bytes != 8 {
		t.Errorf("the driver got %+v", l)
	}
	for name, grid := range map[string]Grid{"x": {X: 101, Y: 1, Z: 1}, "y": {X: 1, Y: 101, Z: 1}, "z": {X: 1, Y: 1, Z: 11}} {
		if err := s.Launch(args, grid); !errors.Is(err, ErrLimit) {
			t.Errorf("a grid too large in %s: %v", name, err)
		}
	}

	check(t, args.Set(0, must(y.Slice(4, 8))))
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrAlias) {
		t.Errorf("x overlaps y, which is written: %v", err)
	}
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrAlias) {
		t.Errorf("the same once more: %v", err)
	}
	check(t, args.Set(0, x))
	check(t, args.Set(2, must(x.Slice(0, 4)))) // both only read
	check(t, s.Launch(args, D1(1)))

	check(t, x.Close())
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed buffer: %v", err)
	}
	if err := s.Run(k, D1(1), y); !errors.Is(err, ErrShape) {
		t.Errorf("too few buffers: %v", err)
	}
	check(t, s.Run(k, D1(1), must(Alloc[float32](d, 8)), y, p))
	check(t, k.Close())
	check(t, k.Close())
	if err := s.Run(k, D1(1), must(Alloc[float32](d, 8)), y, p); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed kernel: %v", err)
	}
	check(t, s.Close())
	check(t, s.Close())
	if err := s.Launch(args, D1(1)); !errors.Is(err, ErrClosed) {
		t.Errorf("a closed stream: %v", err)
	}
}

// TestElementStrides binds Go types to arrays of vec3<f32> and of structures of 32 bytes,
// whose elements are 16 and 32 bytes apart (WGSL §14.4).
func TestElementStrides(t *testing.T) {
	d, _ := newFake(t)
	a := &abi.Artefact{Target: "fake", Kernel: abi.Kernel{Name: "k", Workgroup: [3]uint32{1, 1, 1}, Bindings: []abi.Binding{
		{Name: "v", Access: abi.Read, Stride: 16, Element: "f32", Type: "array<vec3<f32>>"},
		{Name: "s", Binding: 1, Access: abi.Read, Stride: 32, Type: "array<S>"},
		{Name: "h", Binding: 2, Access: abi.Read, Size: 16, Stride: 16, Element: "f32", Type: "H"},
	}}}
	type s20 struct {
		Position [3]float32
		ID       uint32
		Weight   float32
	}
	type s32 struct {
		S20 s20
		_   [3]uint32
	}
	args := must(d.Load(a)).Args()
	for name, c := range map[string]struct {
		index  int
		buffer Bound
		want   string // the end of an error
	}{
		"three numbers":      {0, must(Alloc[[3]float32](d, 4)), "elements of v, vec3<f32>, are 16 bytes apart, and those of Go, [3]float32, have 12 bytes: it lacks 4 bytes of padding; Buffer.Raw binds any bytes"},
		"four numbers":       {0, must(Alloc[[4]float32](d, 4)), ""},
		"a matrix":           {0, must(Alloc[[4][4]float32](d, 4)), ""},
		"numbers":            {0, must(Alloc[float32](d, 12)), ""},
		"too many numbers":   {0, must(Alloc[float32](d, 30)), "120 bytes, which is no whole number of elements of 16 bytes"},
		"bytes":              {0, must(Alloc[byte](d, 120)), ""}, // whose kernel counts 7
		"a short structure":  {1, must(Alloc[s20](d, 8)), "elements of 20 bytes, but those of array<S> are 32 apart; some have padding, which their Go type needs too"},
		"a padded structure": {1, must(Alloc[s32](d, 1)), ""},
		"behind a head":      {2, must(Alloc[float32](d, 8)), ""},
		"half behind it":     {2, must(Alloc[float32](d, 10)), "40 bytes, which is no whole number of elements of 16 bytes"},
	} {
		err := args.Set(c.index, c.buffer)
		if c.want == "" && err != nil || c.want != "" && (!errors.Is(err, ErrShape) || !strings.HasSuffix(err.Error(), c.want)) {
			t.Errorf("%s: got %v, want %q", name, err, c.want)
		}
	}
}

func TestLoadRefusesOtherTargets(t *testing.T) {
	d, _ := newFake(t)
	a := artefact()
	a.Target = abi.PTX
	if _, err := d.Load(a); !errors.Is(err, ErrUnsupported) {
		t.Errorf("got %v, want ErrUnsupported", err)
	}
}

func TestKernelGeometry(t *testing.T) {
	d, _ := newFake(t)
	k := must(d.Load(artefact()))
	for _, c := range []struct{ x, y, z uint32 }{{1, 1, 1}, {64, 2, 1}, {65, 3, 2}, {1<<32 - 1, 1, 0}} {
		want := Grid{X: uint32((uint64(c.x) + 63) / 64), Y: (c.y + 1) / 2, Z: c.z}
		if got := k.Cover(c.x, c.y, c.z); got != want {
			t.Errorf("%v: got %v, want %v", c, got, want)
		}
	}
	if k.Index("p") != 2 || k.Index("q") != -1 {
		t.Errorf("p is binding %d, q is %d", k.Index("p"), k.Index("q"))
	}
}

func TestEvents(t *testing.T) {
	d, _ := newFake(t)
	s := must(d.NewStream())
	first := must(s.Record())
	second := must(s.Record())
	check(t, second.Wait(background))
	if done, err := first.Done(); !done || err != nil {
		t.Errorf("done %v, error %v", done, err)
	}
	if elapsed, err := second.Since(first); elapsed < 0 || err != nil {
		t.Errorf("elapsed %v, error %v", elapsed, err)
	}
	check(t, first.Close())
	check(t, first.Close())
	if _, err := second.Since(first); !errors.Is(err, ErrClosed) {
		t.Errorf("since a closed event: %v", err)
	}
	if err := first.Wait(background); !errors.Is(err, ErrClosed) {
		t.Errorf("wait for a closed event: %v", err)
	}
}

// TestConcurrentUse shares one stream, one set of arguments and one device among
// goroutines, and closes the device in the middle.
func TestConcurrentUse(t *testing.T) {
	d, _ := newFake(t)
	s := must(d.NewStream())
	k := must(d.Load(artefact()))
	args := k.Args()
	check(t, args.Set(0, must(Alloc[float32](d, 8))))
	check(t, args.Set(1, must(Alloc[float32](d, 8))))
	check(t, args.Set(2, must(Alloc[uint32](d, 2))))
	var group sync.WaitGroup
	for worker := range 8 {
		group.Go(func() {
			for round := range 200 {
				if worker == 0 && round == 150 {
					check(t, d.Close())
				}
				err := func() error {
					b, err := Upload(background, d, []float32{1, 2, 3, 4})
					if err != nil {
						return err
					}
					if err := args.Set(0, b); err != nil {
						return err
					}
					// Another goroutine may close what this one launches with.
					if err := s.Launch(args, D1(1)); err != nil {
						return err
					}
					return b.Close()
				}()
				if err != nil && !errors.Is(err, ErrClosed) {
					t.Error(err)
				}
				if round%50 == 0 {
					runtime.GC()
				}
			}
		})
	}
	group.Wait()
}

// TestImmediates: launches get the bytes that were set last, and zeros before.
func TestImmediates(t *testing.T) {
	d, fake := newFake(t)
	s := must(d.NewStream())
	plain := must(d.Load(artefact())).Args()
	if err := plain.SetImmediates([]byte{1, 2, 3, 4}); !errors.Is(err, ErrShape) {
		t.Errorf("immediates of a kernel without: got %v, want ErrShape", err)
	}
	check(t, plain.SetImmediates(nil))
	var given [][]byte
	fake.onLaunch = func() { given = append(given, bytes.Clone(s.launch.Immediates)) }
	a := artefact()
	a.Kernel.Bindings, a.Kernel.Immediates = nil, &abi.Immediates{Name: "few", Size: 4}
	args := must(d.Load(a)).Args()
	check(t, s.Launch(args, D1(1)))
	data := []byte{1, 2, 3, 4}
	check(t, args.SetImmediates(data))
	data[0] = 9 // they were copied
	check(t, s.Launch(args, D1(1)))
	for _, wrong := range [][]byte{nil, data[:3], make([]byte, 8)} {
		if err := args.SetImmediates(wrong); !errors.Is(err, ErrShape) {
			t.Errorf("%d bytes: got %v, want ErrShape", len(wrong), err)
		}
	}
	check(t, s.Launch(args, D1(1)))
	if want := [][]byte{{0, 0, 0, 0}, {1, 2, 3, 4}, {1, 2, 3, 4}}; !reflect.DeepEqual(given, want) {
		t.Errorf("the launches got %v, want %v", given, want)
	}
}
