// Package op is the table of the IR's operations. An operation is a constant
// and a row (table.go): its name, signature, effects, attribute and meaning.
// The printer, the parser, the verifier, the builder, the random generator of
// the tests and docs/operations.md all work from the rows, and every interpreter and
// target is checked against them, so that adding an operation begins here and
// the tests name what is still missing.
package op

//go:generate go run ./internal/tablegen/run

// Op is an operation.
type Op uint16

// Effects says what an operation does besides computing its results.
type Effects uint8

// The effects.
const (
	Reads      Effects = 1 << iota // reads the memory its first pointer operand names
	Writes                         // writes that memory
	Barrier                        // orders memory and control between invocations
	Convergent                     // depends on which invocations execute it together
	Terminator                     // ends a block
	Control                        // owns blocks
)

// Attribute says what an instruction's auxiliary number means and how the text
// form spells it.
type Attribute uint8

// The attributes.
const (
	NoAttribute  Attribute = iota
	Swizzle                // [xyzw]: which components, see EncodeSwizzle
	AtomicRMW              // [add]: an AtomicOperation
	BarrierScope           // [workgroup, storage]: the memory it orders, see Memory
	Callee                 // @name: the called function
	Label                  // ^name: the control instruction that a terminator targets
	ByteOffset             // [offset 16]: an immediate added to an address
	Alignment              // [align 16]: known alignment of an access, 0 is that of the type
	Labelled               // the instruction is a label's target
)

// Info is an operation's row.
type Info struct {
	Name      string
	Signature string // see signature.go
	Effects   Effects
	Attribute Attribute
	// Commutative operations give the same result with their first two operands
	// exchanged.
	Commutative bool
	Doc         string
}

// Info returns the operation's row. It must not be changed.
func (o Op) Info() *Info { return &table[o] }

// String returns the operation's name.
func (o Op) String() string { return table[o].Name }

// Is reports whether the operation has any of the effects.
func (o Op) Is(e Effects) bool { return effects[o]&e != 0 }

// Pure reports whether an instruction can be removed when unused, and merged
// with an equal one that dominates it.
func (o Op) Pure() bool { return effects[o] == 0 && o != Var && o != Invalid }

// Lookup finds an operation by name. It serves the text parser; it is a binary
// search.
func Lookup(name string) (Op, bool) {
	low, high := 0, len(byName)
	for low < high {
		middle := (low + high) / 2
		if table[byName[middle]].Name < name {
			low = middle + 1
		} else {
			high = middle
		}
	}
	if low < len(byName) && table[byName[low]].Name == name {
		return byName[low], true
	}
	return Invalid, false
}

// AtomicOperation is what an atomic_rmw does to memory.
type AtomicOperation uint8

// The atomic operations.
const (
	AtomicAdd AtomicOperation = iota
	AtomicSub
	AtomicMax
	AtomicMin
	AtomicAnd
	AtomicOr
	AtomicXor
	AtomicExchange
	AtomicOperations
)

var atomicNames = [AtomicOperations]string{"add", "sub", "max", "min", "and", "or", "xor", "exchange"}

// String returns the operation's name in the text form.
func (a AtomicOperation) String() string { return atomicNames[a] }

// Memory is the set of address spaces that a barrier orders. A barrier's
// execution scope is the workgroup unless Subgroup is set.
type Memory uint8

// The memories a barrier may order.
const (
	WorkgroupMemory Memory = 1 << iota
	StorageMemory
	TextureMemory
	SubgroupScope
	MemoryBits = 4
)

var memoryNames = [MemoryBits]string{"workgroup", "storage", "texture", "subgroup"}

// Name returns the name of the i-th memory bit in the text form.
func (Memory) Name(i int) string { return memoryNames[i] }

// EncodeSwizzle packs up to four components, two bits each; the number of
// components is that of the result type.
func EncodeSwizzle(components ...uint32) uint32 {
	var packed uint32
	for i, c := range components {
		packed |= c & 3 << (2 * i)
	}
	return packed
}

// SwizzleComponent returns the i-th component of a packed swizzle.
func SwizzleComponent(packed uint32, i int) uint32 { return packed >> (2 * i) & 3 }
