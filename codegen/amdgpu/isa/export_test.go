package isa

// Fault returns the kind of an error.
func (e *Error) Fault() int { return int(e.fault) }

// About returns the operand of the fault.
func (e *Error) About() Operand { return e.about }

// Kinds of errors.
const (
	Unfit    = int(unfit)
	Modified = int(modified)
	NoRoom   = int(noRoom)
	Overlaps = int(overlaps)
)
