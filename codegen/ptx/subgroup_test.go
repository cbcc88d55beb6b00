package ptx_test

import (
	"encoding/binary"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/ptx"
	"github.com/gpuc/gpuc/opt"
)

// collectives are subgroup operations on i32. want returns the result of an active invocation, from
// the active lanes and their values.
var collectives = []struct {
	name string
	want func(lane int, lanes []int, values []int32) int32
}{
	{"subgroup_add", reduce(0, func(a, b int32) int32 { return a + b })},
	{"subgroup_mul", reduce(1, func(a, b int32) int32 { return a * b })},
	{"subgroup_min", reduce(1<<31-1, func(a, b int32) int32 { return min(a, b) })},
	{"subgroup_max", reduce(-1<<31, func(a, b int32) int32 { return max(a, b) })},
	{"subgroup_and", reduce(-1, func(a, b int32) int32 { return a & b })},
	{"subgroup_or", reduce(0, func(a, b int32) int32 { return a | b })},
	{"subgroup_xor", reduce(0, func(a, b int32) int32 { return a ^ b })},
	{"subgroup_inclusive_add", scan(0, true, func(a, b int32) int32 { return a + b })},
	{"subgroup_inclusive_mul", scan(1, true, func(a, b int32) int32 { return a * b })},
	{"subgroup_exclusive_add", scan(0, false, func(a, b int32) int32 { return a + b })},
	{"subgroup_exclusive_mul", scan(1, false, func(a, b int32) int32 { return a * b })},
	{"subgroup_broadcast_first", func(_ int, _ []int, values []int32) int32 { return values[0] }},
}

func reduce(identity int32, join func(a, b int32) int32) func(int, []int, []int32) int32 {
	return func(_ int, _ []int, values []int32) int32 {
		v := identity
		for _, x := range values {
			v = join(v, x)
		}
		return v
	}
}

func scan(identity int32, inclusive bool, join func(a, b int32) int32) func(int, []int, []int32) int32 {
	return func(lane int, lanes []int, values []int32) int32 {
		v := identity
		for n, x := range values {
			if lanes[n] < lane || inclusive && lanes[n] == lane {
				v = join(v, x)
			}
		}
		return v
	}
}

// TestSubgroups runs the operations where whole subgroups execute, where a
// workgroup ends within one, and where a condition picks some invocations, with
// exchanges and with the instructions of later devices.
func TestSubgroups(t *testing.T) {
	for _, profile := range []string{"sm_70", "sm_80"} {
		target, err := ptx.Target.With(profile)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range collectives {
			for _, size := range []int{64, 40, 7} {
				for _, divisor := range []int{1, 2, 3} { // every how many-th invocation is active
					t.Run(fmt.Sprintf("%s/%s/%d/%d", profile, c.name, size, divisor), func(t *testing.T) {
						testCollective(t, target, c.name, c.want, size, divisor)
					})
				}
			}
		}
	}
}

func testCollective(t *testing.T, target *codegen.Target, name string, want func(lane int, lanes []int, values []int32) int32, size, divisor int) {
	body := "%r = " + name + " %v : i32\n  store %p, %r\n"
	if divisor > 1 {
		body = fmt.Sprintf(`%%rest = rem %%lane, %du : u32
  %%active = eq %%rest, 1u : bool
  if ^if %%active {
    %%r = %s %%v : i32
    store %%p, %%r
    exit ^if()
  } else {
    exit ^if()
  }
`, divisor, name)
	}
	text := compileFor(t, target, fmt.Sprintf(`var @x : ptr<storage, array<i32>, read_write> [group 0, binding 0]

kernel @main(%%i: u32 [local_invocation_index], %%lane: u32 [subgroup_invocation_id]) [workgroup %du, 1u, 1u] {
  %%p = access @x, %%i : ptr<storage, i32, read_write>
  %%v = load %%p : i32
  %s  return
}
`, size, body), codegen.Options{Bounds: opt.BoundsOff})
	p, err := read(text)
	if err != nil {
		t.Fatal(err)
	}
	data := make([]byte, 4*size)
	in := make([]int32, size)
	for n := range in {
		in[n] = int32(n*37%11 - 4)
		binary.LittleEndian.PutUint32(data[4*n:], uint32(in[n]))
	}
	if err := p.launch("main", [3]uint32{1, 1, 1}, [][]byte{data}, []int64{int64(size)}, nil); err != nil {
		t.Fatalf("%v\n%s", err, numbered(text))
	}
	for n := range in {
		lane, first := n%32, n/32*32
		expected := in[n]
		if divisor == 1 || lane%divisor == 1 {
			var lanes []int
			var values []int32
			for k := first; k < min(first+32, size); k++ {
				if divisor == 1 || (k-first)%divisor == 1 {
					lanes, values = append(lanes, k-first), append(values, in[k])
				}
			}
			expected = want(lane, lanes, values)
		}
		if got := int32(binary.LittleEndian.Uint32(data[4*n:])); got != expected {
			t.Fatalf("invocation %d has %d, want %d\n%s", n, got, expected, numbered(text))
		}
	}
}

// TestProfiles writes reductions for every profile: the instruction of devices that have it,
// exchanges elsewhere, and what the assembler takes for that architecture.
func TestProfiles(t *testing.T) {
	var body strings.Builder
	body.WriteString("kernel @main(%i: u32 [local_invocation_index]) [workgroup 64u, 1u, 1u] {\n")
	words := 0
	for _, kind := range []string{"i32", "u32"} {
		for _, o := range []string{"add", "min", "max", "and", "or", "xor", "mul"} {
			name := kind + "." + o
			fmt.Fprintf(&body, "  %%p.%[1]s = access @%[2]s, %%i : ptr<storage, %[2]s, read_write>\n  %%v.%[1]s = load %%p.%[1]s : %[2]s\n"+
				"  %%r.%[1]s = subgroup_%[3]s %%v.%[1]s : %[2]s\n  store %%p.%[1]s, %%r.%[1]s\n", name, kind, o)
			if o != "mul" {
				words++
			}
		}
	}
	text := "var @i32 : ptr<storage, array<i32>, read_write> [group 0, binding 0]\n" +
		"var @u32 : ptr<storage, array<u32>, read_write> [group 0, binding 1]\n" + body.String() + "  return\n}\n"
	ptxas, assembled := findAssembler(), 0
	for n := range ptx.Target.Profiles {
		profile := &ptx.Target.Profiles[n]
		target, err := ptx.Target.With(profile.Name)
		if err != nil {
			t.Fatal(err)
		}
		code := compileFor(t, target, text, codegen.Options{Bounds: opt.BoundsOff})
		want := 0
		if profile.Machine >= 80 {
			want = words
		}
		if got := strings.Count(code, "redux.sync."); got != want || strings.Contains(code, "redux.sync.mul") {
			t.Errorf("%s: %d reductions by one instruction, want %d", profile.Name, got, want)
		}
		if _, err := read(code); err != nil {
			t.Errorf("%s: the emulator: %v", profile.Name, err)
		}
		if ptxas == "" {
			continue
		}
		file := filepath.Join(t.TempDir(), "module.ptx")
		if err := os.WriteFile(file, []byte(code), 0o666); err != nil {
			t.Fatal(err)
		}
		out, err := exec.Command(ptxas, "-arch="+profile.Name, "-o", file+".cubin", file).CombinedOutput()
		switch {
		case err == nil:
			assembled++
		case strings.Contains(string(out), "'gpu-name'"): // each version of ptxas knows some
		default:
			t.Errorf("%s: %v\n%s", profile.Name, err, out)
		}
	}
	switch t.Logf("%d of %d profiles were assembled", assembled, len(ptx.Target.Profiles)); {
	case ptxas == "":
		t.Log("ptxas is not on the path or in GPUC_PTXAS")
	case assembled < 5:
		t.Errorf("the assembler knows %d architectures only", assembled)
	}
}
