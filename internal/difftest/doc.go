// Package difftest generates well-defined WGSL compute programs, evaluates them by WGSL's rules
// and reduces those that something else runs differently. It shares no code with the compiler:
// its results are an opinion of their own about what a program means.
//
// A Program is a typed tree. Generate makes one from a seed, and families make small ones
// (Families). Program.Case prints it as WGSL and runs it on all invocations of its dispatch.
// Case.Compare compares what another implementation left in the buffers. Reduce makes a program
// smaller as long as it still fails.
//
// The evaluator also detects what WGSL leaves open: data races, out-of-bounds accesses, inexact
// floating point, non-uniform barriers, results that depend on the order of atomic operations,
// errors in const-expressions. A program with any of these is no Case, so nothing that is compared
// depends on an implementation's choice.
package difftest
