package cuda

import (
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/drivertest"
)

// TestWait: the wait is the kernel's first instruction, the target has it, and all else stays.
func TestWait(t *testing.T) {
	const inserted = " griddepcontrol.wait;"
	for target, header := range map[string]string{
		"ptx":         ".version 7.8\n.target sm_90\n",
		"ptx:sm_80":   ".version 7.8\n.target sm_90\n",
		"ptx:sm_90a":  ".version 8.0\n.target sm_90a\n",
		"ptx:sm_100a": ".version 8.6\n.target sm_100a\n",
	} {
		before := string(drivertest.Axpy(target).Code)
		after := string(wait([]byte(before), "axpy"))
		if !strings.HasPrefix(after, header) {
			t.Errorf("%s: the header is %.40q, want %q", target, after, header)
			continue
		}
		if _, body, _ := strings.Cut(after, "\n{"); !strings.HasPrefix(body, inserted+"\n\t") {
			t.Errorf("%s: the kernel begins with %.80q", target, body)
		}
		rest := strings.Join(strings.SplitAfterN(before, "\n", 3)[2:], "")
		if got := strings.Replace(strings.TrimPrefix(after, header), inserted, "", 1); got != rest {
			t.Errorf("%s: other text has changed to\n%s", target, got)
		}
	}
	for what, text := range map[string]string{
		"other compilers' text":   "// a comment\n.version 8.0\n.target sm_90\n.address_size 64\n.visible .entry axpy()\n{\n\tret;\n}\n",
		"another kernel's text":   ".version 6.3\n.target sm_70\n.address_size 64\n\n.visible .entry other(\n)\n{\n\tret;\n}\n",
		"text without a body":     ".version 6.3\n.target sm_70\n.address_size 64\n\n.visible .entry axpy(\n)\n",
		"text that is not PTX":    "SPIR-V",
		"text without everything": "",
	} {
		if got := wait([]byte(text), "axpy"); got != nil {
			t.Errorf("%s becomes\n%s", what, got)
		}
	}
}

// TestWaitAssembles has ptxas assemble a kernel that waits.
func TestWaitAssembles(t *testing.T) {
	ptxas, err := exec.LookPath("ptxas")
	if err != nil {
		t.Skip("skipped: ptxas is not found (NVIDIA's wheel nvidia-cuda-nvcc has it)")
	}
	command := exec.CommandContext(t.Context(), ptxas, "-arch=sm_90", "-o", filepath.Join(t.TempDir(), "axpy.cubin"), "-")
	command.Stdin = strings.NewReader(string(wait(drivertest.Axpy("ptx").Code, "axpy")))
	if out, err := command.CombinedOutput(); err != nil {
		t.Errorf("%v\n%s", err, out)
	}
}
