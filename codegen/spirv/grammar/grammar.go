// Package grammar is the SPIR-V grammar as Go: opcodes and enumerants as
// constants for the emitter, and the layout of every instruction's operands for
// the disassembler. All but this file is generated from the JSON grammars
// beside it (README.md says where they come from).
package grammar

//go:generate go run ./gen

import "sort"

// Kind is a kind of operand, such as IdRef or StorageClass.
type Kind uint8

// Category is how the words of an operand are read.
type Category uint8

// The categories.
const (
	CategoryId        Category = iota // a word that is an id
	CategoryLiteral                   // a number or string
	CategoryValueEnum                 // one enumerant
	CategoryBitEnum                   // a set of enumerants
	CategoryComposite                 // several operands, see KindInfo.Bases
)

// Quantifier says how often an operand occurs.
type Quantifier uint8

// The quantifiers.
const (
	One Quantifier = iota
	Optional
	Repeated
)

// Operand is one operand of an instruction or a parameter of an enumerant.
type Operand struct {
	Kind       Kind
	Quantifier Quantifier
}

// Enumerant is a value of an enumeration; Parameters are the operands that
// follow it.
type Enumerant struct {
	Value      uint32
	Name       string
	Parameters []Operand
}

// KindInfo describes a kind of operand.
type KindInfo struct {
	Name       string
	Category   Category
	Enumerants []Enumerant // in the order of their values
	Bases      []Kind      // the parts of a composite
}

// Instruction is an instruction's layout.
type Instruction struct {
	Opcode   uint32
	Name     string
	Operands []Operand
}

// Info returns the description of a kind. It must not be changed.
func (k Kind) Info() *KindInfo { return &kinds[k] }

// Lookup returns the instruction with an opcode, or nil.
func Lookup(opcode uint32) *Instruction {
	i := sort.Search(len(instructions), func(i int) bool { return instructions[i].Opcode >= opcode })
	if i == len(instructions) || instructions[i].Opcode != opcode {
		return nil
	}
	return &instructions[i]
}

// Enumerant returns the enumerant of a kind with a value, or nil.
func (k Kind) Enumerant(value uint32) *Enumerant { return find(kinds[k].Enumerants, value) }

// GLSL returns the instruction of GLSL.std.450 with a number, or nil.
func GLSL(number uint32) *Enumerant { return find(glsl[:], number) }

func find(list []Enumerant, value uint32) *Enumerant {
	i := sort.Search(len(list), func(i int) bool { return list[i].Value >= value })
	if i == len(list) || list[i].Value != value {
		return nil
	}
	return &list[i]
}
