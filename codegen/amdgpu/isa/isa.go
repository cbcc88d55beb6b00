// Package isa writes the machine code of AMD's devices: gfx942 (CDNA 3) and gfx1100 (RDNA 3). It
// knows instructions one at a time, as the references of AMD ("AMD Instinct MI300" and "RDNA3
// Instruction Set Architecture: Reference Guide") and LLVM's assembler have them: names, operands,
// encodings, and what an instruction reads and writes besides its operands. What a kernel is made
// of, which registers it has and where it waits is decided elsewhere.
//
// An Op is an instruction by its meaning, and one row of a table (table_*.go) says for both
// families what it is called, how it is encoded and which operands it has, in the order of the
// assembler: destinations come first, accesses to memory have their data where the assembler has
// it. Where the families name the same thing differently, as global_load_dword and global_load_b32,
// the constant has the later name, GlobalLoadB32, which says the width.
//
// Append chooses the encoding that LLVM's assembler chooses for the same text, which is the
// shortest: 32 bits before the 64 of VOP3, inline constants before literals. It does not change the
// instruction for that: nothing becomes SOPK, operands are not exchanged, and two instructions do
// not become one of VOPD (see AppendDual for that).
package isa

// Family is a processor whose code this package writes. Waves have 64 lanes on gfx942. On gfx1100
// masks are those of waves of 32 lanes, one register each.
type Family uint8

// The families.
const (
	GFX942 Family = iota
	GFX1100
	families
)

var familyNames = [families]string{"gfx942", "gfx1100"}

// String returns the name of the processor.
func (f Family) String() string { return familyNames[f] }

// MaskWords is how many registers a mask of lanes has.
func (f Family) MaskWords() int { return [families]int{2, 1}[f] }

// SGPRs is how many scalar registers an instruction can name.
func (f Family) SGPRs() int { return [families]int{102, 106}[f] }

// VGPRs is how many vector registers an instruction can name; gfx942 has as many accumulation
// registers besides.
const VGPRs = 256

// Format is how an instruction is encoded. Instructions of VOP1, VOP2 and VOPC are in VOP3, too,
// unless Op.OnlyShort says otherwise.
type Format uint8

// The formats, by the names of the references. Absent is that of an instruction that a family does
// not have.
const (
	Absent Format = iota
	SOP1
	SOP2
	SOPC
	SOPK
	SOPP
	SMEM
	VOP1
	VOP2
	VOPC
	VOP3
	VOP3P
	DS
	Global
	Scratch
	MUBUF
	formats
)

var formatNames = [formats]string{"absent", "SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3P", "DS", "GLOBAL", "SCRATCH", "MUBUF"}

// String returns the format's name.
func (f Format) String() string { return formatNames[f] }

// Vector reports whether the vector unit executes instructions of the format, each lane for itself,
// under EXEC.
func (f Format) Vector() bool { return f >= VOP1 && f <= VOP3P }

// Scalar reports whether the scalar unit executes instructions of the format.
func (f Format) Scalar() bool { return f >= SOP1 && f <= SOPP }

// Counter is what counts instructions that were begun and have not ended, which a wait names.
type Counter uint8

// The counters. Stores have one of their own on gfx1100, and share that of loads on gfx942.
const (
	NoCounter     Counter = iota
	VectorMemory          // vmcnt
	ScalarOrLocal         // lgkmcnt: scalar loads, workgroup memory, messages
	VectorStores          // vscnt
)

// Effects are what an instruction reads and writes besides its operands.
type Effects uint16

// The effects. That vector instructions and accesses to memory execute under EXEC is part of
// ReadsEXEC.
const (
	ReadsSCC Effects = 1 << iota
	WritesSCC
	ReadsVCC
	WritesVCC
	ReadsEXEC
	WritesEXEC
	ReadsM0
	// Jumps is what goes on elsewhere, perhaps.
	Jumps
	// Ends is what ends the wave.
	Ends
	// Loads and Stores are what reads and writes memory; atomics do both.
	Loads
	Stores
)
