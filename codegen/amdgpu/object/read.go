package object

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// This file reads the metadata of kernels in the note of a code object (User Guide for AMDGPU
// Backend, "Code Object V3 and Above Metadata"). It does not use package debug/elf, which is not
// hardened against malformed files. It reads only the few fields that lead to the note, with bounds
// checks.

// Metadata is the metadata of a kernel.
type Metadata struct {
	VGPRs, SGPRs           uint64 // with accumulation registers
	VGPRSpills, SGPRSpills uint64
	Shared, Scratch        uint64 // bytes of a workgroup and of an invocation
	Wave, Workgroup        uint64 // lanes of a wave, maximum of invocations
	DynamicStack           bool   // an invocation needs more than Scratch
}

// Offsets and constants of 64-bit ELF (System V ABI, "ELF Header", "Program Header", "Note
// Section").
const (
	elfHeaderBytes    = 64
	elfMachine        = 18
	elfProgramHeaders = 32
	elfEntryBytes     = 54
	elfEntryCount     = 56

	entryOffset   = 8 // in a program header
	entryFileSize = 32
	entryBytes    = 56
	// maxSegments bounds the segments that are searched. Code objects have fewer than ten, but a
	// malformed file could have 65535 that overlap.
	maxSegments = 64

	machineAMDGPU  = 224
	noteSegment    = 4
	noteMetadata   = 32
	noteOwner      = "AMDGPU\x00"
	noteHeaderSize = 12
)

// maxCount bounds all counts, so that sums do not overflow.
const maxCount = 1 << 32

var errNoMetadata = errors.New("the code object has no metadata")

// MetadataOf returns the metadata of the named kernel in a code object. An error says what is
// missing or malformed.
func MetadataOf(object []byte, kernel string) (*Metadata, error) {
	if len(object) < elfHeaderBytes || string(object[:6]) != "\x7fELF\x02\x01" || binary.LittleEndian.Uint16(object[elfMachine:]) != machineAMDGPU {
		return nil, errors.New("it is no code object for AMD")
	}
	headers := from(object, binary.LittleEndian.Uint64(object[elfProgramHeaders:]))
	stride := uint64(binary.LittleEndian.Uint16(object[elfEntryBytes:]))
	for n := range min(uint64(binary.LittleEndian.Uint16(object[elfEntryCount:])), maxSegments) {
		entry := from(headers, n*stride)
		if len(entry) < entryBytes {
			return nil, errNoMetadata
		}
		if binary.LittleEndian.Uint32(entry) != noteSegment {
			continue
		}
		segment := from(object, binary.LittleEndian.Uint64(entry[entryOffset:]))
		segment = segment[:min(uint64(len(segment)), binary.LittleEndian.Uint64(entry[entryFileSize:]))]
		if note := findNote(segment); note != nil {
			return readMetadata(note, kernel)
		}
	}
	return nil, errNoMetadata
}

// from returns the bytes from an offset on, or none if the file ends before it.
func from(file []byte, offset uint64) []byte {
	return file[min(offset, uint64(len(file))):]
}

// findNote returns the contents of the metadata note in a segment of notes.
func findNote(segment []byte) []byte {
	for len(segment) >= noteHeaderSize {
		// the sums have no more than 34 bits
		name, contents := uint64(binary.LittleEndian.Uint32(segment)), uint64(binary.LittleEndian.Uint32(segment[4:]))
		kind := binary.LittleEndian.Uint32(segment[8:])
		segment = segment[noteHeaderSize:]
		start := padded(name)
		if start+contents > uint64(len(segment)) {
			return nil
		}
		if kind == noteMetadata && string(segment[:name]) == noteOwner {
			return segment[start : start+contents]
		}
		segment = from(segment, start+padded(contents))
	}
	return nil
}

// padded returns the size of a field of a note: a multiple of 4.
func padded(bytes uint64) uint64 { return (bytes + 3) / 4 * 4 }

// readMetadata reads the metadata of a kernel in the contents of the note.
func readMetadata(note packed, kernel string) (*Metadata, error) {
	root, err := note.value(0)
	if err != nil {
		return nil, err
	}
	fields, _ := root.(map[string]any)
	kernels, _ := fields["amdhsa.kernels"].([]any)
	for _, k := range kernels {
		fields, _ := k.(map[string]any)
		if fields[".name"] != kernel {
			continue
		}
		m := new(Metadata)
		for _, field := range []struct {
			key string
			to  *uint64
		}{
			{".vgpr_count", &m.VGPRs}, {".sgpr_count", &m.SGPRs}, {".vgpr_spill_count", &m.VGPRSpills}, {".sgpr_spill_count", &m.SGPRSpills},
			{".group_segment_fixed_size", &m.Shared}, {".private_segment_fixed_size", &m.Scratch},
			{".wavefront_size", &m.Wave}, {".max_flat_workgroup_size", &m.Workgroup},
		} {
			n, ok := fields[field.key].(uint64)
			if !ok || n > maxCount {
				return nil, fmt.Errorf("the metadata of kernel %s has no %s, or more than a machine has", kernel, field.key)
			}
			*field.to = n
		}
		m.DynamicStack, _ = fields[".uses_dynamic_stack"].(bool)
		return m, nil
	}
	return nil, fmt.Errorf("the metadata has no kernel %s", kernel)
}
