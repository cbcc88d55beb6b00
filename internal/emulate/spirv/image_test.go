package spirv

import (
	"encoding/binary"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/emulate"
)

// declare declares an image as a variable of group 1, by the operands of its
// OpTypeImage: the type %name.type and the variable %name, which main loads as
// %name.image.
func declare(name string, binding int, operands string) string {
	text := `OpDecorate %name 34 1
OpDecorate %name 33 BINDING
%name.type = OpTypeImage OPERANDS
%name.pointer = OpTypePointer 0 %name.type
%name = OpVariable %name.pointer 0
`
	return strings.NewReplacer("name", name, "BINDING", fmt.Sprint(binding), "OPERANDS", operands).Replace(text)
}

// fetched is the instruction that loads an image.
func fetched(name string) string {
	return strings.ReplaceAll("%name.image = OpLoad %name.type %name\n", "name", name)
}

// picture makes an image whose texels have the words 10, 11, 12, 13, then 20 and so
// on.
func picture(binding, width, height, depth, levels, texels uint32) emulate.Image {
	x := emulate.Image{Group: 1, Binding: binding, Size: [3]uint32{width, height, depth}, Levels: levels}
	for n := range texels {
		x.Texels = append(x.Texels, 10*n+10, 10*n+11, 10*n+12, 10*n+13)
	}
	return x
}

// The operands of image types.
const (
	sampledLine   = "%u32 0 0 0 0 1 0"
	sampledFlat   = "%u32 1 0 0 0 1 0"
	sampledLayers = "%i32 1 0 1 0 1 0"
	sampledVolume = "%f32 2 0 0 0 1 0"
	storedLine    = "%u32 0 0 0 0 2 33" // R32ui
	storedFlat    = "%u32 1 0 0 0 2 33"
	storedLayers  = "%i32 1 0 1 0 2 24" // R32i
	storedVolume  = "%f32 2 0 0 0 2 1"  // Rgba32f
)

// TestImages executes instructions on images and compares the buffer and the first image with
// results that were computed by hand.
func TestImages(t *testing.T) {
	half := "%half = OpBitwiseAnd %u32 %i u:1\n"
	size := func(components int, query string) string {
		return fetched("x") + only("%r = "+query+"\n"+storeResult(strings.Fields(query)[1], components))
	}
	for _, test := range []struct {
		name, globals, body string
		images              []emulate.Image
		want, texels        []uint32
	}{
		{name: "a fetch of one dimension", globals: declare("x", 0, sampledLine),
			body:   fetched("x") + "%v = OpImageFetch %u4 %x.image %i\n%w = OpCompositeExtract %u32 %v 0\n" + put("%i", "%w"),
			images: []emulate.Image{picture(0, 4, 1, 1, 1, 4)}, want: []uint32{10, 20, 30, 40}},
		{name: "a fetch of the last level", globals: declare("x", 0, sampledLine),
			body:   fetched("x") + "%v = OpImageFetch %u4 %x.image u:0 2 i:2\n%w = OpCompositeExtract %u32 %v 3\n" + put("%i", "%w"),
			images: []emulate.Image{picture(0, 5, 1, 1, 3, 5+2+1)}, want: []uint32{83, 83, 83, 83}},
		{name: "a fetch of two dimensions", globals: declare("x", 0, sampledFlat),
			body:   fetched("x") + "%at = OpCompositeConstruct %u2 %i u:1\n%v = OpImageFetch %u4 %x.image %at 2 u:0\n%w = OpCompositeExtract %u32 %v 1\n" + put("%i", "%w"),
			images: []emulate.Image{picture(0, 4, 2, 1, 1, 8)}, want: []uint32{51, 61, 71, 81}},
		// of 2×1, after one of 5×3
		{name: "a fetch of level 1", globals: declare("x", 0, sampledFlat),
			body:   fetched("x") + half + "%at = OpCompositeConstruct %u2 %half u:0\n%v = OpImageFetch %u4 %x.image %at 2 u:1\n%w = OpCompositeExtract %u32 %v 0\n" + put("%i", "%w"),
			images: []emulate.Image{picture(0, 5, 3, 1, 3, 15+2+1)}, want: []uint32{160, 170, 160, 170}},
		// level 1 has three layers of 2×1
		{name: "a fetch of a layer", globals: declare("x", 0, sampledLayers),
			body: fetched("x") + half + "%s = OpBitcast %i32 %half\n%at = OpCompositeConstruct %i3 %s i:0 i:2\n%v = OpImageFetch %i4 %x.image %at 2 u:1\n" +
				"%w = OpCompositeExtract %i32 %v 2\n%y = OpBitcast %u32 %w\n" + put("%i", "%y"),
			images: []emulate.Image{picture(0, 4, 1, 3, 2, 12+6)}, want: []uint32{172, 182, 172, 182}},
		{name: "a fetch of three dimensions", globals: declare("x", 0, sampledVolume),
			body: fetched("x") + "%at = OpCompositeConstruct %u3 %i u:1 u:1\n%v = OpImageFetch %f4 %x.image %at\n" +
				"%w = OpCompositeExtract %f32 %v 0\n%y = OpBitcast %u32 %w\n" + put("%i", "%y"),
			images: []emulate.Image{picture(0, 4, 2, 2, 1, 16)}, want: []uint32{130, 140, 150, 160}},
		// 2×1×1 after 4×2×2
		{name: "a fetch of a smaller volume", globals: declare("x", 0, sampledVolume),
			body: fetched("x") + half + "%at = OpCompositeConstruct %u3 %half u:0 u:0\n%v = OpImageFetch %f4 %x.image %at 2 u:1\n" +
				"%w = OpCompositeExtract %f32 %v 1\n%y = OpBitcast %u32 %w\n" + put("%i", "%y"),
			images: []emulate.Image{picture(0, 4, 2, 2, 2, 16+2)}, want: []uint32{171, 181, 171, 181}},

		{name: "the size of a line", globals: declare("x", 0, sampledLine), body: size(1, "OpImageQuerySizeLod %u32 %x.image u:1"),
			images: []emulate.Image{picture(0, 9, 1, 1, 2, 13)}, want: []uint32{4, 0, 0, 0}},
		{name: "the size of a level", globals: declare("x", 0, sampledFlat), body: size(2, "OpImageQuerySizeLod %u2 %x.image i:2"),
			images: []emulate.Image{picture(0, 9, 3, 1, 3, 27+4+2)}, want: []uint32{2, 1, 0, 0}},
		{name: "the size of layers", globals: declare("x", 0, sampledLayers), body: size(3, "OpImageQuerySizeLod %i3 %x.image u:1"),
			images: []emulate.Image{picture(0, 4, 2, 5, 2, 40+10)}, want: []uint32{2, 1, 5, 0}},
		{name: "the size of a volume", globals: declare("x", 0, sampledVolume), body: size(3, "OpImageQuerySizeLod %u3 %x.image u:1"),
			images: []emulate.Image{picture(0, 4, 2, 7, 2, 56+6)}, want: []uint32{2, 1, 3, 0}},
		{name: "the size of a storage image", globals: declare("x", 0, storedLayers), body: size(3, "OpImageQuerySize %u3 %x.image"),
			images: []emulate.Image{picture(0, 3, 2, 4, 1, 24)}, want: []uint32{3, 2, 4, 0}},
		{name: "the number of levels", globals: declare("x", 0, sampledVolume), body: size(1, "OpImageQueryLevels %u32 %x.image"),
			images: []emulate.Image{picture(0, 1, 1, 7, 3, 7+3+1)}, want: []uint32{3, 0, 0, 0}},

		{name: "texels read and written", globals: declare("x", 0, storedLine),
			body: fetched("x") + "%v = OpImageRead %u4 %x.image %i\n%w = OpVectorShuffle %u4 %v %v 1 0 0 0\nOpImageWrite %x.image %i %w\n" +
				"%r = OpImageRead %u4 %x.image %i\n%y = OpCompositeExtract %u32 %r 0\n" + put("%i", "%y"),
			images: []emulate.Image{picture(0, 4, 1, 1, 1, 4)}, want: []uint32{11, 21, 31, 41},
			texels: []uint32{11, 0, 0, 1, 21, 0, 0, 1, 31, 0, 0, 1, 41, 0, 0, 1}},
		{name: "a write of three dimensions", globals: declare("x", 0, storedVolume) + "%texel = OpConstantComposite %f4 f:1 f:2 f:0x7FC01234 f:-0\n",
			body:   fetched("x") + only("%at = OpCompositeConstruct %u3 u:0 u:1 u:1\nOpImageWrite %x.image %at %texel\n"),
			images: []emulate.Image{picture(0, 1, 2, 2, 1, 4)}, want: make([]uint32, 4),
			texels: []uint32{10, 11, 12, 13, 20, 21, 22, 23, 30, 31, 32, 33, 0x3F800000, 0x40000000, 0x7FC01234, 0x80000000}},
		{name: "a write to a layer", globals: declare("x", 0, storedLayers) + "%texel = OpConstantComposite %i4 i:-1 i:-2 i:-3 i:-4\n",
			body:   fetched("x") + only("%at = OpCompositeConstruct %u3 u:0 u:0 u:1\nOpImageWrite %x.image %at %texel\n"),
			images: []emulate.Image{picture(0, 1, 1, 2, 1, 2)}, want: make([]uint32, 4), texels: []uint32{10, 11, 12, 13, 0xFFFFFFFF, 0, 0, 1}},
		{name: "writes outside of the image", globals: declare("x", 0, storedFlat) + "%texel = OpConstantComposite %u4 u:1 u:1 u:1 u:1\n",
			body: fetched("x") + "%j = OpIAdd %u32 %i u:2\n%a = OpCompositeConstruct %u2 %j u:0\nOpImageWrite %x.image %a %texel\n" +
				"%b = OpCompositeConstruct %u2 u:0 %j\nOpImageWrite %x.image %b %texel\n" +
				"%n = OpBitcast %i32 %i\n%m = OpISub %i32 %n i:4\n%c = OpCompositeConstruct %i2 %m i:0\nOpImageWrite %x.image %c %texel\n",
			images: []emulate.Image{picture(0, 2, 2, 1, 1, 4)}, want: make([]uint32, 4), texels: picture(0, 2, 2, 1, 1, 4).Texels},
		{name: "an undefined channel that the format lacks", globals: declare("x", 0, storedLine),
			body:   fetched("x") + "%u = OpUndef %u32\n%w = OpCompositeConstruct %u4 %i %u %u %u\nOpImageWrite %x.image %i %w\n%v = OpImageRead %u4 %x.image %i\n%y = OpCompositeExtract %u32 %v 3\n" + put("%i", "%y"),
			images: []emulate.Image{picture(0, 4, 1, 1, 1, 4)}, want: []uint32{1, 1, 1, 1}},
		{name: "an image as an argument", globals: declare("x", 0, sampledLine) + declare("y", 1, storedLine) +
			"%take = OpTypeFunction %u32 %x.type %u32\n%give = OpTypeFunction %void %y.pointer %u32\n",
			body: fetched("x") + "%copy = OpCopyObject %x.type %x.image\n%v = OpFunctionCall %u32 %f %copy %i\n" + put("%i", "%v") + "%none = OpFunctionCall %void %g %y %i\n" +
				"OpReturn\nOpFunctionEnd\n%f = OpFunction %u32 0 %take\n%a = OpFunctionParameter %x.type\n%b = OpFunctionParameter %u32\n%fl = OpLabel\n" +
				"%c = OpImageFetch %u4 %a %b\n%d = OpCompositeExtract %u32 %c 1\nOpReturnValue %d\nOpFunctionEnd\n" +
				"%g = OpFunction %void 0 %give\n%p = OpFunctionParameter %y.pointer\n%q = OpFunctionParameter %u32\n%gl = OpLabel\n" +
				"%o = OpLoad %y.type %p\n%z = OpCompositeConstruct %u4 %q %q %q %q\nOpImageWrite %o %q %z\n",
			images: []emulate.Image{picture(1, 4, 1, 1, 1, 4), picture(0, 4, 1, 1, 1, 4)}, want: []uint32{11, 21, 31, 41},
			texels: []uint32{0, 0, 0, 1, 1, 0, 0, 1, 2, 0, 0, 1, 3, 0, 0, 1}},
		{name: "a barrier that orders images", globals: "OpDecorate %x 23\n" + declare("x", 0, storedLine),
			body: fetched("x") + "%w = OpCompositeConstruct %u4 %i %i %i %i\nOpImageWrite %x.image %i %w\nOpControlBarrier u:2 u:2 u:0x808\n" +
				"%j = OpBitwiseXor %u32 %i u:1\n%v = OpImageRead %u4 %x.image %j\n%y = OpCompositeExtract %u32 %v 0\n" + put("%i", "%y"),
			images: []emulate.Image{picture(0, 4, 1, 1, 1, 4)}, want: []uint32{1, 0, 3, 2}},
		{name: "what only some are allowed", globals: "OpDecorate %x 24\nOpDecorate %y 25\n" + declare("x", 0, storedLine) + declare("y", 1, "%f32 0 0 0 0 2 3"),
			body:   fetched("x") + fetched("y") + "%v = OpImageRead %u4 %x.image u:0\n%f = OpBitcast %f4 %v\nOpImageWrite %y.image %i %f\n",
			images: []emulate.Image{picture(1, 4, 1, 1, 1, 4), picture(0, 1, 1, 1, 1, 1)}, want: make([]uint32, 4),
			texels: []uint32{10, 0, 0, singleOne, 10, 0, 0, singleOne, 10, 0, 0, singleOne, 10, 0, 0, singleOne}},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kernel(test.globals, test.body)
			validate(t, text)
			got, err := runKernel(t, text, 1, make([]uint32, 4), test.images...)
			if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("expected %v, found %v", test.want, got)
			}
			if texels := test.images[0].Texels; test.texels != nil && !slices.Equal(texels, test.texels) {
				t.Errorf("expected the texels %#x, found %#x", test.texels, texels)
			}
		})
	}
}

// TestTexelFormats stores a texel in an image of each format and reads it back, or expects an error
// if the format cannot represent a channel.
func TestTexelFormats(t *testing.T) {
	const one, half, fifth = 0x3F800000, 0x3F000000, 0x3E4CCCCD // 1, 1/2, 51/255
	tested := map[uint32]bool{}
	for _, test := range []struct {
		format       uint32
		stored, want [4]uint32
		refused      string // what the error says where the format lacks a number
	}{
		{format: 1, stored: [4]uint32{1, 0x7F800001, 0x80000000, half}, want: [4]uint32{1, 0x7F800001, 0x80000000, half}},
		{format: 2, stored: [4]uint32{0x33800000, 0xC77FE000, 0x7F800000, 0x7FC00000}, want: [4]uint32{0x33800000, 0xC77FE000, 0x7F800000, 0x7FC00000}},
		{format: 2, stored: [4]uint32{0, 0x3F801000}, refused: "channel 1: the format Rgba16f has no 1.0004883"},
		{format: 2, stored: [4]uint32{0x47800000}, refused: "has no 65536"},
		{format: 2, stored: [4]uint32{0x33000000}, refused: "has no 2.9802322e-08"},
		{format: 3, stored: [4]uint32{fifth, 7, 7, 7}, want: [4]uint32{fifth, 0, 0, one}},
		// 1/255
		{format: 4, stored: [4]uint32{0x80000000, one, fifth, 0x3B808081}, want: [4]uint32{0, one, fifth, 0x3B808081}},
		{format: 4, stored: [4]uint32{half}, refused: "channel 0: the format Rgba8 has no 0.5"},
		{format: 4, stored: [4]uint32{0, 0, 0, fifth + 1}, refused: "channel 3: the format Rgba8 has no 0.20000002"},
		{format: 4, stored: [4]uint32{0x40000000}, refused: "has no 2"},
		{format: 4, stored: [4]uint32{0xBF800000}, refused: "has no -1"},
		{format: 4, stored: [4]uint32{0x7FC00000}, refused: "has no NaN"},
		// -1/127
		{format: 5, stored: [4]uint32{0x80000000, 0xBF800000, 0xBC010204, one}, want: [4]uint32{0, 0xBF800000, 0xBC010204, one}},
		// -128/127
		{format: 5, stored: [4]uint32{0xBF810204}, refused: "the format Rgba8Snorm has no -1.007874"},
		{format: 6, stored: [4]uint32{7, 8, 9, 10}, want: [4]uint32{7, 8, 0, one}},
		{format: 7, stored: [4]uint32{half, half, 0x7F7FFFFF, 0}, want: [4]uint32{half, half, 0, one}},
		// 65024, 2^-20, 64512
		{format: 8, stored: [4]uint32{0x477E0000, 0x35800000, 0x477C0000, 7}, want: [4]uint32{0x477E0000, 0x35800000, 0x477C0000, one}},
		{format: 8, stored: [4]uint32{0x80000000, 0x7F800000, 0x7FC00000, 7}, want: [4]uint32{0, 0x7F800000, 0x7FC00000, one}},
		// half of a step above 65024
		{format: 8, stored: [4]uint32{0x477F0000}, refused: "has no 65280"},
		{format: 8, stored: [4]uint32{0, 0, 0x477E0000}, refused: "channel 2: the format R11fG11fB10f has no 65024"},
		{format: 8, stored: [4]uint32{0, 0xBF800000}, refused: "has no -1"},
		{format: 9, stored: [4]uint32{half, 1, 1, 1}, want: [4]uint32{half, 0, 0, one}},
		// 1/65535
		{format: 10, stored: [4]uint32{one, fifth, 0x37800080, 0}, want: [4]uint32{one, fifth, 0x37800080, 0}},
		{format: 10, stored: [4]uint32{half}, refused: "the format Rgba16 has no 0.5"},
		// 1/1023, 1/3
		{format: 11, stored: [4]uint32{0x3A802008, one, 0, 0x3EAAAAAB}, want: [4]uint32{0x3A802008, one, 0, 0x3EAAAAAB}},
		{format: 11, stored: [4]uint32{0, 0, 0, fifth}, refused: "channel 3"},
		{format: 12, stored: [4]uint32{one, one, 7, 7}, want: [4]uint32{one, one, 0, one}},
		{format: 13, stored: [4]uint32{one, fifth, 7, 7}, want: [4]uint32{one, fifth, 0, one}},
		{format: 14, stored: [4]uint32{one, 7, 7, 7}, want: [4]uint32{one, 0, 0, one}},
		{format: 15, stored: [4]uint32{fifth, 7, 7, 7}, want: [4]uint32{fifth, 0, 0, one}},
		// -1/32767
		{format: 16, stored: [4]uint32{0xBF800000, one, 0xB8000100, 0}, want: [4]uint32{0xBF800000, one, 0xB8000100, 0}},
		{format: 16, stored: [4]uint32{0, 0, 0, fifth}, refused: "channel 3: the format Rgba16Snorm"},
		{format: 17, stored: [4]uint32{0xBF800000, 0, 7, 7}, want: [4]uint32{0xBF800000, 0, 0, one}},
		{format: 18, stored: [4]uint32{0xBF800000, 0, 7, 7}, want: [4]uint32{0xBF800000, 0, 0, one}},
		{format: 19, stored: [4]uint32{0xBF800000, 7, 7, 7}, want: [4]uint32{0xBF800000, 0, 0, one}},
		{format: 20, stored: [4]uint32{0xBF800000, 7, 7, 7}, want: [4]uint32{0xBF800000, 0, 0, one}},
		{format: 21, stored: [4]uint32{0x80000000, 0x7FFFFFFF, 2, 3}, want: [4]uint32{0x80000000, 0x7FFFFFFF, 2, 3}},
		{format: 22, stored: [4]uint32{0xFFFF8000, 0x7FFF, 2, 3}, want: [4]uint32{0xFFFF8000, 0x7FFF, 2, 3}},
		{format: 22, stored: [4]uint32{0x8000}, refused: "channel 0: the format Rgba16i has no 32768"},
		{format: 23, stored: [4]uint32{0xFFFFFF80, 0x7F, 2, 3}, want: [4]uint32{0xFFFFFF80, 0x7F, 2, 3}},
		{format: 23, stored: [4]uint32{0, 0xFFFFFF7F}, refused: "channel 1: the format Rgba8i has no -129"},
		{format: 24, stored: [4]uint32{0x80000000, 7, 7, 7}, want: [4]uint32{0x80000000, 0, 0, 1}},
		{format: 25, stored: [4]uint32{0x80000000, 7, 7, 7}, want: [4]uint32{0x80000000, 7, 0, 1}},
		{format: 26, stored: [4]uint32{1, 7, 0x8000, 7}, want: [4]uint32{1, 7, 0, 1}},
		{format: 27, stored: [4]uint32{1, 7, 7, 7}, want: [4]uint32{1, 7, 0, 1}},
		{format: 28, stored: [4]uint32{0x8000}, refused: "has no 32768"},
		{format: 29, stored: [4]uint32{0x80}, refused: "has no 128"},
		{format: 30, stored: [4]uint32{0xFFFFFFFF, 1, 2, 3}, want: [4]uint32{0xFFFFFFFF, 1, 2, 3}},
		{format: 31, stored: [4]uint32{0xFFFF, 1, 2, 3}, want: [4]uint32{0xFFFF, 1, 2, 3}},
		{format: 31, stored: [4]uint32{0, 0, 0x10000}, refused: "channel 2: the format Rgba16ui has no 65536"},
		{format: 32, stored: [4]uint32{0xFF, 1, 2, 3}, want: [4]uint32{0xFF, 1, 2, 3}},
		{format: 32, stored: [4]uint32{0, 0, 0, 256}, refused: "channel 3: the format Rgba8ui has no 256"},
		{format: 33, stored: [4]uint32{0xFFFFFFFF, 7, 7, 7}, want: [4]uint32{0xFFFFFFFF, 0, 0, 1}},
		{format: 34, stored: [4]uint32{1023, 1, 2, 3}, want: [4]uint32{1023, 1, 2, 3}},
		{format: 34, stored: [4]uint32{1023, 1024}, refused: "channel 1: the format Rgb10a2ui has no 1024"},
		{format: 34, stored: [4]uint32{0, 0, 0, 4}, refused: "channel 3: the format Rgb10a2ui has no 4"},
		{format: 35, stored: [4]uint32{1, 2, 7, 7}, want: [4]uint32{1, 2, 0, 1}},
		{format: 36, stored: [4]uint32{1, 0x10000}, refused: "has no 65536"},
		{format: 37, stored: [4]uint32{1, 256}, refused: "has no 256"},
		{format: 38, stored: [4]uint32{0xFFFF, 0x10000}, want: [4]uint32{0xFFFF, 0, 0, 1}},
		{format: 39, stored: [4]uint32{0xFF, 256}, want: [4]uint32{0xFF, 0, 0, 1}},
	} {
		f := texelFormats[test.format]
		tested[test.format] = true
		t.Run(fmt.Sprintf("%s %#x", f.name, test.stored), func(t *testing.T) {
			sampled := map[*encoding]byte{&unsignedInteger: 'u', &signedInteger: 'i'}[f.encoding]
			if sampled == 0 {
				sampled = 'f'
			}
			body := fetched("x") + "%texel = OpCompositeConstruct %" + string(sampled) + "4"
			for _, word := range test.stored {
				body += fmt.Sprintf(" %c:%#x", sampled, word)
			}
			text := kernel(declare("x", 0, fmt.Sprintf("%%%c32 1 0 0 0 2 %d", sampled, test.format)),
				only(body+"\n%at = OpCompositeConstruct %u2 u:0 u:0\nOpImageWrite %x.image %at %texel\n"))
			validate(t, text)
			x := emulate.Image{Group: 1, Size: [3]uint32{1, 1, 1}, Levels: 1, Texels: []uint32{5, 6, 7, 8}}
			_, err := runKernel(t, text, 1, nil, x)
			if test.refused != "" {
				expect(t, err, "OpImageWrite|"+test.refused)
				test.want = [4]uint32{5, 6, 7, 8}
			} else if err != nil {
				t.Fatal(err)
			}
			if !slices.Equal(x.Texels, test.want[:]) {
				t.Errorf("expected %#x, found %#x", test.want, x.Texels)
			}
		})
	}
	for number, f := range texelFormats {
		if !tested[number] {
			t.Errorf("%s is not tested", f.name)
		}
	}
}

// TestUndefinedImages executes valid modules with undefined behaviour of images. The error names
// the instruction.
func TestUndefinedImages(t *testing.T) {
	flat, line, stored := declare("x", 0, sampledFlat), declare("x", 0, sampledLine), declare("x", 0, storedLine)
	texel := "%texel = OpConstantComposite %u4 u:1 u:1 u:1 u:1\n"
	for _, test := range []struct {
		name, globals, body string
		size                [3]uint32
		levels, groups      uint32
		want                string
	}{
		{name: "a column outside", globals: line, body: "%n = OpIAdd %u32 %i u:4\n%v = OpImageFetch %u4 %x.image %n", size: [3]uint32{4, 1, 1},
			want: "OpImageFetch|invocation [0 0 0]|texel [4] is outside of an image of [4]"},
		{name: "a negative column", globals: line, body: "%n = OpBitcast %i32 %i\n%m = OpISub %i32 %n i:3\n%v = OpImageFetch %u4 %x.image %m", size: [3]uint32{4, 1, 1},
			want: "OpImageFetch|texel [-3] is outside of an image of [4]"},
		{name: "a row outside", globals: flat, body: "%at = OpCompositeConstruct %u2 %i %i\n%v = OpImageFetch %u4 %x.image %at", size: [3]uint32{4, 2, 1},
			want: "invocation [2 0 0]|texel [2 2] is outside of an image of [4 2]"},
		{name: "outside of a level", globals: flat, body: "%at = OpCompositeConstruct %u2 %i u:0\n%v = OpImageFetch %u4 %x.image %at 2 u:1", size: [3]uint32{4, 2, 1}, levels: 2,
			want: "invocation [2 0 0]|texel [2 0] is outside of an image of [2 1]"},
		{name: "a layer outside", globals: declare("x", 0, sampledLayers), body: "%at = OpCompositeConstruct %u3 %i u:0 u:2\n%v = OpImageFetch %i4 %x.image %at", size: [3]uint32{4, 1, 2},
			want: "texel [0 0 2] is outside of an image of [4 1 2]"},
		{name: "a slice outside", globals: declare("x", 0, storedVolume), body: "%at = OpCompositeConstruct %u3 %i u:0 u:2\n%v = OpImageRead %f4 %x.image %at", size: [3]uint32{4, 1, 2},
			want: "OpImageRead|texel [0 0 2] is outside of an image of [4 1 2]"},
		{name: "a level that is not there", globals: line, body: "%v = OpImageFetch %u4 %x.image u:0 2 u:2", size: [3]uint32{4, 1, 1}, levels: 2, want: "OpImageFetch|level 2 of an image of 2"},
		{name: "a negative level", globals: line, body: "%v = OpImageFetch %u4 %x.image u:0 2 i:-1", size: [3]uint32{4, 1, 1}, want: "OpImageFetch|level -1 of an image of 1"},
		{name: "the size of no level", globals: line, body: "%v = OpImageQuerySizeLod %u32 %x.image u:1", size: [3]uint32{4, 1, 1}, want: "OpImageQuerySizeLod|level 1 of an image of 1"},

		{name: "an undefined coordinate", globals: flat, body: "%u = OpUndef %u32\n%at = OpCompositeConstruct %u2 u:0 %u\n%v = OpImageFetch %u4 %x.image %at", size: [3]uint32{4, 2, 1},
			want: "OpImageFetch|a coordinate is undefined"},
		{name: "undefined coordinates", globals: stored + texel, body: "%u = OpUndef %u32\nOpImageWrite %x.image %u %texel", size: [3]uint32{4, 1, 1}, want: "OpImageWrite|a coordinate is undefined"},
		{name: "an undefined level", globals: line, body: "%u = OpUndef %u32\n%v = OpImageFetch %u4 %x.image u:0 2 %u", size: [3]uint32{4, 1, 1}, want: "OpImageFetch|the level is undefined"},
		{name: "the size of an undefined level", globals: line, body: "%u = OpUndef %u32\n%v = OpImageQuerySizeLod %u32 %x.image %u", size: [3]uint32{4, 1, 1}, want: "OpImageQuerySizeLod|the level is undefined"},
		{name: "an undefined channel", globals: declare("x", 0, "%u32 0 0 0 0 2 35"), body: "%u = OpUndef %u32\n%v = OpCompositeConstruct %u4 %i %u %i %i\nOpImageWrite %x.image %i %v",
			size: [3]uint32{4, 1, 1}, want: "OpImageWrite|what is stored in an image is undefined"},

		{name: "a race of writes", globals: stored + texel, body: "OpImageWrite %x.image u:2 %texel", size: [3]uint32{4, 1, 1},
			want: "OpImageWrite|invocation [1 0 0]|a race: the invocation writes what invocation number 0 of the launch writes"},
		{name: "a race of a read", globals: stored + texel, body: "OpImageWrite %x.image %i %texel\n%v = OpImageRead %u4 %x.image u:0", size: [3]uint32{4, 1, 1},
			want: "OpImageRead|invocation [1 0 0]|a race: the invocation reads what invocation number 0 of the launch writes"},
		{name: "a race of a write with a read", globals: stored + texel, body: "%n = OpIAdd %u32 %i u:1\n%v = OpImageRead %u4 %x.image %n\nOpImageWrite %x.image %i %texel", size: [3]uint32{5, 1, 1},
			want: "OpImageWrite|invocation [1 0 0]|writes what invocation number 0 of the launch reads"},
		{name: "a race that another barrier does not order", globals: stored + texel, body: "OpImageWrite %x.image %i %texel\nOpControlBarrier u:2 u:2 u:0x148\n%v = OpImageRead %u4 %x.image u:0",
			size: [3]uint32{4, 1, 1}, want: "OpImageRead|a race"},
		{name: "a race between workgroups", globals: stored + texel, body: "OpImageWrite %x.image %i %texel", size: [3]uint32{4, 1, 1}, groups: 2, want: "OpImageWrite|invocation [4 0 0]|a race"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kernel(test.globals, fetched("x")+test.body)
			validate(t, text)
			x := emulate.Image{Group: 1, Size: test.size, Levels: max(test.levels, 1)}
			x.Texels = make([]uint32, 4*test.size[0]*test.size[1]*test.size[2])
			if test.levels == 2 {
				x.Texels = append(x.Texels, make([]uint32, 4*(test.size[0]/2)*max(test.size[1]/2, 1))...)
			}
			_, err := runKernel(t, text, max(test.groups, 1), make([]uint32, 8), x)
			expect(t, err, test.want)
		})
	}
}

// TestRefusedImages reads image types and instructions that are invalid or not supported.
func TestRefusedImages(t *testing.T) {
	flat, stored := declare("x", 0, sampledFlat), declare("x", 0, storedFlat)
	for _, test := range []struct {
		name, globals, body string
		lacks               []int // capabilities
		want                string
	}{
		{name: "a cube", globals: declare("x", 0, "%f32 3 0 0 0 1 0"), want: "OpTypeImage|not supported: images of dimension 3"},
		{name: "depths", globals: declare("x", 0, "%f32 1 1 0 0 1 0"), want: "OpTypeImage|not supported: depth images"},
		{name: "depths perhaps", globals: declare("x", 0, "%f32 1 2 0 0 1 0"), want: "not supported: depth images"},
		{name: "samples", globals: declare("x", 0, "%f32 1 0 0 1 1 0"), want: "not supported: images of several samples"},
		{name: "layers of lines", globals: declare("x", 0, "%f32 0 0 1 0 1 0"), want: "not supported: layers of images that are not 2D"},
		{name: "sampled or not", globals: declare("x", 0, "%f32 1 0 0 0 0 0"), want: "not supported: images that are neither sampled nor storage images"},
		{name: "an access qualifier", globals: declare("x", 0, "%f32 1 0 0 0 1 0 0"), want: "not supported: an access qualifier"},
		{name: "halves", globals: declare("x", 0, "%f16 1 0 0 0 1 0"), want: "not supported: channels of type"},
		{name: "long channels", globals: declare("x", 0, "%u64 1 0 0 0 1 0"), want: "not supported: channels of type"},
		{name: "no channels", globals: declare("x", 0, "%void 1 0 0 0 1 0"), want: "not supported: channels of type"},
		{name: "a format of a sampled image", globals: declare("x", 0, "%f32 1 0 0 0 1 1"), want: "not supported: format 1 of an image that has a sampler"},
		{name: "an unknown format", globals: declare("x", 0, "%f32 1 0 0 0 2 0"), want: "not supported: format 0 of a storage image"},
		{name: "a long format", globals: declare("x", 0, "%u32 1 0 0 0 2 40"), want: "not supported: format 40 of a storage image"},
		{name: "floats in a format of integers", globals: declare("x", 0, "%f32 1 0 0 0 2 33"), want: "in the format R32ui"},
		{name: "signed integers in an unsigned format", globals: declare("x", 0, "%i32 1 0 0 0 2 33"), want: "in the format R32ui"},

		{name: "no capability for lines", globals: declare("x", 0, storedLine), lacks: []int{capabilityImage1D}, want: "OpTypeImage|lacks the capability Image1D"},
		{name: "no capability for sampled lines", globals: declare("x", 0, sampledLine), lacks: []int{capabilitySampled1D, capabilityImage1D}, want: "OpTypeImage|lacks the capability Sampled1D"},
		{name: "another capability for sampled lines", globals: declare("x", 0, sampledLine), body: "%v = OpImageFetch %u4 %x.image %i 1", lacks: []int{capabilitySampled1D}, want: "not supported: image operands 0x1"},
		{name: "no capability for formats", globals: declare("x", 0, "%f32 1 0 0 0 2 6"), lacks: []int{capabilityExtendedFormats}, want: "OpTypeImage|lacks the capability StorageImageExtendedFormats"},
		{name: "no capability for queries", globals: flat, body: "%v = OpImageQueryLevels %u32 %x.image", lacks: []int{capabilityImageQuery}, want: "OpImageQueryLevels|lacks the capability ImageQuery"},

		{name: "an array of images", globals: flat + "%a = OpTypeArray %x.type u:2", want: "OpTypeArray|not supported: images in a composite"},
		{name: "a structure of images", globals: flat + "%a = OpTypeStruct %u32 %x.type", want: "OpTypeStruct|not supported: images in a composite"},
		{name: "a null", globals: flat + "%a = OpConstantNull %x.type", want: "OpConstantNull|not supported"},
		{name: "a private image", globals: flat + "%a = OpTypePointer 6 %x.type", want: "OpTypePointer|not supported: a pointer of storage class Private"},
		{name: "a constant number", globals: flat + "%a = OpTypePointer 0 %u32", want: "OpTypePointer|not supported: a pointer of storage class UniformConstant"},
		{name: "no binding", globals: "%x.type = OpTypeImage " + sampledFlat + "\n%x.pointer = OpTypePointer 0 %x.type\n%x = OpVariable %x.pointer 0", want: "lacks DescriptorSet or Binding"},
		{name: "a binding twice", globals: flat + declare("y", 0, sampledLine), want: "not supported: two variables of group 1, binding 0"},
		{name: "an undefined image", globals: flat, body: "%u = OpUndef %x.type", want: "OpUndef|not supported: an undefined value of type"},
		{name: "an undefined pointer", globals: flat, body: "%u = OpUndef %x.pointer", want: "OpUndef|not supported: an undefined value of type"},
		{name: "a phi", globals: flat, body: "OpBranch %l\n%l = OpLabel\n%p = OpPhi %x.type %x.image %entry", want: "OpPhi|mismatch of types: a phi of pointers or images"},
		{name: "an image stored", globals: flat, body: "OpStore %x %x.image", want: "OpStore|not supported: a value of type"},
		{name: "Coherent of a buffer", globals: "OpDecorate %data 23\n" + flat, want: "OpDecorate|not supported: Coherent of what is no storage image"},
		{name: "NonReadable of a buffer", globals: "OpDecorate %data 25\n" + flat, want: "OpDecorate|not supported: NonReadable of what is no storage image"},
		{name: "Coherent of a sampled image", globals: "OpDecorate %x 23\n" + flat, want: "not supported: Coherent of what is no storage image"},
		{name: "NonReadable of a type", globals: "OpDecorate %x.type 25\n" + stored, want: "not supported: NonReadable of what is no storage image"},

		{name: "no image", globals: flat, body: "%v = OpImageFetch %u4 %i %i", want: "OpImageFetch|mismatch of types: the image"},
		{name: "a fetch from a storage image", globals: stored, body: "%v = OpImageFetch %u4 %x.image %u12", want: "OpImageFetch|mismatch of types: the image"},
		{name: "a read of a sampled image", globals: flat, body: "%v = OpImageRead %u4 %x.image %u12", want: "OpImageRead|mismatch of types: the image"},
		{name: "a write to a sampled image", globals: flat, body: "OpImageWrite %x.image %u12 %i", want: "OpImageWrite|mismatch of types: the image"},
		{name: "the size of a sampled image", globals: flat, body: "%v = OpImageQuerySize %u2 %x.image", want: "OpImageQuerySize|mismatch of types: the image"},
		{name: "the levels of a storage image", globals: stored, body: "%v = OpImageQueryLevels %u32 %x.image", want: "OpImageQueryLevels|mismatch of types: the image"},
		{name: "other channels", globals: flat, body: "%v = OpImageFetch %f4 %x.image %u12", want: "OpImageFetch|mismatch of types: the result"},
		{name: "three channels", globals: flat, body: "%v = OpImageFetch %u3 %x.image %u12", want: "OpImageFetch|mismatch of types: the result"},
		{name: "too few coordinates", globals: flat, body: "%v = OpImageFetch %u4 %x.image %i", want: "OpImageFetch|mismatch of types: the coordinates"},
		{name: "too many coordinates", globals: flat, body: "%v = OpImageFetch %u4 %x.image %u123", want: "mismatch of types: the coordinates"},
		{name: "coordinates of floats", globals: flat, body: "%v = OpImageFetch %u4 %x.image %f12", want: "mismatch of types: the coordinates"},
		{name: "long coordinates", globals: flat, body: "%v = OpImageFetch %u4 %x.image %long", want: "mismatch of types: the coordinates"},
		{name: "a level of floats", globals: flat, body: "%v = OpImageFetch %u4 %x.image %u12 2 f:0", want: "mismatch of types: the level"},
		{name: "no level", globals: flat, body: "%v = OpImageFetch %u4 %x.image %u12 2", want: "expected an id behind the image operands"},
		{name: "a level that is no id", globals: flat, body: "%v = OpImageFetch %u4 %x.image %u12 2 99999", want: "expected an id behind the image operands"},
		{name: "an offset", globals: flat, body: "%v = OpImageFetch %u4 %x.image %u12 8 %u12", want: "not supported: image operands 0x8"},
		{name: "a level of a read", globals: stored, body: "%v = OpImageRead %u4 %x.image %u12 2 u:0", want: "OpImageRead|not supported: image operands 0x2"},
		{name: "operands of a write", globals: stored, body: "OpImageWrite %x.image %u12 %i 1024", want: "OpImageWrite|not supported: image operands 0x400"},
		{name: "a texel of other channels", globals: stored, body: "OpImageWrite %x.image %u12 %f12", want: "mismatch of types: the texel"},
		{name: "a texel of too few channels", globals: declare("x", 0, "%u32 1 0 0 0 2 30"), body: "OpImageWrite %x.image %u12 %u123", want: "mismatch of types: the texel"},
		{name: "a size of too few components", globals: flat, body: "%v = OpImageQuerySizeLod %u32 %x.image u:0", want: "OpImageQuerySizeLod|mismatch of types: the result"},
		{name: "a size of floats", globals: flat, body: "%v = OpImageQuerySizeLod %f2 %x.image u:0", want: "OpImageQuerySizeLod|mismatch of types: the result"},
		{name: "levels of floats", globals: flat, body: "%v = OpImageQueryLevels %f32 %x.image", want: "OpImageQueryLevels|mismatch of types: the result"},
		{name: "a sampler", globals: flat + "%sampler = OpTypeSampler", want: "not supported: OpTypeSampler"},
		{name: "a sample", globals: flat, body: "%v = OpImageSampleExplicitLod %f4 %x.image %f12 2 f:0", want: "not supported: OpImageSampleExplicitLod"},
		{name: "an atomic", globals: stored, body: "%v = OpImageTexelPointer %x.pointer %x %u12 u:0", want: "not supported: OpImageTexelPointer"},

		{name: "a read of what is not readable", globals: "OpDecorate %x 25\n" + stored, body: "%v = OpImageRead %u4 %x.image %u12", want: "OpImageRead|the image is NonReadable"},
		{name: "a write of what is not writable", globals: "OpDecorate %x 24\n" + stored, body: "OpImageWrite %x.image %u12 %u123", want: "OpImageWrite|the image is NonWritable"},
	} {
		t.Run(test.name, func(t *testing.T) {
			constants := `%u12 = OpConstantComposite %u2 u:1 u:2
%f12 = OpConstantComposite %f2 f:1 f:2
%u123 = OpConstantComposite %u3 u:1 u:2 u:3
%long = OpConstantComposite %ul2 U:1 U:2
`
			body := test.body
			if body != "" {
				body = fetched("x") + body
			}
			text := kernel(constants+test.globals, body)
			for _, c := range test.lacks {
				text = strings.Replace(text, fmt.Sprintf("OpCapability %d\n", c), "", 1)
			}
			_, err := runKernel(t, text, 1, make([]uint32, 8), picture(0, 4, 4, 1, 1, 16))
			expect(t, err, test.want)
		})
	}
}

// TestImageLaunch tests launches whose images do not fit the module.
func TestImageLaunch(t *testing.T) {
	for _, test := range []struct {
		name, operands string
		x              emulate.Image
		want           string
	}{
		{"another group", sampledFlat, emulate.Image{}, "no image of the launch has group 1, binding 0"},
		{"another binding", sampledFlat, emulate.Image{Group: 1, Binding: 1}, "no image of the launch has group 1, binding 0"},
		{"no rows", sampledFlat, emulate.Image{Group: 1, Size: [3]uint32{4, 0, 1}, Levels: 1}, "group 1, binding 0: expected a size of 1 to 32768 in each dimension, found 0"},
		{"rows of a line", sampledLine, picture(0, 2, 2, 1, 1, 4), "the size is 2 in dimension 2 of 1"},
		{"layers of an image", sampledFlat, picture(0, 2, 1, 2, 1, 4), "the size is 2 in dimension 3 of 2"},
		{"too wide", sampledLine, picture(0, 32769, 1, 1, 1, 32769), "found 32769"},
		{"no levels", sampledLine, picture(0, 1, 1, 1, 0, 1), "expected 1 to 1 levels, found 0"},
		{"too many levels", sampledFlat, picture(0, 4, 7, 1, 4, 37), "expected 1 to 3 levels, found 4"},
		{"levels of layers", sampledLayers, picture(0, 1, 1, 2, 2, 4), "expected 1 to 1 levels, found 2"},
		{"levels of a volume", sampledVolume, picture(0, 1, 1, 2, 3, 4), "expected 1 to 2 levels, found 3"},
		{"levels of a storage image", storedFlat, picture(0, 2, 2, 1, 2, 5), "expected 1 to 1 levels, found 2"},
		{"too few texels", sampledFlat, picture(0, 3, 3, 1, 2, 9), "expected four words for each of 10 texels, found 36"},
		{"too many texels", sampledFlat, picture(0, 3, 3, 1, 2, 11), "expected four words for each of 10 texels, found 44"},
	} {
		t.Run(test.name, func(t *testing.T) {
			text := kernel(declare("x", 0, test.operands), "")
			validate(t, text)
			_, err := runKernel(t, text, 1, nil, test.x)
			expect(t, err, test.want)
		})
	}
}

// TestArbitraryImageWords replaces the words of a module with images; the emulator must not panic.
func TestArbitraryImageWords(t *testing.T) {
	good := assemble(t, kernel("OpDecorate %y 23\n"+declare("x", 0, sampledLayers)+declare("y", 1, storedFlat),
		fetched("x")+fetched("y")+"%u = OpUndef %u32\n%size = OpImageQuerySizeLod %i3 %x.image u:0\n%last = OpISub %i3 %size %size\n%v = OpImageFetch %i4 %x.image %last 2 u:0\n"+
			"%w = OpBitcast %u4 %v\n%at = OpCompositeConstruct %u2 %i u:0\nOpImageWrite %y.image %at %w\n%r = OpImageRead %u4 %y.image %at\n%s = OpImageQuerySize %u2 %y.image\n"))
	for at := 5; at < len(good)/4; at++ {
		for _, value := range []uint32{0, 1, 2, 3, 7, 35, 60, 1 << 31, ^uint32(0)} {
			code := append([]byte(nil), good...)
			for _, w := range []uint32{value, binary.LittleEndian.Uint32(good[4*at:]) + value} {
				binary.LittleEndian.PutUint32(code[4*at:], w)
				l := emulate.Launch{Entry: "main", Grid: [3]uint32{1, 1, 1}, Steps: 2000, Buffers: []emulate.Buffer{{Data: make([]byte, 16)}},
					Images: []emulate.Image{picture(0, 2, 2, 2, 1, 8), picture(1, 4, 1, 1, 1, 4)}}
				_ = Run(code, &l)
			}
		}
	}
}
