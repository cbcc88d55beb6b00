package arm64

// This file says what an instruction reads and writes.

// Effects are what an instruction reads and writes besides its operands.
type Effects uint16

// The effects.
const (
	// ReadsFlags and WritesFlags are of all four flags.
	ReadsFlags Effects = 1 << iota
	WritesFlags
	// Loads and Stores are what reads and writes memory.
	Loads
	Stores
	// Fences keeps accesses to memory in their order, with those of other processors.
	Fences
	// Jumps is what goes on elsewhere, perhaps; Ends what never goes on after.
	Jumps
	Ends
	// Calls is what executes other code, which may change any register.
	Calls
	// WritesLink is that the register 30 gets the address after the instruction.
	WritesLink
	// Traps is what ends the program.
	Traps
)

const changes = Loads | Stores | Fences // memory, at once

var effectRows = [Ops]Effects{
	Adc: ReadsFlags, Adcs: ReadsFlags | WritesFlags, Sbc: ReadsFlags, Sbcs: ReadsFlags | WritesFlags,
	Adds: WritesFlags, Subs: WritesFlags, Ands: WritesFlags, Bics: WritesFlags, FCmp: WritesFlags,
	CSel: ReadsFlags, CSInc: ReadsFlags, CSInv: ReadsFlags, CSNeg: ReadsFlags, FCSel: ReadsFlags,
	CCmp: ReadsFlags | WritesFlags, CCmn: ReadsFlags | WritesFlags,

	Ldr: Loads, LdrB: Loads, LdrH: Loads, LdrSB: Loads, LdrSH: Loads, LdrSW: Loads, Ldp: Loads,
	Ld1: Loads, Ld1x2: Loads, Ld1x3: Loads, Ld1x4: Loads, Ld1R: Loads, Ld1E: Loads,
	Str: Stores, StrB: Stores, StrH: Stores, Stp: Stores,
	St1: Stores, St1x2: Stores, St1x3: Stores, St1x4: Stores, St1E: Stores,
	LdAr: Loads | Fences, LdXr: Loads | Fences, LdAxr: Loads | Fences, StLr: Stores | Fences, StXr: Stores | Fences, StLxr: Stores | Fences,
	LdAddAL: changes, LdClrAL: changes, LdEorAL: changes, LdSetAL: changes, LdSMaxAL: changes, LdSMinAL: changes, LdUMaxAL: changes, LdUMinAL: changes,
	SwpAL: changes, CasAL: changes,
	DmbIsh: Fences, DmbIshLd: Fences, DmbIshSt: Fences, DsbIsh: Fences, Isb: Fences, DcCvau: Fences, IcIvau: Fences,

	B: Jumps | Ends, Bcc: Jumps | ReadsFlags, Cbz: Jumps, Cbnz: Jumps, Tbz: Jumps, Tbnz: Jumps, Br: Jumps | Ends, Ret: Jumps | Ends,
	Bl: Calls | WritesLink, Blr: Calls | WritesLink, Brk: Traps | Ends,
}

// Effects returns what the instruction does besides reading and writing its operands.
func (i *Instruction) Effects() Effects {
	e := effectRows[i.Op]
	if i.Op == Bcc && i.Condition == Always {
		e |= Ends
	}
	return e
}

// Use is a register that an instruction reads or writes.
type Use struct {
	Register Operand
	Access   Access
}

// MaxUses is how many registers an instruction reads or writes at most.
const MaxUses = 6

// Uses appends the registers that the instruction reads and writes, those of its lists and of its
// address among them, and returns the longer list. A register may be there more than once; Zero is
// not. What a call changes is not there, but for the link.
func (i *Instruction) Uses(list []Use) []Use {
	r := &rowsOf(i.Op)[0]
	for n, o := range i.Operands {
		if !o.IsRegister() || o == Zero {
			continue
		}
		s := r.slots[n]
		d := &slotRows[s]
		access := d.access
		if s == vdNarrow && !shapeRows[i.Shape].full { // the upper half becomes zero
			access = Written
		}
		list = append(list, Use{o, access})
		for k := 1; k < int(d.list); k++ {
			list = append(list, Use{Vector((o.Number() + k) % FirstVirtual), access})
		}
	}
	if a := &i.Address; a.Base != 0 {
		access := Read
		if a.Mode != Offset {
			access |= Written
		}
		list = append(list, Use{a.Base, access})
		if a.Index != 0 && a.Index != Zero {
			list = append(list, Use{a.Index, Read})
		}
	}
	if effectRows[i.Op]&WritesLink != 0 {
		list = append(list, Use{General(30), Written})
	}
	return list
}
