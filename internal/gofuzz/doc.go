// Package gofuzz tests kernels written in Go with random ones. The reference is Go itself: a
// generated package is a program that runs its kernels as plain Go and prints their slices. The
// same package is compiled by the front end and run in every way.
//
// What Go and devices do not agree on is not generated. An int holds small values, since it has 64
// bits or 32; divisors are odd; indices are in bounds. Floats are small multiples of 1/8, exact in
// any order. Shift counts may be of any size, integers wrap, and the order of evaluation matters
// through what functions change.
package gofuzz
