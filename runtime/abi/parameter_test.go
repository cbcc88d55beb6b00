package abi

import (
	"slices"
	"strings"
	"testing"
)

// parameterized is a kernel with two arrays and what a uniform buffer and immediates hold.
func parameterized() *Kernel {
	return &Kernel{Name: "main", Workgroup: [3]uint32{1, 1, 1}, Bindings: []Binding{{Stride: 4}, {Size: 16, Access: Uniform}, {Stride: 4}}, Immediates: &Immediates{Size: 8}}
}

// TestParameters states the order that code and launches keep to.
func TestParameters(t *testing.T) {
	all := []Parameter{
		{AddressParameter, 0, 0}, {AddressParameter, 1, 0}, {AddressParameter, 2, 0},
		{BytesParameter, 0, 0}, {BytesParameter, 1, 0}, {BytesParameter, 2, 0},
		{LengthParameter, 0, 0}, {LengthParameter, 2, 0},
		{ImmediatesParameter, 0, 0},
	}
	k := parameterized()
	if got := k.AllParameters(); !slices.Equal(got, all) {
		t.Errorf("all are %v, want %v", got, all)
	}
	some := []Parameter{all[1], all[2], all[7], all[8]}
	values := []Parameter{all[2], all[7], {ValueParameter, 1, 0}, all[8]}
	for _, test := range []struct{ listed, want []Parameter }{
		{nil, all}, // from before there were lists
		{[]Parameter{}, []Parameter{}},
		{some, some},
		{values, values},
		{all, all},
	} {
		k.Parameters = test.listed
		data, err := k.Marshal()
		if err != nil {
			t.Fatal(err)
		}
		again, err := Unmarshal(data)
		if err != nil {
			t.Fatal(err)
		}
		if got, err := again.PassedParameters(); err != nil || !slices.Equal(got, test.want) {
			t.Errorf("%v: %v is passed (%v), want %v\n%s", test.listed, got, err, test.want, data)
		}
	}
}

// TestParametersRefused lists what no code has.
func TestParametersRefused(t *testing.T) {
	for name, listed := range map[string][]Parameter{
		"another order": {{LengthParameter, 0, 0}, {AddressParameter, 0, 0}},
		"twice":         {{AddressParameter, 0, 0}, {AddressParameter, 0, 0}},
		"no binding":    {{AddressParameter, 3, 0}},
		"negative":      {{AddressParameter, -1, 0}},
		"no array":      {{LengthParameter, 1, 0}},
		"no kind":       {{"width", 0, 0}},
		"no uniform":    {{ValueParameter, 0, 0}},
		"no value":      {{ValueParameter, 3, 0}},
		"value first":   {{ValueParameter, 1, 0}, {LengthParameter, 0, 0}},
	} {
		k := parameterized()
		k.Parameters = listed
		if _, err := k.PassedParameters(); err == nil || !strings.Contains(err.Error(), "none that the kernel can have there") {
			t.Errorf("%s: %v", name, err)
		}
	}
	k := parameterized()
	k.Immediates, k.Parameters = nil, []Parameter{{ImmediatesParameter, 0, 0}}
	if _, err := k.PassedParameters(); err == nil {
		t.Error("immediates that there are not are passed")
	}
	k = parameterized()
	k.Bindings[1].Size, k.Parameters = ValueBytes+4, []Parameter{{ValueParameter, 1, 0}}
	if _, err := k.PassedParameters(); err == nil {
		t.Error("more than there is room for is passed by value")
	}
}

// textured is a kernel with a buffer, two textures, two samplers between them, and immediates.
func textured() *Kernel {
	t := &Texture{}
	return &Kernel{Name: "main", Workgroup: [3]uint32{1, 1, 1}, Bindings: []Binding{{Stride: 4}}, Handles: []Handle{{Texture: t}, {}, {Texture: t}, {}}, Immediates: &Immediates{Size: 8}}
}

// TestTextureParameters checks the order of texture parameters: after those of buffers, texture by
// texture, and for each texture after its own those of its samplers.
func TestTextureParameters(t *testing.T) {
	listed := []Parameter{
		{AddressParameter, 0, 0}, {LengthParameter, 0, 0},
		{TextureParameter, 0, 0}, {WidthParameter, 0, 0}, {ChannelsParameter, 0, 0}, {SampledParameter, 0, 1}, {MinifiedParameter, 0, 1}, {SampledParameter, 0, 3},
		{SurfaceParameter, 2, 0}, {GatheredParameter, 2, 1}, {ComparedParameter, 2, 1},
		{ImmediatesParameter, 0, 0},
	}
	k := textured()
	k.Parameters = listed
	if got, err := k.PassedParameters(); err != nil || !slices.Equal(got, listed) {
		t.Errorf("%v is passed (%v)", got, err)
	}
	for n := range listed[1:] {
		k.Parameters = slices.Clone(listed)
		k.Parameters[n], k.Parameters[n+1] = listed[n+1], listed[n]
		if _, err := k.PassedParameters(); err == nil {
			t.Errorf("%v comes before %v", listed[n+1], listed[n])
		}
	}
	for name, p := range map[string]Parameter{
		"a sampler's texels":          {TextureParameter, 1, 0},
		"no texture":                  {TextureParameter, 4, 0},
		"a texture for a sampler":     {SampledParameter, 0, 2},
		"no sampler":                  {SampledParameter, 0, 4},
		"a negative sampler":          {SampledParameter, 0, -1},
		"a size with a sampler":       {WidthParameter, 0, 1},
		"an address with a sampler":   {AddressParameter, 0, 1},
		"immediates of a binding":     {ImmediatesParameter, 1, 0},
		"another kind":                {"colour", 0, 0},
		"a sampler of another's kind": {SampledParameter, 1, 3},
	} {
		k.Parameters = []Parameter{p}
		if _, err := k.PassedParameters(); err == nil {
			t.Errorf("%s: %v is passed", name, p)
		}
	}
}
