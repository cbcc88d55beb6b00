package vulkan

import (
	"fmt"
	"strings"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/abi"
)

// This file fits modules with strict arithmetic to a device: they ask for all that there is of
// VK_KHR_shader_float_controls, and devices have parts of it.

const controlsExtension = "VK_KHR_shader_float_controls"

// fusingDrivers are those (VkDriverId) whose Fma was seen to round once, for all floats that they
// have. Vulkan lets it round twice, and others compute it with integers.
var fusingDrivers = [...]uint32{
	4, // NVIDIA's own
}

// unreported are what drivers have and do not report, for one width each. Where asked is set, they
// have it if a module requests it.
var unreported = [...]struct {
	driver, mode, bits uint32
	asked              bool
}{
	// driver 580 (H200): min, max, comparisons and conversions take subnormal f32 for zeros unless
	// a module asks; its fma does in any case (lower.Exact)
	{4, denormPreserve, 32, true},
	{4, denormPreserve, 64, false},
	// Mesa 22.3: no operation of internal/strict flushes
	{13, denormPreserve, 16, false},
	{13, denormPreserve, 32, false},
	{13, denormPreserve, 64, false},
}

// inexactDrivers are those that do not do what they say they do.
var inexactDrivers = [...]struct {
	driver uint32
	what   string
}{
	// Mesa 22.3: gallivm's lp_build_add and lp_build_mul look for constants, which the passes
	// replace where they see them
	{13, "at -O0, x + 0 may be x and x * 0 may be 0 where the driver finds out that the 0 is constant"},
}

// Numbers of SPIR-V.
const (
	opCapability    = 17
	opExecutionMode = 16
	opExtension     = 10
	opFunction      = 54
	opDecorate      = 71

	denormPreserve           = 4459
	signedZeroInfNanPreserve = 4461
	roundingModeRTE          = 4462

	specID = 1
	floa   = 0x616f6c66 // the third word of the name SPV_KHR_float_controls
)

// control is an execution mode for floats, with the capability that declares it.
type control struct {
	mode, capability uint32
	lacking          string // what may happen without it
	widths           func(*floatControlsProperties) *[3]uint32
}

var controls = [...]control{
	{denormPreserve, 4464, "subnormal numbers may become 0", func(p *floatControlsProperties) *[3]uint32 { return &p.denormPreserve }},
	{signedZeroInfNanPreserve, 4466, "the sign of 0, infinities and NaN may be lost", func(p *floatControlsProperties) *[3]uint32 { return &p.signedZeroInfNan }},
	{roundingModeRTE, 4467, "results may be rounded toward 0", func(p *floatControlsProperties) *[3]uint32 { return &p.toEven }},
}

// has reports whether a device has a mode for a width of 16, 32 or 64 bits, and whether modules may
// ask for it.
func (c *candidate) has(x *control, bits uint32) (has, asked bool) {
	if at := bits / 32; at < 3 && x.widths(&c.controls)[at] != 0 { // 0, 1 or 2
		return true, true
	}
	for _, u := range unreported {
		if u.driver == c.driver && u.mode == x.mode && u.bits == bits {
			return true, u.asked
		}
	}
	return false, false
}

// inexact says what strict arithmetic does not have on a device, for the floats that kernels can
// use.
func (c *candidate) inexact() (list []string) {
	has := map[uint32]bool{16: c.enabled.float16.float16 != 0, 32: true, 64: c.enabled.core.features[featureFloat64] != 0}
	for n := range controls {
		var kinds []string
		for _, bits := range [...]uint32{16, 32, 64} {
			if there, _ := c.has(&controls[n], bits); has[bits] && !there {
				kinds = append(kinds, fmt.Sprint("f", bits))
			}
		}
		if kinds != nil {
			list = append(list, strings.Join(kinds, ", ")+": "+controls[n].lacking)
		}
	}
	for _, d := range inexactDrivers {
		if d.driver == c.driver {
			list = append(list, d.what)
		}
	}
	return list
}

// fit takes out of a module what the device lacks of controls, and reports whether it has the
// constant that says that Fma rounds once.
func (c *candidate) fit(words []uint32) (fitted []uint32, fused bool) {
	const header = 5
	kept := map[uint32]bool{} // modes that are left for some width
	take := func(w []uint32) bool {
		if w[0]&0xffff == opExtension && len(w) > 3 && w[3] == floa {
			return len(kept) > 0
		}
		for n := range controls {
			x := &controls[n]
			switch {
			case w[0]&0xffff == opExecutionMode && len(w) > 3 && w[2] == x.mode:
				_, asked := c.has(x, w[3])
				return asked
			case w[0]&0xffff == opCapability && w[1] == x.capability:
				return kept[x.mode]
			}
		}
		return true
	}
	each := func(visit func(w []uint32)) {
		for at := header; at < len(words); {
			n := int(words[at] >> 16)
			if n == 0 || at+n > len(words) || words[at]&0xffff == opFunction {
				return
			}
			visit(words[at : at+n])
			at += n
		}
	}
	controlled := false
	each(func(w []uint32) {
		switch {
		case w[0]&0xffff == opExecutionMode && w[0]>>16 == 4:
			controlled = true
			if take(w) {
				kept[w[2]] = true
			}
		case w[0]&0xffff == opDecorate && w[0]>>16 == 4 && w[2] == specID && w[3] == abi.FusedConstant:
			fused = true
		}
	})
	if !controlled {
		return words, fused
	}
	fitted = append(make([]uint32, 0, len(words)), words[:header]...)
	end := header
	each(func(w []uint32) {
		if take(w) {
			fitted = append(fitted, w...)
		}
		end += len(w)
	})
	return append(fitted, words[end:]...), fused
}

// fusedValue is what pipelines with the constant are specialised with.
var (
	fusedValue uint32 = 1
	fusedEntry        = specialisationEntry{constant: abi.FusedConstant, size: unsafe.Sizeof(fusedValue)}
	fusedInfo         = specialisationInfo{count: 1, entries: unsafe.Pointer(&fusedEntry), size: unsafe.Sizeof(fusedValue), data: unsafe.Pointer(&fusedValue)}
)
