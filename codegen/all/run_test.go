package all_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"testing"

	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
)

// This file runs modules on the interpreter and on Vulkan devices, and validates code with external
// tools.

// bufferKey is the group and binding of a buffer.
type bufferKey struct{ group, binding uint32 }

// outcome has the contents of the buffers after a run.
type outcome map[bufferKey][]byte

// contents returns a buffer's initial bytes: words that are useful as integers and as floats, and
// no NaN.
func contents(at bufferKey, size int, seed uint64) []byte {
	data := make([]byte, size)
	random := rand.New(rand.NewPCG(seed, uint64(at.group)<<32|uint64(at.binding)))
	for n := 0; n+4 <= size; n += 4 {
		x := uint32(random.IntN(200))
		switch random.IntN(4) {
		case 0:
			x = math.Float32bits(float32(random.IntN(100)-50) / 4)
		case 1:
			x = math.Float32bits(float32(random.IntN(100)-50) * 1e5)
		default:
			// as a float a small integer is subnormal, and NVIDIA's Vulkan driver flushes it
			if at.binding == 1 || at.binding == 2 && n != 0 && n != 8 {
				x = math.Float32bits(float32(x))
			}
		}
		binary.LittleEndian.PutUint32(data[n:], x)
	}
	return data
}

// elements is the length of runtime-sized arrays: enough for irgen's, and not a power of two.
const elements = 200

func sizeOf(size, stride uint32) int { return int(size) + elements*int(stride) }

// interpret runs the only kernel of a module in the defined mode.
func interpret(m *ir.Module, seed uint64) (outcome, error) {
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		return nil, err
	}
	result := outcome{}
	launch := interp.Launch{Grid: [3]uint32{irgen.Groups, 1, 1}, Workers: 1, Fuel: 1 << 22}
	for _, b := range p.Bindings() {
		at := bufferKey{b.Group, b.Binding}
		result[at] = contents(at, sizeOf(b.Size, b.Stride), seed)
		launch.Buffers = append(launch.Buffers, result[at])
	}
	items, err := p.Run(&launch)
	if err == nil && len(items) > 0 {
		err = errors.New(items[0].Message)
	}
	return result, err
}

// differ reports a difference between two outcomes. A buffer that one of them does not bind is
// unchanged. All NaNs are equal.
func differ(want, got outcome, seed uint64) error { return compare(want, got, seed, false) }

// differOnDevice is differ for devices, whose zeros may have either sign. Mesa folds x + 0.0 to x,
// and 0.0 - x to -x, without SignedZeroInfNanPreserve, which Vulkan 1.1 does not have.
func differOnDevice(want, got outcome, seed uint64) error { return compare(want, got, seed, true) }

func compare(want, got outcome, seed uint64, anyZero bool) error {
	for at, data := range want {
		other, ok := got[at]
		if !ok {
			other = contents(at, len(data), seed)
		}
		for n := 0; n+4 <= len(data); n += 4 {
			x, y := binary.LittleEndian.Uint32(data[n:]), binary.LittleEndian.Uint32(other[n:])
			if x != y && !(isNaN(x) && isNaN(y)) && !(anyZero && (x|y)<<1 == 0) {
				return fmt.Errorf("word %d of binding %d is %#x, want %#x", n/4, at.binding, y, x)
			}
		}
	}
	return nil
}

func isNaN(x uint32) bool { return x&0x7fffffff > 0x7f800000 }

// execute runs an artefact on a device.
func execute(device *gpu.Device, a *abi.Artefact, seed uint64) (outcome, error) {
	kernel, err := device.Load(a)
	if err != nil {
		return nil, err
	}
	defer kernel.Close()
	stream, err := device.NewStream()
	if err != nil {
		return nil, err
	}
	defer stream.Close()
	ctx := context.Background()
	result := outcome{}
	arguments := kernel.Args()
	memory := make([]*gpu.Buffer[byte], len(a.Kernel.Bindings))
	for n, b := range a.Kernel.Bindings {
		at := bufferKey{b.Group, b.Binding}
		result[at] = contents(at, sizeOf(b.Size, b.Stride), seed)
		if memory[n], err = gpu.Upload(ctx, device, result[at]); err != nil {
			return nil, err
		}
		defer memory[n].Close()
		if err := arguments.Set(n, memory[n]); err != nil {
			return nil, err
		}
	}
	if err := stream.Launch(arguments, gpu.Grid{X: irgen.Groups, Y: 1, Z: 1}); err != nil {
		return nil, err
	}
	for n, b := range a.Kernel.Bindings {
		if err := memory[n].Read(ctx, stream, result[bufferKey{b.Group, b.Binding}]); err != nil {
			return nil, err
		}
	}
	return result, nil
}

// judge is a program that checks artefacts of a target.
type judge struct {
	target      abi.Target
	variable    string // of the environment; names the program
	program     string // on the path
	origin      string
	arguments   []string
	needsOutput bool
}

var judges = []judge{
	{abi.SPIRV, "GPUC_SPIRV_VAL", "spirv-val", "Debian: spirv-tools", []string{"--target-env", "vulkan1.1"}, false},
	{abi.PTX, "GPUC_PTXAS", "ptxas", "NVIDIA's wheel nvidia-cuda-nvcc-cu12", []string{"-arch=sm_80", "-O1"}, true},
}

// find returns the program's path, and skips the test without it.
func (j *judge) find(t *testing.T) string {
	t.Helper()
	if path := os.Getenv(j.variable); path != "" {
		return path
	}
	path, err := exec.LookPath(j.program)
	if err != nil {
		t.Skipf("skipped: %s is not on the path or in %s (%s)", j.program, j.variable, j.origin)
	}
	return path
}

// check runs the program on code; it must print nothing.
func (j *judge) check(path, folder string, code []byte) error {
	file := filepath.Join(folder, "code")
	if err := os.WriteFile(file, code, 0o644); err != nil {
		return err
	}
	arguments := append([]string(nil), j.arguments...)
	if j.needsOutput {
		arguments = append(arguments, "-o", file+".out")
	}
	out, err := exec.Command(path, append(arguments, file)...).CombinedOutput()
	if err != nil || len(out) > 0 {
		return fmt.Errorf("%s: %v %s", j.program, err, out)
	}
	return nil
}
