// Package listing counts instructions by class in a kernel and in its hot loop. It reads PTX, and
// the disassembly that nvdisasm prints of ptxas's machine code.
package listing

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
	"sync"
)

// instruction is one of a listing.
type instruction struct {
	class   string
	guarded bool
	target  string // the label that a branch goes to
	ends    bool   // nothing after it is executed, unless it is guarded
}

// Listing is a kernel's code. Labels lead to the instruction after them.
type Listing struct {
	code   []instruction
	labels map[string]int
}

// Counts says how many instructions of each class there are. Accesses have their width in bits in
// the name of their class: ldg128.
type Counts map[string]int

// Total is the number of all instructions.
func (c Counts) Total() (n int) {
	for _, count := range c {
		n += count
	}
	return n
}

// Units is how much a kernel's unit of work occurs: the instructions of a class or, of accesses,
// the words of 32 bits that they move.
func (c Counts) Units(unit string) (n int) {
	for class, count := range c {
		if class == unit {
			n += count
		} else if bits, err := strconv.Atoi(strings.TrimPrefix(class, unit)); err == nil {
			n += count * max(bits/32, 1)
		}
	}
	return n
}

// String lists the classes in the order of their names.
func (c Counts) String() string {
	var b strings.Builder
	for _, class := range slices.Sorted(maps.Keys(c)) {
		fmt.Fprintf(&b, " %s=%d", class, c[class])
	}
	return strings.TrimPrefix(b.String(), " ")
}

// count counts those of the instructions that are chosen; nil chooses all.
func (l *Listing) count(chosen []bool) Counts {
	c := Counts{}
	for n := range l.code {
		if chosen == nil || chosen[n] {
			c[l.code[n].class]++
		}
	}
	return c
}

// Count counts all instructions.
func (l *Listing) Count() Counts { return l.count(nil) }

// Hot returns the counts of the hot loop, or nil: of the innermost loops that do a kernel's unit of
// work, the one with the most instructions.
func (l *Listing) Hot(unit string) (best Counts) {
	for _, loop := range l.innermost() {
		if loop.Units(unit) > 0 && loop.compare(best) > 0 {
			best = loop.Counts
		}
	}
	return best
}

// Deepest returns the counts of the loop that is likely to be the hot one, or nil if there are no
// loops. It is for kernels whose unit of work is not given. Of the innermost loops at the greatest
// depth it is the one with the most instructions.
func (l *Listing) Deepest() (best Counts) {
	depth := 0
	for _, loop := range l.innermost() {
		if cmp.Or(cmp.Compare(loop.depth, depth), loop.compare(best)) > 0 {
			best, depth = loop.Counts, loop.depth
		}
	}
	return best
}

// loop has the counts and the nesting depth of an innermost loop. The depth of an outermost loop is
// 1.
type loop struct {
	Counts
	depth int
}

// compare orders by the number of instructions, then by text, so that the order is total.
func (c Counts) compare(other Counts) int {
	return cmp.Or(cmp.Compare(c.Total(), other.Total()), cmp.Compare(c.String(), other.String()))
}

// innermost returns the loops that contain no loops, in no order.
func (l *Listing) innermost() (list []loop) {
	loops := l.loops()
	for header, body := range loops {
		inner, depth := true, 0
		for other, around := range loops {
			inner = inner && (other == header || !body[other])
			if around[header] {
				depth++
			}
		}
		if inner {
			list = append(list, loop{l.count(body), depth})
		}
	}
	return list
}

// loops returns the natural loops by their headers (Aho, Sethi, Ullman, Compilers, §10.4): what
// reaches a branch back without passing the header. A branch back from where the kernel's beginning
// leads without passing the header makes none, nor does the one to itself that ptxas puts after
// the code.
func (l *Listing) loops() map[int][]bool {
	before := make([][]int, len(l.code))
	for n := range l.code {
		i := &l.code[n]
		if to, ok := l.labels[i.target]; ok && to < len(l.code) {
			before[to] = append(before[to], n)
		}
		if n+1 < len(l.code) && (i.guarded || !i.ends) {
			before[n+1] = append(before[n+1], n)
		}
	}
	loops := map[int][]bool{}
	for n := range l.code {
		header, ok := l.labels[l.code[n].target]
		if !ok || header >= n {
			continue
		}
		body := make([]bool, len(l.code))
		body[header] = true
		for work := []int{n}; len(work) > 0; {
			last := work[len(work)-1]
			work = work[:len(work)-1]
			if !body[last] {
				body[last] = true
				work = append(work, before[last]...)
			}
		}
		if body[0] && header != 0 {
			continue
		}
		for k, in := range loops[header] {
			body[k] = body[k] || in
		}
		loops[header] = body
	}
	return loops
}

// machineClasses are the classes of NVIDIA's instructions by their names up to the first point
// (CUDA Binary Utilities, "Instruction Set Reference"). Instructions of the uniform datapath, whose
// names begin with U, have one class.
var machineClasses = sync.OnceValue(func() map[string]string {
	return byOpcode(map[string]string{
		"ffma":       "FFMA",
		"fadd":       "FADD",
		"fmul":       "FMUL",
		"special":    "MUFU",
		"integer":    "IADD3 IMAD LEA LOP3 VIADD VIMNMX VIADDMNMX IMNMX IABS POPC FLO BREV PRMT BMSK SGXT",
		"shift":      "SHF",
		"constant":   "LDC ULDC",
		"atomic":     "ATOM ATOMG ATOMS RED REDG REDUX CAS",
		"branch":     "BRA BRX EXIT RET CALL BSSY BSYNC BREAK WARPSYNC YIELD JMP",
		"predicate":  "ISETP FSETP PLOP3 P2R R2P VOTE",
		"select":     "SEL FSEL FMNMX",
		"conversion": "I2F F2I I2FP F2F F2FP FRND",
		"move":       "MOV CS2R S2R S2UR R2UR HFMA2",
		"barrier":    "BAR MEMBAR ERRBAR DEPBAR",
	})
})

func byOpcode(classes map[string]string) map[string]string {
	table := map[string]string{}
	for class, names := range classes {
		for name := range strings.FieldsSeq(names) {
			table[name] = class
		}
	}
	return table
}

// accesses are the loads and stores whose width counts.
var accesses = []string{"LDG", "STG", "LDS", "STS", "LDL", "STL"}

// Machine reads what nvdisasm -c prints of a kernel.
func Machine(text string) *Listing {
	l := &Listing{labels: map[string]int{}}
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if label, ok := strings.CutSuffix(line, ":"); ok {
			l.labels[label] = len(l.code)
		}
		_, words, ok := strings.Cut(line, "*/")
		if !ok || !strings.HasPrefix(line, "/*") {
			continue
		}
		fields := strings.Fields(strings.TrimRight(words, "; "))
		var i instruction
		if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
			i.guarded, fields = true, fields[1:]
		}
		if len(fields) == 0 || strings.HasPrefix(fields[0], ".") || fields[0] == "NOP" {
			continue // data, or what fills the last line of the cache
		}
		name, rest, _ := strings.Cut(fields[0], ".")
		i.class = machineClass(name, rest)
		if name == "BRA" {
			_, target, _ := strings.Cut(words, "`(")
			i.target, _, _ = strings.Cut(target, ")")
			i.guarded = i.guarded || len(fields) > 2 // BRA P0, BRA.DIV
			if l.labels[i.target] == len(l.code) && !i.guarded {
				continue // behind the code
			}
		}
		i.ends = name == "BRA" || name == "EXIT" || name == "RET"
		l.code = append(l.code, i)
	}
	return l
}

func machineClass(name, rest string) string {
	if slices.Contains(accesses, name) {
		width := "32"
		for part := range strings.SplitSeq(rest, ".") {
			switch part {
			case "64", "128":
				width = part
			case "U8", "S8", "U16", "S16":
				width = part[1:]
			}
		}
		return strings.ToLower(name) + width
	}
	switch {
	case name == "IMAD" && strings.HasPrefix(rest, "MOV"):
		return "move"
	case name == "IMAD" && strings.HasPrefix(rest, "WIDE"):
		return "wide"
	}
	if class, ok := machineClasses()[name]; ok {
		return class
	}
	if strings.HasPrefix(name, "U") {
		return "uniform"
	}
	return "other"
}

// Assembly reads PTX text of one kernel.
func Assembly(text string) *Listing {
	l := &Listing{labels: map[string]int{}}
	_, text, _ = strings.Cut(text, ".entry")
	_, text, _ = strings.Cut(text, "{")
	for line := range strings.SplitSeq(text, "\n") {
		line = strings.TrimSpace(line)
		if label, ok := strings.CutSuffix(line, ":"); ok {
			l.labels[label] = len(l.code)
			continue
		}
		fields := strings.Fields(strings.TrimRight(line, "; "))
		var i instruction
		if len(fields) > 0 && strings.HasPrefix(fields[0], "@") {
			i.guarded, fields = true, fields[1:]
		}
		if len(fields) == 0 || strings.HasPrefix(fields[0], ".") || strings.HasPrefix(fields[0], "//") || fields[0] == "{" || fields[0] == "}" {
			continue
		}
		parts := strings.Split(fields[0], ".")
		i.class = assemblyClass(parts[0], parts[1:])
		switch parts[0] {
		case "bra":
			i.target, i.ends = fields[len(fields)-1], true
		case "ret", "exit":
			i.ends = true
		}
		l.code = append(l.code, i)
	}
	return l
}

// assemblyClasses are the classes of PTX instructions that need no look at their types.
var assemblyClasses = sync.OnceValue(func() map[string]string {
	return byOpcode(map[string]string{
		"special":    "ex2 lg2 rcp sqrt rsqrt sin cos tanh div",
		"shift":      "shf shl shr",
		"atomic":     "atom red",
		"branch":     "bra ret exit call",
		"predicate":  "setp",
		"select":     "selp",
		"conversion": "cvt",
		"move":       "mov cvta",
		"barrier":    "bar barrier membar fence",
	})
})

func assemblyClass(name string, types []string) string {
	last := types[max(len(types)-1, 0):]
	has := func(t string) bool { return slices.Contains(types, t) }
	if name == "ld" || name == "st" {
		bits := 0
		if len(last) > 0 {
			bits, _ = strconv.Atoi(strings.TrimLeft(last[0], "bsuf"))
		}
		for vector, n := range map[string]int{"v2": 2, "v4": 4} {
			if has(vector) {
				bits *= n
			}
		}
		for space, letter := range map[string]string{"global": "g", "shared": "s", "local": "l"} {
			if has(space) {
				return name + letter + strconv.Itoa(bits)
			}
		}
		return "constant"
	}
	if class, ok := assemblyClasses()[name]; ok && !(name == "div" && !has("f32")) {
		return class
	}
	switch {
	case has("f32") && name == "fma":
		return "ffma"
	case has("f32") && name == "mul":
		return "fmul"
	case has("f32") && (name == "add" || name == "sub"):
		return "fadd"
	case has("f32"):
		return "select" // minimum, maximum, absolute value, sign
	case has("pred"):
		return "predicate"
	case has("wide"), has("s64"), has("u64"), has("b64"):
		return "wide"
	}
	return "integer"
}
