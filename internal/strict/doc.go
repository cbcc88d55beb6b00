// Package strict compares the results of -math=strict with Go's arithmetic. It tests single
// operations on operands that are hard to round, functions of 32 bits on all 2^32 operands, and
// generated programs of floats.
//
//	operations.go  the operations that strict arithmetic defines, in kernels and in Go
//	operands.go    operands that are hard to round
//	program.go     programs of operations, selections and loops, and their evaluation in Go
//	run.go         kernels of both on a device, and the comparison of bits
//
// Any NaN equals any other: IEEE 754 does not specify their signs and payloads, and no operation
// here reveals them.
package strict
