package isa_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/amdgpu/isa"
	"github.com/gpuc/gpuc/internal/amdgputest"
	bench "github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/opt"
)

// variants are the options that each kernel is compiled with; a short test has only the first.
var variants = []struct {
	name    string
	options codegen.Options
}{
	{"default", codegen.Options{}},
	{"-O0", codegen.Options{NoOptimize: true}},
	{"trap", codegen.Options{Bounds: opt.BoundsTrap}},
	{"off", codegen.Options{Bounds: opt.BoundsOff}},
	{"strict", codegen.Options{Math: opt.MathStrict}},
	{"fast", codegen.Options{Math: opt.MathFast}},
}

// TestKernels compiles the exec kernels with LLVM and disassembles them. It parses every line as an
// instruction, and checks that its encoding has the same bytes. A line of VOPD has two
// instructions.
func TestKernels(t *testing.T) {
	testmode.Long(t)
	missing := bench.MissingTools()
	if _, err := exec.LookPath("llvm-objdump-19"); err != nil {
		missing = "llvm-objdump-19 (Debian: llvm-19)"
	}
	if missing != "" {
		t.Skip("skipped: there is no " + missing)
	}
	for f := range isa.GFX1100 + 1 {
		t.Run(f.String(), func(t *testing.T) {
			c := comparison{t: t, reader: newReader(f), absent: map[string]int{}, kinds: map[isa.Op]bool{}}
			known := map[string]bool{} // by text: many kernels are the same in several variants
			for _, v := range variants {
				if v.name != "default" && testing.Short() {
					continue
				}
				programs := slices.DeleteFunc(amdgputest.Programs(t, "../../..", f.String(), v.options), func(p bench.Program) bool {
					seen := known[string(p.Code)]
					known[string(p.Code)] = true
					return seen
				})
				o, err := bench.Assemble(f.String(), programs)
				if err != nil {
					t.Fatal(err)
				}
				for _, l := range disassemble(t, o.Data) {
					c.line(l)
				}
			}
			for _, name := range slices.Sorted(maps.Keys(c.absent)) {
				t.Errorf("there is no row for %s, which occurs %d times", name, c.absent[name])
			}
			t.Logf("%d lines, %d of them pairs; %d equal; %d different instructions", c.lines, c.pairs, c.equal, len(c.kinds))
			if c.equal != c.lines || c.lines == 0 {
				t.Errorf("%d lines are not encoded to the same bytes", c.lines-c.equal)
			}
		})
	}
}

// line is a line of the disassembler: its text, and the bytes.
type line struct {
	text string
	code []byte
}

var disassembled = regexp.MustCompile(`(?m)^\t(.*?)\s*// [0-9A-F]+: ((?:[0-9A-F]{8} ?)+)`)

func disassemble(t *testing.T, object []byte) (lines []line) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "object")
	if err := os.WriteFile(path, object, 0o600); err != nil {
		t.Fatal(err)
	}
	text, err := exec.Command("llvm-objdump-19", "-d", path).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, m := range disassembled.FindAllStringSubmatch(string(text), -1) {
		l := line{text: m[1]}
		for _, word := range strings.Fields(m[2]) {
			n, err := strconv.ParseUint(word, 16, 32)
			if err != nil {
				t.Fatal(err)
			}
			l.code = binary.LittleEndian.AppendUint32(l.code, uint32(n))
		}
		lines = append(lines, l)
	}
	return lines
}

// comparison compares lines.
type comparison struct {
	t                   *testing.T
	reader              *reader
	lines, pairs, equal int
	absent              map[string]int
	kinds               map[isa.Op]bool
	buffer              []byte
	// instructions since s_getpc_b64, after which the linker inserts distances
	sinceGetPC int
}

func (c *comparison) line(l line) {
	c.lines++
	var noRow errNoRow
	err := c.encode(l)
	switch {
	case errors.As(err, &noRow):
		c.absent[string(noRow)]++
	case err != nil:
		c.t.Errorf("%s: %v", l.text, err)
	case !bytes.Equal(c.buffer, l.code):
		c.t.Errorf("%s is %x, not %x", l.text, l.code, c.buffer)
	default:
		c.equal++
	}
}

func (c *comparison) encode(l line) error {
	first, second, pair := strings.Cut(l.text, " :: ")
	i, err := c.reader.read(strings.Replace(first, "v_dual_", "v_", 1))
	if err != nil {
		return err
	}
	c.kinds[i.Op] = true
	if pair {
		c.pairs++
		j, err := c.reader.read(strings.Replace(second, "v_dual_", "v_", 1))
		if err != nil {
			return err
		}
		c.kinds[j.Op] = true
		c.buffer, err = isa.AppendDual(c.buffer[:0], &i, &j)
		if text := string(isa.AppendDualText(nil, &i, &j)); err == nil && text != l.text {
			return fmt.Errorf("the text is %s", text)
		}
		return err
	}
	if c.sinceGetPC++; i.Op == isa.SGetpcB64 {
		c.sinceGetPC = 0
	}
	if i.Op == isa.SAddU32 || i.Op == isa.SAddcU32 {
		if o := &i.Operands[2]; c.sinceGetPC <= 2 && o.IsConstant() {
			*o = isa.Fixed(o.Number())
		}
	}
	c.buffer, err = isa.Append(c.buffer[:0], c.reader.family, &i)
	return err
}
