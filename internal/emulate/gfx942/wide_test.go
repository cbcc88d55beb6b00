package gfx942

import (
	"encoding/binary"
	"fmt"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/amdgpu"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
)

// TestDirectWideAtomics executes each atomic operation on 64 bits that gpuc compiles without LLVM,
// in storage and workgroup memory.
func TestDirectWideAtomics(t *testing.T) {
	way, err := campaign.Executed(targetOf(t, amdgpu.Direct()), runDirectJobs)
	if err != nil {
		t.Fatal(err)
	}
	configuration, err := campaign.ParseConfiguration("off,wgsl")
	if err != nil {
		t.Fatal(err)
	}
	operations := []struct {
		name string
		f    func(old, x int64) int64
	}{
		{"add", func(old, x int64) int64 { return old + x }},
		{"sub", func(old, x int64) int64 { return old - x }},
		{"and", func(old, x int64) int64 { return old & x }},
		{"or", func(old, x int64) int64 { return old | x }},
		{"xor", func(old, x int64) int64 { return old ^ x }},
		{"min", func(old, x int64) int64 { return min(old, x) }},
		{"max", func(old, x int64) int64 { return max(old, x) }},
		{"exchange", func(_, x int64) int64 { return x }},
	}
	// Carries, signs, and words of which one alone decides.
	values := []int64{-1, 1 << 32, -1 << 63, 0x7FFFFFFF_FFFFFFFF, 0x1_FFFFFFFF, 5, -0x1_00000000, 0}
	for _, kind := range []string{"i64", "u64"} {
		for _, space := range []string{"storage", "workgroup"} {
			var body strings.Builder
			var data, want []byte
			add := func(list *[]byte, x int64) { *list = binary.LittleEndian.AppendUint64(*list, uint64(x)) }
			count := 0
			operation := func(old, x, after int64, write func(address, x, result string)) {
				// Three elements: what is there and then what is left, the operand and then what
				// was there.
				address, at := fmt.Sprintf("%%p%d", count), func(n int) string { return fmt.Sprintf("%du", 2*count+n) }
				fmt.Fprintf(&body, "  %s = access @data, %s : ptr<storage, atomic<%s>, read_write>\n", address, at(0), kind)
				fmt.Fprintf(&body, "  %%q%d = access @data, %s : ptr<storage, atomic<%s>, read_write>\n", count, at(1), kind)
				fmt.Fprintf(&body, "  %%x%d = atomic_load %%q%d : %s\n", count, count, kind)
				used := address
				if space == "workgroup" {
					used = "@w"
					fmt.Fprintf(&body, "  %%o%d = atomic_load %s : %s\n  atomic_store @w, %%o%d\n", count, address, kind, count)
				}
				write(used, fmt.Sprintf("%%x%d", count), fmt.Sprintf("%%r%d", count))
				if space == "workgroup" {
					fmt.Fprintf(&body, "  %%l%d = atomic_load @w : %s\n  atomic_store %s, %%l%d\n", count, kind, address, count)
				}
				fmt.Fprintf(&body, "  atomic_store %%q%d, %%r%d\n", count, count)
				add(&data, old)
				add(&data, x)
				add(&want, after)
				add(&want, old)
				count++
			}
			for n, old := range values {
				x := values[(n+3)%len(values)]
				for _, o := range operations {
					after := o.f(old, x)
					if kind == "u64" && o.name == "min" {
						after = int64(min(uint64(old), uint64(x)))
					} else if kind == "u64" && o.name == "max" {
						after = int64(max(uint64(old), uint64(x)))
					}
					operation(old, x, after, func(address, x, result string) {
						fmt.Fprintf(&body, "  %s = atomic_rmw %s, %s [%s] : %s\n", result, address, x, o.name, kind)
					})
				}
				for _, expected := range []int64{old, old ^ 1<<32, old ^ 1} {
					after, literal := old, fmt.Sprintf("%dli", expected)
					if kind == "u64" {
						literal = fmt.Sprintf("%dlu", uint64(expected))
					}
					if expected == old {
						after = x
					}
					operation(old, x, after, func(address, x, result string) {
						fmt.Fprintf(&body, "  %s = atomic_compare_exchange %s, %s, %s : %s\n", result, address, literal, x, kind)
					})
				}
			}
			code := "var @data : ptr<storage, array<atomic<" + kind + ">>, read_write> [group 0, binding 0]\n"
			if space == "workgroup" {
				code += "var @w : ptr<workgroup, atomic<" + kind + ">>\n"
			}
			code += "kernel @main() [workgroup 1u, 1u, 1u] [interface @data] {\n"
			report := way.RunCases([]difftest.Case{{Name: space + " " + kind, Language: "ir", Code: code + body.String() + "  return\n}\n", Entry: "main", Dispatch: [3]int{1, 1, 1},
				Bindings: []difftest.Binding{{Name: "data", Kind: "storage", Data: data, Want: want}}}}, []campaign.Configuration{configuration})
			for _, f := range report.Failures {
				t.Errorf("%s %s: %s", space, kind, f.Message)
			}
			if report.Executions != 1 {
				t.Errorf("%s %s: %d executions", space, kind, report.Executions)
			}
		}
	}
}
