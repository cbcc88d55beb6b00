package ptx

import (
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx/listing"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file says what a kernel's code consists of: the machine's, if ptxas and nvdisasm are on the
// PATH, or else the PTX.

// mix counts the instructions of an artefact.
func mix(a *abi.Artefact) (*codegen.Mix, error) {
	_, noAssembler := exec.LookPath("ptxas")
	disassembler, err := exec.LookPath("nvdisasm")
	if noAssembler != nil || err != nil {
		return mixOf("the PTX", listing.Assembly(string(a.Code))), nil
	}
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return nil, err
	}
	defer os.RemoveAll(folder)
	machine := filepath.Join(folder, "kernel.cubin")
	p, _, err := assemble(a, machine)
	if err != nil {
		return nil, err
	}
	text, err := exec.Command(disassembler, "-c", machine).Output()
	if err != nil { // it does not know the machine
		return mixOf("the PTX", listing.Assembly(string(a.Code))), nil
	}
	return mixOf("the machine code for "+p.Name, listing.Machine(string(text))), nil
}

func mixOf(what string, l *listing.Listing) *codegen.Mix {
	return &codegen.Mix{Of: what, Kernel: partOf(l.Count()), Loop: partOf(l.Deepest())}
}

// className is the word for a class of a listing that is no access.
func className(class string) string {
	for n := range classNames {
		if classNames[n].class == class {
			return classNames[n].name
		}
	}
	return "others"
}

var classNames = [...]struct{ class, name string }{
	{"ffma", codegen.FusedMultiplyAdds}, {"fadd", codegen.FloatAdditions}, {"fmul", codegen.FloatProducts}, {"special", codegen.FloatFunctions},
	{"integer", codegen.IntegerOperations}, {"shift", codegen.IntegerOperations}, {"wide", "integer operations of 64 bits"},
	{"constant", "loads of parameters and constants"}, {"atomic", codegen.Atomics}, {"branch", codegen.Branches}, {"predicate", codegen.Comparisons},
	{"select", codegen.Selections}, {"conversion", codegen.Conversions}, {"move", "moves"}, {"barrier", codegen.Synchronisation},
	{"uniform", "operations on the uniform datapath"},
}

// accessNames are the memories that loads and stores lead to, by the letter in the names of their
// classes.
var accessNames = [...]string{'g': "global memory", 's': "workgroup memory", 'l': "the invocation's variables"}

// partOf puts counts into words.
func partOf(c listing.Counts) (p codegen.Part) {
	for class, number := range c {
		if len(class) > 3 && (strings.HasPrefix(class, "ld") || strings.HasPrefix(class, "st")) {
			bits, err := strconv.ParseUint(class[3:], 10, 32)
			if letter := int(class[2]); err == nil && letter < len(accessNames) && accessNames[letter] != "" {
				p.AddAccess(codegen.AccessCount{Memory: accessNames[letter], Store: class[0] == 's', Bits: bits, Number: uint64(number)})
				continue
			}
		}
		p.Add(className(class), uint64(number))
	}
	p.Sort()
	return p
}
