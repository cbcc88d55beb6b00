package spirv

// A section is a part of the module under construction. Sections are written in
// any order and joined at the end, since SPIR-V wants types before functions
// and what a function needs shows only while it is written. They are reused
// between compilations.
type section struct{ words []uint32 }

// op appends an instruction.
func (s *section) op(opcode uint32, operands ...uint32) {
	s.words = append(s.words, uint32(len(operands)+1)<<16|opcode)
	s.words = append(s.words, operands...)
}

// begin starts an instruction whose length is known only at its end.
func (s *section) begin(opcode uint32, operands ...uint32) (start int) {
	start = len(s.words)
	s.op(opcode, operands...)
	return start
}

// add appends operands to the instruction that is being written.
func (s *section) add(operands ...uint32) { s.words = append(s.words, operands...) }

// end fills in the length of the instruction begun at start.
func (s *section) end(start int) {
	s.words[start] = s.words[start]&0xFFFF | uint32(len(s.words)-start)<<16
}

// text appends a literal string: UTF-8 in words, little-endian, ended by zero.
func (s *section) text(text string) {
	for len(text) >= 4 {
		s.words = append(s.words, uint32(text[0])|uint32(text[1])<<8|uint32(text[2])<<16|uint32(text[3])<<24)
		text = text[4:]
	}
	var last uint32
	for i := range len(text) {
		last |= uint32(text[i]) << (8 * i)
	}
	s.words = append(s.words, last)
}

// slot is one entry per number, grown on demand.
func slot[T any](table *[]T, i uint32) *T {
	if int(i) >= len(*table) {
		n := int(i) + 1
		if n <= cap(*table) {
			old := len(*table)
			*table = (*table)[:n]
			clear((*table)[old:])
		} else {
			grown := make([]T, n, n+n/2+16)
			copy(grown, *table)
			*table = grown
		}
	}
	return &(*table)[i]
}
