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

// features are those of x86-64-v3, which code requires, by the registers of cpuid (SDM volume 2,
// "CPUID").
var features = [...]struct {
	name           string
	leaf, register uint32
	bit            uint8
}{
	{"SSE4.2", 1, 2, 20}, {"POPCNT", 1, 2, 23}, {"FMA", 1, 2, 12}, {"MOVBE", 1, 2, 22}, {"OSXSAVE", 1, 2, 27}, {"AVX", 1, 2, 28}, {"F16C", 1, 2, 29},
	{"BMI1", 7, 1, 3}, {"AVX2", 7, 1, 5}, {"BMI2", 7, 1, 8}, {"LZCNT", 0x80000001, 2, 5},
}

// missing names the first feature that the processor or the system lacks, "" if there is none.
func missing() string {
	basic, _, _, _ := cpuid(0, 0)
	extended, _, _, _ := cpuid(0x80000000, 0)
	for _, f := range &features {
		if f.leaf < 0x80000000 && f.leaf > basic || f.leaf >= 0x80000000 && f.leaf > extended {
			return f.name
		}
		_, b, c, _ := cpuid(f.leaf, 0)
		if [...]uint32{1: b, 2: c}[f.register]>>f.bit&1 == 0 {
			return f.name
		}
	}
	const vectors = 1<<1 | 1<<2 // the system keeps xmm, and the upper halves of ymm
	if low, _ := xgetbv(); low&vectors != vectors {
		return "vectors of 256 bits that the system keeps"
	}
	return ""
}
