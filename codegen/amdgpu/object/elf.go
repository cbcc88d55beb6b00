package object

import (
	"encoding/binary"

	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
)

// This file writes the ELF file (System V ABI, "Object Files" and "Program Loading and Dynamic
// Linking"; User Guide for AMDGPU Backend, "ELF Code Object"). A runtime maps the segments and
// finds descriptors by name, in .dynsym or, as ROCm's loader does by default, in .symtab. Both have
// the same symbols.

// descriptorSuffix is that of a descriptor's name, after the kernel's.
const descriptorSuffix = ".kd"

// Constants of the header and the tables.
const (
	sharedObject   = 3    // ET_DYN
	hsaABI         = 0x40 // ELFOSABI_AMDGPU_HSA
	version5       = 3    // ELFABIVERSION_AMDGPU_HSA_V5
	pageBytes      = 0x1000
	symbolBytes    = 24
	sectionBytes   = 64
	dynamicBytes   = 16
	codeAlignment  = 256
	globalFunction = 1<<4 | 2
	globalObject   = 1<<4 | 1
	protected      = 3
)

// flagsOf are the flags of a processor (EF_AMDGPU_MACH), for any setting of XNACK and SRAMECC.
var flagsOf = [...]uint32{isa.GFX942: 0x54C, isa.GFX1100: 0x41}

// codeEnd is the instruction that pads the code after a kernel.
var codeEnd = [...]isa.Instruction{isa.GFX942: {Op: isa.SNop}, isa.GFX1100: {Op: isa.SCodeEnd}}

// paddingBytes is the minimum of padding after a kernel, since instructions are prefetched.
const paddingBytes = 256

// Types of segments and sectionCount, and their flags.
const (
	loadSegment    = 1
	dynamicSegment = 2
	headersSegment = 6
	stackSegment   = 0x6474E551

	programSection = 1
	allSymbols     = 2
	stringsSection = 3
	hashSection    = 5
	dynamicSection = 6
	noteSection    = 7
	dynamicSymbols = 11

	executable = 1
	writable   = 2
	readable   = 4

	sectionWritable   = 1
	sectionLoaded     = 2
	sectionExecutable = 4
)

// Indices of sections, in the order of the file. Their names are in sectionNames.
const (
	noSection = iota
	inNote
	inDynamicSymbols
	inHash
	inDynamicStrings
	inDescriptors
	inCode
	inDynamic
	inSymbols
	inSectionNames
	inStrings
	sectionCount
)

var sectionNames = [sectionCount]string{"", ".note", ".dynsym", ".hash", ".dynstr", ".rodata", ".text", ".dynamic", ".symtab", ".shstrtab", ".strtab"}

// file is a code object that is being written.
type file struct {
	family   isa.Family
	kernels  []Kernel
	entries  []uint64 // offsets of kernels in the code
	sections [sectionCount]section
	symbols  []symbol
}

// section is a section of the file.
type section struct {
	contents                    []byte
	kind, link, info            uint32
	flags, align, entry         uint64
	address, offset, nameOffset uint64
}

// symbol is a symbol of a kernel or its descriptor.
type symbol struct {
	name        string
	section     uint16
	kind        byte
	value, size uint64
}

// write returns the file. It fills the sections, lays them out, and resolves addresses.
func (w *file) write() ([]byte, error) {
	if err := w.code(); err != nil {
		return nil, err
	}
	w.describe()
	w.layOut()
	w.resolve()
	return w.finish(), nil
}

// code concatenates the code of kernels, each at a multiple of codeAlignment and followed by
// padding.
func (w *file) code() error {
	word, err := isa.Append(nil, w.family, &codeEnd[w.family])
	if err != nil {
		return err
	}
	var code []byte
	for n := range w.kernels {
		w.entries = append(w.entries, uint64(len(code)))
		code = append(code, w.kernels[n].Code...)
		for end := rounded(len(code)+paddingBytes, codeAlignment); len(code) < end; {
			code = append(code, word...)
		}
	}
	w.sections[inCode] = section{contents: code, kind: programSection, flags: sectionLoaded | sectionExecutable, align: codeAlignment}
	return nil
}

// describe fills the other sections. Contents with addresses only get their size.
func (w *file) describe() {
	le := binary.LittleEndian
	note := metadataNote(w.family, w.kernels)
	var header []byte
	for _, n := range [...]uint32{uint32(len(noteOwner)), uint32(len(note)), noteMetadata} {
		header = le.AppendUint32(header, n)
	}
	header = append(header, noteOwner...)
	header = append(header, make([]byte, padded(uint64(len(noteOwner)))-uint64(len(noteOwner)))...)
	header = append(header, note...)
	w.sections[inNote] = section{contents: append(header, make([]byte, padded(uint64(len(note)))-uint64(len(note)))...), kind: noteSection, flags: sectionLoaded, align: 4}

	for n := range w.kernels {
		k := &w.kernels[n]
		w.symbols = append(w.symbols,
			symbol{k.Name, inCode, globalFunction, w.entries[n], uint64(len(k.Code))},
			symbol{k.Name + descriptorSuffix, inDescriptors, globalObject, uint64(n * descriptorBytes), descriptorBytes})
	}
	strings := []byte{0}
	for _, s := range w.symbols {
		strings = append(append(strings, s.name...), 0)
	}
	table := make([]byte, symbolBytes*(len(w.symbols)+1))
	w.sections[inDynamicSymbols] = section{contents: table, kind: dynamicSymbols, flags: sectionLoaded, align: 8, entry: symbolBytes, link: inDynamicStrings, info: 1}
	w.sections[inHash] = section{contents: w.hash(), kind: hashSection, flags: sectionLoaded, align: 4, entry: 4, link: inDynamicSymbols}
	w.sections[inDynamicStrings] = section{contents: strings, kind: stringsSection, flags: sectionLoaded, align: 1}
	w.sections[inDescriptors] = section{contents: make([]byte, descriptorBytes*len(w.kernels)), kind: programSection, flags: sectionLoaded, align: descriptorBytes}
	w.sections[inDynamic] = section{contents: make([]byte, dynamicBytes*6), kind: dynamicSection, flags: sectionLoaded | sectionWritable, align: 8, entry: dynamicBytes, link: inDynamicStrings}
	w.sections[inSymbols] = section{contents: table, kind: allSymbols, align: 8, entry: symbolBytes, link: inStrings, info: 1}
	w.sections[inStrings] = section{contents: strings, kind: stringsSection, align: 1}
	names := []byte{0}
	for n := noSection + 1; n < sectionCount; n++ {
		w.sections[n].nameOffset = uint64(len(names))
		names = append(append(names, sectionNames[n]...), 0)
	}
	w.sections[inSectionNames].contents, w.sections[inSectionNames].kind, w.sections[inSectionNames].align = names, stringsSection, 1
}

// hash returns the hash table of symbols, with as many chains as symbols.
func (w *file) hash() []byte {
	count := len(w.symbols)
	first, next := make([]uint32, count), make([]uint32, count+1)
	for n := count; n > 0; n-- {
		chain := hashOf(w.symbols[n-1].name) % uint32(count)
		next[n], first[chain] = first[chain], uint32(n)
	}
	var table []byte
	for _, list := range [...][]uint32{{uint32(count), uint32(count + 1)}, first, next} {
		for _, n := range list {
			table = binary.LittleEndian.AppendUint32(table, n)
		}
	}
	return table
}

// hashOf is the function of the System V ABI, "Hash Table".
func hashOf(name string) uint32 {
	var h uint32
	for n := range len(name) {
		h = h<<4 + uint32(name[n])
		high := h & 0xF0000000
		h = (h ^ high>>24) &^ high
	}
	return h
}

// segments is the number of segments: headers, three to load, dynamic, note, stack.
const segments = 7

// layOut gives sections their offsets and addresses. Sections with other permissions begin on
// another page, at the same offset in the page as in the file.
func (w *file) layOut() {
	offset := uint64(elfHeaderBytes + segments*entryBytes)
	address := offset
	for n := noSection + 1; n < sectionCount; n++ {
		p := &w.sections[n]
		if n == inCode || n == inDynamic {
			address += pageBytes
		}
		aligned := (offset + p.align - 1) / p.align * p.align
		address += aligned - offset
		offset = aligned
		p.offset = offset
		if p.flags&sectionLoaded != 0 {
			p.address = address
		}
		offset += uint64(len(p.contents))
		address += uint64(len(p.contents))
	}
}

// resolve fills contents with addresses: symbols, descriptors, the dynamic section.
func (w *file) resolve() {
	le := binary.LittleEndian
	table, name := w.sections[inSymbols].contents, uint32(1)
	for n, s := range w.symbols {
		entry := table[symbolBytes*(n+1):]
		le.PutUint32(entry, name)
		entry[4], entry[5] = s.kind, protected
		le.PutUint16(entry[6:], s.section)
		le.PutUint64(entry[8:], w.sections[s.section].address+s.value)
		le.PutUint64(entry[16:], s.size)
		name += uint32(len(s.name) + 1)
	}
	code, descriptors := &w.sections[inCode], &w.sections[inDescriptors]
	written := descriptors.contents[:0]
	for n := range w.kernels {
		at := descriptors.address + uint64(len(written))
		written = appendDescriptor(written, w.family, &w.kernels[n], int64(code.address+w.entries[n]-at))
	}
	dynamic := w.sections[inDynamic].contents
	for n, d := range [...][2]uint64{
		{4, w.sections[inHash].address}, {5, w.sections[inDynamicStrings].address}, {6, w.sections[inDynamicSymbols].address},
		{10, uint64(len(w.sections[inDynamicStrings].contents))}, {11, symbolBytes}, {0, 0},
	} {
		le.PutUint64(dynamic[dynamicBytes*n:], d[0])
		le.PutUint64(dynamic[dynamicBytes*n+8:], d[1])
	}
}

// finish puts the file together.
func (w *file) finish() []byte {
	le := binary.LittleEndian
	last := &w.sections[sectionCount-1]
	headers := (last.offset + uint64(len(last.contents)) + 7) / 8 * 8
	file := make([]byte, headers, headers+sectionCount*sectionBytes)
	copy(file, "\x7fELF\x02\x01\x01")
	file[7], file[8] = hsaABI, version5
	le.PutUint16(file[16:], sharedObject)
	le.PutUint16(file[elfMachine:], machineAMDGPU)
	le.PutUint32(file[20:], 1)
	le.PutUint64(file[elfProgramHeaders:], elfHeaderBytes)
	le.PutUint64(file[40:], headers)
	le.PutUint32(file[48:], flagsOf[w.family])
	le.PutUint16(file[52:], elfHeaderBytes)
	le.PutUint16(file[elfEntryBytes:], entryBytes)
	le.PutUint16(file[elfEntryCount:], segments)
	le.PutUint16(file[58:], sectionBytes)
	le.PutUint16(file[60:], sectionCount)
	le.PutUint16(file[62:], inSectionNames)

	// the first segment to load begins with the file, the others are single sections
	to := elfHeaderBytes
	segment := func(kind, rights uint32, offset, address, size, align uint64) {
		h := file[to:]
		le.PutUint32(h, kind)
		le.PutUint32(h[4:], rights)
		for n, v := range [...]uint64{offset, address, address, size, size, align} {
			le.PutUint64(h[8+8*n:], v)
		}
		to += entryBytes
	}
	of := func(kind, rights uint32, section int, align uint64) {
		p := &w.sections[section]
		segment(kind, rights, p.offset, p.address, uint64(len(p.contents)), align)
	}
	segment(headersSegment, readable, elfHeaderBytes, elfHeaderBytes, segments*entryBytes, 8)
	d := &w.sections[inDescriptors]
	segment(loadSegment, readable, 0, 0, d.offset+uint64(len(d.contents)), pageBytes)
	of(loadSegment, readable|executable, inCode, pageBytes)
	of(loadSegment, readable|writable, inDynamic, pageBytes)
	of(dynamicSegment, readable|writable, inDynamic, 8)
	of(noteSegment, readable, inNote, 4)
	segment(stackSegment, readable|writable, 0, 0, 0, 0)

	for n := range w.sections {
		p := &w.sections[n]
		copy(file[p.offset:], p.contents)
	}
	for n := range w.sections {
		p := &w.sections[n]
		file = le.AppendUint32(le.AppendUint32(file, uint32(p.nameOffset)), p.kind)
		for _, v := range [...]uint64{p.flags, p.address, p.offset, uint64(len(p.contents))} {
			file = le.AppendUint64(file, v)
		}
		file = le.AppendUint32(le.AppendUint32(file, p.link), p.info)
		file = le.AppendUint64(le.AppendUint64(file, p.align), p.entry)
	}
	return file
}
