package amd64_test

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/gpuc/gpuc/codegen/cpu/amd64"
)

// listed is a small function with all that a listing shows.
func listed(t *testing.T) (*amd64.Assembler, *amd64.Listing) {
	t.Helper()
	pool := new(amd64.Pool)
	list := []amd64.Instruction{
		amd64.Of(amd64.Mov, amd64.Narrow, amd64.RCX, amd64.Mem), amd64.Of(amd64.Align, amd64.Wide, amd64.Imm), amd64.Of(amd64.Mark, amd64.Wide, amd64.Label(0)),
		amd64.Of(amd64.VMovUPS, amd64.Wide, amd64.Vector(1), amd64.Mem), amd64.Of(amd64.VMulPS, amd64.Wide, amd64.Vector(1), amd64.Vector(1), amd64.Mem),
		amd64.Of(amd64.VMovUPS, amd64.Wide, amd64.Mem, amd64.Vector(1)), amd64.Of(amd64.Sub, amd64.Narrow, amd64.RCX, amd64.Imm),
		amd64.Of(amd64.Jcc, amd64.Wide, amd64.Label(0)), amd64.Of(amd64.VMovD, amd64.Wide, amd64.Vector(2), amd64.Mem), amd64.Of(amd64.Ret, amd64.Wide),
	}
	list[0].Address = amd64.At(amd64.RDI, 16)
	list[1].Immediate = 16
	list[3].Address = amd64.Indexed(amd64.RSI, amd64.RCX, 4, -32)
	list[4].Address = amd64.At(pool.Words(0x3FC00000), 0)
	list[5].Address = amd64.Indexed(amd64.RDX, amd64.RCX, 4, -32)
	list[6].Immediate = 8
	list[7].Condition = amd64.NotEqual
	list[8].Address = amd64.At(pool.Long(0x0000000200000001), 4)
	for n := range list {
		list[n].Source = uint32(min(n/3, 2))
	}
	a := new(amd64.Assembler)
	code, err := a.Assemble(nil, list, pool)
	if err != nil {
		t.Fatal(err)
	}
	return a, &amd64.Listing{Name: "twice", List: list, Pool: pool, Code: code, Source: func(n uint32) string {
		return []string{"saxpy.wgsl:3: let n = count;", "", "saxpy.wgsl:5: y[i] = 1.5 * x[i];"}[n]
	}}
}

const wantListing = `twice:
		; saxpy.wgsl:3: let n = count;
    0:  8b 4f 10                        mov ecx, dword ptr [rdi + 16]
    3:  66 0f 1f 84 00 00 00 00 00 0f 1f 40 00  .p2align 4
label0:
   10:  c5 fc 10 4c 8e e0               vmovups ymm1, ymmword ptr [rsi + 4*rcx - 32]
   16:  c5 f4 59 0d 22 00 00 00         vmulps ymm1, ymm1, ymmword ptr [rip + constant0]
   1e:  c5 fc 11 4c 8a e0               vmovups ymmword ptr [rdx + 4*rcx - 32], ymm1
		; saxpy.wgsl:5: y[i] = 1.5 * x[i];
   24:  83 e9 08                        sub ecx, 8
   27:  75 e7                           jne label0
   29:  c5 f9 6e 15 33 00 00 00         vmovd xmm2, dword ptr [rip + constant1 + 4]
   31:  c3                              ret
constant0:
   40:  00 00 c0 3f 00 00 c0 3f         0x3fc00000 0x3fc00000 0x3fc00000 0x3fc00000 0x3fc00000 0x3fc00000 0x3fc00000 0x3fc00000 ; float 1.5
constant1:
   60:  01 00 00 00 02 00 00 00         0x1 0x2
`

// TestListing: a listing has all that is there.
func TestListing(t *testing.T) {
	a, l := listed(t)
	if got := string(a.AppendListing(nil, l)); got != wantListing {
		t.Errorf("the listing is\n%s", got)
	}
}

const wantPlan9 = `
TEXT twice<>(SB), NOSPLIT|NOFRAME|TOPFRAME, $0-0
	PCALIGN $64

	// saxpy.wgsl:3: let n = count;
	WORD $0x4f8b; BYTE $0x10 // mov ecx, dword ptr [rdi + 16]
	QUAD $0x00000000841f0f66; LONG $0x401f0f00; BYTE $0x00 // .p2align 4
	// label0:
	LONG $0x4c10fcc5; WORD $0xe08e // vmovups ymm1, ymmword ptr [rsi + 4*rcx - 32]
	QUAD $0x000000220d59f4c5 // vmulps ymm1, ymm1, ymmword ptr [rip + constant0]
	LONG $0x4c11fcc5; WORD $0xe08a // vmovups ymmword ptr [rdx + 4*rcx - 32], ymm1

	// saxpy.wgsl:5: y[i] = 1.5 * x[i];
	WORD $0xe983; BYTE $0x08 // sub ecx, 8
	WORD $0xe775 // jne label0
	QUAD $0x00000033156ef9c5 // vmovd xmm2, dword ptr [rip + constant1 + 4]
	BYTE $0xc3 // ret
`

// TestPlan9: the text has the bytes in their order, and Go's assembler makes the same bytes of it.
func TestPlan9(t *testing.T) {
	a, l := listed(t)
	got := string(a.AppendPlan9(nil, l))
	head := regexp.MustCompile(`(?s)^.*// ret\n`).FindString(got)
	if head != wantPlan9 {
		t.Errorf("the text is\n%s", got)
	}
	folder := t.TempDir()
	source, object := filepath.Join(folder, "a_amd64.s"), filepath.Join(folder, "a.o")
	if err := os.WriteFile(source, []byte(amd64.Plan9Head+got), 0o644); err != nil {
		t.Fatal(err)
	}
	root, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		t.Skipf("skipped: there is no go command: %v", err)
	}
	include := filepath.Join(string(root[:len(root)-1]), "pkg", "include")
	c := exec.Command("go", "tool", "asm", "-p", "a", "-I", include, "-o", object, source)
	c.Env = append(os.Environ(), "GOARCH=amd64")
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	contents, err := os.ReadFile(object)
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Contains(contents, l.Code) {
		t.Errorf("the object does not have the bytes %x", l.Code)
	}
}
