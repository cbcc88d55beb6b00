// Package strict compares what -math=strict promises with Go's arithmetic. It has single operations
// on operands that are hard to round, on all operands where there are 2^32, and generated programs
// of floats.
//
//	operations.go  the operations that strict arithmetic defines, in kernels and in Go
//	operands.go    operands with which rounding goes wrong
//	program.go     programs of operations, choices and loops, and their evaluation in Go
//	run.go         kernels of both on a device, and the comparison of bits
//
// Any NaN equals any other: IEEE 754 leaves their signs and payloads open, and no operation here
// shows them.
package strict
