package kerneldata

import (
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

// samplerKind is the property of a sampler that a word sets.
type samplerKind uint8

const (
	samplerFilter samplerKind = iota
	samplerAddress
	samplerCompare
	samplerKinds
)

// samplerWords are the words of a sampler's SPEC, in the order of help texts. Value is a
// texture.Filter, texture.AddressMode or texture.Compare.
var samplerWords = []struct {
	word  string
	kind  samplerKind
	value uint8
}{
	{"linear", samplerFilter, uint8(texture.Linear)},
	{"nearest", samplerFilter, uint8(texture.Nearest)},
	{"clamp", samplerAddress, uint8(texture.ClampToEdge)},
	{"repeat", samplerAddress, uint8(texture.Repeat)},
	{"mirror", samplerAddress, uint8(texture.MirrorRepeat)},
	{"less", samplerCompare, uint8(texture.Less)},
	{"less-equal", samplerCompare, uint8(texture.LessEqual)},
	{"greater", samplerCompare, uint8(texture.Greater)},
	{"greater-equal", samplerCompare, uint8(texture.GreaterEqual)},
	{"equal", samplerCompare, uint8(texture.Equal)},
	{"not-equal", samplerCompare, uint8(texture.NotEqual)},
	{"always", samplerCompare, uint8(texture.Always)},
	{"never", samplerCompare, uint8(texture.Never)},
}

// defaultSampler is the sampler of a variable that nothing is bound to.
func defaultSampler(h *abi.Handle) texture.Sampler {
	s := texture.Smooth
	if h.Comparison {
		s.Compare = texture.Less
	}
	return s
}

// parseSampler parses the words of a sampler, in any order. Properties without a word are those of
// defaultSampler.
func parseSampler(h *abi.Handle, text string) (texture.Sampler, error) {
	s := defaultSampler(h)
	words := SamplerWords(h.Comparison)
	var given [samplerKinds]string
	for part := range strings.SplitSeq(text, ",") {
		part = strings.TrimSpace(part)
		found := false
		for _, w := range samplerWords {
			if w.word != part {
				continue
			}
			found = true
			switch {
			case w.kind == samplerCompare && !h.Comparison:
				return s, usage.Errorf("`%s` is a sampler without comparison; leave out `%s`", h.Name, part)
			case given[w.kind] != "":
				return s, usage.Errorf("`%s` cannot be both %s and %s", h.Name, given[w.kind], part)
			}
			given[w.kind] = part
			set(&s, w.kind, w.value)
		}
		if found {
			continue
		}
		return s, usage.Errorf("`%s` is no word for a sampler%s", part, usage.DidYouMean(part, words, "; `"+h.Name+"` takes "+strings.Join(words, ", ")))
	}
	return s, nil
}

// set sets a property of a sampler.
func set(s *texture.Sampler, kind samplerKind, value uint8) {
	switch kind {
	case samplerFilter:
		f := texture.Filter(value)
		s.Magnify, s.Minify, s.Mipmap = f, f, f
	case samplerAddress:
		a := texture.AddressMode(value)
		s.Address = [3]texture.AddressMode{a, a, a}
	case samplerCompare:
		s.Compare = texture.Compare(value)
	}
}

// SamplerWords lists the words of the SPEC of a sampler, or of one that compares.
func SamplerWords(comparison bool) (words []string) {
	for _, w := range samplerWords {
		if w.kind != samplerCompare || comparison {
			words = append(words, w.word)
		}
	}
	return words
}
