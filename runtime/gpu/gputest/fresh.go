package gputest

import (
	"context"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"
)

// freshness is the result of `gpuc gen -check` for packages, which runs once for each.
type freshness struct {
	checked []string
	stale   string
}

// checkTime limits the check: the compiler may have to be built first.
const checkTime = 3 * time.Minute

// check says that the generated code of packages is stale, or returns "". It also returns "" if
// that cannot be found out: without a go command, or if the module lacks a dependency of the
// compiler.
func (f *freshness) check(t *testing.T, packages []string) string {
	t.Helper()
	if f.stale != "" || len(packages) == 0 || slices.Equal(packages, f.checked) {
		return f.stale
	}
	f.checked = packages
	ctx, cancel := context.WithTimeout(t.Context(), checkTime)
	defer cancel()
	// that of the runtime's own version first, then one that the module has as a tool
	for _, gpuc := range [][]string{{"run", "github.com/gpuc/gpuc/cmd/gpuc"}, {"tool", "gpuc"}} {
		text, err := exec.CommandContext(ctx, "go", append(append(gpuc, "gen", "-check"), packages...)...).CombinedOutput()
		if err == nil {
			break // it is fresh
		}
		if lines := staleLines(string(text)); lines != "" {
			f.stale = "the kernels' compiled code is stale, so that devices run other kernels than plain Go: run go generate in package " +
				strings.Join(packages, ", ") + "\n" + lines
			break
		}
	}
	return f.stale
}

// staleLines returns what gpuc gen -check says of compiled code. It leaves out archives of another
// version of gpuc whose code is the same, and gpuc_gen.go, where comments may differ alone.
func staleLines(text string) string {
	var list []string
	for line := range strings.Lines(text) {
		if strings.Contains(line, "; run `gpuc gen ") && !strings.Contains(line, "though its code is the same") && !strings.Contains(line, "gpuc_gen.go is stale") {
			list = append(list, strings.TrimRight(line, "\r\n"))
		}
	}
	return strings.Join(list, "\n")
}
