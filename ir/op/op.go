// Package op is the table of the IR's operations. An operation is a constant and a row (table.go):
// its name, signature, effects, attribute and meaning. The printer, the parser, the verifier, the
// builder, the random generator of the tests and docs/reference/operations.md all work from the
// rows. Every interpreter and target is checked against them. So adding an operation begins here,
// and the tests name what is still missing.
package op

import "errors"

//go:generate go run ./internal/tablegen/run

// Op is an operation.
type Op uint16

// Effects says what an operation does besides computing its results, other than to the memory
// that its operands lead to.
type Effects uint16

// The effects.
const (
	// Anywhere: it may read and write any memory, that of its operands too.
	Anywhere Effects = 1 << iota
	// Barrier: it orders control between invocations, and the memories that its attribute
	// names. For who executes it, it reads and writes them: what others have
	// written is there after it, and what it has written is there for others.
	Barrier
	Convergent // depends on which invocations execute it together
	Terminator // ends a block
	Control    // owns blocks
	// tells the host something: it happens as often and in the order that the program says, and
	// touches no memory
	External

	// The rows do not have these: they follow from the others and from OperandEffects.
	reads  // some memory
	writes // some memory
)

// OperandEffects says what an operation does to the memory that one of its operands leads to. The
// operand is a pointer, or a texture.
type OperandEffects uint8

// The effects on the memory of an operand.
const (
	Reads  OperandEffects = 1 << iota
	Writes                // all that the operand points to, a texel of a texture
	Atomic                // as one step for all who do it so
)

// Operands has the effects on the memory of each operand, in their order. Those after have none.
type Operands [2]OperandEffects

// In the table of effects those on operands are above the others, a few bits each.
const (
	operandShift = 8
	operandBits  = 3
	operandMask  = 1<<operandBits - 1
)

// Summary returns a row's effects in one number, as the generated table has them.
func (i *Info) Summary() Effects {
	e := i.Effects
	if e&(Anywhere|Barrier) != 0 {
		e |= reads | writes
	}
	for n, of := range i.Operands {
		if of&Reads != 0 {
			e |= reads
		}
		if of&Writes != 0 {
			e |= writes
		}
		e |= Effects(of) << (operandShift + operandBits*n)
	}
	return e
}

// Attribute says what an instruction's auxiliary number means and how the text
// form spells it.
type Attribute uint8

// The attributes.
const (
	NoAttribute   Attribute = iota
	Swizzle                 // [xyzw]: which components, see EncodeSwizzle
	AtomicRMW               // [add]: an AtomicOperation
	BarrierScope            // [workgroup, storage]: the memory it orders, see Memory
	Callee                  // @name: the called function
	Label                   // ^name: the control instruction that a terminator targets
	ByteOffset              // [offset 16]: an immediate added to an address
	Alignment               // [align 16]: known alignment of an access, 0 is that of the type
	Labelled                // the instruction is a label's target
	MessageNumber           // [message 2]: which of the module's messages
	IntrinsicName           // [nv_wgmma]: an IntrinsicID
)

// Info is an operation's row.
type Info struct {
	Name      string
	Signature string // see signature.go
	Effects   Effects
	Operands  Operands
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

// MarshalText implements encoding.TextMarshaler: it returns the operation's name.
func (o Op) MarshalText() ([]byte, error) { return []byte(o.String()), nil }

// UnmarshalText implements encoding.TextUnmarshaler.
func (o *Op) UnmarshalText(name []byte) error {
	found, ok := Lookup(string(name))
	if !ok {
		return errors.New("there is no operation " + string(name))
	}
	*o = found
	return nil
}

// Is reports whether the operation has any of the effects.
func (o Op) Is(e Effects) bool { return effects[o]&e != 0 }

// Reads reports whether the operation may read memory, be it an operand's or other.
func (o Op) Reads() bool { return effects[o]&reads != 0 }

// Writes reports whether the operation may change memory, or let others' changes be seen, be it
// an operand's or other.
func (o Op) Writes() bool { return effects[o]&writes != 0 }

// Operand returns what the operation does to the memory that operand n leads to. What an
// operation does Anywhere is not among it.
func (o Op) Operand(n int) OperandEffects {
	return OperandEffects(effects[o]>>(operandShift+operandBits*uint(n))) & operandMask
}

// ReadsOperand reports whether the operation reads the memory that operand n leads to.
func (o Op) ReadsOperand(n int) bool { return o.Operand(n)&Reads != 0 }

// WritesOperand reports whether the operation writes the memory that operand n leads to.
func (o Op) WritesOperand(n int) bool { return o.Operand(n)&Writes != 0 }

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
