// Package isa encodes the machine code of AMD's devices: gfx942 (CDNA 3) and gfx1100 (RDNA 3). It
// describes single instructions as AMD's references ("AMD Instinct MI300" and "RDNA3 Instruction
// Set Architecture: Reference Guide") and LLVM's assembler do. It has names, operands, encodings,
// and what an instruction reads and writes besides its operands. Instruction selection, register
// allocation and waits are not its concern.
//
// An Op is an instruction by its meaning. One row of a table (table_*.go) has its names, encodings
// and operands for both families, with operands in the order of the assembler. Where the families
// have different names for an instruction, as global_load_dword and global_load_b32, the constant
// has the later one, GlobalLoadB32, which says the width.
//
// Append chooses the same encoding as LLVM's assembler, the shortest: 32 bits before the 64 of
// VOP3, inline constants before literals. It does not change the instruction for that: nothing
// becomes SOPK, operands are not swapped, and two instructions are not combined to VOPD (AppendDual
// does that).
package isa

// Family is a processor whose code this package encodes. Waves have 64 lanes on gfx942. On gfx1100
// masks have one register, for waves of 32 lanes.
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

// MaskWords returns the number of registers of a mask of lanes.
func (f Family) MaskWords() int { return [families]int{2, 1}[f] }

// SGPRs returns how many scalar registers an instruction can name.
func (f Family) SGPRs() int { return [families]int{102, 106}[f] }

// VGPRs is how many vector registers an instruction can name. gfx942 also has as many accumulation
// registers.
const VGPRs = 256

// Format is an encoding format. Most instructions of VOP1, VOP2 and VOPC also have the format VOP3.
type Format uint8

// The formats, by their names in the references. Absent is that of an instruction that a family
// does not have.
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
	MAI // VOP3P-MAI, of matrix products
	DS
	Global
	Scratch
	MUBUF
	formats
)

var formatNames = [formats]string{"absent", "SOP1", "SOP2", "SOPC", "SOPK", "SOPP", "SMEM", "VOP1", "VOP2", "VOPC", "VOP3", "VOP3P", "VOP3P-MAI", "DS", "GLOBAL", "SCRATCH", "MUBUF"}

// String returns the format's name.
func (f Format) String() string { return formatNames[f] }

// Vector reports whether the vector unit executes instructions of the format: for the active lanes,
// or those of MAI for all lanes.
func (f Format) Vector() bool { return f >= VOP1 && f <= MAI }

// Counter is a counter of outstanding instructions, which waits refer to.
type Counter uint8

// The counters. On gfx942 stores are counted by VectorMemory, too.
const (
	NoCounter     Counter = iota
	VectorMemory          // vmcnt
	ScalarOrLocal         // lgkmcnt: scalar loads, workgroup memory, messages
	VectorStores          // vscnt, of gfx1100
)

// Effects are what an instruction reads and writes besides its operands.
type Effects uint16

// The effects. Vector instructions and accesses to memory have ReadsEXEC, since EXEC has the active
// lanes.
const (
	ReadsSCC Effects = 1 << iota
	WritesSCC
	ReadsVCC
	WritesVCC
	ReadsEXEC
	WritesEXEC
	ReadsM0
	// Jumps are branches, conditional ones among them.
	Jumps
	// Ends are instructions that end the wave.
	Ends
	// Loads and Stores read and write memory; atomics do both.
	Loads
	Stores
)
