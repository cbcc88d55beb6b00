//go:build linux

package gpu

import (
	"debug/elf"
	"errors"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
)

// This file runs a program where there is nothing but itself, as in a container that is made FROM
// scratch.

// container builds testdata/container with flags, puts it into an empty folder with further files,
// and runs it there.
func container(t *testing.T, complete func(folder, program string), flags ...string) string {
	t.Helper()
	testmode.Long(t)
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("skipped: there is no go command on the PATH")
	}
	folder := t.TempDir()
	program := filepath.Join(folder, "program")
	build := exec.Command("go", append(append([]string{"build", "-o", program}, flags...), "./testdata/container")...)
	build.Env = append(os.Environ(), "CGO_ENABLED=0")
	if said, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	complete(folder, program)
	c := exec.Command("/program")
	c.Env, c.Dir = []string{}, "/"
	c.SysProcAttr = &syscall.SysProcAttr{Chroot: folder}
	if os.Geteuid() != 0 { // chroot takes a user namespace then
		c.SysProcAttr.Cloneflags = syscall.CLONE_NEWUSER
		c.SysProcAttr.UidMappings = []syscall.SysProcIDMap{{HostID: os.Geteuid(), Size: 1}}
	}
	said, err := c.CombinedOutput()
	if errors.Is(err, fs.ErrPermission) {
		t.Skipf("skipped: this user can change no root folder (%v); it takes root or user namespaces", err)
	}
	if err != nil {
		t.Fatalf("%v\n%s", err, said)
	}
	return string(said)
}

// lines compares what a program says, line by line.
func lines(t *testing.T, said string, want ...string) {
	t.Helper()
	got := strings.Split(strings.TrimSpace(said), "\n")
	for n := range want {
		if n >= len(got) || got[n] != want[n] {
			t.Fatalf("the program says\n%s\nwant\n%s", said, strings.Join(want, "\n"))
		}
	}
}

// TestContainerWithoutC: built without drivers a program takes no C library. It runs kernels on the
// processor, and says of each other device what is missing.
func TestContainerWithoutC(t *testing.T) {
	said := container(t, func(folder, program string) {
		f, err := elf.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				t.Error("the program takes a dynamic loader")
			}
		}
	}, "-tags", "nodrivers")
	const why = "library not found: this program was built for "
	want := strings.Split(said, "\n")
	lines(t, said, "cpu:0 [2 4 6 8]")
	for n, before := range []string{"no such device: vulkan has no devices here: ", "no such device: cuda has no devices here: ", "no such device: no GPU found through cuda or vulkan ("} {
		if line := want[n+1]; !strings.HasPrefix(line, before+why) || strings.Count(line, why) != 1 || !strings.Contains(line, "without drivers, as the tag nodrivers does; built with them it needs the C library") {
			t.Errorf("the program says %s", line)
		}
	}
}

// TestContainerWithC: beside the C library alone, a program that can load drivers says which
// libraries are missing.
func TestContainerWithC(t *testing.T) {
	said := container(t, func(folder, program string) {
		f, err := elf.Open(program)
		if err != nil {
			t.Fatal(err)
		}
		defer f.Close()
		needed, err := f.ImportedLibraries()
		if err != nil || len(needed) == 0 {
			t.Skipf("skipped: the program takes no C library on this system (%v)", err)
		}
		for _, p := range f.Progs {
			if p.Type == elf.PT_INTERP {
				name, err := io.ReadAll(p.Open())
				if err != nil {
					t.Fatal(err)
				}
				copyInto(t, folder, strings.TrimRight(string(name), "\x00"))
			}
		}
		for _, name := range needed {
			for _, in := range []string{"/lib/x86_64-linux-gnu", "/lib/aarch64-linux-gnu", "/lib64", "/lib"} {
				if _, err := os.Stat(filepath.Join(in, name)); err == nil {
					copyInto(t, folder, filepath.Join(in, name))
					break
				}
			}
		}
	})
	const absent = " (cannot open shared object file: No such file or directory)"
	vulkan := "library not found: libvulkan.so.1, libvulkan.so" + absent
	cuda := "library not found: libcuda.so.1, /usr/lib/wsl/lib/libcuda.so.1, libcuda.so" + absent
	lines(t, said, "cpu:0 [2 4 6 8]",
		"no such device: vulkan has no devices here: "+vulkan,
		"no such device: cuda has no devices here: "+cuda,
		"no such device: no GPU found through cuda or vulkan (cuda: "+cuda+"; vulkan: "+vulkan+"); install its driver, or pass AllowCPU to run on the processor")
}

// copyInto copies a file to the same path below a folder.
func copyInto(t *testing.T, folder, path string) {
	t.Helper()
	data, err := os.ReadFile(path)
	if err == nil {
		err = os.MkdirAll(filepath.Join(folder, filepath.Dir(path)), 0o755)
	}
	if err == nil {
		err = os.WriteFile(filepath.Join(folder, path), data, 0o755)
	}
	if err != nil {
		t.Fatal(err)
	}
}
