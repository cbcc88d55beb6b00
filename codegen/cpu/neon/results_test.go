package neon_test

import (
	"crypto/sha256"
	"encoding/binary"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"testing"
	"unsafe"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
	"github.com/gpuc/gpuc/codegen/cpu/neon"
	"github.com/gpuc/gpuc/runtime/execmem"
)

// This file tests what instructions become against the instructions themselves. A processor of x86
// executes them and leaves a digest in a file, which is compared there each time. On arm64, or
// under qemu, what they become has to leave the same.

var (
	update = flag.Bool("update", false, "write the results, on x86-64")
	each   = flag.Bool("each", false, "show a digest of the results of each instruction, for who compares two machines")
)

const resultsFile = "testdata/results.txt"

// floatBits is how many bits the floats have that an instruction makes, whose NaNs have another
// pattern on each machine, 0 if it makes none.
func floatBits(o amd64.Op) int {
	switch name := o.String(); {
	case o == amd64.VCvtPS2PH:
		return 16
	case o == amd64.VCvtPD2PS:
		return 32
	case o >= amd64.VAddPS && strings.HasSuffix(name, "pd"):
		return 64
	case o >= amd64.VAddPS && strings.HasSuffix(name, "ps"):
		return 32
	}
	return 0
}

// settle gives all NaNs of a vector one pattern.
func settle(b []byte, bits int) {
	for at := 0; bits > 0 && at < len(b); at += bits / 8 {
		switch bits {
		case 16:
			if x := binary.LittleEndian.Uint16(b[at:]); x&0x7FFF > 0x7C00 {
				binary.LittleEndian.PutUint16(b[at:], 0x7E00)
			}
		case 32:
			if x := binary.LittleEndian.Uint32(b[at:]); x&0x7FFFFFFF > 0x7F800000 {
				binary.LittleEndian.PutUint32(b[at:], 0x7FC00000)
			}
		case 64:
			if x := binary.LittleEndian.Uint64(b[at:]); x&(1<<63-1) > 0x7FF<<52 {
				binary.LittleEndian.PutUint64(b[at:], 0x7FF8<<48)
			}
		}
	}
}

// assembled makes code for the machine that the test runs on.
func assembled(list []amd64.Instruction, pool *amd64.Pool) ([]byte, error) {
	if runtime.GOARCH == "amd64" {
		var a amd64.Assembler
		return a.Assemble(nil, list, pool)
	}
	var t neon.Translator
	return t.Assemble(nil, list, pool)
}

// execute executes a snippet on all states, and returns what it leaves.
func execute(t *testing.T, i *amd64.Instruction, list []amd64.Instruction) (left []byte) {
	t.Helper()
	code, err := assembled(list, new(amd64.Pool))
	if err != nil {
		t.Error(err)
		return nil
	}
	loaded, err := execmem.Load("snippet", code)
	if err != nil {
		t.Fatal(err)
	}
	defer loaded.Close()
	memory := make([]byte, stateBytes+64)
	memory = memory[-uintptr(unsafe.Pointer(unsafe.SliceData(memory)))&63:][:stateBytes]
	for set := range sets {
		fill(memory, i.Op, set)
		loaded.Call(0, unsafe.Pointer(&memory[0]))
		if i.Operands[0].Kind() == amd64.KindVector { // the others have what they had
			at := outAt + 32*i.Operands[0].Number()
			settle(memory[at:at+32], floatBits(i.Op))
		}
		left = append(left, memory...)
	}
	return left
}

// TestResults executes every row in every form.
func TestResults(t *testing.T) {
	if runtime.GOARCH != "amd64" && runtime.GOARCH != "arm64" {
		t.Skip("skipped: there is no machine code for this processor")
	}
	if err := execmem.Available(); err != nil {
		t.Skipf("skipped: %v", err)
	}
	var out strings.Builder
	ops, executed := 0, 0
	for o := range amd64.Ops {
		if !neon.Known(o) {
			if _, ok := forms[o]; ok {
				t.Errorf("%v has no row", o)
			}
			continue
		}
		if ops++; other[o] {
			continue
		}
		for _, g := range samples(o) {
			seen := map[string]bool{}
			all := sha256.New()
			for _, i := range g.list {
				name := string(amd64.AppendText(nil, &i))
				// gathers take no register twice
				if _, err := amd64.Append(nil, &i); err != nil || seen[name] {
					continue
				}
				seen[name] = true
				tested := conditionsBehind(o)
				left := execute(t, &i, snippet(&i, tested, false))
				for n := range tested {
					if len(seen) <= 2 {
						left = append(left, execute(t, &i, snippet(&i, tested[n:n+1], true))...)
					}
				}
				all.Write([]byte(name))
				all.Write(left)
				if *each {
					t.Logf("%s: %x", name, sha256.Sum256(left))
				}
			}
			if executed += len(seen); len(seen) == 0 {
				t.Errorf("no form of %v is an instruction", g.name)
			}
			fmt.Fprintf(&out, "%s: %d %x\n", g.name, len(seen), all.Sum(nil)[:8])
		}
	}
	t.Logf("%d rows, %d instructions, on %d states each", ops, executed, sets)
	if *update && runtime.GOARCH == "amd64" {
		if err := os.WriteFile(resultsFile, []byte(out.String()), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	want, err := os.ReadFile(resultsFile)
	if err != nil {
		t.Fatal(err)
	}
	compareLines(t, out.String(), string(want))
}

// compareLines names the lines that differ.
func compareLines(t *testing.T, got, want string) {
	t.Helper()
	have, need := strings.Split(got, "\n"), strings.Split(want, "\n")
	if len(have) != len(need) {
		t.Errorf("there are %d lines, and %d in the file (on x86-64: go test -update)", len(have), len(need))
	}
	wrong := 0
	for n := range min(len(have), len(need)) {
		if have[n] != need[n] {
			if wrong++; wrong <= 20 {
				t.Errorf("on %s it is %s\nand in the file %s", runtime.GOARCH, have[n], need[n])
			}
		}
	}
	if wrong > 20 {
		t.Errorf("and %d more", wrong-20)
	}
}
