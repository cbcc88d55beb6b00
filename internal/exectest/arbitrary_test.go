package exectest_test

import (
	"encoding/binary"
	"errors"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	target "github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/internal/emulate"
	"github.com/gpuc/gpuc/internal/emulate/spirv"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestArbitraryData executes the kernels on buffers of arbitrary lengths and images of arbitrary
// sizes with arbitrary contents. Whatever they contain, code that checks its accesses leaves
// nothing undefined. It may race, not end, or store a float that a texel does not have, which are
// faults of the kernels. Code that does not check them has to be caught.
func TestArbitraryData(t *testing.T) {
	caught, texels := 0, 0
	for _, c := range pickedCases("arbitrary") {
		m := program(t, &c, codegen.Options{}).Module()
		for n, d := range c.Dispatches {
			random := rand.New(rand.NewPCG(uint64(n), 1))
			for _, o := range []codegen.Options{{}, {NoOptimize: true}, {Bounds: opt.BoundsTrap}, {Bounds: opt.BoundsOff}} {
				for _, s := range d.Overrides {
					o.Settings = append(o.Settings, ir.Setting{Key: s.Name, Value: s.Value})
				}
				var list diag.List
				a := codegen.Compile(m, d.Entry, &target.Target, &o, &list)
				if a == nil {
					t.Fatalf("%s does not compile: %v", d.Entry, list.Items())
				}
				if lacksTextures(&a.Kernel) {
					continue
				}
				l := launch(&c, &a.Kernel, n, c.Contents())
				l.Grid, l.Steps = [3]uint32{2, 1, 1}, 200000
				for k, b := range a.Kernel.Arguments() {
					l.Buffers[k] = emulate.Buffer{Group: b.Group, Binding: b.Binding, Data: arbitrary(random, b)}
				}
				for _, h := range a.Kernel.Handles {
					l.Images = append(l.Images, arbitraryImage(random, &h))
				}
				err := spirv.Run(a.Code, l)
				var e *spirv.Error
				switch {
				case err == nil:
				case o.Bounds == opt.BoundsOff:
					switch {
					case strings.Contains(err.Error(), "outside of a composite"):
						caught++
					case strings.Contains(err.Error(), "outside of an image"):
						texels++
					}
				case !errors.As(err, &e) || !strings.HasPrefix(e.Message, "a race: ") && !strings.HasSuffix(e.Message, "than its limit") &&
					!(e.Instruction == "OpImageWrite" && strings.Contains(e.Message, "the format ")):
					t.Errorf("%s, bounds %d, plain %v: %v", c.Name, o.Bounds, o.NoOptimize, err)
				}
			}
		}
	}
	if !testing.Short() && (caught < 20 || texels < 3) {
		t.Errorf("%d launches of code without checks were caught outside of buffers, %d outside of images", caught, texels)
	}
}

// limits are words that are special as integers or floats of 32 or 16 bits.
var limits = []uint32{0, 1, 1 << 31, 1<<31 - 1, 1<<32 - 1, 31, 32, 33, 64,
	0x7F800000, 0xFF800000, 0x7FC00000, 0x4F000000, 0xCF000000, 0x4F800000, 0x7C00FC00, 0xFE00FE00}

// arbitrary makes a buffer that satisfies a binding.
func arbitrary(random *rand.Rand, b abi.Binding) []byte {
	data := make([]byte, b.MinimumBytes()+uint64(b.Stride)*random.Uint64N(70))
	for k := 0; k+4 <= len(data); k += 4 {
		x := random.Uint32N(200)
		switch random.IntN(5) {
		case 0:
			x = limits[random.IntN(len(limits))]
		case 1:
			x = random.Uint32()
		}
		binary.LittleEndian.PutUint32(data[k:], x)
	}
	return data
}

// arbitraryImage makes an image that satisfies a texture variable.
func arbitraryImage(random *rand.Rand, h *abi.Handle) emulate.Image {
	side := func() uint32 { return 1 + random.Uint32N(20) }
	d := h.Texture.Shape.Describe(h.Texture.Format, side(), side(), side(), side(), 1+random.Uint32N(5))
	x := emulate.Image{Group: h.Group, Binding: h.Binding, Size: [3]uint32{d.Width, d.Height, max(d.Depth, d.Layers)}, Levels: d.Levels}
	for level := range d.Levels {
		width, height, depth := d.LevelSize(level)
		for range 4 * width * height * depth * d.Layers {
			word := random.Uint32N(20)
			if random.IntN(4) == 0 {
				word = limits[random.IntN(len(limits))]
			}
			x.Texels = append(x.Texels, word)
		}
	}
	return x
}
