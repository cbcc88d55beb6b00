package ptx_test

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/internal/emulate"
	emulator "github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// channel is how a test computes what a channel keeps of a number.
type channel struct {
	typ  string // of the kernel's numbers
	kept func(value uint32, bits int) uint32
}

var (
	unorm  = channel{"f32", func(value uint32, bits int) uint32 { return normalised(value, 0, 1<<bits-1) }}
	snorm  = channel{"f32", func(value uint32, bits int) uint32 { return normalised(value, -1, 1<<(bits-1)-1) }}
	uints  = channel{"u32", func(value uint32, bits int) uint32 { return uint32(min(uint64(value), 1<<bits-1)) }}
	sints  = channel{"i32", keptSint}
	floats = channel{"f32", keptFloat}
	ufloat = channel{"f32", keptUfloat}
)

// storageFormats are the formats that storage textures have in WGSL, with the bits of each channel
// (WGSL §6.6.1).
var storageFormats = []struct {
	name    string
	channel channel
	bits    []int
}{
	{"rgba8unorm", unorm, []int{8, 8, 8, 8}}, {"rgba8snorm", snorm, []int{8, 8, 8, 8}},
	{"rgba8uint", uints, []int{8, 8, 8, 8}}, {"rgba8sint", sints, []int{8, 8, 8, 8}},
	{"rgba16unorm", unorm, []int{16, 16, 16, 16}}, {"rgba16snorm", snorm, []int{16, 16, 16, 16}},
	{"rgba16uint", uints, []int{16, 16, 16, 16}}, {"rgba16sint", sints, []int{16, 16, 16, 16}},
	{"rgba16float", floats, []int{16, 16, 16, 16}},
	{"rg8unorm", unorm, []int{8, 8}}, {"rg8snorm", snorm, []int{8, 8}}, {"rg8uint", uints, []int{8, 8}}, {"rg8sint", sints, []int{8, 8}},
	{"rg16unorm", unorm, []int{16, 16}}, {"rg16snorm", snorm, []int{16, 16}}, {"rg16uint", uints, []int{16, 16}},
	{"rg16sint", sints, []int{16, 16}}, {"rg16float", floats, []int{16, 16}},
	{"r32uint", uints, []int{32}}, {"r32sint", sints, []int{32}}, {"r32float", floats, []int{32}},
	{"rg32uint", uints, []int{32, 32}}, {"rg32sint", sints, []int{32, 32}}, {"rg32float", floats, []int{32, 32}},
	{"rgba32uint", uints, []int{32, 32, 32, 32}}, {"rgba32sint", sints, []int{32, 32, 32, 32}}, {"rgba32float", floats, []int{32, 32, 32, 32}},
	{"bgra8unorm", unorm, []int{8, 8, 8, 8}},
	{"r8unorm", unorm, []int{8}}, {"r8snorm", snorm, []int{8}}, {"r8uint", uints, []int{8}}, {"r8sint", sints, []int{8}},
	{"r16unorm", unorm, []int{16}}, {"r16snorm", snorm, []int{16}}, {"r16uint", uints, []int{16}}, {"r16sint", sints, []int{16}},
	{"r16float", floats, []int{16}},
	{"rgb10a2unorm", unorm, []int{10, 10, 10, 2}}, {"rgb10a2uint", uints, []int{10, 10, 10, 2}}, {"rg11b10ufloat", ufloat, []int{11, 11, 10}},
}

// wholeEven rounds to an integer, ties to even.
func wholeEven(x *big.Rat) *big.Int {
	floor, rest := new(big.Int).DivMod(x.Num(), x.Denom(), new(big.Int))
	if side := rest.Lsh(rest, 1).Cmp(x.Denom()); side > 0 || side == 0 && floor.Bit(0) == 1 {
		floor.Add(floor, big.NewInt(1))
	}
	return floor
}

// normalised is a whole number over the largest one, as near to the value as there is; nothing that
// is no number.
func normalised(value uint32, least float64, most int64) uint32 {
	x := float64(math.Float32frombits(value))
	if x != x {
		x = 0
	}
	scaled := new(big.Rat).SetFloat64(min(max(x, least), 1))
	scaled.Mul(scaled, new(big.Rat).SetInt64(most))
	kept, _ := new(big.Rat).SetFrac(wholeEven(scaled), big.NewInt(most)).Float32()
	return math.Float32bits(kept)
}

func keptSint(value uint32, bits int) uint32 {
	most := int64(1)<<(bits-1) - 1
	return uint32(min(max(int64(int32(value)), -most-1), most))
}

// rounded is a number with the given number of bits of fraction and the exponents of a half.
func rounded(x float64, fraction int) float64 {
	if x == 0 || math.IsInf(x, 0) {
		return x
	}
	exponent := max(math.Ilogb(x), -14) - fraction
	unit := new(big.Rat).SetFloat64(math.Ldexp(1, exponent))
	whole := wholeEven(new(big.Rat).Quo(new(big.Rat).SetFloat64(math.Abs(x)), unit))
	size := math.Ldexp(float64(whole.Int64()), exponent)
	if size >= 1<<16 {
		size = math.Inf(1)
	}
	return math.Copysign(size, x)
}

func keptFloat(value uint32, bits int) uint32 {
	x := float64(math.Float32frombits(value))
	if bits == 32 || x != x {
		return value
	}
	return math.Float32bits(float32(rounded(x, 10)))
}

func keptUfloat(value uint32, bits int) uint32 {
	x := float64(math.Float32frombits(value))
	if x != x {
		return value
	}
	return math.Float32bits(float32(rounded(max(x, 0)+0, bits-5)))
}

// hardValues are numbers at and between those that formats have, and beyond them, each in all four
// channels, and then random ones.
func hardValues(typ string, count int) []uint32 {
	random := rand.New(rand.NewPCG(1, 2))
	list := []uint32{0, 1, 2, 3, 4, 0x7FFFFFFF, 0x80000000, 0x80000001, 0xFFFFFFFF}
	if typ != "f32" {
		for bits := 1; bits < 32; bits++ {
			for _, near := range []int32{-1, 0, 1} {
				list = append(list, uint32(1<<bits+near), uint32(-1<<bits+near))
			}
		}
		for list = inAllChannels(list); len(list) < count; {
			list = append(list, uint32(int32(random.Uint32())>>random.IntN(32)))
		}
		return list
	}
	list = append(list, 0x7F800000, 0xFF800000, 0x7FC00000, 0xFFC00000, 0x7F800001, 0x7F7FFFFF, 0xFF7FFFFF, 0x007FFFFF, 0x00800000)
	add := func(x float64) {
		at := float32(x)
		for _, y := range []float32{at, -at, math.Nextafter32(at, 2*at), math.Nextafter32(at, 0)} {
			list = append(list, math.Float32bits(y))
		}
	}
	for _, x := range []float64{0.5, 1, 1.5, 65504, 65519, 65520, 65536, 64512, 65024, 65280, 63488, 64000, 0x1p-14, 0x1p-15, 0x1p-24, 0x1p-25, 0x3p-25,
		0x1p-20, 0x1p-21, 0x3p-21, 0x1p-19, 0x3p-20, 0x1p-26} {
		add(x)
	}
	for _, most := range []int{1, 3, 127, 255, 1023, 32767, 65535} { // between two integers
		for range 12 {
			add((float64(random.IntN(most)) + 0.5) / float64(most))
		}
	}
	for _, fraction := range []int{5, 6, 10} { // between two floats
		for range 16 {
			add(math.Ldexp(float64(1<<fraction+random.IntN(1<<fraction))+0.5, random.IntN(40)-24-fraction))
		}
	}
	for list = inAllChannels(list); len(list) < count; {
		switch len(list) % 3 {
		case 0:
			list = append(list, random.Uint32())
		case 1:
			list = append(list, math.Float32bits(3*random.Float32()-1.5))
		default:
			list = append(list, math.Float32bits(float32(math.Ldexp(random.Float64(), random.IntN(48)-28))))
		}
	}
	return list
}

func inAllChannels(list []uint32) (all []uint32) {
	for _, v := range list {
		all = append(all, v, v, v, v)
	}
	return all
}

// formatKernels stores values in a texture and reads them back; then others read them.
const formatKernels = `
@group(0) @binding(0) var<storage, read> values: array<vec4<TYPE>>;
@group(0) @binding(1) var<storage, read_write> found: array<vec4<TYPE>>;
@group(0) @binding(2) var both: texture_storage_2d<FORMAT, read_write>;
@group(0) @binding(2) var written: texture_storage_2d<FORMAT, write>;
@group(0) @binding(2) var stored: texture_storage_2d<FORMAT, read>;
@group(0) @binding(2) var sampled: texture_2d<TYPE>;
@compute @workgroup_size(32) fn exchange(@builtin(global_invocation_id) id: vec3u) {
  textureStore(both, id.xy, values[32 * id.y + id.x]);
  found[32 * id.y + id.x] = textureLoad(both, id.xy);
}
@compute @workgroup_size(32) fn store(@builtin(global_invocation_id) id: vec3u) { textureStore(written, id.xy, values[32 * id.y + id.x]); }
@compute @workgroup_size(32) fn load(@builtin(global_invocation_id) id: vec3u) { found[32 * id.y + id.x] = textureLoad(stored, id.xy); }
@compute @workgroup_size(32) fn fetch(@builtin(global_invocation_id) id: vec3u) { found[32 * id.y + id.x] = textureLoad(sampled, id.xy, 0); }
`

// TestStorageFormats holds what textures of every storage format keep against rules in exact
// arithmetic.
func TestStorageFormats(t *testing.T) {
	if n := int(texture.StorageFormats - texture.NoFormat - 1); n != len(storageFormats) {
		t.Errorf("%d formats are tested of %d", len(storageFormats), n)
	}
	const rows = 32
	for _, f := range storageFormats {
		t.Run(f.name, func(t *testing.T) {
			t.Parallel()
			format, ok := texture.FormatNamed(f.name)
			if !ok {
				t.Fatal("there is no such format")
			}
			values := hardValues(f.channel.typ, 4*32*rows)
			want := make([]uint32, len(values))
			for n, v := range values {
				switch c := n % 4; {
				case c < len(f.bits):
					want[n] = f.channel.kept(v, f.bits[c])
				case c == 3 && f.channel.typ == "f32":
					want[n] = math.Float32bits(1)
				case c == 3:
					want[n] = 1
				}
			}
			m := loadText(t, f.name+".wgsl", strings.NewReplacer("FORMAT", f.name, "TYPE", f.channel.typ).Replace(formatKernels), opt.MathWGSL)
			for _, plain := range []bool{false, true} {
				given, read := bytesOf(values), make([]byte, 4*len(values))
				newImage := func() *texture.Image {
					return texture.NewImage(&texture.Description{Dimension: texture.D2, Format: abi.ArrayFormat(format), Width: 32, Height: rows,
						Depth: 1, Layers: 1, Levels: 1, Samples: 1})
				}
				image := newImage()
				run := func(entry string) {
					var list diag.List
					a := codegen.Compile(m, entry, &ptx.Target, &codegen.Options{NoOptimize: plain, Context: &opt.Context{Verify: true}}, &list)
					if a == nil {
						t.Fatal(entry, list.Items())
					}
					launch := emulate.Launch{Entry: a.Kernel.Name, Grid: [3]uint32{1, rows, 1}, Buffers: []emulate.Buffer{{Binding: 0, Data: given}, {Binding: 1, Data: read}}}
					module, err := emulator.Parse(a.Code)
					if err == nil {
						err = module.RunWithTextures(&a.Kernel, &launch, []emulator.Texture{{Handle: texture.Handle{Image: image}, Format: format}})
					}
					if err != nil {
						t.Fatalf("%s: %v\n%s", entry, err, numbered(string(a.Code)))
					}
				}
				compare := func(how string) {
					for n := range want {
						got := binary.LittleEndian.Uint32(read[4*n:])
						nan := f.channel.typ == "f32" && isNaN(got) && isNaN(want[n]) && f.bits[0] < 32
						if got != want[n] && !nan {
							t.Fatalf("%s, plain %v: channel %d of %s is %s, want %s", how, plain, n%4,
								shown(f.channel.typ, values[n]), shown(f.channel.typ, got), shown(f.channel.typ, want[n]))
						}
					}
					clear(read)
				}
				run("exchange")
				compare("what the kernel has stored")
				image = newImage()
				run("store")
				run("load")
				compare("as a storage texture")
				run("fetch")
				compare("as a sampled texture")
			}
		})
	}
}

func isNaN(bits uint32) bool { return bits&0x7FFFFFFF > 0x7F800000 }

// shown spells a number of a type.
func shown(typ string, bits uint32) string {
	if typ == "f32" {
		return fmt.Sprintf("%x (%#x)", math.Float32frombits(bits), bits)
	}
	return fmt.Sprintf("%d (%#x)", int32(bits), bits)
}

func bytesOf(words []uint32) (b []byte) {
	for _, x := range words {
		b = binary.LittleEndian.AppendUint32(b, x)
	}
	return b
}
