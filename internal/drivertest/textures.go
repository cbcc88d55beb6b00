// Tests of drivers with textures. Formats and dimensions that a device refuses are counted, except
// for those that every device must support.

package drivertest

import (
	"bytes"
	"encoding/binary"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// textureTests are the tests that a driver without textures skips.
var textureTests = []struct {
	name string
	run  func(f *Fixture)
}{
	{"formats and dimensions", everyTexture},
	{"large levels", largeLevels},
	{"stores", stores},
	{"sampling", sampling},
	{"comparison", comparison},
	{"cubes", cubes},
	{"levels made of one another", levelsOfOneAnother},
	{"order", order},
	{"views in one batch", viewsInOneBatch},
	{"free in flight", freeTexturesInFlight},
	{"refusals", textureRefusals},
	{"concurrency", concurrentTextures},
	{"closed", closedTextures},
	{"launches do not allocate", textureLaunchesDoNotAllocate},
}

// runTextures runs the tests of textures, or skips them all.
func runTextures(t *testing.T, d driver.Driver, artefact *abi.Artefact, reasons map[string]string) {
	New(t, d, artefact).needTextures()
	for _, test := range textureTests {
		t.Run(test.name, func(t *testing.T) {
			if reason := reasons[test.name]; reason != "" {
				t.Skipf("skipped: %s", reason)
			}
			test.run(New(t, d, artefact))
		})
	}
}

// needTextures skips the tests of textures on a device that has none.
func (f *Fixture) needTextures() {
	f.Helper()
	m, err := f.Device.NewTexture(new(plane(texture.RGBA8Unorm, 1, 1, 1)))
	if errors.Is(err, driver.ErrUnsupported) {
		_, err := f.Device.NewSampler(new(texture.Sampler))
		if !errors.Is(err, driver.ErrUnsupported) {
			f.Errorf("a device without textures has samplers: %v", err)
		}
		f.Skipf("skipped: %s has no textures: %d tests", f.Device.Info().Name, len(textureTests))
	}
	f.Check(err)
	f.Check(m.Free())
}

// Compile compiles WGSL and loads it on the fixture's device.
func (f *Fixture) Compile(text, entry string) driver.Kernel {
	f.Helper()
	k, err := f.Device.Load(f.artefact(text, entry))
	f.Check(err)
	return k
}

func (f *Fixture) artefact(text, entry string) *abi.Artefact {
	f.Helper()
	target := all.Lookup(string(f.code.Target))
	if target.Runs != nil { // no code is for all devices
		target = target.Highest(f.Device.Info().Profile)
	}
	a, err := compile(text, entry, target)
	f.Check(err)
	return a
}

// plane describes a 2D texture.
func plane(format texture.Format, width, height, levels uint32) texture.Description {
	return texture.Description{
		Dimension: texture.D2, Format: format, Width: width, Height: height, Depth: 1, Layers: 1, Levels: levels, Samples: 1,
	}
}

// texture creates a texture, which is zero.
func (f *Fixture) texture(d texture.Description) driver.Texture {
	f.Helper()
	f.Check(d.Check())
	m, err := f.Device.NewTexture(&d)
	f.Check(err)
	return m
}

// upload creates a texture of one level with values.
func upload[T any](f *Fixture, d texture.Description, values []T) driver.Texture {
	f.Helper()
	m := f.texture(d)
	f.Check(f.Stream.WriteTexture(m, 0, Bytes(values)))
	return m
}

// level reads a level of a texture.
func level[T any](f *Fixture, m driver.Texture, level uint32) []T {
	f.Helper()
	data := make([]byte, m.Description().LevelBytes(level))
	f.Check(f.Stream.ReadTexture(data, m, level))
	values := make([]T, len(data)/binary.Size(*new(T)))
	copy(Bytes(values), data)
	return values
}

// mandatory are formats that every device can sample (WebGPU §6.1).
var mandatory = []texture.Format{
	texture.R8Unorm, texture.R8Snorm, texture.R8Uint, texture.R8Sint, texture.R16Uint, texture.R16Sint, texture.R16Float,
	texture.RG8Unorm, texture.RG8Snorm, texture.RG8Uint, texture.RG8Sint, texture.R32Uint, texture.R32Sint, texture.R32Float,
	texture.RG16Uint, texture.RG16Sint, texture.RG16Float, texture.RGBA8Unorm, texture.RGBA8Snorm, texture.RGBA8Uint,
	texture.RGBA8Sint, texture.RGBA8UnormSRGB, texture.BGRA8Unorm, texture.BGRA8UnormSRGB, texture.RGB10A2Unorm,
	texture.RGB10A2Uint, texture.RG11B10Ufloat, texture.RGB9E5Ufloat, texture.RG32Uint, texture.RG32Sint, texture.RG32Float,
	texture.RGBA16Uint, texture.RGBA16Sint, texture.RGBA16Float, texture.RGBA32Uint, texture.RGBA32Sint, texture.RGBA32Float,
	texture.Depth16Unorm, texture.Depth32Float,
}

// everyTexture writes all levels of textures of every format and dimension and
// reads them back; before, they must be zero.
func everyTexture(f *Fixture) {
	random := rand.New(rand.NewPCG(11, 12))
	shapes := []texture.Description{
		{Dimension: texture.D1, Width: 37, Height: 1, Depth: 1, Layers: 1, Levels: 1},
		{Dimension: texture.D2, Width: 13, Height: 7, Depth: 1, Layers: 1, Levels: 4},
		{Dimension: texture.D2, Width: 6, Height: 9, Depth: 1, Layers: 5, Levels: 3},
		{Dimension: texture.D2, Width: 5, Height: 5, Depth: 1, Layers: 12, Levels: 3},
		{Dimension: texture.D3, Width: 7, Height: 5, Depth: 11, Layers: 1, Levels: 4},
	}
	accepted, refused := 0, 0
	for format := texture.NoFormat + 1; format < texture.Formats; format++ {
		for _, d := range shapes {
			d.Format, d.Samples = format, 1
			if d.Check() != nil {
				continue // there are no such depth textures
			}
			m, err := f.Device.NewTexture(&d)
			if errors.Is(err, driver.ErrUnsupported) && !contains(mandatory, format) {
				refused++
				f.Logf("refused: %v", err)
				continue
			}
			f.Check(err)
			accepted++
			checkLevels(f, m, random)
			f.Check(m.Free())
		}
	}
	f.Logf("%d textures, %d refused", accepted, refused)
}

func contains(list []texture.Format, format texture.Format) bool {
	for _, f := range list {
		if f == format {
			return true
		}
	}
	return false
}

// checkLevels expects zeros in a new texture, writes all levels and then reads
// them all back.
func checkLevels(f *Fixture, m driver.Texture, random *rand.Rand) {
	f.Helper()
	d := m.Description()
	want := make([][]byte, d.Levels)
	for i := range want {
		if got := level[byte](f, m, uint32(i)); len(bytes.Trim(got, "\x00")) > 0 {
			f.Fatalf("%+v: level %d is not zero when made", *d, i)
		}
		want[i] = texels(d, uint32(i), random)
	}
	for i := range want {
		f.Check(f.Stream.WriteTexture(m, uint32(i), want[i]))
	}
	for i := range want {
		if got := level[byte](f, m, uint32(i)); !bytes.Equal(got, want[i]) {
			f.Fatalf("%+v: level %d came back changed", *d, i)
		}
	}
}

// texels returns random contents of a level. Depths are from 0 to 1, and floats are finite, since
// devices may change other values.
func texels(d *texture.Description, level uint32, random *rand.Rand) []byte {
	data := make([]byte, d.LevelBytes(level))
	info := d.Format.Info()
	for i := range data {
		data[i] = byte(random.Uint32())
	}
	switch {
	case info.Encoding == texture.Float && info.Bits == 32:
		for i := 0; i < len(data); i += 4 {
			binary.LittleEndian.PutUint32(data[i:], math.Float32bits(random.Float32()))
		}
	case info.Encoding == texture.Float:
		for i := 1; i < len(data); i += 2 {
			data[i] &^= 0x40 // no exponent of infinity
		}
	}
	return data
}

// largeLevels copies levels that drivers copy in parts: with many rows, and with many slices.
func largeLevels(f *Fixture) {
	random := rand.New(rand.NewPCG(13, 14))
	for _, d := range []texture.Description{
		plane(texture.RGBA32Float, 1111, 1001, 1),
		{Dimension: texture.D2, Format: texture.RG16Uint, Width: 333, Height: 401, Depth: 1, Layers: 40, Levels: 2, Samples: 1},
		{Dimension: texture.D3, Format: texture.R8Uint, Width: 301, Height: 203, Depth: 307, Layers: 1, Levels: 2, Samples: 1},
		{Dimension: texture.D1, Format: texture.RGBA32Uint, Width: texture.MaxDimension1D, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1},
		{Dimension: texture.D2, Format: texture.RGBA32Uint, Width: texture.MaxDimension2D, Height: 70, Depth: 1, Layers: 2, Levels: 1, Samples: 1},
	} {
		m := f.texture(d)
		checkLevels(f, m, random)
		f.Check(m.Free())
	}
}
