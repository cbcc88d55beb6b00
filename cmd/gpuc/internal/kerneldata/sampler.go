package kerneldata

import (
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
)

func SamplerWords(comparison bool) string {
	var words []string
	for _, w := range samplerWords {
		if w.kind != samplerCompare || comparison {
			words = append(words, w.word)
		}
	}
	return "-bind s=WORD,… of " + strings.Join(words, ", ")
}

// This file reads what -bind says of a sampler.

// samplerKind is what a word of a sampler decides.
type samplerKind uint8

const (
	samplerFilter samplerKind = iota
	samplerAddress
	samplerCompare
	samplerKinds
)

// samplerWords are the words in the order of help texts. Value is a
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

// defaultSampler interpolates, and compares where the kernel wants that.
func defaultSampler(h *abi.Handle) texture.Sampler {
	s := texture.Smooth
	if h.Comparison {
		s.Compare = texture.Less
	}
	return s
}

// parseSampler reads words in any order; what they leave open is as in an unbound
// sampler.
func parseSampler(h *abi.Handle, text string) (texture.Sampler, error) {
	s := defaultSampler(h)
	var words []string
	for _, w := range samplerWords {
		if w.kind != samplerCompare || h.Comparison {
			words = append(words, w.word)
		}
	}
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
		if near := usage.Nearest(part, words); near != "" {
			return s, usage.Errorf("`%s` is no word for a sampler; did you mean `%s`?", part, near)
		}
		return s, usage.Errorf("`%s` is no word for a sampler; `%s` takes %s", part, h.Name, strings.Join(words, ", "))
	}
	return s, nil
}

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
