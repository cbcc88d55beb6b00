package ptx_test

import (
	"encoding/binary"
	"fmt"
	"strconv"
	"strings"
)

// An emulator of the PTX that this target writes, so that the tests execute it
// without a device. It reads the text, so a mistake in printing shows, and it is
// stricter than hardware: misaligned and stray accesses, division by zero,
// barriers that not all invocations reach, exchanges with lanes that do not take
// part and registers that were never declared are errors.

// program is a module that was read.
type program struct {
	functions map[string]*procedure
	symbols   map[string]symbol // of workgroup memory and tables
	shared    int               // bytes of workgroup memory
	tables    []byte
}

type symbol struct {
	space   string
	address uint64
}

// procedure is an entry point or a function.
type procedure struct {
	name    string
	entry   bool
	params  []string
	code    []instruction
	labels  map[string]int
	locals  map[string]uint64 // places in local memory
	local   uint64
	counts  [4]int // registers by class
	threads [3]int
}

type operandKind uint8

const (
	registerOperand operandKind = iota
	immediateOperand
	memoryOperand // args[0] + value
	tupleOperand
	nameOperand
	specialOperand
)

// parsed is an operand of an instruction.
type parsed struct {
	kind  operandKind
	class int // of a register: its letter's place in "phrd"
	value uint64
	name  string
	args  []parsed
}

type instruction struct {
	text    string
	guard   int // predicate register + 1, or 0
	negated bool
	op      []string
	args    []parsed
	run     func(t *thread, x *instruction)
	kind    kind // of the last part of op
}

// kind is an instruction type: u32.
type kind struct {
	letter byte // u s f b p
	bits   int
}

func kindOf(s string) kind {
	if s == "pred" {
		return kind{'p', 1}
	}
	if len(s) < 2 {
		return kind{}
	}
	n, err := strconv.Atoi(s[1:])
	if err != nil {
		return kind{}
	}
	return kind{s[0], n}
}

const classes = "phrd"

// read parses a module.
func read(text string) (p *program, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	p = &program{functions: map[string]*procedure{}, symbols: map[string]symbol{}}
	lines := strings.Split(text, "\n")
	for n := 0; n < len(lines); n++ {
		line := strings.TrimSpace(lines[n])
		switch {
		case line == "" || strings.HasPrefix(line, ".version") || strings.HasPrefix(line, ".target") ||
			strings.HasPrefix(line, ".address_size") || strings.HasPrefix(line, ".file"):
		case strings.HasPrefix(line, ".shared"), strings.HasPrefix(line, ".const"):
			p.declare(line)
		case strings.HasPrefix(line, ".visible .entry"), strings.HasPrefix(line, ".func"):
			n = p.procedure(lines, n)
		default:
			return nil, fmt.Errorf("line %d: %q is not understood", n+1, line)
		}
	}
	return p, nil
}

// declared takes `.space .align A .b8 name[size]` apart.
func declared(line string) (space, name string, align, size uint64) {
	fields := strings.Fields(line)
	space = fields[0][1:]
	align, _ = strconv.ParseUint(fields[2], 10, 32)
	name, rest, _ := strings.Cut(fields[4], "[")
	number, _, _ := strings.Cut(rest, "]")
	size, err := strconv.ParseUint(number, 10, 32)
	if err != nil {
		panic("declaration " + line)
	}
	return space, name, align, size
}

func (p *program) declare(line string) {
	space, name, align, size := declared(line)
	if space == "shared" {
		at := (uint64(p.shared) + align - 1) / align * align
		p.shared = int(at + size)
		p.symbols[name] = symbol{space, at}
		return
	}
	at := (uint64(len(p.tables)) + align - 1) / align * align
	p.tables = append(p.tables, make([]byte, int(at+size)-len(p.tables))...)
	p.symbols[name] = symbol{space, at}
	if _, values, ok := strings.Cut(line, "{"); ok {
		values, _, _ = strings.Cut(values, "}")
		for n, v := range strings.Split(values, ",") {
			b, err := strconv.ParseUint(strings.TrimSpace(v), 10, 8)
			if err != nil || uint64(n) >= size {
				panic("initial value of " + name)
			}
			p.tables[at+uint64(n)] = byte(b)
		}
	}
}

// procedure reads a function from its first line on and returns the last.
func (p *program) procedure(lines []string, n int) int {
	f := &procedure{labels: map[string]int{}, locals: map[string]uint64{}}
	head := ""
	for ; lines[n] != "{"; n++ {
		head += lines[n] + " "
	}
	f.entry = strings.Contains(head, ".entry")
	signature := strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(head), ".visible .entry"), ".func")
	if rest, ok := strings.CutPrefix(strings.TrimSpace(signature), "(.param"); ok { // a result
		_, signature, _ = strings.Cut(rest, ")")
	}
	name, rest, _ := strings.Cut(signature, "(")
	f.name = strings.TrimSpace(name)
	list, tail, _ := strings.Cut(rest, ")")
	for param := range strings.SplitSeq(list, ",") {
		if fields := strings.Fields(param); len(fields) > 0 {
			f.params = append(f.params, fields[len(fields)-1])
		}
	}
	if f.entry {
		if _, err := fmt.Sscanf(strings.TrimSpace(tail), ".reqntid %d, %d, %d", &f.threads[0], &f.threads[1], &f.threads[2]); err != nil {
			panic("no workgroup size: " + tail)
		}
	}
	for n++; lines[n] != "}"; n++ {
		line := strings.TrimSpace(lines[n])
		switch {
		case line == "" || line == "{" || line == "}" || strings.HasPrefix(line, ".loc ") || strings.HasPrefix(line, ".param"):
		case strings.HasPrefix(line, ".reg"):
			open := strings.Index(line, "<")
			count, _ := strconv.Atoi(line[open+1 : strings.Index(line, ">")])
			f.counts[strings.IndexByte(classes, line[open-1])] = count
		case strings.HasPrefix(line, ".local"):
			_, name, align, size := declared(line)
			f.local = (f.local + align - 1) / align * align
			f.locals[name] = f.local
			f.local += size
		case strings.HasSuffix(line, ":"):
			f.labels[strings.TrimSuffix(line, ":")] = len(f.code)
		default:
			if !strings.HasSuffix(line, ";") {
				panic(fmt.Sprintf("line %d has no semicolon: %s", n+1, line))
			}
			f.code = append(f.code, decode(strings.TrimSuffix(line, ";")))
		}
	}
	p.functions[f.name] = f
	return n
}

func decode(line string) instruction {
	x := instruction{text: line}
	if strings.HasPrefix(line, "@") {
		guard, rest, _ := strings.Cut(line, " ")
		guard = guard[1:]
		if x.negated = guard[0] == '!'; x.negated {
			guard = guard[1:]
		}
		x.guard = int(operandOf(guard).value) + 1
		line = rest
	}
	name, rest, _ := strings.Cut(line, " ")
	x.op = strings.Split(name, ".")
	for _, part := range split(rest) {
		x.args = append(x.args, operandOf(part))
	}
	x.kind = kindOf(x.op[len(x.op)-1])
	x.run = behaviour(&x)
	return x
}

// split splits at the commas that are outside of brackets.
func split(s string) (parts []string) {
	depth, start := 0, 0
	for n, c := range s {
		switch c {
		case '{', '[', '(':
			depth++
		case '}', ']', ')':
			depth--
		case ',':
			if depth == 0 {
				parts = append(parts, strings.TrimSpace(s[start:n]))
				start = n + 1
			}
		}
	}
	if rest := strings.TrimSpace(s[start:]); rest != "" {
		parts = append(parts, rest)
	}
	return parts
}

func operandOf(s string) parsed {
	switch c := s[0]; {
	case c == '{' || c == '(':
		o := parsed{kind: tupleOperand}
		for _, part := range split(s[1 : len(s)-1]) {
			o.args = append(o.args, operandOf(part))
		}
		return o
	case c == '[':
		base, offset, found := strings.Cut(s[1:len(s)-1], "+")
		o := parsed{kind: memoryOperand, args: []parsed{operandOf(base)}}
		if found {
			n, err := strconv.ParseInt(offset, 10, 64)
			if err != nil {
				panic("offset " + s)
			}
			o.value = uint64(n)
		}
		return o
	case c == '%':
		if class := strings.IndexByte(classes, s[1]); class >= 0 && len(s) > 2 && s[2] >= '0' && s[2] <= '9' {
			n, err := strconv.ParseUint(s[2:], 10, 32)
			if err != nil {
				panic("register " + s)
			}
			return parsed{kind: registerOperand, class: class, value: n}
		}
		return parsed{kind: specialOperand, name: s}
	case c == '-' || c >= '0' && c <= '9':
		if digits, ok := strings.CutPrefix(s, "0f"); ok {
			n, err := strconv.ParseUint(digits, 16, 32)
			if err != nil || len(digits) != 8 {
				panic("float " + s)
			}
			return parsed{kind: immediateOperand, value: n}
		}
		if n, err := strconv.ParseInt(s, 0, 64); err == nil {
			return parsed{kind: immediateOperand, value: uint64(n)}
		}
		n, err := strconv.ParseUint(strings.TrimSuffix(s, "U"), 0, 64)
		if err != nil {
			panic("number " + s)
		}
		return parsed{kind: immediateOperand, value: n}
	}
	return parsed{kind: nameOperand, name: s}
}

// frame is a function that is being executed.
type frame struct {
	f         *procedure
	pc        int
	registers [4][]uint64
	params    map[string][]byte // by name: those of the function and of calls it makes
	caller    *frame
	answer    string // where the caller wants the result
	local     uint64 // where the function's local memory begins
}

// thread is an invocation.
type thread struct {
	*frame
	group   *group
	id      [3]uint32
	lane    int
	warp    int
	local   []byte
	done    bool
	waiting *instruction // at which it waits for others
	steps   int
}

// group is a workgroup.
type group struct {
	p       *program
	memory  *memory
	shared  []byte
	threads []*thread
	id      [3]uint32
	grid    [3]uint32
}

// memory is the device's: one buffer every 2^40 bytes.
type memory struct{ buffers [][]byte }

func bufferAddress(n int) uint64 { return uint64(n+1) << 40 }

// maxSteps ends endless loops.
const maxSteps = 50_000_000

// launch runs an entry point on buffers with the parameters that the target's
// calling convention says; lengths has the element count of each buffer, or -1.
func (p *program) launch(name string, grid [3]uint32, buffers [][]byte, lengths []int64, immediates []byte) (err error) {
	f := p.functions[name]
	if f == nil || !f.entry {
		return fmt.Errorf("no entry point %q", name)
	}
	params := map[string][]byte{}
	next := 0
	pass := func(width int, v uint64) {
		b := make([]byte, width)
		for n := range b {
			b[n] = byte(v >> (8 * n))
		}
		params[f.params[next]] = b
		next++
	}
	for n := range buffers {
		pass(8, bufferAddress(n))
	}
	for _, b := range buffers {
		pass(4, uint64(len(b)))
	}
	for _, l := range lengths {
		if l >= 0 {
			pass(4, uint64(l))
		}
	}
	if len(immediates) > 0 {
		if declared := fmt.Sprintf("[%d]", len(immediates)); !strings.HasSuffix(f.params[next], declared) {
			return fmt.Errorf("parameter %s, want %s", f.params[next], declared)
		}
		name, _, _ := strings.Cut(f.params[next], "[")
		params[name] = immediates
		next++
	}
	if next != len(f.params) {
		return fmt.Errorf("%d parameters passed, %d declared", next, len(f.params))
	}
	m := &memory{buffers}
	for z := range grid[2] {
		for y := range grid[1] {
			for x := range grid[0] {
				if err := p.workgroup(f, m, params, [3]uint32{x, y, z}, grid); err != nil {
					return fmt.Errorf("workgroup %d,%d,%d: %w", x, y, z, err)
				}
			}
		}
	}
	return nil
}

func (p *program) workgroup(f *procedure, m *memory, params map[string][]byte, id, grid [3]uint32) (err error) {
	g := &group{p: p, memory: m, shared: make([]byte, p.shared), id: id, grid: grid}
	for n := range g.shared {
		g.shared[n] = 0xA5 // what was there before
	}
	for z := range f.threads[2] {
		for y := range f.threads[1] {
			for x := range f.threads[0] {
				n := len(g.threads)
				t := &thread{group: g, id: [3]uint32{uint32(x), uint32(y), uint32(z)}, lane: n % 32, warp: n / 32}
				t.enter(f, params, "")
				g.threads = append(g.threads, t)
			}
		}
	}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%v", r)
		}
	}()
	for {
		running := false
		for _, t := range g.threads {
			for !t.done && t.waiting == nil {
				t.step()
				running = true
			}
		}
		if !running {
			return nil
		}
		g.release()
	}
}

func (t *thread) enter(f *procedure, params map[string][]byte, answer string) {
	x := &frame{f: f, params: params, caller: t.frame, answer: answer, local: uint64(len(t.local)+15) / 16 * 16}
	for c, n := range f.counts {
		x.registers[c] = make([]uint64, n)
	}
	t.local = append(t.local, make([]byte, int(x.local+f.local)-len(t.local))...)
	t.frame = x
}

func (t *thread) step() {
	if t.pc >= len(t.f.code) {
		panic("ran past the end of " + t.f.name)
	}
	x := &t.f.code[t.pc]
	if t.steps++; t.steps > maxSteps {
		panic("endless loop at " + x.text)
	}
	if x.guard != 0 && (t.registers[0][x.guard-1] != 0) == x.negated {
		t.pc++
		return
	}
	before := t.frame
	pc := t.pc
	x.run(t, x)
	if t.waiting == nil && t.frame == before && t.pc == pc && !t.done {
		t.pc++
	}
}

// release lets go on what waits: a workgroup at its barrier, and lanes of a warp
// at the same instruction.
func (g *group) release() {
	waiting, alive, barrier := 0, 0, 0
	for _, t := range g.threads {
		if !t.done {
			alive++
			if t.waiting != nil {
				waiting++
				if t.waiting.op[0] == "bar" && t.waiting.op[1] == "sync" {
					barrier++
				}
			}
		}
	}
	if alive == 0 {
		return
	}
	if barrier == alive {
		first := g.threads[0]
		for _, t := range g.threads {
			if first.done {
				first = t
			}
			if !t.done && t.waiting != first.waiting {
				panic("invocations wait at different barriers")
			}
		}
		if alive != len(g.threads) {
			panic("a barrier that some invocations have left")
		}
		for _, t := range g.threads {
			t.waiting = nil
			t.pc++
		}
		return
	}
	progress := false
	for n := range g.threads {
		if t := g.threads[n]; t.waiting != nil && t.waiting.op[0] != "bar" || t.waiting != nil && t.waiting.op[1] == "warp" {
			progress = g.exchange(t.warp, t.waiting) || progress
		}
	}
	if !progress {
		for _, t := range g.threads {
			if t.waiting != nil {
				panic(fmt.Sprintf("deadlock: lane %d of warp %d waits at %s, %d of %d at a barrier", t.lane, t.warp, t.waiting.text, barrier, alive))
			}
		}
	}
}

// exchange executes an instruction of a warp for the lanes that wait at it.
func (g *group) exchange(warp int, x *instruction) bool {
	var lanes [32]*thread
	present := uint64(0)
	for _, t := range g.threads {
		if t.warp == warp && t.waiting == x {
			lanes[t.lane] = t
			present |= 1 << t.lane
		}
	}
	if x.op[0] != "activemask" {
		last := x.args[len(x.args)-1]
		for n, t := range lanes {
			if t == nil {
				continue
			}
			mask := t.get(&last)
			if mask&^present != 0 {
				return false // others have yet to come
			}
			if mask>>n&1 == 0 {
				panic(fmt.Sprintf("lane %d is not in its own mask %#x: %s", n, mask, x.text))
			}
		}
	}
	var results [32]uint64
	for n, t := range lanes {
		if t != nil {
			results[n] = warpResult(x, lanes[:], n, present)
		}
	}
	for n, t := range lanes {
		if t != nil {
			if x.op[0] != "bar" {
				t.set(&x.args[0], results[n])
			}
			t.waiting = nil
			t.pc++
		}
	}
	return true
}

// get returns an operand's bits.
func (t *thread) get(o *parsed) uint64 {
	switch o.kind {
	case registerOperand:
		return t.registers[o.class][o.value]
	case immediateOperand:
		return o.value
	case specialOperand:
		return t.special(o.name)
	case nameOperand:
		if at, ok := t.f.locals[o.name]; ok {
			return t.frame.local + at
		}
		if s, ok := t.group.p.symbols[o.name]; ok {
			return s.address
		}
		if _, ok := t.params[o.name]; ok && strings.HasPrefix(o.name, "immediate_") {
			return 0 // the only parameter whose address is taken
		}
	}
	panic("operand " + o.name + " has no value")
}

var classMasks = [4]uint64{1, 0xFFFF, 0xFFFFFFFF, 1<<64 - 1}

func (t *thread) set(o *parsed, v uint64) {
	if o.kind != registerOperand {
		panic("a result that is no register")
	}
	t.registers[o.class][o.value] = v & classMasks[o.class]
}

func (t *thread) special(name string) uint64 {
	component := strings.IndexByte("xyz", name[len(name)-1])
	switch base, _, _ := strings.Cut(name, "."); base {
	case "%tid":
		return uint64(t.id[component])
	case "%ctaid":
		return uint64(t.group.id[component])
	case "%nctaid":
		return uint64(t.group.grid[component])
	case "%laneid":
		return uint64(t.lane)
	}
	panic("special register " + name)
}

// bytes returns the memory of an access in a state space.
func (t *thread) bytes(space string, o *parsed, width int) []byte {
	if o.args[0].kind == nameOperand && (space == "param") {
		b, ok := t.params[o.args[0].name]
		if !ok {
			b = make([]byte, 256)
			t.params[o.args[0].name] = b
		}
		return b[o.value:][:width]
	}
	address := t.get(&o.args[0]) + o.value
	if o.args[0].kind == registerOperand && o.args[0].class == 2 {
		address &= 0xFFFFFFFF
	}
	if address%uint64(width) != 0 {
		panic(fmt.Sprintf("address %#x is not aligned to %d bytes", address, width))
	}
	var whole []byte
	switch space {
	case "param":
		for name, b := range t.params {
			if strings.HasPrefix(name, "immediate_") {
				whole = b
			}
		}
	case "shared":
		whole = t.group.shared
	case "local":
		whole = t.local
	case "const":
		whole = t.group.p.tables
	case "global":
		n := int(address>>40) - 1
		if n < 0 || n >= len(t.group.memory.buffers) {
			panic(fmt.Sprintf("address %#x is in no buffer", address))
		}
		whole, address = t.group.memory.buffers[n], address&(1<<40-1)
	default:
		panic("space " + space)
	}
	if address+uint64(width) > uint64(len(whole)) {
		panic(fmt.Sprintf("access of %d bytes at %#x in %d bytes of %s memory", width, address, len(whole), space))
	}
	return whole[address:][:width]
}

func load(b []byte) uint64 {
	var wide [8]byte
	copy(wide[:], b)
	return binary.LittleEndian.Uint64(wide[:])
}

func store(b []byte, v uint64) {
	var wide [8]byte
	binary.LittleEndian.PutUint64(wide[:], v)
	copy(b, wide[:])
}
