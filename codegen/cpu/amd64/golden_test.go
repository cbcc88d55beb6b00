package amd64_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// This file holds the encoder against bytes that LLVM's assembler made, for where there is none.

var update = flag.Bool("update", false, "have llvm-mc-19 write testdata/golden.txt")

const golden = "testdata/golden.txt"

// chosen returns a few instructions of each row, in which nothing is drawn: with lower registers,
// with upper ones, with memory.
func chosen() (list []amd64.Instruction) {
	rows := amd64.Rows()
	for n := range rows {
		row := &rows[n]
		if row.Pseudo() || row.Branch() {
			continue
		}
		for _, w := range row.Widths {
			s := samples{}
			plain := s.plain(row, w)
			upper := plain
			for k, slot := range row.Slots {
				if plain.Operands[k].IsRegister() && !(k == 0 && row.Accumulator()) {
					upper.Operands[k] += 7
				}
				if slot.Class>>amd64.KindImmediate&1 != 0 {
					plain.Immediate, upper.Immediate = slot.Least[w], slot.Most[w]
				}
			}
			list = append(list, plain, upper)
			for k, slot := range row.Slots {
				if slot.Class>>amd64.KindMemory&1 == 0 {
					continue
				}
				all := addresses(slot.Gathers)
				for m := range 2 {
					i := []amd64.Instruction{plain, upper}[m]
					i.Operands[k], i.Address = amd64.Mem, all[(n*37+m*101)%len(all)]
					i.Address.Locked = i.Op.Lockable() && k == 0
					if slot.Gathers {
						i.Address.Index = amd64.Vector(14)
					}
					if i.Op.Conditional() {
						i.Condition = amd64.Condition(3 * (m + 1))
					}
					list = append(list, i)
				}
			}
		}
	}
	return list
}

// TestGolden: bytes and text are those that are recorded.
func TestGolden(t *testing.T) {
	list := chosen()
	if *update {
		needAssembler(t)
		var text, out bytes.Buffer
		for n := range list {
			text.Write(append(amd64.AppendText(nil, &list[n]), '\n'))
		}
		lines := strings.Split(text.String(), "\n")
		for n, r := range assemble(t, text.Bytes(), len(list)) {
			if r.refused != "" {
				t.Fatalf("%s: %s", lines[n], r.refused)
			}
			fmt.Fprintf(&out, "%x %s\n", r.code, lines[n])
		}
		if err := os.WriteFile(golden, out.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	contents, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	lines := strings.Split(strings.TrimSuffix(string(contents), "\n"), "\n")
	if len(lines) != len(list) {
		t.Fatalf("%d instructions, and %d lines; go test -update writes them", len(list), len(lines))
	}
	for n := range list {
		code, err := amd64.Append(nil, &list[n])
		if got := fmt.Sprintf("%s %s", hex.EncodeToString(code), amd64.AppendText(nil, &list[n])); got != lines[n] || err != nil {
			t.Errorf("%s, and recorded is %s: %v", got, lines[n], err)
		}
	}
	t.Logf("%d lines", len(lines))
}
