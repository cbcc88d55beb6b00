package abi

import (
	"strconv"
	"strings"
)

// This file says which of AMD's processors run which code (LLVM, User Guide for AMDGPU Backend,
// "Processors" and "Generic Processors"). Code is for one processor, or for a family.

// families are the generic processors, each with the first and the last processor that runs its
// code.
var families = [...]struct {
	profile     string
	first, last uint32
}{
	{"gfx10-3-generic", 0x1030, 0x1036},
	{"gfx11-generic", 0x1100, 0x1153},
	{"gfx12-generic", 0x1200, 0x1201},
}

// Processor parses the number in the name of a processor, which features may follow: 0x90a in
// "gfx90a:sramecc+:xnack-". It is 0 if the name is not that of a single processor.
func Processor(name string) uint32 {
	digits, found := strings.CutPrefix(name, "gfx")
	digits, _, _ = strings.Cut(digits, ":")
	n, err := strconv.ParseUint(digits, 16, 32)
	if !found || err != nil || len(digits) < 3 || len(digits) > 4 {
		return 0
	}
	return uint32(n)
}

// ProcessorRuns reports whether a processor, by its number, runs code of a profile of target
// AMDGPU.
func ProcessorRuns(processor uint32, profile string) bool {
	for _, f := range families {
		if f.profile == profile {
			return f.first <= processor && processor <= f.last
		}
	}
	return processor != 0 && processor == Processor(profile)
}
