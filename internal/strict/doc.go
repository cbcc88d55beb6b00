// Package strict holds what -math=strict promises against Go's own arithmetic: single operations on
// operands that are hard to round, on all operands where there are 2^32, and generated programs of
// floats.
//
//	operations.go  the operations that strict arithmetic defines: how a kernel has them, and what they are
//	operands.go    operands with which rounding goes wrong
//	program.go     programs of operations, choices and loops, and their evaluation in Go
//	run.go         kernels of both on a device, and the comparison of bits
//
// Any NaN equals any other: IEEE 754 leaves their signs and payloads open, and no operation here
// shows them.
package strict
