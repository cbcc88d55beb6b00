// Package workaroundtest has the smallest programs that show the driver bugs of the workarounds
// (codegen/workaround). It runs each on a device with the row's rewrite and without it, and reports
// which rows the device does not need.
//
//	programs/    the programs, named by row
//	program.go   reads programs
//	execute.go   compiles and runs one, in its own process
//	report.go    runs all, and reports
//	run          the command, for machines with a device
package workaroundtest

import (
	"embed"
	"encoding/binary"
	"fmt"
	"io/fs"
	"math"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/jit"
)

//go:embed programs
var embedded embed.FS

// Programs are the programs of this package, one folder of files.
func Programs() fs.FS {
	sub, err := fs.Sub(embedded, "programs")
	if err != nil {
		panic(err) // the folder is embedded
	}
	return sub
}

// Program is a program for a row, with its inputs. The file's name is the row's, followed by a
// number if there are several: nv-abs.wgsl, nv-abs-2.wgsl, nv-rotate-sum.ir. It has one compute
// entry point and comments that begin with an @:
//
//	// @buffer NAME TYPE VALUES    a storage or uniform buffer: its name in the source, the type
//	                               of its elements, and their values, or "zeros" and a count
//	// @dispatch X Y Z             the number of workgroups; by default 1 1 1
//	// @override NAME VALUE        the value of an override
//	// @compiler NAME…             the compilers that have the bug; by default all of the row's
//	// @without ROW…               rows that hide the symptom; it is always compiled without them
//	// @reference DEVICE           the device that computes the expected results; by default
//	                               cpu:checked; cpu for programs that rely on robust access
//	// @bounds off                 disables bounds checks; by default they are robust
type Program struct {
	File      string
	Row       workaround.ID
	Text      string
	Buffers   []Buffer
	Dispatch  [3]uint32
	Overrides []codegen.Setting
	Compilers []workaround.Compiler
	Without   workaround.Set
	Bounds    codegen.Bounds
	Reference string // the device that computes the expected results
}

// Buffer is a buffer of a program, with its initial contents.
type Buffer struct {
	Name string
	Type string // of its elements
	Data []byte
}

// Load reads all programs of a folder.
func Load(folder fs.FS) (programs []*Program, err error) {
	entries, err := fs.ReadDir(folder, ".")
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		text, err := fs.ReadFile(folder, e.Name())
		if err != nil {
			return nil, err
		}
		p, err := parse(e.Name(), string(text))
		if err != nil {
			return nil, fmt.Errorf("%s: %w", e.Name(), err)
		}
		programs = append(programs, p)
	}
	return programs, nil
}

// rowOf returns the row of a file's name.
func rowOf(file string) (workaround.ID, error) {
	name := strings.TrimSuffix(file, path.Ext(file))
	if at := strings.LastIndexByte(name, '-'); at > 0 {
		if _, err := strconv.Atoi(name[at+1:]); err == nil {
			name = name[:at]
		}
	}
	return rowNamed(name)
}

func rowNamed(name string) (workaround.ID, error) {
	n := slices.IndexFunc(workaround.Table[:], func(r workaround.Row) bool { return r.Name == name })
	if n < 0 {
		return 0, fmt.Errorf("there is no workaround %q", name)
	}
	return workaround.ID(n), nil
}

func parse(file, text string) (*Program, error) {
	row, err := rowOf(file)
	if err != nil {
		return nil, err
	}
	p := &Program{File: file, Row: row, Text: text, Dispatch: [3]uint32{1, 1, 1}, Reference: "cpu:checked"}
	for n, line := range strings.Split(text, "\n") {
		if directive, ok := strings.CutPrefix(line, "// @"); ok {
			if err := p.directive(strings.Fields(directive)); err != nil {
				return nil, fmt.Errorf("line %d: %w", n+1, err)
			}
		}
	}
	return p, nil
}

// operands are the smallest numbers of operands of the directives.
var operands = map[string]int{"buffer": 3, "dispatch": 3, "override": 2, "compiler": 1, "without": 1, "bounds": 1, "reference": 1}

func (p *Program) directive(words []string) error {
	if len(words) == 0 || operands[words[0]] == 0 || len(words) <= operands[words[0]] {
		return fmt.Errorf("unknown or incomplete: @%s", strings.Join(words, " "))
	}
	name, words := words[0], words[1:]
	switch name {
	case "buffer":
		data, err := elements(words[1], words[2:])
		if err != nil {
			return fmt.Errorf("buffer %s: %w", words[0], err)
		}
		p.Buffers = append(p.Buffers, Buffer{words[0], words[1], data})
	case "dispatch":
		for n := range p.Dispatch {
			count, err := strconv.ParseUint(words[n], 10, 16)
			if err != nil {
				return err
			}
			p.Dispatch[n] = uint32(count)
		}
	case "override":
		value, err := strconv.ParseFloat(words[1], 64)
		if err != nil {
			return err
		}
		p.Overrides = append(p.Overrides, codegen.Setting{Key: words[0], Value: value})
	case "compiler":
		for _, w := range words {
			p.Compilers = append(p.Compilers, workaround.Compiler(w))
		}
	case "without":
		for _, w := range words {
			row, err := rowNamed(w)
			if err != nil {
				return err
			}
			p.Without |= workaround.Of(row)
		}
	case "reference":
		p.Reference = words[0]
	case "bounds":
		if words[0] != "off" {
			return fmt.Errorf("unknown bounds %q", words[0])
		}
		p.Bounds = codegen.BoundsOff
	}
	return nil
}

// sizes are the bytes of elements, by type.
var sizes = map[string]int{"u8": 1, "i8": 1, "u16": 2, "i16": 2, "u32": 4, "i32": 4, "f32": 4, "u64": 8, "i64": 8}

// elements returns the bytes of values of a type, little-endian.
func elements(kind string, words []string) (data []byte, err error) {
	size := sizes[kind]
	if size == 0 {
		return nil, fmt.Errorf("unknown type %q", kind)
	}
	if words[0] == "zeros" && len(words) == 2 {
		n, err := strconv.Atoi(words[1])
		return make([]byte, max(n, 0)*size), err
	}
	for _, w := range words {
		var bits uint64
		if kind == "f32" {
			var f float64
			f, err = strconv.ParseFloat(w, 32)
			bits = uint64(math.Float32bits(float32(f)))
		} else if strings.HasPrefix(w, "-") {
			var i int64
			i, err = strconv.ParseInt(w, 0, 8*size)
			bits = uint64(i)
		} else {
			bits, err = strconv.ParseUint(w, 0, 8*size)
		}
		if err != nil {
			return nil, err
		}
		data = append(data, binary.LittleEndian.AppendUint64(nil, bits)[:size]...)
	}
	return data, nil
}

// element formats an element of a buffer.
func (b *Buffer) element(data []byte, n int) string {
	size := sizes[b.Type]
	var wide [8]byte
	copy(wide[:], data[n*size:(n+1)*size])
	bits := binary.LittleEndian.Uint64(wide[:])
	switch {
	case b.Type == "f32":
		return fmt.Sprint(math.Float32frombits(uint32(bits)))
	case b.Type[0] == 'i':
		return fmt.Sprint(int64(bits<<(64-8*size)) >> (64 - 8*size))
	}
	return fmt.Sprint(bits)
}

// compilers returns the compilers that have the bug.
func (p *Program) compilers() []workaround.Compiler {
	if p.Compilers != nil {
		return p.Compilers
	}
	var list []workaround.Compiler
	for _, f := range workaround.Table[p.Row].Faults {
		list = append(list, f.Compiler)
	}
	return list
}

// set returns the rows with which the program is compiled: all but those of @without, and with or
// without its own.
func (p *Program) set(with bool) workaround.Set {
	s := workaround.All &^ p.Without
	if !with {
		s &^= workaround.Of(p.Row)
	}
	return s
}

// options returns the options with which the program is compiled.
func (p *Program) options(with, noOptimize bool) codegen.Options {
	set := p.set(with)
	return codegen.Options{Bounds: p.Bounds, NoOptimize: noOptimize, Workarounds: &set, Settings: p.Overrides}
}

// compile compiles the program for a target, in the highest profile that the device supports, as
// jit.Program.Load does.
func (p *Program) compile(target abi.Target, profile uint32, with, noOptimize bool) (*abi.Artefact, error) {
	program, err := jit.Parse(p.File, p.Text, p.options(with, noOptimize))
	if err != nil {
		return nil, err
	}
	t := all.For(target, profile)
	if t == nil {
		return nil, fmt.Errorf("there is no target %s", target)
	}
	name := string(target)
	if t.Profile != nil {
		name += ":" + t.Profile.Name
	}
	return program.Compile(abi.Target(name), "")
}
