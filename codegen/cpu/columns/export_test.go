package columns

// Portable runs f with the primitives in Go.
func Portable(f func()) {
	primitives, operations := chosen, machine
	chosen, machine = portablePrimitives, portableOperations
	defer func() { chosen, machine = primitives, operations }()
	f()
}
