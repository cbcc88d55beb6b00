package neon

import "github.com/gpuc/gpuc/codegen/cpu/amd64"

// Has reports whether an instruction of x86 has a row.
func Has(o amd64.Op) bool { return rows[o].make != nil }

// Size returns how many bytes of instructions the last function has, those behind its end that stop included.
func (t *Translator) Size() int { return t.assembler.Offset(len(t.list)) }
