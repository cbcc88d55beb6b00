package all_test

import (
	"encoding/binary"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestLargeLaunchesWithoutChecks compares large-launch variants with bounds off with those whose
// checks are done at the launch, for SPIR-V: no kernel has more loops without checks. It counts
// OpLoopMerge (SPIR-V 3.37.17). Kernels with several items per invocation are not compared: a
// second copy for the end of the launch depends on the checks.
func TestLargeLaunchesWithoutChecks(t *testing.T) {
	testmode.Long(t)
	target := all.Lookup("spirv")
	gained := ""
	for _, path := range kernelFiles(t) {
		m := loadedFile(t, path)
		for _, k := range m.Kernels() {
			large := func(bounds codegen.Bounds) (code []byte, alone bool) {
				a := codegen.Compile(m, k.Name, target, &codegen.Options{Settings: settingsOf(m), Strip: true, Coarse: true, Bounds: bounds}, nil)
				switch {
				case a == nil:
					return nil, false
				case a.Coarse == nil:
					return a.Code, true
				}
				if len(a.Coarse.Checks) == 0 {
					gained += " " + k.Name
				}
				return a.Coarse.Artefact.Code, a.Coarse.Factor == [3]uint32{1, 1, 1}
			}
			checked, alone := large(codegen.BoundsRobust)
			unchecked, too := large(codegen.BoundsOff)
			if checked == nil || !alone || !too {
				continue
			}
			if with, without := loopMerges(checked), loopMerges(unchecked); without > with {
				t.Errorf("%s, %s: %d loops without checks, %d with them left to whoever launches", path, k.Name, without, with)
			}
		}
	}
	// these were slower without checks
	for _, kernel := range []string{"sgemm128", "fft256", "ray"} {
		if !strings.Contains(gained+" ", " "+kernel+" ") {
			t.Errorf("%s has no form for large launches without checks", kernel)
		}
	}
}

// loopMerges counts the loops of a SPIR-V module.
func loopMerges(code []byte) (count int) {
	const header, loopMerge = 20, 246
	for at := header; at < len(code); {
		word := binary.LittleEndian.Uint32(code[at:])
		if word&0xffff == loopMerge {
			count++
		}
		at += 4 * int(word>>16)
	}
	return count
}
