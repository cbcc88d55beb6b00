package exectest_test

import (
	"encoding/binary"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/codegen/spirv/grammar"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/internal/exectest"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

const cooperativeTarget = "spirv:1.6_coopmat"

// matrixVariants are compilations whose code has cooperative matrices.
var matrixVariants = []variant{
	{"robust", cooperativeTarget, codegen.Options{}},
	{"-O0", cooperativeTarget, codegen.Options{NoOptimize: true}},
	{"off", cooperativeTarget, codegen.Options{Bounds: opt.BoundsOff}},
	{"fast", cooperativeTarget, codegen.Options{Math: opt.MathFast, Lines: true}},
}

// arrayVariants are compilations whose code has arrays of invocations: checks and strict arithmetic
// ask for them, and all other profiles.
var arrayVariants = []variant{
	{"strict", cooperativeTarget, codegen.Options{Math: opt.MathStrict}},
	{"trap", cooperativeTarget, codegen.Options{Bounds: opt.BoundsTrap}},
	{"other profile", "spirv:1.6", codegen.Options{}},
}

// hasCooperative reports whether a kernel has cooperative matrices.
func hasCooperative(k *abi.Kernel) bool {
	return slices.Contains(k.Requires, abi.CooperativeMatrices) && k.SubgroupSize == 32
}

// TestCooperativeMatrices runs the kernels with the shapes of matrix units in the interpreter and
// in the emulator of SPIR-V. The one has arrays for them, the other has matrices of a subgroup.
// Both are compared with the reference.
func TestCooperativeMatrices(t *testing.T) {
	for _, c := range exectest.MatrixCases() {
		t.Run(c.Name, func(t *testing.T) {
			expected := c.Expected()
			if !c.LeavesVariables {
				got, err := interpret(&c, program(t, &c, codegen.Options{}))
				if err == nil {
					err = exectest.Compare(&c, expected, got)
				}
				if err != nil {
					t.Errorf("interpreted: %v", err)
				}
			}
			for _, v := range matrixVariants {
				if c.LeavesVariables && v.options.Bounds == opt.BoundsOff {
					continue
				}
				x, refused := compiled(t, &c, v)
				if refused != "" || !hasCooperative(&x.artefacts[0].Kernel) {
					t.Fatalf("%s has no matrices: %s", x.name, refused)
				}
				contents := c.Contents()
				_, err := runSPIRV(x, contents)
				if err == nil {
					err = exectest.Compare(&c, expected, contents)
				}
				if err != nil {
					t.Errorf("%s: %v", x.name, err)
				}
			}
		})
	}
}

// TestMatricesAsArrays compiles kernels for which the profile with cooperative matrices has arrays:
// those of other shapes, and others in variants that ask for it.
func TestMatricesAsArrays(t *testing.T) {
	check := func(c *exectest.Case, v variant) {
		x, refused := compiled(t, c, v)
		if refused != "" {
			t.Fatalf("%s is refused: %s", x.name, refused)
		}
		for _, a := range x.artefacts {
			if slices.Contains(a.Kernel.Requires, abi.CooperativeMatrices) || a.Kernel.SubgroupSize != 0 {
				t.Errorf("%s requires %v, with subgroups of %d", x.name, a.Kernel.Requires, a.Kernel.SubgroupSize)
			}
		}
	}
	found := 0
	for _, c := range exectest.Cases() {
		if strings.HasPrefix(c.Name, "subgroup_matrix_") {
			check(&c, matrixVariants[0])
			found++
		}
	}
	if found == 0 {
		t.Error("no kernels with subgroup matrices")
	}
	for _, v := range arrayVariants {
		c := exectest.MatrixCases()[0]
		check(&c, v)
	}
}

// TestMatricesOnDevices runs the same on Vulkan devices with cooperative matrices, for which the
// runtime chooses the profile.
func TestMatricesOnDevices(t *testing.T) {
	ran := 0
	for _, device := range devicetest.Devices(t, abi.SPIRV) {
		info := device.Info()
		if !slices.Contains(info.Features, abi.CooperativeMatrices) {
			t.Logf("%s lacks cooperative matrices, or products of the profile", info.Name)
			continue
		}
		for _, c := range exectest.MatrixCases() {
			for _, v := range matrixVariants {
				if c.LeavesVariables && v.options.Bounds == opt.BoundsOff {
					continue
				}
				p := program(t, &c, v.options)
				a, err := p.Compile(abi.Target(all.For(info.Target, info.Profile, info.Features...).Title()), c.Dispatches[0].Entry)
				if err != nil || !hasCooperative(&a.Kernel) {
					t.Fatalf("%s, %s: no cooperative matrices, %v", c.Name, v.name, err)
				}
				got, err := onDevice(&c, p, device)
				if err == nil {
					err = exectest.Compare(&c, c.Expected(), got)
				}
				if err != nil {
					t.Errorf("%s, %s on %s: %v", c.Name, v.name, info.Name, err)
				}
				ran++
			}
		}
	}
	if ran == 0 {
		t.Skip("skipped: no device has the cooperative matrices of spirv:1.6_coopmat (it takes one such as NVIDIA's H200)")
	}
	t.Logf("%d executions", ran)
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

// matrixMutants change an instruction that is emitted for matrices, if they find it. Each is
// noticed at some instruction of some kernel: by what the emulator says, or by the results.
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

// TestMatrixMutants changes one instruction after the other.
func TestMatrixMutants(t *testing.T) {
	noticed := make([]int, len(matrixMutants))
	tried := make([]int, len(matrixMutants))
	for _, c := range exectest.MatrixCases() {
		x, refused := compiled(t, &c, variant{"robust", cooperativeTarget, codegen.Options{}})
		if refused != "" {
			t.Fatal(refused)
		}
		expected, code := c.Expected(), x.artefacts[0].Code
		count := len(parseModule(code).list)
		for n := range matrixMutants {
			mutant := &matrixMutants[n]
			for at := range count {
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
					continue // it is not reached, or the change is none
				}
				if !testmode.IsLong() {
					break
				}
			}
		}
	}
	for n, mutant := range matrixMutants {
		if t.Logf("%s: noticed at %d of %d instructions", mutant.name, noticed[n], tried[n]); noticed[n] == 0 {
			t.Errorf("%s is not noticed anywhere", mutant.name)
		}
	}
}
