package abi

import (
	"bytes"
	"encoding/binary"
	"reflect"
	"strings"
	"testing"
	"testing/fstest"
)

// layoutOf returns the words of a matrix's layout as a launch has them.
func layoutOf(words ...int32) (layout []byte) {
	for _, w := range words {
		layout = binary.LittleEndian.AppendUint32(layout, uint32(w))
	}
	return layout
}

// TestTensorMatrix compares which matrices tensor maps can have with the limits of
// cuTensorMapEncodeTiled. The buffer has 1,024 bytes.
func TestTensorMatrix(t *testing.T) {
	const address, size = 1 << 40, 1024
	for _, test := range []struct {
		name    string
		element string
		address uint64
		layout  []byte
		want    TensorMatrix
		ok      bool
	}{
		{"all of the buffer", "f16", address, layoutOf(0, 16, 32, 32, 1), matrixAt(address, 16, 32, 64), true},
		{"one row more", "f16", address, layoutOf(0, 17, 32, 32, 1), TensorMatrix{}, false},
		{"a part of it", "f16", address, layoutOf(40, 3, 9, 32, 1), matrixAt(address+80, 3, 9, 64), true},
		{"up to the last element", "f16", address, layoutOf(40, 15, 24, 32, 1), matrixAt(address+80, 15, 24, 64), true},
		{"one column more", "f16", address, layoutOf(40, 15, 25, 32, 1), TensorMatrix{}, false},
		{"one element", "bf16", address, layoutOf(504, 1, 1, 8, 1), matrixAt(address+1008, 1, 1, 16), true},
		{"its start is no multiple of 16 bytes", "f16", address, layoutOf(4, 2, 2, 32, 1), TensorMatrix{}, false},
		{"the buffer's start is none", "f16", address + 8, layoutOf(0, 2, 2, 32, 1), TensorMatrix{}, false},
		{"both together are one", "f16", address + 8, layoutOf(4, 2, 2, 32, 1), matrixAt(address+16, 2, 2, 64), true},
		{"its row stride is none", "f16", address, layoutOf(0, 2, 2, 36, 1), TensorMatrix{}, false},
		{"the same row stride of f32", "f32", address, layoutOf(0, 2, 2, 36, 1), matrixAt(address, 2, 2, 144), true},
		{"of f64", "f64", address, layoutOf(2, 4, 2, 2, 1), matrixAt(address+16, 4, 2, 16), true},
		{"of bytes", "e4m3", address, layoutOf(16, 63, 16, 16, 1), matrixAt(address+16, 63, 16, 16), true},
		{"columns are not contiguous", "f16", address, layoutOf(0, 2, 2, 32, 2), TensorMatrix{}, false},
		{"rows are contiguous", "f16", address, layoutOf(0, 2, 2, 1, 32), TensorMatrix{}, false},
		{"rows overlap", "f16", address, layoutOf(0, 2, 40, 32, 1), TensorMatrix{}, false},
		{"no rows", "f16", address, layoutOf(0, 0, 2, 32, 1), TensorMatrix{}, false},
		{"no columns", "f16", address, layoutOf(0, 2, 0, 32, 1), TensorMatrix{}, false},
		{"fewer than none", "f16", address, layoutOf(0, -1, 2, 32, 1), TensorMatrix{}, false},
		{"a negative offset", "f16", address, layoutOf(-8, 2, 2, 32, 1), TensorMatrix{}, false},
		{"a negative row stride", "f16", address, layoutOf(64, 2, 2, -32, 1), TensorMatrix{}, false},
		{"the largest sizes", "f64", address, layoutOf(1<<31-2, 1<<31-1, 1<<31-2, 1<<31-2, 1), TensorMatrix{}, false},
		{"four words", "f16", address, layoutOf(0, 2, 2, 32), TensorMatrix{}, false},
		{"no such element", "f8", address, layoutOf(0, 2, 2, 32, 1), TensorMatrix{}, false},
	} {
		m := TensorMap{Element: test.element}
		got, ok := m.Matrix(test.layout, nil, test.address, size)
		if ok != test.ok || ok && got != test.want {
			t.Errorf("%s: %+v, %v, want %+v, %v", test.name, got, ok, test.want, test.ok)
		}
	}
}

// matrixAt is a matrix in memory.
func matrixAt(address, rows, columns, rowBytes uint64) TensorMatrix {
	return TensorMatrix{Address: address, Rank: 2, Sizes: [4]uint64{columns, rows}, Strides: [3]uint64{rowBytes}}
}

// TestTensorWindows compares which windows tensor maps can have with the limits of
// cuTensorMapEncodeIm2col. The buffer has two images of 5 × 6 pixels with 64 channels of f16.
func TestTensorWindows(t *testing.T) {
	const address, size = 1 << 20, 2 * 5 * 6 * 64 * 2
	layout := func(words ...int32) []byte { return layoutOf(append(words, 64, 1)...) }
	whole := layout(0, 2, 5, 6, 64, 5*6*64, 6*64)
	tensor := TensorMatrix{Address: address, Rank: 4, Sizes: [4]uint64{64, 6, 5, 2}, Strides: [3]uint64{128, 6 * 128, 30 * 128}}
	with := func(lowerW, lowerH, upperW, upperH int32, stepW, stepH uint32) TensorMatrix {
		x := tensor
		x.Lower, x.Upper, x.Steps = [2]int32{lowerW, lowerH}, [2]int32{upperW, upperH}, [2]uint32{stepW, stepH}
		return x
	}
	none := TensorMatrix{}
	for _, test := range []struct {
		name   string
		layout []byte
		window [8]int32
		want   TensorMatrix
	}{
		{"3 by 3", whole, [8]int32{3, 3, 1, 1, 1, 1, 1, 1}, with(-1, -1, -1, -1, 1, 1)},
		{"zeros count as one", whole, [8]int32{3, 3, 0, 0, 1, 1, 0, 0}, with(-1, -1, -1, -1, 1, 1)},
		{"rows differ from pixels", whole, [8]int32{2, 4, 3, 2, 1, 5, 4, 2}, with(-5, -1, -1, -3, 2, 3)},
		{"as large as the image", whole, [8]int32{5, 6, 8, 8, 0, 0, 1, 1}, with(0, 0, -5, -4, 8, 8)},
		{"larger", whole, [8]int32{5, 7, 1, 1, 0, 0, 1, 1}, none},
		{"no rows", whole, [8]int32{0, 3, 1, 1, 1, 1, 1, 1}, none},
		{"too far apart", whole, [8]int32{1, 1, 1, 9, 0, 0, 1, 1}, none},
		{"begin too far outside", whole, [8]int32{1, 1, 1, 1, 128, 0, 1, 1}, none},
		{"almost", whole, [8]int32{1, 1, 1, 1, 127, 0, 1, 1}, with(0, -127, 0, 127, 1, 1)},
		{"a pixel is too far from the first", whole, [8]int32{1, 257, 1, 1, 0, 127, 1, 1}, none},
		{"as far as can be", whole, [8]int32{1, 254, 1, 1, 0, 126, 1, 1}, with(-126, 0, -127, 0, 1, 1)},
		{"large numbers", whole, [8]int32{1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30, 1 << 30}, none},
		{"behind the buffer", layout(64, 2, 5, 6, 64, 5*6*64, 6*64), [8]int32{1, 1, 1, 1, 0, 0, 1, 1}, none},
		{"channels of two pixels in a box", layout(0, 2, 5, 6, 32, 5*6*64, 6*64), [8]int32{1, 1, 1, 1, 0, 0, 1, 1}, none},
		{"no images", layout(0, 0, 5, 6, 64, 5*6*64, 6*64), [8]int32{1, 1, 1, 1, 0, 0, 1, 1}, none},
		{"rows of 12 bytes", layout(0, 2, 5, 6, 64, 5*6*64, 6), [8]int32{1, 1, 1, 1, 0, 0, 1, 1}, none},
		{"images from the last one on", layout(0, 2, 5, 6, 64, -5*6*64, 6*64), [8]int32{1, 1, 1, 1, 0, 0, 1, 1}, none},
		{"a short layout", layoutOf(0, 2, 5, 6, 64), [8]int32{1, 1, 1, 1, 0, 0, 1, 1}, none},
	} {
		values := layoutOf(test.window[:]...)
		for where, windows := range map[string]*TensorWindows{"constants": {Values: test.window[:]}, "values": {At: &ValueAt{}}} {
			m := TensorMap{Element: "f16", Box: [2]uint32{64, 64}, Windows: windows}
			got, ok := m.Matrix(test.layout, values, address, size)
			if ok != (test.want != none) || ok && got != test.want {
				t.Errorf("%s, %s: %+v, %v, want %+v", test.name, where, got, ok, test.want)
			}
			if windows.At != nil {
				if _, ok := m.Matrix(test.layout, values[4:], address, size); ok {
					t.Errorf("%s: seven values are windows", test.name)
				}
			}
		}
	}
}

// tensored is a kernel with two matrices, of which the immediates and a uniform buffer have the
// layouts, and its variant with tensor maps.
func tensored() (*Kernel, *Tensor) {
	k := Kernel{Name: "main", Workgroup: [3]uint32{64, 1, 1}, Bindings: []Binding{{Stride: 2, Access: Read}, {Stride: 2, Access: ReadWrite}, {Size: 24, Access: Uniform}},
		Immediates: &Immediates{Size: 20}}
	v := k
	v.Workgroup, v.Profile = [3]uint32{384, 1, 1}, "sm_90a"
	return &k, &Tensor{
		Maps:     []TensorMap{{0, ValueAt{-1, 0}, "f16", [2]uint32{64, 64}, 128, nil}, {1, ValueAt{2, 4}, "f16", [2]uint32{256, 8}, 0, nil}},
		Artefact: &Artefact{Target: PTX, Kernel: v},
	}
}

// TestTensorSuits: a variant that takes something else than the kernel, or maps that cannot be
// made, are refused.
func TestTensorSuits(t *testing.T) {
	for name, change := range map[string]func(*Kernel, *Tensor){
		"no artefact":               func(_ *Kernel, x *Tensor) { x.Artefact = nil },
		"a variant of the variant":  func(_ *Kernel, x *Tensor) { x.Artefact.Tensor = new(Tensor) },
		"a large-launch variant":    func(_ *Kernel, x *Tensor) { x.Artefact.Coarse = new(Coarse) },
		"other bindings":            func(_ *Kernel, x *Tensor) { x.Artefact.Kernel.Bindings = x.Artefact.Kernel.Bindings[:2] },
		"other immediates":          func(_ *Kernel, x *Tensor) { x.Artefact.Kernel.Immediates = &Immediates{Size: 24} },
		"an extent":                 func(_ *Kernel, x *Tensor) { x.Artefact.Kernel.Extent = &Extent{20, []int{0}} },
		"signed indices":            func(_ *Kernel, x *Tensor) { x.Artefact.Kernel.IntPositions = true },
		"tables":                    func(_ *Kernel, x *Tensor) { x.Artefact.Kernel.Tables = []byte{1} },
		"textures":                  func(k *Kernel, _ *Tensor) { k.Handles = []Handle{{}} },
		"messages":                  func(k *Kernel, _ *Tensor) { k.Messages = new(Messages) },
		"fault records":             func(_ *Kernel, x *Tensor) { x.Artefact.Kernel.Fault = new(Fault) },
		"scratch memory":            func(k *Kernel, _ *Tensor) { k.Scratch = new(Scratch) },
		"no binding":                func(_ *Kernel, x *Tensor) { x.Maps[0].Binding = 3 },
		"a negative binding":        func(_ *Kernel, x *Tensor) { x.Maps[0].Binding = -1 },
		"a uniform buffer":          func(_ *Kernel, x *Tensor) { x.Maps[0].Binding = 2 },
		"no element":                func(_ *Kernel, x *Tensor) { x.Maps[0].Element = "" },
		"no rows":                   func(_ *Kernel, x *Tensor) { x.Maps[0].Box[0] = 0 },
		"no columns":                func(_ *Kernel, x *Tensor) { x.Maps[0].Box[1] = 0 },
		"more than 256 rows":        func(_ *Kernel, x *Tensor) { x.Maps[0].Box[0] = 257 },
		"more than 256 columns":     func(_ *Kernel, x *Tensor) { x.Maps[1].Box[1] = 264 },
		"8 bytes in a row":          func(_ *Kernel, x *Tensor) { x.Maps[0].Box[1] = 4 },
		"rows longer than swizzled": func(_ *Kernel, x *Tensor) { x.Maps[0].Box[1] = 72 },
		"another swizzle":           func(_ *Kernel, x *Tensor) { x.Maps[1].Swizzle = 16 },
		"behind the immediates":     func(_ *Kernel, x *Tensor) { x.Maps[0].Layout.Offset = 4 },
		"behind the uniform buffer": func(_ *Kernel, x *Tensor) { x.Maps[1].Layout.Offset = 8 },
		"between words":             func(_ *Kernel, x *Tensor) { x.Maps[1].Layout.Offset = 2 },
		"a storage buffer's layout": func(_ *Kernel, x *Tensor) { x.Maps[0].Layout.Binding = 1 },
		"a short window":            func(_ *Kernel, x *Tensor) { x.Maps[1].Windows = &TensorWindows{Values: make([]int32, 7)} },
		"a tensor's layout":         func(_ *Kernel, x *Tensor) { x.Maps[0].Windows = &TensorWindows{Values: make([]int32, 8)} },
		"windows twice":             func(_ *Kernel, x *Tensor) { x.Maps[0].Windows = &TensorWindows{&ValueAt{2, 0}, make([]int32, 8)} },
		"no buffer with the layout": func(_ *Kernel, x *Tensor) { x.Maps[0].Layout.Binding = 3 },
	} {
		k, x := tensored()
		if !x.Suits(k) {
			t.Fatal("the variant does not suit its kernel")
		}
		change(k, x)
		if x.Suits(k) {
			t.Errorf("%s: the variant suits the kernel", name)
		}
	}
}

// TestTensorCovers counts invocations of the variant, of which there are more than of the kernel.
func TestTensorCovers(t *testing.T) {
	_, x := tensored()
	for _, test := range []struct {
		grid [3]uint32
		want bool
	}{
		{[3]uint32{(1<<31 - 1) / 384, 1<<31 - 1, 1<<31 - 1}, true},
		{[3]uint32{(1<<31-1)/384 + 1, 1, 1}, false},
		{[3]uint32{1, 1 << 31, 1}, false},
	} {
		if got := x.Covers(test.grid); got != test.want {
			t.Errorf("%v: %v, want %v", test.grid, got, test.want)
		}
	}
}

// TestTensorParameters: tensor maps come before all parameters, with their size and alignment.
func TestTensorParameters(t *testing.T) {
	k, _ := tensored()
	k.Parameters = []Parameter{{TensorMapParameter, 0, 0}, {TensorMapParameter, 1, 0}, {AddressParameter, 1, 0}, {LengthParameter, 1, 0}, {ImmediatesParameter, 0, 0}}
	passed, err := k.PassedParameters()
	if err != nil {
		t.Fatal(err)
	}
	want := [][2]uint32{{0, 128}, {128, 128}, {256, 8}, {264, 4}, {272, 20}}
	for n, a := range k.ArgumentsOf(passed) {
		if got := [...]uint32{a.Offset, a.Bytes}; got != want[n] {
			t.Errorf("parameter %d has offset and bytes %v, want %v", n, got, want[n])
		}
	}
	if a := k.ArgumentsOf([]Parameter{{AddressParameter, 0, 0}, {TensorMapParameter, 0, 0}})[1]; a.Offset != TensorMapAlignment {
		t.Errorf("behind an address, a tensor map is at %d", a.Offset)
	}
	for name, listed := range map[string][]Parameter{
		"behind an address":  {{AddressParameter, 0, 0}, {TensorMapParameter, 0, 0}},
		"twice":              {{TensorMapParameter, 0, 0}, {TensorMapParameter, 0, 0}},
		"of no map":          {{TensorMapParameter, -1, 0}},
		"with some sampler":  {{TensorMapParameter, 0, 1}},
		"in the wrong order": {{TensorMapParameter, 1, 0}, {TensorMapParameter, 0, 0}},
	} {
		k.Parameters = listed
		if _, err := k.PassedParameters(); err == nil {
			t.Errorf("a tensor map %s is passed", name)
		}
	}
}

// TestRequestedBytes: a launch requests what is dynamic, or all if the code cannot declare it.
func TestRequestedBytes(t *testing.T) {
	for _, test := range []struct{ all, dynamic, want uint32 }{
		{48 << 10, 0, 0}, {48<<10 + 4, 0, 48<<10 + 4}, {1024, 1024, 1024}, {200 << 10, 199 << 10, 199 << 10},
	} {
		k := Kernel{WorkgroupBytes: test.all, DynamicBytes: test.dynamic}
		if got := DemandsOf(PTX, &k).DynamicWorkgroupBytes; got != test.want {
			t.Errorf("%d bytes, %d of them dynamic: a launch requests %d, want %d", test.all, test.dynamic, got, test.want)
		}
	}
}

// TestTensorDescription: a variant that is described is loaded with its own code.
func TestTensorDescription(t *testing.T) {
	k, x := tensored()
	k.Parameters = []Parameter{{AddressParameter, 1, 0}}
	v := &x.Artefact.Kernel
	v.Name, v.WorkgroupBytes, v.DynamicBytes = "other", 100<<10, 99<<10
	v.Parameters = []Parameter{{TensorMapParameter, 0, 0}, {AddressParameter, 1, 0}}
	x.Artefact.Code = []byte("variant")
	want := &Artefact{Target: PTX, Code: []byte("kernel"), Kernel: *k, Tensor: x}
	d := &Description{Version: DescriptionVersion, Target: PTX, Code: CodeFileOf("k.ptx", want.Code), Kernel: *k, Parameters: k.ArgumentsOf(k.Parameters), Tensor: x.Describe("k.tensor.ptx")}
	text, err := d.Marshal()
	if err != nil {
		t.Fatal(err)
	}
	files := fstest.MapFS{"out/k.json": {Data: text}, "out/k.ptx": {Data: want.Code}, "out/k.tensor.ptx": {Data: x.Artefact.Code}}
	if got, err := Load(files, "out/k"); err != nil || !reflect.DeepEqual(got, want) {
		t.Errorf("%v, got\n%+v\nwant\n%+v", err, got, want)
	}
	for _, test := range []struct{ from, to, want string }{
		{`"k.tensor.ptx"`, `"../k.ptx"`, `"../k.ptx" is no name of a file in its folder`},
		{`"k.tensor.ptx"`, `"l.ptx"`, "load out/k: cannot read out/l.ptx, the code that its description names: file does not exist"},
		{`"k.tensor.ptx"`, `"k.ptx"`, "load out/k: k.ptx is not the code that is described"},
		{`"other"`, `""`, "its tensor has to say name, code and parameters"},
	} {
		files["out/k.json"] = &fstest.MapFile{Data: bytes.Replace(text, []byte(test.from), []byte(test.to), 1)}
		if _, err := Load(files, "out/k"); err == nil || !strings.Contains(err.Error(), test.want) {
			t.Errorf("%v, want %s", err, test.want)
		}
	}
}
