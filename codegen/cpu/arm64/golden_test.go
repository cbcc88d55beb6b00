package arm64_test

import (
	"bytes"
	"encoding/hex"
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/arm64"
)

// This file holds the encoder against bytes that LLVM's assembler made, for where there is none.

var update = flag.Bool("update", false, "have llvm-mc-19 write testdata/golden.txt")

const golden = "testdata/golden.txt"

// chosen returns a few instructions of each row: in every shape the first one and the last one,
// whose registers are drawn.
func chosen() (list []arm64.Instruction) {
	rows := arm64.Rows()
	for n := range rows {
		all := samplesOf(&rows[n])
		for k := range all {
			i := &all[k]
			if first, last := k == 0 || all[k-1].Shape != i.Shape, k == len(all)-1 || all[k+1].Shape != i.Shape; (first || last) && rows[n].Taken(i) {
				list = append(list, *i)
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
			text.Write(append(arm64.AppendText(nil, &list[n]), '\n'))
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
		code, err := arm64.Append(nil, &list[n])
		if got := fmt.Sprintf("%s %s", hex.EncodeToString(code), arm64.AppendText(nil, &list[n])); got != lines[n] || err != nil {
			t.Errorf("%s, and recorded is %s: %v", got, lines[n], err)
		}
	}
	t.Logf("%d lines", len(lines))
}
