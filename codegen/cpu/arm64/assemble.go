package arm64

import "fmt"

// This file makes code of a list of instructions: it finds out where labels are, and which branches
// reach them.

// LastLabel is the largest number of a label. The assembler has memory for all up to the largest
// that is used.
const LastLabel = 1<<20 - 1

// Mark is no instruction, but where its operand, a Label, leads. Only an Assembler takes it.
const Mark = Ops

// Assembler makes code of instructions. Its memory is reused from one function to the next; the
// zero value is ready.
type Assembler struct {
	sizes    []uint8 // of each instruction, in words
	offsets  []int32 // of each instruction, and of the end, in words
	marks    []int32 // by label, the instruction at its offset and 1
	branches []int32 // the instructions that have labels
}

// inverses are the conditional branches, and those that are taken where they are not.
var inverses = [Ops]Op{Bcc: Bcc, Cbz: Cbnz, Cbnz: Cbz, Tbz: Tbnz, Tbnz: Tbz}

// Assemble appends the code of a function. A conditional branch that does not reach its label
// becomes the opposite one over a branch that does. The code may lie at any multiple of 4. If there
// is an error, code is returned as it was.
func (a *Assembler) Assemble(code []byte, list []Instruction) ([]byte, error) {
	if err := a.find(list); err != nil {
		return code, err
	}
	if err := a.stretch(list); err != nil {
		return code, err
	}
	start := len(code)
	for n := range list {
		var err error
		switch i := &list[n]; {
		case i.Op == Mark:
		case a.label(i) < 0:
			code, err = Append(code, i)
		default:
			code, err = a.branch(code, i, n)
		}
		if err != nil {
			return code[:start], fmt.Errorf("instruction %d: %w", n, err)
		}
	}
	return code, nil
}

// Offset returns where instruction n of the last function begins, in bytes from the function's
// beginning; where n is the count of instructions, it is the end of the code.
func (a *Assembler) Offset(n int) int { return int(a.offsets[n]) * 4 }

// label returns which operand is a label, or -1.
func (a *Assembler) label(i *Instruction) int {
	for n, o := range i.Operands {
		if o.Kind() == KindLabel {
			return n
		}
	}
	return -1
}

// find notes the offsets of labels and who has them.
func (a *Assembler) find(list []Instruction) error {
	a.sizes, a.branches = a.sizes[:0], a.branches[:0]
	clear(a.marks)
	for n := range list {
		i := &list[n]
		k := a.label(i)
		switch {
		case k >= 0 && i.Operands[k].Number() > LastLabel:
			return fmt.Errorf("instruction %d: the number of a label may be %d at most", n, LastLabel)
		case i.Op != Mark:
			if k >= 0 {
				a.branches = append(a.branches, int32(n))
			}
			a.sizes = append(a.sizes, 1)
			continue
		case k != 0:
			return fmt.Errorf("instruction %d: the operand of a mark must be a label", n)
		}
		label := i.Operands[0].Number()
		for label >= len(a.marks) {
			a.marks = append(a.marks, 0)
		}
		if a.marks[label] != 0 {
			return fmt.Errorf("instruction %d: label %d is marked twice", n, label)
		}
		a.marks[label] = int32(n + 1)
		a.sizes = append(a.sizes, 0)
	}
	return nil
}

// stretch finds the sizes of branches: all begin with a word, and conditional ones that do not
// reach get a second one, until all reach.
func (a *Assembler) stretch(list []Instruction) error {
	for again := true; again; {
		again = false
		a.offsets = a.offsets[:0]
		at := int32(0)
		for _, size := range a.sizes {
			a.offsets = append(a.offsets, at)
			at += int32(size)
		}
		a.offsets = append(a.offsets, at)
		for _, n := range a.branches {
			i := &list[n]
			distance, err := a.distance(i, int(n))
			if err != nil {
				return fmt.Errorf("instruction %d: %w", n, err)
			}
			if a.sizes[n] == 1 && i.Op < Ops && inverses[i.Op] != 0 && !reaches(i, distance) {
				a.sizes[n], again = 2, true
			}
		}
	}
	return nil
}

// distance returns how far the label of an instruction is, in bytes.
func (a *Assembler) distance(i *Instruction, n int) (int64, error) {
	label := i.Operands[a.label(i)].Number()
	if label >= len(a.marks) || a.marks[label] == 0 {
		return 0, fmt.Errorf("label %d is not marked", label)
	}
	return int64(a.offsets[a.marks[label]-1]-a.offsets[n]) * 4, nil
}

// reaches reports whether a conditional branch does.
func reaches(i *Instruction, distance int64) bool {
	bits := 21
	if i.Op == Tbz || i.Op == Tbnz {
		bits = 16
	}
	return distance >= -1<<(bits-1) && distance < 1<<(bits-1)
}

// branch appends what goes to a label, or has its address.
func (a *Assembler) branch(code []byte, i *Instruction, n int) ([]byte, error) {
	distance, err := a.distance(i, n)
	if err != nil {
		return code, err
	}
	near := *i
	near.Operands[a.label(i)], near.Immediate = Distance, distance
	if a.sizes[n] == 1 {
		return Append(code, &near)
	}
	near.Op, near.Immediate = inverses[i.Op], 8
	if near.Op == Bcc {
		if i.Condition >= Always { // the branch after is all there is
			near = Of(Nop, Wide)
		} else {
			near.Condition = i.Condition.Negated()
		}
	}
	if code, err = Append(code, &near); err != nil {
		return code, err
	}
	far := Of(B, Wide, Distance)
	far.Immediate = distance - 4
	return Append(code, &far)
}
