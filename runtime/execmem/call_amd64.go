package execmem

import "unsafe"

// trap is int3, which stops execution beyond the end of code.
var trap = []byte{0xCC}

// probe returns the word at its argument.
var probe = []byte{
	0x48, 0x8B, 0x07, // mov rax, [rdi]
	0xC3, // ret
}

// call calls code with its one argument and a stack of StackBytes.
//
//go:noescape
func call(code uintptr, context unsafe.Pointer) uint64

// cpuid and xgetbv are the instructions of these names.
//
//go:noescape
func cpuid(leaf, subleaf uint32) (a, b, c, d uint32)

//go:noescape
func xgetbv() (low, high uint32)

// synchronise does nothing: processors see stores to code, and the memory is fresh.
func synchronise(code []byte) {}

// feature is a bit of cpuid.
type feature struct {
	name           string
	leaf, register uint32
	bit            uint8
}

// features are those of x86-64-v3, which code requires, by the registers of cpuid (SDM volume 2,
// "CPUID").
var features = [...]feature{
	{"SSE4.2", 1, 2, 20}, {"POPCNT", 1, 2, 23}, {"FMA", 1, 2, 12}, {"MOVBE", 1, 2, 22}, {"OSXSAVE", 1, 2, 27}, {"AVX", 1, 2, 28}, {"F16C", 1, 2, 29},
	{"BMI1", 7, 1, 3}, {"AVX2", 7, 1, 5}, {"BMI2", 7, 1, 8}, {"LZCNT", 0x80000001, 2, 5},
}

// wide are those of AVX-512 that 32 vectors of 256 bits need.
var wide = [...]feature{{"AVX512F", 7, 1, 16}, {"AVX512DQ", 7, 1, 17}, {"AVX512BW", 7, 1, 30}, {"AVX512VL", 7, 1, 31}}

// What the system keeps, by the bits of XCR0: xmm and the upper halves of ymm; masks, the upper
// halves of zmm, and the registers above 15.
const (
	keptVectors = 1<<1 | 1<<2
	keptWide    = keptVectors | 1<<5 | 1<<6 | 1<<7
)

// missing names the first feature that the processor or the system lacks, "" if there is none.
func missing() string {
	if name := lacking(features[:]); name != "" {
		return name
	}
	if low, _ := xgetbv(); low&keptVectors != keptVectors {
		return "vectors of 256 bits that the system keeps"
	}
	return ""
}

// lacking names the first feature that the processor lacks.
func lacking(list []feature) string {
	basic, _, _, _ := cpuid(0, 0)
	extended, _, _, _ := cpuid(0x80000000, 0)
	for _, f := range list {
		if f.leaf < 0x80000000 && f.leaf > basic || f.leaf >= 0x80000000 && f.leaf > extended {
			return f.name
		}
		_, b, c, _ := cpuid(f.leaf, 0)
		if [...]uint32{1: b, 2: c}[f.register]>>f.bit&1 == 0 {
			return f.name
		}
	}
	return ""
}

// hasAVX512 reports whether there are 32 vectors, and the instructions that name them.
func hasAVX512() bool {
	if missing() != "" || lacking(wide[:]) != "" {
		return false
	}
	low, _ := xgetbv()
	return low&keptWide == keptWide
}
