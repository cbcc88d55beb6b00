package arm64

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// This file reads the text of instructions, for generators that have code as tables of text.

// Parse returns the instruction of a line in the form that AppendText writes.
func Parse(line string) (Instruction, error) {
	for o := range Ops {
		list := rowsOf(o)
		for n := range list {
			i, ok := list[n].parse(line)
			if ok && string(AppendText(nil, &i)) == line {
				if _, err := Encode(&i); err == nil {
					return i, nil
				}
			}
		}
	}
	return Instruction{}, fmt.Errorf("%q is no instruction that is known, or not in the form that it is written in", line)
}

// split returns what is between commas that are in no brackets or braces.
func split(text string) (parts []string) {
	if text == "" {
		return nil
	}
	depth, from := 0, 0
	for n, c := range text {
		switch c {
		case '[', '{':
			depth++
		case ']', '}':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(text[from:n]))
				from = n + 1
			}
		}
	}
	return append(parts, strings.TrimSpace(text[from:]))
}

// parse takes a line for one of a row, in the first shape in which its operands can be read. What
// it returns may still be another line.
func (r *row) parse(line string) (Instruction, bool) {
	if !strings.HasPrefix(line, r.name) {
		return Instruction{}, false
	}
	for shape := range shapes {
		if !r.shapes.has(shape) {
			continue
		}
		i := Instruction{Op: r.op, Shape: shape}
		rest := line[len(r.name):]
		if r.coding.named() && shapeRows[shape].full {
			rest = strings.TrimPrefix(rest, "2")
		}
		if r.tail == named {
			for c, suffix := range conditionNames {
				if behind, ok := strings.CutPrefix(rest, suffix); ok {
					i.Condition, rest = Condition(c), behind
					break
				}
			}
		}
		if rest, ok := strings.CutPrefix(rest, " "); (ok || rest == "") && r.operands(&i, split(rest)) {
			return i, true
		}
	}
	return Instruction{}, false
}

// operands reads the operands and what follows them.
func (r *row) operands(i *Instruction, parts []string) bool {
	extends := func(part string) bool { // with the amount, if there is one
		word, number, more := strings.Cut(part, " #")
		for e, name := range extensionNames {
			if name == word {
				i.Extend = Extension(e)
				n, err := strconv.ParseUint(number, 10, 8)
				i.Amount = uint8(n)
				return err == nil || !more
			}
		}
		return false
	}
	if last := len(parts) - 1; last >= 0 { // the registers' shapes depend on it
		switch r.tail {
		case shifted, rotated, extended:
			written := extends(parts[last])
			if written {
				parts = parts[:last]
			}
			// beside SP, where nothing is extended
			if r.tail == extended && (!written || i.Extend == LSL) {
				i.Extend = UXTX
				if i.Shape == Narrow {
					i.Extend = UXTW
				}
			}
		case leftTwelve, leftWord, leftByte:
			if extends(parts[last]) {
				parts = parts[:last]
			}
			i.Extend = 0
		case chosen, flagged:
			for c, name := range conditionNames {
				if name == parts[last] {
					i.Condition = Condition(c)
				}
			}
			parts = parts[:last]
			if r.tail == flagged && last > 0 {
				n, _ := strconv.ParseUint(strings.TrimPrefix(parts[last-1], "#"), 10, 8)
				i.Amount, parts = uint8(n), parts[:last-1]
			}
		}
	}
	for n, s := range r.slots {
		if s == noSlot {
			return len(parts) == 0
		}
		if len(parts) == 0 {
			return false
		}
		part := parts[0]
		parts = parts[1:]
		d := &slotRows[s]
		switch {
		case d.class == isMemory:
			if len(parts) > 0 { // what is added to the base follows it
				part, parts = part+", "+parts[0], parts[1:]
			}
			i.Operands[n] = Mem
			if !parseAddress(&i.Address, part) {
				return false
			}
		case d.form == number:
			i.Operands[n] = Imm
			if d.class == isPlace {
				i.Operands[n] = Distance
			}
			if s == fieldX || s == fieldI {
				if len(parts) == 0 {
					return false
				}
				width, _ := strconv.ParseUint(strings.TrimPrefix(parts[0], "#"), 10, 8)
				i.Amount, parts = uint8(width), parts[1:]
			}
			if !parseNumber(i, s, part) {
				return false
			}
		default:
			o, ok := s.parseRegisters(i, part)
			if !ok {
				return false
			}
			i.Operands[n] = o
		}
	}
	return len(parts) == 0
}

// parseNumber reads the number of a slot.
func parseNumber(i *Instruction, s slot, part string) bool {
	digits, ok := strings.CutPrefix(part, "#")
	if !ok {
		return false
	}
	switch s {
	case bit:
		n, err := strconv.ParseUint(digits, 10, 8)
		i.Amount = uint8(n)
		return err == nil
	case float8, zeroFloat:
		x, err := strconv.ParseFloat(digits, 64)
		i.Immediate = int64(math.Float64bits(x))
		return err == nil
	}
	if s == maskBit {
		n, err := strconv.ParseUint(strings.TrimPrefix(digits, "0x"), 16, 64)
		i.Immediate = int64(n)
		return err == nil
	}
	if n, err := strconv.ParseUint(digits, 0, 64); err == nil {
		i.Immediate = int64(n)
		return true
	}
	n, err := strconv.ParseInt(digits, 0, 64)
	i.Immediate = n
	return err == nil
}

// parseRegisters reads the register of a slot, or the first of its list, and the number of the
// element that is chosen.
func (s slot) parseRegisters(i *Instruction, part string) (Operand, bool) {
	d := &slotRows[s]
	if d.list > 0 {
		part = strings.TrimSuffix(strings.TrimPrefix(part, "{ "), " }")
		part, _, _ = strings.Cut(part, ", ")
	}
	if d.form == lane {
		at, digits, ok := strings.Cut(part, "[")
		n, err := strconv.ParseUint(strings.TrimSuffix(digits, "]"), 10, 8)
		if !ok || err != nil {
			return 0, false
		}
		if part = strings.TrimSuffix(at, " }"); s == vnOther {
			i.Element = uint8(n)
		} else {
			i.Amount = uint8(n)
		}
	}
	return parseRegister(part, s.shapeOf(i), d)
}

// parseRegister reads a register of a shape.
func parseRegister(part string, shape Shape, d *slotRow) (Operand, bool) {
	name := shapeRows[shape].text
	if d.class&isVector == 0 {
		switch part {
		case "sp", "wsp":
			return SP, true
		case name + "zr":
			return Zero, true
		}
		n, err := strconv.ParseUint(strings.TrimPrefix(part, name), 10, 8)
		return General(int(n)), err == nil && n < 31 && strings.HasPrefix(part, name)
	}
	switch {
	case d.form == lane:
		part = strings.TrimPrefix(strings.TrimSuffix(part, "."+name), "v")
	case shapeRows[shape].vector:
		part = strings.TrimPrefix(strings.TrimSuffix(part, name), "v")
	default:
		part = strings.TrimPrefix(part, name)
	}
	n, err := strconv.ParseUint(part, 10, 8)
	return Vector(int(n)), err == nil && n < 32
}

// parseAddress reads an address.
func parseAddress(a *Address, part string) bool {
	inside, behind, ok := strings.Cut(strings.TrimPrefix(part, "["), "]")
	if !ok {
		return false
	}
	fields := strings.Split(inside, ", ")
	register := func(name string) (o Operand, shape Shape, ok bool) {
		if o, ok = parseRegister(name, Wide, &slotRows[gdStack]); ok {
			return o, Wide, true
		}
		o, ok = parseRegister(name, Narrow, &slotRows[gd])
		return o, Narrow, ok
	}
	if a.Base, _, ok = register(fields[0]); !ok {
		return false
	}
	displacement := ""
	switch {
	case behind == "!":
		a.Mode = Before
	case behind != "":
		a.Mode = After
		displacement = strings.TrimPrefix(behind, ", #")
	}
	if len(fields) > 1 {
		if digits, is := strings.CutPrefix(fields[1], "#"); is {
			displacement = digits
		} else if a.Index, _, ok = register(fields[1]); !ok {
			return false
		} else if a.Extend = LSL; len(fields) > 2 {
			word, number, _ := strings.Cut(fields[2], " #")
			for e, name := range extensionNames {
				if name == word {
					a.Extend = Extension(e)
				}
			}
			n, _ := strconv.ParseUint(number, 10, 8)
			a.Shift = uint8(n)
		}
	}
	if displacement != "" {
		n, err := strconv.ParseInt(displacement, 10, 32)
		a.Displacement = int32(n)
		return err == nil
	}
	return true
}
