package texture

import (
	"encoding/binary"
	"fmt"
	"math"
	"math/big"
	"testing"

	"github.com/gpuc/gpuc/ir/scalar"
)

func f32(x float64) uint64 { return uint64(math.Float32bits(float32(x))) }

func value(bits uint64) float64 { return float64(math.Float32frombits(uint32(bits))) }

// decoded is the value of a channel of the given number of bits, in exact arithmetic rounded once,
// or as a loop over the bits of its float.
func decoded(e Encoding, n uint32, bits int) uint64 {
	rational := func(a, b int64) uint64 {
		x, _ := new(big.Rat).SetFrac64(a, b).Float32()
		return uint64(math.Float32bits(x))
	}
	sign := int64(n)
	if n>>(bits-1) == 1 {
		sign -= 1 << bits
	}
	switch e {
	case Unorm:
		return rational(int64(n), 1<<bits-1)
	case Snorm:
		if limit := int64(1)<<(bits-1) - 1; sign < -limit {
			return f32(-1)
		} else {
			return rational(sign, limit)
		}
	case Uint:
		return uint64(n)
	case Sint:
		return uint64(uint32(int32(sign)))
	case Float:
		return half(n, 10)
	case SRGB:
		x := float64(n) / 255
		if x <= 0.04045 {
			return f32(x / 12.92)
		}
		return f32(math.Exp(2.4 * math.Log((x+0.055)/1.055)))
	}
	panic("no such encoding")
}

// half reads a float with 5 bits of exponent, a fraction of the given number of bits and
// perhaps a sign above.
func half(n uint32, fraction int) uint64 {
	exponent, f := int(n>>fraction&31), n&(1<<fraction-1)
	x := 0.0
	for b := range fraction {
		if f>>b&1 == 1 {
			x += math.Pow(2, float64(b-fraction))
		}
	}
	switch exponent {
	case 0:
		x *= math.Pow(2, -14)
	case 31:
		if x = math.Inf(1); f != 0 {
			x = math.NaN()
		}
	default:
		x = (1 + x) * math.Pow(2, float64(exponent-15))
	}
	if n>>(fraction+5)&1 == 1 {
		x = -x
	}
	return f32(x)
}

// same compares results; sRGB goes through a power, and NaNs are alike.
func same(e Encoding, got, want uint64) bool {
	switch {
	case e == SRGB:
		return math.Abs(float64(int64(got)-int64(want))) <= 1
	case (e == Float || e == Packed111110Ufloat) && value(want) != value(want):
		return value(got) != value(got)
	}
	return got == want
}

// TestEveryChannelValue reads all values of 8 and 16 bits in every format that
// has them, in every channel, and writes them back.
func TestEveryChannelValue(t *testing.T) {
	for f := NoFormat + 1; f < Formats; f++ {
		i := f.Info()
		if i.Bits != 8 && i.Bits != 16 {
			continue
		}
		memory, back := make([]byte, f.Bytes()), make([]byte, f.Bytes())
		for n := range uint32(1) << i.Bits {
			clear(memory)
			at := int(n) % i.Channels // the position in memory
			if i.Bits == 8 {
				memory[at] = byte(n)
			} else {
				binary.LittleEndian.PutUint16(memory[2*at:], uint16(n))
			}
			channel, e := at, i.Encoding
			if i.Reversed && at != 3 {
				channel = 2 - at
			}
			if e == SRGB && channel == 3 {
				e = Unorm
			}
			got := f.Decode(memory)
			want := Texel{}
			want[3] = scalar.FromInt64(i.Channel, 1)
			if i.Channel == scalar.F32 {
				want[3] = f32(1)
			}
			if i.Channels == 4 {
				want[3] = 0
			}
			want[channel] = decoded(e, n, i.Bits)
			for c := range got {
				if !same(e, got[c], want[c]) {
					t.Fatalf("%s: %#x at offset %d reads as %x, want %x", f, n, at, got, want)
				}
			}
			f.Encode(back, got)
			if e == Snorm && n == 1<<(i.Bits-1) {
				continue // the second -1
			}
			if e == Float && value(want[channel]) != value(want[channel]) {
				if again := f.Decode(back)[channel]; value(again) == value(again) {
					t.Fatalf("%s: the NaN %#x becomes %x", f, n, again)
				}
				continue
			}
			if string(back) != string(memory) {
				t.Fatalf("%s: %x is written back as %x", f, memory, back)
			}
		}
	}
}

func TestPackedFormats(t *testing.T) {
	for n := range uint32(1 << 11) {
		want := [3]uint64{half(n, 6), half(n, 6), half(n&1023, 5)}
		word := n | n<<11 | (n&1023)<<22
		got := decodeWord(RG11B10Ufloat, word)
		for c := range want {
			if !same(Packed111110Ufloat, got[c], want[c]) {
				t.Fatalf("rg11b10ufloat: %#x reads as %x, want %x", n, got, want)
			}
		}
		again := encodeWord(RG11B10Ufloat, got)
		if nan := value(got[0]) != value(got[0]) || value(got[2]) != value(got[2]); again != word && !nan {
			t.Fatalf("rg11b10ufloat: %#x is written back as %#x", word, again)
		}
		word = n&1023 | (n*7&1023)<<10 | (n*5&1023)<<20 | n&3<<30
		for _, f := range []Format{RGB10A2Uint, RGB10A2Unorm} {
			e := map[Format]Encoding{RGB10A2Uint: Uint, RGB10A2Unorm: Unorm}[f]
			want := Texel{decoded(e, n&1023, 10), decoded(e, n*7&1023, 10), decoded(e, n*5&1023, 10), decoded(e, n&3, 2)}
			if got := decodeWord(f, word); got != want || encodeWord(f, got) != word {
				t.Fatalf("%s: %#x reads as %x, want %x, and is written back as %#x", f, word, got, want, encodeWord(f, got))
			}
		}
	}
	for e := range uint32(32) {
		for n := uint32(0); n < 512; n += 3 {
			word := 511 | n<<9 | (511-n)<<18 | e<<27
			scale := math.Pow(2, float64(e)-24)
			want := Texel{f32(511 * scale), f32(float64(n) * scale), f32(float64(511-n) * scale), f32(1)}
			if got := decodeWord(RGB9E5Ufloat, word); got != want || encodeWord(RGB9E5Ufloat, got) != word {
				t.Fatalf("rgb9e5ufloat: %#x reads as %x, want %x, and is written back as %#x", word, got, want, encodeWord(RGB9E5Ufloat, got))
			}
		}
	}
}

func decodeWord(f Format, word uint32) Texel {
	return f.Decode(binary.LittleEndian.AppendUint32(nil, word))
}

func encodeWord(f Format, t Texel) uint32 {
	memory := make([]byte, 4)
	f.Encode(memory, t)
	return binary.LittleEndian.Uint32(memory)
}

// TestWritesClampAndRound writes what channels cannot hold.
func TestWritesClampAndRound(t *testing.T) {
	nan, inf := math.NaN(), math.Inf(1)
	for _, c := range []struct {
		format Format
		values [4]float64
		want   string
	}{
		{RGBA8Unorm, [4]float64{-0.1, 1.1, nan, 0.5}, "00ff0080"},
		{RGBA8Unorm, [4]float64{0.2, 0.4, inf, -inf}, "3366ff00"},
		{BGRA8Unorm, [4]float64{0.2, 0.4, 0.6, 0.8}, "996633cc"},
		{RGBA8Snorm, [4]float64{-1.1, 1.1, nan, -0.3}, "817f00da"},
		{RG16Unorm, [4]float64{0.5, 2}, "0080ffff"},
		{RG16Snorm, [4]float64{-0.25, -2}, "00e00180"},
		// infinite from half a step beyond the largest
		{RG16Float, [4]float64{65520, 65519}, "007cff7b"},
		{RGB10A2Unorm, [4]float64{2, -1, 0.5, 0.7}, "ff0300a0"},
		{RG11B10Ufloat, [4]float64{-1, inf, 1e9, 0}, "00003ef8"},
		{RGB9E5Ufloat, [4]float64{1e9, -1, nan, 0}, "ff0100f8"},
		{RGB9E5Ufloat, [4]float64{511.9, 0, 0, 0}, "000100c8"}, // the fraction rounds up to 2⁹
		{RGB9E5Ufloat, [4]float64{0, 0, 0, 0}, "00000000"},
		{Depth16Unorm, [4]float64{7}, "ffff"},
	} {
		var texel Texel
		for n, x := range c.values {
			texel[n] = f32(x)
		}
		checkWrite(t, c.format, texel, c.want)
	}
	for _, c := range []struct {
		format Format
		values [4]int64
		want   string
	}{
		{RGBA8Uint, [4]int64{255, 256, 1 << 31, 7}, "ffffff07"},
		{RGBA8Sint, [4]int64{-128, -129, 127, 128}, "80807f7f"},
		{RG16Uint, [4]int64{65536, 1000}, "ffffe803"},
		{RG16Sint, [4]int64{-32769, 32768}, "0080ff7f"},
		{RGB10A2Uint, [4]int64{1024, 1, 2, 4}, "ff0720c0"},
		{R32Sint, [4]int64{-5}, "fbffffff"},
		{RG32Uint, [4]int64{1<<32 - 1, 2}, "ffffffff02000000"},
	} {
		var texel Texel
		for n, x := range c.values {
			texel[n] = uint64(uint32(x))
		}
		checkWrite(t, c.format, texel, c.want)
	}
}

func checkWrite(t *testing.T, f Format, texel Texel, want string) {
	t.Helper()
	memory := make([]byte, f.Bytes())
	f.Encode(memory, texel)
	if got := fmt.Sprintf("%x", memory); got != want {
		t.Errorf("%s: %x is written as %s, want %s", f, texel, got, want)
	}
}

// TestWritesAreNearest compares writes of random numbers with the nearest of all
// values that a channel can have.
func TestWritesAreNearest(t *testing.T) {
	for _, f := range []Format{R8Unorm, R8Snorm, RGBA8UnormSRGB, RG11B10Ufloat, RGB10A2Unorm} {
		all := map[Format]uint32{RG11B10Ufloat: 31 << 6, RGB10A2Unorm: 1024}[f]
		if all == 0 {
			all = 256
		}
		seed := uint32(1)
		for range 2000 {
			seed = seed*1664525 + 1013904223
			x := float64(float32(float64(int32(seed)) / (1 << 31)))
			if f == RG11B10Ufloat {
				x = math.Abs(x) * math.Pow(2, float64(seed%28)-14)
			}
			memory := make([]byte, 4)
			f.Encode(memory, Texel{f32(x)})
			got, best := value(f.Decode(memory)[0]), math.Inf(1)
			for n := range all {
				binary.LittleEndian.PutUint32(memory, n)
				best = min(best, distance(f, value(f.Decode(memory)[0]), x))
			}
			if d := distance(f, got, x); d > best*1.0001+1e-9 {
				t.Fatalf("%s: %v is written as %v, %v away; the nearest is %v away", f, x, got, d, best)
			}
		}
	}
}

// distance is in units of the encoding: on the curve for sRGB.
func distance(f Format, a, b float64) float64 {
	low := 0.0
	if f == R8Snorm {
		low = -1
	}
	if f != RG11B10Ufloat {
		b = max(b, low)
	}
	if f == RGBA8UnormSRGB {
		curve := func(x float64) float64 {
			if x <= 0.0031308 {
				return 12.92 * x
			}
			return 1.055*math.Pow(x, 1/2.4) - 0.055
		}
		a, b = curve(a), curve(b)
	}
	return math.Abs(a - b)
}
