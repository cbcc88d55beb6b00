// Package gofuzz tests kernels written in Go with random ones. The other side is Go itself: a
// generated package is a program that runs its kernels as plain Go and prints what they leave in
// their slices, and the same package goes through the front end and every way that runs what comes
// out.
//
// What Go and devices do not agree on is not generated: int holds small numbers only, since it has
// 64 bits here and 32 there; divisors are odd; indices are within bounds; floats are small
// multiples of 1/8, exact whatever is fused or regrouped. Shift counts may be of any size, integers
// wrap, and the order of evaluation matters through what functions change.
package gofuzz
