//go:build !nodrivers && (amd64 || arm64) && (linux || darwin || windows)

package cudalike

import (
	"slices"
	"strconv"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/internal/drivertest"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver"
)

// madeMap is what cuTensorMapEncodeTiled or cuTensorMapEncodeIm2col is told.
type madeMap struct {
	kind, rank, address             uintptr
	sizes                           [4]uint64
	strides                         [3]uint64
	lower, upper                    [2]int32
	box                             [2]uint32
	steps                           [4]uint32
	interleave, swizzle, cache, out uintptr
	misaligned                      uintptr
}

// noteMap keeps what is encoded, and writes its number where the map is wanted.
func (l *fakeLibrary) noteMap(a *callArguments, windows bool) {
	x := madeMap{kind: a[1], rank: a[2], address: a[3], misaligned: a[0] % 64}
	steps, rest := a[7], a[8:]
	if windows {
		x.lower, x.upper = *structure[[2]int32](a[6]), *structure[[2]int32](a[7])
		x.box, steps, rest = [2]uint32{uint32(a[8]), uint32(a[9])}, a[10], a[11:]
	} else {
		x.box = *structure[[2]uint32](a[6])
	}
	for n := range int(x.rank) {
		x.sizes[n], x.steps[n] = *structure[uint64](a[4] + uintptr(8*n)), *structure[uint32](steps + uintptr(4*n))
		if n > 0 {
			x.strides[n-1] = *structure[uint64](a[5] + uintptr(8*n-8))
		}
	}
	x.interleave, x.swizzle, x.cache, x.out = rest[0], rest[1], rest[2], rest[3]
	l.encodes = append(l.encodes, x)
	for n := range dl.Bytes(a[0], abi.TensorMapBytes) {
		dl.Bytes(a[0], abi.TensorMapBytes)[n] = byte(len(l.encodes))
	}
}

// tensored is a kernel of two matrices of f16, which read their layouts in the immediates and in a
// uniform buffer after four bytes, with its variant.
func tensored() *abi.Artefact {
	a := &abi.Artefact{Target: abi.PTX, Code: []byte("kernel"), Kernel: abi.Kernel{
		Name: "k", Workgroup: [3]uint32{64, 1, 1}, WorkgroupBytes: 1 << 10, Parameters: []abi.Parameter{{Kind: abi.AddressParameter}},
		Bindings: []abi.Binding{{Name: "a", Access: abi.Read, Stride: 2}, {Name: "b", Binding: 1, Access: abi.ReadWrite, Stride: 2},
			{Name: "values", Binding: 2, Access: abi.Uniform, Size: 24}},
		Immediates: &abi.Immediates{Size: 20},
	}}
	v := &abi.Artefact{Target: abi.PTX, Code: []byte("variant"), Kernel: a.Kernel}
	v.Kernel.Workgroup, v.Kernel.WorkgroupBytes, v.Kernel.DynamicBytes, v.Kernel.Profile = [3]uint32{384, 1, 1}, 200<<10, 199<<10, "sm_90a"
	v.Kernel.Parameters = []abi.Parameter{{Kind: abi.TensorMapParameter}, {Kind: abi.TensorMapParameter, Binding: 1}, {Kind: abi.AddressParameter, Binding: 1}}
	a.Tensor = &abi.Tensor{Artefact: v, Maps: []abi.TensorMap{
		{Binding: 0, Layout: abi.ValueAt{Binding: -1}, Element: "f16", Box: [2]uint32{128, 64}, Swizzle: 128},
		{Binding: 1, Layout: abi.ValueAt{Binding: 2, Offset: 4}, Element: "bf16", Box: [2]uint32{32, 16}},
	}}
	return a
}

// tensorTest is a device with a launch of such a kernel.
type tensorTest struct {
	*testing.T
	l      *fakeLibrary
	d      *device
	s      *stream
	launch driver.Launch
}

// openTensors opens a device, changed by prepare, and loads the kernel.
func openTensors(t *testing.T, prepare func(*tensorTest, *abi.Artefact)) *tensorTest {
	t.Helper()
	fakeAPI.ByValue, fakeAPI.Tensors = true, 90
	t.Cleanup(func() { fakeAPI.ByValue, fakeAPI.Tensors = false, 90 })
	x := &tensorTest{T: t}
	x.l, x.d, x.s = openFake(t)
	a := tensored()
	if prepare != nil {
		prepare(x, a)
	}
	k, err := x.d.Load(a)
	check(t, err)
	x.launch = driver.Launch{Kernel: k, Grid: [3]uint32{5, 1, 1}, Immediates: words(0, 64, 100, 128, 1)}
	for n, bytes := range []uint64{64 * 128 * 2, 1 << 10, 32} {
		m, err := x.d.Alloc(bytes)
		check(t, err)
		m.(*memory).address = uint64(n+1) << 16 // handles of the library are no multiples of 16
		x.launch.Bindings = append(x.launch.Bindings, part(m, 0, bytes))
	}
	check(t, x.s.Write(part(x.launch.Bindings[2].Memory, 0, 24), words(7, 8, 3, 5, 16, 1)))
	return x
}

// run launches, and returns the function that ran and how many maps were encoded for it.
func (x *tensorTest) run(s *stream) (function string, encodes int) {
	x.Helper()
	before := len(x.l.encodes)
	calls := x.l.since(func() { check(x.T, s.Launch(&x.launch)) })
	function, ok := strings.CutPrefix(calls[len(calls)-1], "Launch ")
	if !ok {
		x.Fatalf("%q", calls)
	}
	function, _, _ = strings.Cut(function, " ")
	return function, len(x.l.encodes) - before
}

// expectRun launches on the device's stream and compares what run returns.
func (x *tensorTest) expectRun(what, function string, encodes int) {
	x.Helper()
	if got, n := x.run(x.s); got != function || n != encodes {
		x.Errorf("%s: %s runs and %d maps are encoded, want %s and %d", what, got, n, function, encodes)
	}
}

// passed returns the first byte of each tensor map that the last launch on a stream passed.
func (x *tensorTest) passed(s *stream) (first []byte) {
	for _, p := range s.arguments.pointers[:2] {
		if uintptr(p)%abi.TensorMapAlignment != 0 {
			x.Errorf("a tensor map is passed at %p", p)
		}
		first = append(first, *(*byte)(p))
	}
	return first
}

// TestTensorLaunch: the first launch loads the variant and encodes its maps, later ones encode
// those that have changed, and all run as many workgroups of the variant's size.
func TestTensorLaunch(t *testing.T) {
	x := openTensors(t, nil)
	loads := func() (n int) {
		for _, c := range x.l.calls {
			if strings.HasPrefix(c, "ModuleLoad") {
				n++
			}
		}
		return n
	}
	if loads() != 1 {
		t.Errorf("before a launch %d modules are loaded", loads())
	}
	x.expectRun("the first launch", "function2", 2)
	want := []madeMap{
		{kind: 6, rank: 2, address: 1 << 16, sizes: [4]uint64{100, 64}, strides: [3]uint64{256}, box: [2]uint32{64, 128}, steps: [4]uint32{1, 1}, swizzle: 3, cache: 3},
		{kind: 9, rank: 2, address: 2<<16 + 16, sizes: [4]uint64{5, 3}, strides: [3]uint64{32}, box: [2]uint32{16, 32}, steps: [4]uint32{1, 1}, cache: 3},
	}
	if !slices.Equal(x.l.encodes, want) {
		t.Errorf("encoded is %+v, want %+v", x.l.encodes, want)
	}
	if !slices.Contains(x.l.calls, "FunctionSet function2 8 203776") {
		t.Errorf("no workgroup memory is reserved: %q", x.l.calls)
	}
	if got, want := x.l.launch[1:8], []uintptr{5, 1, 1, 384, 1, 1, 199 << 10}; !slices.Equal(got, want) {
		t.Errorf("launched with %v, want %v", got, want)
	}
	if got := x.s.arguments; got.slots[2] != 2<<16 || got.pointers[2] != unsafe.Pointer(&got.slots[2]) {
		t.Errorf("the address of a buffer is not passed behind the maps: %v", got.slots[:3])
	}
	x.expectRun("the same", "function2", 0)
	x.launch.Immediates = words(0, 64, 101, 128, 1)
	x.expectRun("another layout in the immediates", "function2", 1)
	if got := x.passed(x.s); !slices.Equal(got, []byte{3, 2}) {
		t.Errorf("passed are maps %v, want 3 and 2", got)
	}
	check(t, x.s.Write(part(x.launch.Bindings[2].Memory, 4, 4), words(16)))
	x.expectRun("another layout in the uniform buffer", "function2", 1)
	x.launch.Bindings[1].Offset, x.launch.Bindings[1].Bytes = 256, 768
	x.expectRun("another part of a buffer", "function2", 1)
	if got := x.l.encodes[4].address; got != 2<<16+256+32 {
		t.Errorf("the matrix begins at %#x", got)
	}
	x.launch.Grid = [3]uint32{0, 1, 1}
	expect(t, "an empty launch", x.l.since(func() { check(t, x.s.Launch(&x.launch)) }))
	if loads() != 2 {
		t.Errorf("%d modules are loaded, want 2", loads())
	}
}

// TestTensorOfWindows: a launch encodes the map of a tensor's windows, which its values have or the
// kernel.
func TestTensorOfWindows(t *testing.T) {
	withWindows := func(windows *abi.TensorWindows) func(*tensorTest, *abi.Artefact) {
		return func(_ *tensorTest, a *abi.Artefact) {
			a.Kernel.Immediates.Size, a.Kernel.Bindings[2].Size = 68, 68
			a.Tensor.Artefact.Kernel = a.Kernel
			a.Tensor.Artefact.Kernel.Profile = "sm_90a"
			a.Tensor.Artefact.Kernel.Parameters = []abi.Parameter{{Kind: abi.TensorMapParameter}}
			a.Tensor.Maps = a.Tensor.Maps[:1]
			a.Tensor.Maps[0].Windows = windows
		}
	}
	values := []int32{3, 2, 2, 1, 1, 0, 1, 5}
	layout := words(0, 2, 4, 8, 64, 4*8*64, 8*64, 64, 1)
	want := madeMap{kind: 6, rank: 4, address: 1 << 16, sizes: [4]uint64{64, 8, 4, 2}, strides: [3]uint64{128, 1024, 4096}, lower: [2]int32{0, -1}, upper: [2]int32{-5, -1},
		box: [2]uint32{64, 128}, steps: [4]uint32{1, 1, 2, 1}, swizzle: 3, cache: 3}
	for name, windows := range map[string]*abi.TensorWindows{"constants": {Values: values}, "immediates": {At: &abi.ValueAt{Binding: -1, Offset: 36}}} {
		x := openTensors(t, withWindows(windows))
		x.launch.Immediates = append(slices.Clone(layout), words(3, 2, 2, 1, 1, 0, 1, 5)...)
		x.expectRun(name, "function2", 1)
		if len(x.l.encodes) != 1 || x.l.encodes[0] != want {
			t.Errorf("%s: encoded is %+v, want %+v", name, x.l.encodes, want)
		}
		x.expectRun("the same", "function2", 0)
		x.launch.Immediates = append(words(0, 2, 4, 7, 64, 4*8*64, 8*64, 64, 1), x.launch.Immediates[36:]...)
		x.expectRun("another tensor", "function2", 1)
		x.launch.Immediates = append(words(0, 2, 4, 7, 32, 4*8*64, 8*64, 64, 1), x.launch.Immediates[36:]...)
		x.expectRun("fewer channels than a box has", "function1", 0)
	}
	x := openTensors(t, func(x *tensorTest, a *abi.Artefact) {
		withWindows(&abi.TensorWindows{Values: values})(x, a)
		x.d.c.WindowsEncode = 0
	})
	x.launch.Immediates = append(slices.Clone(layout), make([]byte, 32)...)
	x.expectRun("a library without", "function1", 0)
}

// TestTensorByValue: the variant may itself take uniform buffers by value.
func TestTensorByValue(t *testing.T) {
	x := openTensors(t, func(_ *tensorTest, a *abi.Artefact) {
		a.Tensor.Artefact.ByValue = &abi.ByValue{Code: []byte("values"), Parameters: []abi.Parameter{
			{Kind: abi.TensorMapParameter}, {Kind: abi.TensorMapParameter, Binding: 1}, {Kind: abi.ValueParameter, Binding: 2}}}
	})
	x.expectRun("a launch", "function2", 2)
	a := &x.s.arguments
	if got := a.bytes(2, 24); !slices.Equal(got, words(7, 8, 3, 5, 16, 1)) || a.pointers[2] != unsafe.Pointer(&a.slots[2]) {
		t.Errorf("passed by value are %v", got)
	}
	if got := x.passed(x.s); !slices.Equal(got, []byte{1, 2}) {
		t.Errorf("passed are maps %v, want 1 and 2", got)
	}
	if slices.Contains(x.l.calls, "ModuleLoad module3") {
		t.Error("the code that takes addresses is loaded")
	}
}

// TestTensorStreams: streams share encoded maps, and what one passes is not changed by the other.
func TestTensorStreams(t *testing.T) {
	x := openTensors(t, nil)
	s, err := x.d.NewStream()
	check(t, err)
	check(t, x.s.Wait(t.Context())) // for the uniform buffer to be known on the other
	other := s.(*stream)
	x.run(x.s)
	if _, n := x.run(other); n != 0 {
		t.Errorf("%d maps are encoded again for another stream", n)
	}
	x.launch.Immediates = words(0, 1, 1, 8, 1)
	x.run(other)
	if one, two := x.passed(x.s), x.passed(other); !slices.Equal(one, []byte{1, 2}) || !slices.Equal(two, []byte{3, 2}) {
		t.Errorf("passed are %v and %v", one, two)
	}
}

// TestTensorFallback: launches of which a matrix cannot be encoded run the kernel itself, and
// encode nothing.
func TestTensorFallback(t *testing.T) {
	for name, change := range map[string]func(*tensorTest){
		"rows are contiguous":        func(x *tensorTest) { x.launch.Immediates = words(0, 64, 100, 1, 128) },
		"a stride of 8 bytes":        func(x *tensorTest) { x.launch.Immediates = words(0, 2, 4, 4, 1) },
		"a start at 2 bytes":         func(x *tensorTest) { x.launch.Immediates = words(1, 2, 8, 8, 1) },
		"no rows":                    func(x *tensorTest) { x.launch.Immediates = words(0, 0, 8, 8, 1) },
		"a matrix behind the buffer": func(x *tensorTest) { x.launch.Immediates = words(0, 65, 100, 128, 1) },
		"a smaller binding":          func(x *tensorTest) { x.launch.Bindings[0].Bytes = 64*128*2 - 64 },
		"another layout is wrong":    func(x *tensorTest) { check(x.T, x.s.Write(part(x.launch.Bindings[2].Memory, 20, 4), words(2))) },
		"an unknown uniform buffer": func(x *tensorTest) {
			check(x.T, x.s.Copy(part(x.launch.Bindings[2].Memory, 8, 4), part(x.launch.Bindings[0].Memory, 0, 4)))
		},
		"a short uniform buffer": func(x *tensorTest) { x.launch.Bindings[2].Bytes = 20 },
	} {
		x := openTensors(t, nil)
		change(x)
		x.expectRun(name, "function1", 0)
		if got, want := x.l.launch[4:8], []uintptr{64, 1, 1, 0}; !slices.Equal(got, want) {
			t.Errorf("%s: launched with %v, want %v", name, got, want)
		}
	}
}

// TestTensorRefused: devices and libraries without tensor maps, and those that refuse the variant,
// run the kernel itself.
func TestTensorRefused(t *testing.T) {
	for name, prepare := range map[string]func(*tensorTest, *abi.Artefact){
		"an interface without":        func(*tensorTest, *abi.Artefact) { fakeAPI.Tensors = 0 },
		"a library without":           func(x *tensorTest, _ *abi.Artefact) { x.d.c.TensorEncode = 0 },
		"an older device":             func(x *tensorTest, a *abi.Artefact) { x.d.info.Profile, a.Tensor.Artefact.Kernel.Profile = 89, "" },
		"a newer device":              func(x *tensorTest, _ *abi.Artefact) { x.d.info.Profile = 100 },
		"a device with less memory":   func(x *tensorTest, _ *abi.Artefact) { x.d.info.WorkgroupBytes = 199 << 10 },
		"a variant of another kernel": func(_ *tensorTest, a *abi.Artefact) { a.Tensor.Artefact.Kernel.Immediates = nil },
		"a parameter without a map":   func(_ *tensorTest, a *abi.Artefact) { a.Tensor.Maps = a.Tensor.Maps[:1] },
	} {
		x := openTensors(t, prepare)
		x.expectRun(name, "function1", 0)
	}

	x := openTensors(t, nil)
	x.l.answers["ModuleLoad"] = 218
	x.expectRun("a driver that refuses the code", "function1", 0)
	delete(x.l.answers, "ModuleLoad")
	x.expectRun("the driver is not asked again", "function1", 0)

	x = openTensors(t, nil)
	x.l.answers["TensorEncode"] = 1
	x.expectRun("a map that is refused", "function1", 1)
	delete(x.l.answers, "TensorEncode")
	x.expectRun("maps that are taken", "function2", 2)
}

// TestTensorParameterAlone: a kernel that takes tensor maps and is no variant is refused.
func TestTensorParameterAlone(t *testing.T) {
	_, d, _ := openFake(t)
	if _, err := d.Load(tensored().Tensor.Artefact); err == nil || !strings.Contains(err.Error(), "the code takes tensor map 0, but a launch has 0") {
		t.Error(err)
	}
}

// TestTensorClose unloads the variant with its kernel.
func TestTensorClose(t *testing.T) {
	for _, launched := range []bool{true, false} {
		x := openTensors(t, nil)
		want := []string{"ModuleUnload module1"}
		if launched {
			x.run(x.s)
			want = append(want, "ModuleUnload module2")
		}
		calls := x.l.since(func() { check(t, x.launch.Kernel.Close()) })
		expect(t, "closing the kernel", slices.DeleteFunc(calls, func(c string) bool { return !strings.HasPrefix(c, "ModuleUnload") }), want...)
	}
}

// TestTensorLaunchAllocates: passing the same tensor maps again allocates nothing.
func TestTensorLaunchAllocates(t *testing.T) {
	if drivertest.RaceEnabled {
		t.Skip("skipped: the race detector allocates; this runs without -race")
	}
	x := openTensors(t, nil)
	launch := func() float64 {
		return testing.AllocsPerRun(100, func() {
			x.l.calls, x.l.encodes = x.l.calls[:0], x.l.encodes[:0]
			check(t, x.s.Launch(&x.launch))
		})
	}
	same := launch()
	x.launch.Kernel.(*kernel).tensor = nil
	if none := launch(); same > none {
		t.Errorf("a launch with tensor maps allocates %v times, and without %v times", same, none)
	}
}

// TestDynamicBytes: a launch requests the dynamic part of a kernel's workgroup memory.
func TestDynamicBytes(t *testing.T) {
	for _, test := range []struct{ all, dynamic, want uint32 }{{1 << 10, 0, 0}, {2 << 10, 1 << 10, 1 << 10}, {64 << 10, 0, 64 << 10}, {227 << 10, 227 << 10, 227 << 10}} {
		l, d, s := openFake(t)
		a := drivertest.AxpyPTX()
		a.Kernel.Bindings, a.Kernel.Parameters = nil, []abi.Parameter{}
		a.Kernel.WorkgroupBytes, a.Kernel.DynamicBytes = test.all, test.dynamic
		k, err := d.Load(a)
		check(t, err)
		if reserved := slices.Contains(l.calls, "FunctionSet function1 8 "+strconv.FormatUint(uint64(test.want), 10)); reserved != (test.want > 0) {
			t.Errorf("%+v: %q", test, l.calls)
		}
		check(t, s.Launch(&driver.Launch{Kernel: k, Grid: [3]uint32{1, 1, 1}}))
		if got := l.launch[7]; uint32(got) != test.want {
			t.Errorf("%+v: %d bytes are requested", test, got)
		}
	}
	_, d, _ := openFake(t)
	for _, test := range []struct {
		all, dynamic uint32
		want         string
	}{
		{227<<10 + 1, 227 << 10, "232449 bytes of workgroup memory, but the device has 232448"},
		{1 << 10, 2 << 10, "2048 bytes of dynamic workgroup memory, but its description has 1024 in all"},
	} {
		a := drivertest.AxpyPTX()
		a.Kernel.WorkgroupBytes, a.Kernel.DynamicBytes = test.all, test.dynamic
		if _, err := d.Load(a); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
