// Package gofuzz tests random kernels written in Go. The reference is Go itself: a generated
// package is a program that runs its kernels as plain Go and prints their slices. The front end
// compiles the same package, and the kernels run on all targets and devices.
//
// The generator avoids what is different in Go and on devices. An int has small values, since it
// has 64 bits in Go and 32 on devices. Divisors are odd, and indices in bounds. Floats are small
// multiples of 1/8, which are exact in any order. Shift counts have any size, and integers wrap
// around. Functions have side effects, so that the order of evaluation matters.
package gofuzz
