package cpu

import (
	"fmt"
	"os"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/jit"
	"github.com/gpuc/gpuc/codegen/cpu/lower"
	"github.com/gpuc/gpuc/codegen/cpu/sampling"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/texture"
)

func TestZZ(t *testing.T) {
	text, _ := os.ReadFile("/tmp/cpu.zz.ir")
	m, f, _, err := lower.Read("", text)
	if err != nil {
		t.Fatal(err)
	}
	s := texture.Smooth
	var states []sampling.State
	for _, h := range ir.ReachOf(m, f).Handles {
		if m.IsTexture(m.Element(m.TypeOf(h))) {
			states = append(states, sampling.State{Format: texture.RGBA8Unorm, Levels: os.Getenv("LEVELS") != ""})
		} else {
			states = append(states, sampling.State{Sampler: s})
		}
	}
	m2, f2 := sampling.Lower(m, f, states)
	os.WriteFile("/tmp/cpu.zz.lowered.ir", m2.AppendText(nil, ir.PrintOptions{}), 0o666)
	p, err := lower.Build(m2, f2)
	if err != nil {
		t.Fatal(err)
	}
	code, err := jit.Compile(p, jit.Options{List: true})
	if err != nil {
		t.Fatal(err)
	}
	fmt.Println(code.Instructions, "together", code.Together, "spilled", code.Spilled)
	counts := map[string]int{}
	mem := 0
	for _, i := range code.List {
		counts[i.Op.String()]++
		if i.Op == amd64.VMovUPS && (i.Operands[0] == amd64.Mem || i.Operands[1] == amd64.Mem) {
			mem++
		}
	}
	fmt.Println(counts, mem)
}
