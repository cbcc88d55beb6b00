package mir

import "github.com/gpuc/gpuc/ir/op"

// This file lists the operations. Those of the IR keep their numbers and names, one scalar
// at a time: load, store and the atomics name memory instead of a pointer, call takes and
// gives scalars. After them come those that only the machine level has, and after
// those what a machine has of its own.

// Op is an operation: one of package op, or one of these.
type Op uint16

// The operations of the machine level.
const (
	// Join makes a scalar of the bits of its operands, the first lowest, and Split the reverse.
	Join Op = Op(op.Count) + iota
	Split
	// MulWide is the 64-bit product of two 32-bit integers.
	MulWide
	// Builtin is a component of a builtin value: aux is ir.Builtin times 4, plus the component.
	Builtin
	// BindingAddress and BindingLength are a binding's address, and the count of elements of
	// its array; aux is the binding's number.
	BindingAddress
	BindingLength
	// SymbolAddress is the address of a symbol; aux is its index.
	SymbolAddress
	// Jump, Branch, Return and Trap end a block. A branch leads to its first edge where its
	// operand is true. A return passes a function's results. A trap is never reached.
	Jump
	Branch
	Return
	Trap
	// MachineOps are those of a machine: it numbers them from here on (Machine.Names).
	MachineOps
)

var machineOpNames = [MachineOps - Join]string{"join", "split", "mulwide", "builtin", "binding_address", "binding_length", "symbol_address",
	"jump", "branch", "return", "trap"}

// Name returns an operation's name in the text form.
func (f *Func) Name(o Op) string {
	switch {
	case o < Join:
		return op.Op(o).String()
	case o < MachineOps:
		return machineOpNames[o-Join]
	}
	return f.names[o-MachineOps]
}

// Ends reports whether the operation ends a block.
func (o Op) Ends() bool { return o >= Jump && o <= Trap }
