package jit

import (
	"runtime"

	"github.com/gpuc/gpuc/codegen/cpu/neon"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// This file says what of code depends on the processor that it is made for. All steps but the last
// work on the instructions of package amd64, with as many registers as the processor has room for.

// Machine is a kind of processors that code is made for.
type Machine uint8

// The machines.
const (
	// the one that the program runs on, and AMD64 where no code is made for that
	Host   Machine = iota
	AMD64          // x86-64-v3
	AVX512         // with 32 vectors, those of x86-64-v4
	ARM64          // AArch64 with Advanced SIMD: a vector is two registers
	machines
)

// machineRow is what is known of a machine.
type machineRow struct {
	name      string        // as Go has it
	executed  bool          // a processor of the kind has executed code, and not an emulator alone
	available [banks]uint32 // the registers of a bank that are given out
	// assemble appends the code of the selector's list, and its constants, and returns how many
	// instructions that are.
	assemble func(s *selector, code []byte) ([]byte, int, error)
}

// freeGenerals are all but the context's register and RAX, which instructions name, and RSP.
const freeGenerals = (1<<16 - 1) &^ (1<<0 | 1<<4 | 1<<15)

var machineRows = [machines]machineRow{
	AMD64:  {"amd64", true, [banks]uint32{generals: freeGenerals, vectors: 1<<16 - 1}, (*selector).assembleAMD64},
	AVX512: {"amd64 with AVX-512", true, [banks]uint32{generals: freeGenerals, vectors: 1<<32 - 1}, (*selector).assembleAMD64},
	ARM64:  {"arm64", false, [banks]uint32{generals: freeGenerals, vectors: 1<<neon.Vectors - 1}, (*selector).assembleARM64},
}

// row returns what is known of a machine.
func (m Machine) row() *machineRow {
	if m == Host {
		if m = max(machineOf(runtime.GOARCH), AMD64); m == AMD64 && execmem.HasAVX512() {
			m = AVX512
		}
	}
	return &machineRows[m]
}

// machineOf returns the machine that Go has a name for, or Host if code is made for none of that
// name.
func machineOf(name string) Machine {
	for m := AMD64; m < machines; m++ {
		if machineRows[m].name == name {
			return m
		}
	}
	return Host
}

// ByDefault reports whether kernels become machine code by default: not on a kind
// of processors none of which has executed any.
func ByDefault() bool { return machineRows[machineOf(runtime.GOARCH)].executed }

func (s *selector) assembleAMD64(code []byte) ([]byte, int, error) {
	code, err := s.assembler.Assemble(code, s.list, &s.pool)
	return code, len(s.list), err
}

// translate is assembleARM64 where that is linked. It refuses kernels that have an instruction of
// which there is none for AArch64, and those that are too large.
func (s *selector) translate(code []byte) ([]byte, int, error) {
	code, err := s.translator.Assemble(code, s.list, &s.pool)
	if err != nil {
		panic(refusal(err.Error()))
	}
	return code, s.translator.Instructions(), nil
}
