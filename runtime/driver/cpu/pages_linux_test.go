package cpu

import (
	"bufio"
	"fmt"
	"os"
	"strings"
	"testing"
)

// TestLargePages looks in the system's list of mappings for the flag of large pages.
func TestLargePages(t *testing.T) {
	if _, err := os.Stat("/sys/kernel/mm/transparent_hugepage"); err != nil {
		t.Skip("the system has no transparent huge pages: ", err)
	}
	d := newDevice(&Driver{}, 0, Interpreter)
	for _, bytes := range []uint64{largePagesFrom, 9<<20 + 300} {
		m, err := d.Alloc(bytes)
		if err != nil {
			t.Fatal(err)
		}
		b := m.(*memory).bytes
		var at uint64
		fmt.Sscanf(fmt.Sprintf("%p", &b[len(b)/2]), "0x%x", &at)
		if flags := flagsOf(t, at); !strings.Contains(flags+" ", " hg ") {
			t.Errorf("memory of %d bytes has the flags%s", bytes, flags)
		}
	}
}

// flagsOf returns the flags of the mapping that an address is in.
func flagsOf(t *testing.T, at uint64) string {
	file, err := os.Open("/proc/self/smaps")
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	within := false
	for lines := bufio.NewScanner(file); lines.Scan(); {
		var first, end uint64
		if n, _ := fmt.Sscanf(lines.Text(), "%x-%x ", &first, &end); n == 2 {
			within = first <= at && at < end
		}
		if flags, ok := strings.CutPrefix(lines.Text(), "VmFlags:"); ok && within {
			return flags
		}
	}
	t.Fatalf("no mapping has the address %#x", at)
	return ""
}
