package all_test

import (
	"encoding/binary"
	"fmt"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/internal/devicetest"
	"github.com/gpuc/gpuc/internal/irgen"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/gpu"
	"github.com/gpuc/gpuc/runtime/jit"
)

// expected is what a program leaves in its buffers.
func expected(seed uint64, run func(input []uint32, lane uint32) []uint32) outcome {
	result := outcome{}
	for n := range uint32(2) {
		at := place{0, n}
		result[at] = contents(at, sizeOf(0, 4), seed)
	}
	input := make([]uint32, programInputs)
	for n := range input {
		input[n] = binary.LittleEndian.Uint32(result[place{0, 0}][4*n:])
	}
	for lane := range uint32(irgen.Invocations) {
		for n, x := range run(input, lane) {
			binary.LittleEndian.PutUint32(result[place{0, 1}][4*(int(lane)*programOutputs+n):], x)
		}
	}
	return result
}

// tryProgram compares what a random program should do with what it does: as it
// was lowered, behind the passes, behind each target's legalisers, and on
// devices.
func tryProgram(seed uint64, devices []*gpu.Device) error {
	text, run := program(seed)
	want := expected(seed, run)
	p, err := jit.Parse("program.wgsl", text, codegen.Options{Math: opt.MathStrict})
	if err != nil {
		return fmt.Errorf("%w\n%s", err, text)
	}
	check := func(what string, got outcome, err error) error {
		if err == nil {
			err = differ(want, got, seed)
		}
		if err != nil {
			return fmt.Errorf("%s: %w\n%s", what, err, text)
		}
		return nil
	}
	got, err := interpret(p.Module(), seed)
	if err := check("as lowered", got, err); err != nil {
		return err
	}
	for _, plain := range []bool{true, false} {
		o := codegen.Options{Math: opt.MathStrict, NoOptimize: plain}
		for _, target := range all.Targets {
			what := fmt.Sprintf("%s, %s", target.Name, name(&o))
			l, err := legalised(p.Module(), target, &o)
			if err == nil {
				got, err = interpret(l, seed)
			}
			if err := check(what+", legalised", got, err); err != nil {
				return err
			}
			a, err := compile(p.Module(), target, o)
			if err != nil {
				return fmt.Errorf("%w\n%s", err, text)
			}
			if target.Name != abi.SPIRV {
				continue
			}
			for _, device := range devices {
				got, err := execute(device, a, seed)
				if err == nil {
					err = differOnDevice(want, got, seed)
				}
				if err != nil {
					return fmt.Errorf("%s on %s: %w\n%s", what, device.Info().Name, err, text)
				}
			}
		}
	}
	return nil
}

func TestProgramsDoWhatTheyShould(t *testing.T) {
	for n := range uint64(*seeds+2) / 3 {
		if err := tryProgram(*first+n, nil); err != nil {
			t.Errorf("seed %d: %v", *first+n, err)
		}
	}
}

func TestProgramsOnDevices(t *testing.T) {
	devices := devicetest.Devices(t, abi.SPIRV)
	for n := range uint64(*seeds+2) / 3 {
		if err := tryProgram(*first+n, devices); err != nil {
			t.Errorf("seed %d: %v", *first+n, err)
		}
	}
}

func FuzzProgram(f *testing.F) {
	for n := range uint64(8) {
		f.Add(n)
	}
	f.Fuzz(func(t *testing.T, seed uint64) {
		if err := tryProgram(seed, nil); err != nil {
			t.Fatal(err)
		}
	})
}
