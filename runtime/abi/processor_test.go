package abi

import "testing"

func TestProcessor(t *testing.T) {
	for name, want := range map[string]uint32{
		"gfx90a": 0x90a, "gfx90a:sramecc+:xnack-": 0x90a, "gfx1100": 0x1100, "gfx942": 0x942,
		"": 0, "gfx": 0, "gfx9": 0, "gfx11-generic": 0, "90a": 0, "gfx90a-": 0, "gfx12345": 0, "gfxabcg": 0, "Radeon": 0,
	} {
		if got := Processor(name); got != want {
			t.Errorf("%q is %#x, want %#x", name, got, want)
		}
	}
}

func TestProcessorRuns(t *testing.T) {
	for _, c := range []struct {
		processor uint32
		profile   string
		want      bool
	}{
		{0x90a, "gfx90a", true}, {0x90a, "gfx942", false}, {0x1100, "gfx1100", true}, {0x1101, "gfx1100", false},
		{0x1100, "gfx11-generic", true}, {0x1153, "gfx11-generic", true}, {0x1200, "gfx11-generic", false}, {0x1036, "gfx11-generic", false},
		{0x1036, "gfx10-3-generic", true}, {0x1012, "gfx10-3-generic", false}, {0x1201, "gfx12-generic", true}, {0x1250, "gfx12-generic", false},
		{0, "", false}, {0, "gfx0-generic", false}, {0x906, "gfx9-generic", false},
	} {
		if got := ProcessorRuns(c.processor, c.profile); got != c.want {
			t.Errorf("gfx%x runs code for %q: %v, want %v", c.processor, c.profile, got, c.want)
		}
	}
}
