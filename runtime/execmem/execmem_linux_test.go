package execmem

import (
	"bufio"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"syscall"
	"testing"
	"unsafe"
)

// protections returns the permissions of all memory of the process that lies between two addresses.
func protections(t *testing.T, from, to uintptr) (list []string) {
	t.Helper()
	f, err := os.Open("/proc/self/maps")
	if err != nil {
		t.Skipf("skipped: the system does not say how memory is protected: %v", err)
	}
	defer f.Close()
	for s := bufio.NewScanner(f); s.Scan(); {
		var low, high uintptr
		var permissions string
		if _, err := fmt.Sscanf(s.Text(), "%x-%x %s", &low, &high, &permissions); err != nil {
			t.Fatal(err)
		}
		if strings.HasPrefix(permissions, "-wx") || strings.HasPrefix(permissions, "rwx") {
			t.Errorf("there is memory that is writable and executable: %s", s.Text())
		}
		if low < to && high > from {
			list = append(list, permissions)
		}
	}
	return list
}

// TestProtection: code can be read and executed and not written, its neighbours keep their
// protection, and closed code is gone.
func TestProtection(t *testing.T) {
	first, second := mustLoad(t, probe), mustLoad(t, probe)
	page := uintptr(os.Getpagesize())
	a, b := first.Address(), second.Address()
	if got := protections(t, a, a+page); len(got) != 1 || got[0] != "r-xp" {
		t.Errorf("code is %v", got)
	}
	first.Close()
	if got := protections(t, a, a+page); len(got) > 1 || len(got) == 1 && got[0] != "---p" {
		t.Errorf("code that was closed is %v", got)
	}
	if got := protections(t, b, b+page); len(got) != 1 || got[0] != "r-xp" {
		t.Errorf("the code beside it is %v", got)
	}
	argument := uint64(7)
	if second.Call(0, unsafe.Pointer(&argument)) != 7 || first.Call(0, unsafe.Pointer(&argument)) != Closed {
		t.Error("after the first was closed, the second cannot be called, or the first can")
	}
}

// TestClose: memory goes back to the system when all of a slab is closed, whatever the order.
func TestClose(t *testing.T) {
	needCode(t)
	memory.Lock()
	memory.retire()
	memory.Unlock()
	var all []*Code
	for n := range 100 {
		code := probe
		if n%10 == 9 {
			code = make([]byte, slabBytes+1)
		}
		c, err := Load("code", code)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, c)
	}
	known := map[*slab]bool{}
	for _, c := range all {
		known[c.memory.slab] = true
	}
	for n := range all {
		c := all[n*37%len(all)]
		address := c.Address()
		last := c.memory.slab.live == 1 && c.memory.slab != memory.current
		c.Close()
		c.Close() // does nothing
		if last && len(protections(t, address, address+1)) != 0 {
			t.Error("the last code of a slab is closed, and the slab is there")
		}
	}
	for s := range known {
		if s.live != 0 {
			t.Errorf("a slab has %d kernels left", s.live)
		}
	}
}

// TestDenied: where the system does not let memory become executable, the reason is said. The test
// runs itself in a process that gives up the right (PR_SET_MDWE of Linux 6.3).
func TestDenied(t *testing.T) {
	const variable = "GPUC_TEST_DENIED"
	if os.Getenv(variable) != "" {
		const setMDWE, refuseExecGain = 65, 1
		if _, _, errno := syscall.RawSyscall6(syscall.SYS_PRCTL, setMDWE, refuseExecGain, 0, 0, 0, 0); errno != 0 {
			fmt.Println("skipped")
			return
		}
		fmt.Println(Available())
		return
	}
	needCode(t)
	c := exec.Command(os.Args[0], "-test.run=^TestDenied$")
	c.Env = append(os.Environ(), variable+"=1")
	out, err := c.CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	if strings.HasPrefix(string(out), "skipped") {
		t.Skip("skipped: this kernel does not let a process give up the right to make memory executable (PR_SET_MDWE, which takes Linux 6.3)")
	}
	if want := "machine code cannot be run here: the system does not let memory become executable: "; !strings.HasPrefix(string(out), want) {
		t.Errorf("%s is said", out)
	}
}

// TestPerfMap: the file has a line for code that is loaded after it was asked for.
func TestPerfMap(t *testing.T) {
	needCode(t)
	file := fmt.Sprintf("/tmp/perf-%d.map", os.Getpid())
	t.Setenv(PerfVariable, "1")
	perf = perfMap{}
	defer func() {
		perf = perfMap{tried: true}
		_ = os.Remove(file)
	}()
	c := mustLoad(t, probe)
	contents, err := os.ReadFile(file)
	if want := fmt.Sprintf("%x %x TestPerfMap\n", c.Address(), len(probe)); err != nil || string(contents) != want {
		t.Errorf("the file has %q, and not %q: %v", contents, want, err)
	}
}
