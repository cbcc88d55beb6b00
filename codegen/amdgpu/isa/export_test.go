package isa

// FaultTexts and Fault let tests tell kinds of errors.
var FaultTexts = faultTexts

// Fault returns the number of the kind of an error.
func (e *Error) Fault() int { return int(e.fault) }

// Kinds of errors.
const (
	Unfit    = int(unfit)
	Modified = int(modified)
	NoRoom   = int(noRoom)
)
