package vector

import (
	"encoding/binary"
	"math"
	"math/bits"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/ir/texture"
)

// TestNumbers: every pattern of a channel of at most 16 bits stands for the number that package
// texture has for it, and numbers at, beside and between those that a channel can hold are stored
// as it stores them.
func TestNumbers(t *testing.T) {
	thisProcessor()
	for format := texture.NoFormat + 1; format < texture.Formats; format++ {
		for c := range format.Info().Channels {
			about := channelFor(format, c)
			if about.decode == decodeWord {
				continue
			}
			for _, p := range []*processor{&processors.inGo, &processors.assembly} {
				testDecode(t, p, format, c, about)
				if i := format.Info(); i.Bits != 0 && i.Encoding != texture.SRGB {
					testEncode(t, p, format, c)
				}
			}
		}
	}
}

// testDecode decodes a block of patterns at a time.
func testDecode(t *testing.T, p *processor, format texture.Format, c int, about *channel) {
	var words, got block
	width := bits.Len32(about.mask)
	for first := uint32(0); first < 1<<width; first += blockLanes {
		for n := range words {
			words[n] = (first+uint32(n))&about.mask<<about.shift | ^(about.mask << about.shift)
		}
		p.decode(about, blockLanes, unsafe.Pointer(&got), unsafe.Pointer(&words))
		for n, word := range words {
			texel := make([]byte, 16)
			binary.LittleEndian.PutUint32(texel[4*about.word:], word)
			if want := uint32(format.Decode(texel)[c]); got[n] != want {
				t.Errorf("%s: channel %d of %#x is %#x, expected %#x", format, c, word, got[n], want)
				return
			}
		}
	}
}

// testEncode encodes floats around all that the channel can hold, and halfway between.
func testEncode(t *testing.T, p *processor, format texture.Format, c int) {
	i := format.Info()
	width, place := uint32(i.Bits), uint32(c*i.Bits)
	step, e := encodingOf(i.Encoding, width)
	if step == encodeWord {
		return
	}
	var list []uint32
	add := func(x float64) {
		at := math.Float32bits(float32(x))
		list = append(list, at-2, at-1, at, at+1, at+2)
	}
	for k := range uint32(1) << width {
		switch step {
		case encodeNumbers:
			x := (float64(k) + 0.5) / float64(e.most)
			add(x)
			add(-x)
		case encodeHalves:
			x := float64(texture.Half(uint16(k)))
			add(x)
			add(x * (1 + 0x1p-11))
			add(x + 0x1p-25)
		default:
			list = append(list, k, -k, k<<16, k<<20+k)
		}
	}
	for _, x := range extremes {
		list = append(list, math.Float32bits(x))
	}
	for len(list) > 0 {
		var numbers, zeros, words block // zeros are in the channels below
		e.count = uint64(place%32/width) + 1
		for k := range e.count {
			e.from[k] = unsafe.Pointer(&zeros)
		}
		e.from[e.count-1] = unsafe.Pointer(&numbers)
		count := copy(numbers[:], list)
		list = list[count:]
		p.packs[step](blockLanes, unsafe.Pointer(&words), &e)
		for n, number := range numbers {
			var texel texture.Texel
			channel := c
			if i.Reversed && c != 1 && c != 3 {
				channel = 2 - c
			}
			texel[channel] = uint64(number)
			memory := make([]byte, 16)
			format.Encode(memory, texel)
			if want := binary.LittleEndian.Uint32(memory[place/32*4:]) & (e.mask << (place % 32)); words[n] != want {
				t.Errorf("%s: %#x in channel %d is stored as %#x, expected %#x", format, number, c, words[n], want)
				return
			}
		}
	}
}
