package exectest_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// nativeMatrices are the kernels whose fragments a device with SPIR-V's profile 1.6_coopmat has.
// The others have arrays there, too, as other targets do.
var nativeMatrices = []string{"subgroup_matrix_edges", "subgroup_matrix_large", "subgroup_matrix_words"}

const cooperativeTarget = "spirv:1.6_coopmat"

// matrixVariants are compilations. Those that are not native have arrays: checks and strict
// arithmetic ask for them.
var matrixVariants = []struct {
	variant
	native bool
}{
	{variant{"robust", cooperativeTarget, codegen.Options{}}, true},
	{variant{"-O0", cooperativeTarget, codegen.Options{NoOptimize: true}}, true},
	{variant{"off", cooperativeTarget, codegen.Options{Bounds: opt.BoundsOff}}, true},
	{variant{"fast", cooperativeTarget, codegen.Options{Math: opt.MathFast, Lines: true}}, true},
	{variant{"strict", cooperativeTarget, codegen.Options{Math: opt.MathStrict}}, false},
	{variant{"trap", cooperativeTarget, codegen.Options{Bounds: opt.BoundsTrap}}, false},
	{variant{"other profile", "spirv:1.6", codegen.Options{}}, false},
}

// TestCooperativeMatrices runs the kernels with subgroup matrices in the emulator of SPIR-V, which
// has matrices of a subgroup, and compares with the reference in Go.
func TestCooperativeMatrices(t *testing.T) {
	found := 0
	for _, c := range exectest.Cases() {
		if !strings.HasPrefix(c.Name, "subgroup_matrix_") {
			continue
		}
		for _, v := range matrixVariants {
			if c.LeavesVariables && v.options.Bounds != opt.BoundsRobust || !v.native && c.Name == "subgroup_matrix_large" {
				continue // the latter's arrays take long to compile
			}
			x, refused := compiled(t, &c, v.variant)
			if refused != "" {
				t.Fatalf("%s is refused: %s", x.name, refused)
			}
			want := v.native && slices.Contains(nativeMatrices, c.Name)
			if k := &x.artefacts[0].Kernel; slices.Contains(k.Requires, abi.CooperativeMatrices) != want || (k.SubgroupSize == 32) != want {
				t.Errorf("%s requires %v, with subgroups of %d", x.name, k.Requires, k.SubgroupSize)
			}
			if !want {
				continue // TestConformance runs such code
			}
			contents := c.Contents()
			_, err := runSPIRV(x, contents)
			if err == nil {
				err = exectest.Compare(&c, c.Expected(), contents)
			}
			if err != nil {
				t.Errorf("%s: %v", x.name, err)
			}
			found++
		}
	}
	if found < 3*3+1 {
		t.Errorf("only %d executions", found)
	}
}

// instruction is an instruction of a module, whose operands a mutation may change.
type instruction struct{ words []uint32 }

func (i *instruction) opcode() uint32 { return i.words[0] & 0xffff }

// matrixModule is a module as a list of instructions.
type matrixModule struct {
	header []uint32
	list   []instruction
	zeros  map[uint32]uint32 // by type: a constant whose elements are zero
}

func parseModule(code []byte) *matrixModule {
	words := make([]uint32, len(code)/4)
	for n := range words {
		words[n] = binary.LittleEndian.Uint32(code[4*n:])
	}
	m := &matrixModule{header: words[:5], zeros: map[uint32]uint32{}}
	for rest := words[5:]; len(rest) > 0; rest = rest[rest[0]>>16:] {
		m.list = append(m.list, instruction{slices.Clone(rest[:rest[0]>>16])})
	}
	for _, i := range m.list {
		if i.opcode() == grammar.OpConstantComposite {
			m.zeros[i.words[1]] = i.words[2]
		}
	}
	return m
}

func (m *matrixModule) bytes() []byte {
	var code []byte
	for _, w := range m.header {
		code = binary.LittleEndian.AppendUint32(code, w)
	}
	for _, i := range m.list {
		for n, w := range i.words {
			if n == 0 {
				w = w&0xffff | uint32(len(i.words))<<16
			}
			code = binary.LittleEndian.AppendUint32(code, w)
		}
	}
	return code
}

// number returns the id of a constant u32.
func (m *matrixModule) number(x uint32) uint32 {
	u32 := uint32(0)
	for _, i := range m.list {
		switch {
		case i.opcode() == grammar.OpTypeInt && i.words[2] == 32 && i.words[3] == 0:
			u32 = i.words[1]
		case i.opcode() == grammar.OpConstant && i.words[1] == u32 && i.words[3] == x:
			return i.words[2]
		}
	}
	return 0
}

// valueOf returns the number that a constant is, or all ones.
func (m *matrixModule) valueOf(id uint32) uint32 {
	for _, i := range m.list {
		if i.opcode() == grammar.OpConstant && i.words[2] == id {
			return i.words[3]
		}
	}
	return ^uint32(0)
}

// matrixMutants change what is emitted for matrices at one place, if they find it there. Each is
// noticed at some place of some kernel: by what the emulator says, or by the results.
var matrixMutants = []struct {
	name   string
	opcode uint32
	mutate func(m *matrixModule, i *instruction) bool
	// want are parts of messages, one of which is expected, or "" for other results or any message.
	want string
}{
	{"another stride", grammar.OpCooperativeMatrixLoadKHR, func(m *matrixModule, i *instruction) bool {
		was := i.words[5]
		i.words[5] = m.number(32)
		return i.words[5] != 0 && was != i.words[5] && m.valueOf(was) == 16
	}, ""},
	{"an unaligned stride", grammar.OpCooperativeMatrixLoadKHR, func(m *matrixModule, i *instruction) bool {
		i.words[5] = m.number(1)
		return i.words[5] != 0
	}, "no multiples of"},
	{"the other order", grammar.OpCooperativeMatrixLoadKHR, func(m *matrixModule, i *instruction) bool {
		i.words[4] = m.number(1 - m.valueOf(i.words[4]))
		return i.words[4] != 0
	}, ""},
	{"the other order of a store", grammar.OpCooperativeMatrixStoreKHR, func(m *matrixModule, i *instruction) bool {
		i.words[3] = m.number(1 - m.valueOf(i.words[3]))
		return i.words[3] != 0
	}, ""},
	{"a private load", grammar.OpCooperativeMatrixLoadKHR, func(m *matrixModule, i *instruction) bool {
		was := i.words[6]
		i.words[6] = grammar.MemoryAccessNone
		return was != i.words[6]
	}, "private access"},
	{"a private store", grammar.OpCooperativeMatrixStoreKHR, func(m *matrixModule, i *instruction) bool {
		was := i.words[5]
		i.words[5] = grammar.MemoryAccessNone
		return was != i.words[5]
	}, "private access"},
	{"a private store of a number", grammar.OpStore, func(m *matrixModule, i *instruction) bool {
		found := len(i.words) == 4
		i.words = i.words[:3]
		return found
	}, "private access"},
	{"another use", grammar.OpTypeCooperativeMatrixKHR, func(m *matrixModule, i *instruction) bool {
		i.words[6] = m.number(1 - m.valueOf(i.words[6]))
		return i.words[6] != 0
	}, "mismatch of types: operand|not supported: a matrix|no constant"},
	{"another shape", grammar.OpTypeCooperativeMatrixKHR, func(m *matrixModule, i *instruction) bool {
		i.words[4], i.words[5] = m.number(32), m.number(32)
		return i.words[4] != 0
	}, "not supported: a matrix of 32×32|no constant"},
	{"another scope", grammar.OpTypeCooperativeMatrixKHR, func(m *matrixModule, i *instruction) bool {
		i.words[3] = m.number(2)
		return i.words[3] != 0
	}, "not supported: matrices of scope 2"},
	{"exchanged factors", grammar.OpCooperativeMatrixMulAddKHR, func(m *matrixModule, i *instruction) bool {
		i.words[3], i.words[4] = i.words[4], i.words[3]
		return true
	}, "mismatch of types: operand 0"},
	{"no sum", grammar.OpCooperativeMatrixMulAddKHR, func(m *matrixModule, i *instruction) bool {
		was := i.words[5]
		i.words[5] = m.zeros[i.words[1]]
		return i.words[5] != 0 && was != i.words[5]
	}, ""},
	{"unsigned factors", grammar.OpCooperativeMatrixMulAddKHR, func(m *matrixModule, i *instruction) bool {
		found := len(i.words) == 7
		i.words = i.words[:6]
		return found
	}, "matrix operands"},
	{"a barrier that makes nothing visible", grammar.OpControlBarrier, func(m *matrixModule, i *instruction) bool {
		i.words[3] = m.number(0)
		return i.words[3] != 0
	}, "a race"},
}

// TestMatrixMutants changes the code of matrices at one place after the other.
func TestMatrixMutants(t *testing.T) {
	noticed := make([]int, len(matrixMutants))
	tried := make([]int, len(matrixMutants))
	for _, c := range exectest.Cases() {
		if !slices.Contains(nativeMatrices, c.Name) {
			continue
		}
		x, refused := compiled(t, &c, variant{"robust", cooperativeTarget, codegen.Options{}})
		if refused != "" {
			t.Fatal(refused)
		}
		expected, code := c.Expected(), x.artefacts[0].Code
		places := len(parseModule(code).list)
		for n := range matrixMutants {
			mutant := &matrixMutants[n]
			for at := range places {
				m := parseModule(code)
				if i := &m.list[at]; i.opcode() != mutant.opcode || !mutant.mutate(m, i) {
					continue
				}
				tried[n]++
				x.artefacts[0].Code = m.bytes()
				contents := c.Contents()
				_, err := runSPIRV(x, contents)
				said := func(part string) bool { return err != nil && strings.Contains(err.Error(), part) }
				switch {
				case mutant.want == "" && (err != nil || exectest.Compare(&c, expected, contents) != nil),
					mutant.want != "" && slices.ContainsFunc(strings.Split(mutant.want, "|"), said):
					noticed[n]++
				case err != nil:
					t.Errorf("%s, %s at instruction %d: %v, want %q", c.Name, mutant.name, at, err, mutant.want)
				default:
					continue // a place that is not reached, or where it changes nothing
				}
				if !testmode.IsLong() {
					break
				}
			}
		}
	}
	for n, mutant := range matrixMutants {
		if t.Logf("%s: noticed at %d of %d places", mutant.name, noticed[n], tried[n]); noticed[n] == 0 {
			t.Errorf("%s is not noticed anywhere", mutant.name)
		}
	}
}
