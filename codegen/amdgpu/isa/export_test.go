package isa

// Fault returns the number of the kind of an error.
func (e *Error) Fault() int { return int(e.fault) }

// About returns the operand that an error is about.
func (e *Error) About() Operand { return e.about }

// Kinds of errors.
const (
	Unfit    = int(unfit)
	Modified = int(modified)
	NoRoom   = int(noRoom)
)
