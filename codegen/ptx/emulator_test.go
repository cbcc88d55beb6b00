package ptx_test

import (
	"encoding/binary"
	"fmt"
	"regexp"
	"strconv"

	"github.com/gpuc/gpuc/internal/emulate"
	emulator "github.com/gpuc/gpuc/internal/emulate/ptx"
	"github.com/gpuc/gpuc/runtime/abi"
)

// program is a module that the emulator has read, with its kernel's parameters.
type program struct {
	*emulator.Module
	parameters []abi.Parameter
}

func read(text string) (*program, error) {
	m, err := emulator.Parse([]byte(text))
	return &program{m, parametersIn(text)}, err
}

// declared finds the parameters of a module's kernel, which have a line each.
var declared = regexp.MustCompile(`(?m)^\t\.param .*? (?:([a-z]+)_([0-9]+)(?:_([0-9]+))?|(value)_([0-9]+)\[[0-9]+\]|\w+\[[0-9]+\]),?$`)

// parametersIn is the list of parameters for a description, by their names in the text.
func parametersIn(text string) []abi.Parameter {
	list := []abi.Parameter{}
	for _, line := range declared.FindAllStringSubmatch(text, -1) {
		p := abi.Parameter{Kind: abi.ImmediatesParameter}
		switch {
		case line[4] != "":
			p.Kind = abi.ParameterKind(line[4])
			p.Binding, _ = strconv.Atoi(line[5])
		case line[1] != "":
			if p.Kind = abi.ParameterKind(line[1]); line[1] == "binding" {
				p.Kind = abi.AddressParameter
			}
			p.Binding, _ = strconv.Atoi(line[2])
			p.Sampler, _ = strconv.Atoi(line[3])
		}
		list = append(list, p)
	}
	return list
}

// launch runs an entry point on buffers; lengths has the element count of each
// buffer, or -1.
func (p *program) launch(name string, grid [3]uint32, buffers [][]byte, lengths []int64, immediates []byte) error {
	size, ok := p.Workgroup(name)
	if !ok {
		return fmt.Errorf("no entry point %q", name)
	}
	kernel := abi.Kernel{Name: name, Workgroup: size, Parameters: p.parameters}
	launch := emulate.Launch{Entry: name, Grid: grid, Immediates: immediates}
	if len(immediates) > 0 {
		kernel.Immediates = &abi.Immediates{Size: uint32(len(immediates))}
	}
	counts := make([]uint32, len(buffers))
	for n, data := range buffers {
		b := abi.Binding{Name: fmt.Sprint(n), Binding: uint32(n), Access: abi.ReadWrite}
		if lengths[n] >= 0 {
			b.Stride, counts[n] = 1, uint32(lengths[n])
		}
		kernel.Bindings = append(kernel.Bindings, b)
		launch.Buffers = append(launch.Buffers, emulate.Buffer{Binding: uint32(n), Data: data})
	}
	return p.RunWithLengths(&kernel, &launch, counts)
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
