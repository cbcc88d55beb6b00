// Package workaround is the table of workarounds for faults of the compilers behind gpuc: NVIDIA's
// Vulkan driver, ptxas and Mesa (Dawn: toggles).
//
//	workaround.go  what a row says, sets of rows, which rows a device needs
//	table.go       the rows
//	shared         passes that several drivers need
//	nvidia         passes for NVIDIA's Vulkan driver
//	ptxas          passes for NVIDIA's assembler
//	mesa           passes for Mesa
//
// A row is implemented by a pass, or by the target's emitter (Emission.Workarounds). A target lists
// the rows that its code may need (codegen.Target.Workarounds). The passes run as one group after
// the lowering. No simplify runs after them, which could undo them.
//
// Code that is compiled ahead of time has all rewrites, since the driver is unknown. Code that is
// compiled on a device has those that its driver needs (For). The option -workarounds of the
// command chooses by name.
package workaround

import (
	"fmt"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/opt"
)

// Compiler is what compiles the code of gpuc further, for a device.
type Compiler string

// The compilers that rows are about.
const (
	NVIDIA Compiler = "nvidia" // NVIDIA's Vulkan driver
	PTXAS  Compiler = "ptxas"  // NVIDIA's assembler for PTX, in the CUDA driver and by itself
	Mesa   Compiler = "mesa"   // Mesa's Vulkan drivers: llvmpipe, RADV, ANV
)

// Fault is a compiler that a row is about.
type Fault struct {
	Compiler Compiler
	Seen     string // the versions that were found wrong, for people
	// Fixed is the first version known to be right, in Version's form, or 0.
	Fixed uint32
}

// Version packs a version into an integer that orders like it: 580.159.3 is 580_159_003.
func Version(major, minor, patch uint32) uint32 { return major*1_000_000 + minor*1_000 + patch }

// Row is a workaround.
type Row struct {
	Name    string // as -workarounds has it
	Faults  []Fault
	Symptom string // what goes wrong, one or two sentences
	Rewrite string // what gpuc writes instead
	Cost    string // what that costs where it applies
	// Pass is the pass that rewrites, or nil where the emitter does.
	Pass *opt.Pass
}

// Set is a set of rows.
type Set uint64

// All holds every row.
const All Set = 1<<count - 1

// Has reports whether a row is in the set.
func (s Set) Has(id ID) bool { return s>>id&1 == 1 }

// Of makes a set of rows.
func Of(ids ...ID) (s Set) {
	for _, id := range ids {
		s |= 1 << id
	}
	return s
}

// Parse reads a list as -workarounds has it: names with commas between, of rows or "all", "none" or
// "default", which is the set given. A name after a minus is removed, from the default if it comes
// first: "-loop-count". The error names what is unknown.
func Parse(text string, standard Set) (s Set, err error) {
	for n, word := range strings.Split(text, ",") {
		name, without := strings.CutPrefix(strings.TrimSpace(word), "-")
		var chosen Set
		switch name {
		case "all":
			chosen = All
		case "none":
		case "default":
			chosen = standard
		default:
			id := slices.IndexFunc(Table[:], func(r Row) bool { return r.Name == name })
			if id < 0 {
				return 0, fmt.Errorf("there is no workaround %q; `gpuc doc workaround` lists them", name)
			}
			chosen = 1 << id
		}
		switch {
		case without && n == 0:
			s = standard &^ chosen
		case without:
			s &^= chosen
		default:
			s |= chosen
		}
	}
	return s, nil
}

// String returns the set in the form that Parse reads.
func (s Set) String() string {
	switch s & All {
	case All:
		return "all"
	case 0:
		return "none"
	}
	var names []string
	for id := range Table {
		if s.Has(ID(id)) {
			names = append(names, Table[id].Name)
		}
	}
	return strings.Join(names, ",")
}

// For returns the rows that code for a device needs. c is the compiler in the device's driver and
// version is its version (driver.Info). A row is needed if it names the compiler and the version is
// below the first one known to be right. Version 0 is unknown and needs all rows of the compiler. A
// compiler without rows needs none; an unknown one ("") needs all.
func For(c Compiler, version uint32) (s Set) {
	if c == "" {
		return All
	}
	for id := range Table {
		for _, f := range Table[id].Faults {
			if f.Compiler == c && (f.Fixed == 0 || version < f.Fixed) {
				s |= 1 << id
			}
		}
	}
	return s
}

// Passes returns the passes of rows that are in the set, in the order of the list.
func (s Set) Passes(ids []ID) (passes []opt.Pass) {
	for _, id := range ids {
		if p := Table[id].Pass; p != nil && s.Has(id) {
			passes = append(passes, *p)
		}
	}
	return passes
}
