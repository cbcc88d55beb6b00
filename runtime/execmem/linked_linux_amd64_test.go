package execmem_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/internal/testmode"
)

// TestLinked prints code as Go's assembly, builds a program of it and runs that: the same code is
// called as a part of the program, and a profiler interrupts it.
func TestLinked(t *testing.T) {
	if testing.Short() {
		t.Skip("skipped: building a program takes seconds")
	}
	root, err := filepath.Abs("../..")
	if err != nil {
		t.Fatal(err)
	}
	// a folder of this module, as the program imports its packages
	if err := os.MkdirAll("testdata", 0o755); err != nil {
		t.Fatal(err)
	}
	defer os.Remove("testdata")
	folder, err := os.MkdirTemp("testdata", "linked")
	if err != nil {
		t.Fatal(err)
	}
	defer os.RemoveAll(folder)
	write := func(name string, text []byte) {
		if err := os.WriteFile(filepath.Join(folder, name), text, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	text := []byte(amd64.Plan9Head)
	var a amd64.Assembler
	for _, f := range []struct {
		name string
		list []amd64.Instruction
		pool *amd64.Pool
	}{{"greedy", greedyList(), nil}, {"scale", nil, new(amd64.Pool)}} {
		if f.list == nil {
			f.list = scale(f.pool)
		}
		code, err := a.Assemble(nil, f.list, f.pool)
		if err != nil {
			t.Fatal(err)
		}
		text = a.AppendPlan9(text, &amd64.Listing{Name: f.name, List: f.list, Pool: f.pool, Code: code, Source: func(n uint32) string { return fmt.Sprintf("from %d", n) }})
	}
	write("code_amd64.s", text)
	write("main.go", []byte(linkedProgram))
	for _, arguments := range [][]string{{"vet", "./" + folder}, {"run", "./" + folder}, {"run", "-buildmode=pie", "./" + folder}} {
		if len(arguments) > 2 && !testmode.IsLong() {
			continue // it compiles Go's packages again
		}
		c := exec.Command("go", arguments...)
		c.Env = append(os.Environ(), "CGO_ENABLED=0")
		out, err := c.CombinedOutput()
		if err != nil || arguments[0] == "run" && strings.TrimSpace(string(out)) != "[2.5 5 7.5 10 12.5 15 17.5 20] true" {
			t.Errorf("in %s, go %v: %v: %s", root, arguments, err, out)
		}
	}
}

// scale is a function that multiplies 8 floats by a constant.
func scale(pool *amd64.Pool) []amd64.Instruction {
	v := amd64.Vector(0)
	load, multiply, store := amd64.Of(amd64.VMovUPS, amd64.Wide, v, amd64.Mem), amd64.Of(amd64.VMulPS, amd64.Wide, v, v, amd64.Mem), amd64.Of(amd64.VMovUPS, amd64.Wide, amd64.Mem, v)
	load.Address, multiply.Address, store.Address = amd64.At(amd64.RDI, 0), amd64.At(pool.Words(0x40200000), 0), amd64.At(amd64.RDI, 0)
	return []amd64.Instruction{load, multiply, store, amd64.Of(amd64.Ret, amd64.Wide)}
}

const linkedProgram = `package main

import (
	"bytes"
	"fmt"
	"runtime/pprof"
	"unsafe"

	"github.com/gpuc/gpuc/runtime/execmem"
)

var greedy, scale execmem.Linked

func main() {
	if err := pprof.StartCPUProfile(new(bytes.Buffer)); err != nil {
		panic(err)
	}
	code, err := scale.Open()
	if err != nil {
		panic(err)
	}
	numbers := [8]float32{1, 2, 3, 4, 5, 6, 7, 8}
	code.Call(0, unsafe.Pointer(&numbers))
	if code, err = greedy.Open(); err != nil {
		panic(err)
	}
	right := scale.Address%64 == 0 && greedy.Address%64 == 0 // constants are at multiples of their sizes
	for range 20 {
		job := struct{ iterations, seed, result uint64 }{10_000_000, 77, 0}
		status := code.Call(0, unsafe.Pointer(&job))
		x := job.seed
		for range job.iterations {
			x ^= x << 13
			x ^= x >> 7
			x ^= x << 17
		}
		right = right && status == job.result && x == status
	}
	pprof.StopCPUProfile()
	fmt.Println(numbers, right)
}
`
