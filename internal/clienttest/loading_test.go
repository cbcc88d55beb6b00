package clienttest

import (
	"cmp"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/internal/commandtest"
	"github.com/gpuc/gpuc/internal/emulate/amdgpu"
	"github.com/gpuc/gpuc/internal/testmode"
)

// Tests of the programs of examples/loading, with the commands in the comments at their top.

// command matches a command in a file's comment.
var command = regexp.MustCompile(`(?m)^(?://|#)[ \t]+\$ (.*\n)`)

// loadingExamples copies the files of examples/loading into a folder. It returns the commands that
// build the kernels, and the commands of each program.
func loadingExamples(t *testing.T, folder string) (builds []string, commands map[string]string) {
	t.Helper()
	examples := os.DirFS("../../examples/loading")
	if err := os.CopyFS(folder, examples); err != nil {
		t.Fatal(err)
	}
	files, err := fs.Glob(examples, "*")
	if err != nil {
		t.Fatal(err)
	}
	commands = map[string]string{}
	for _, file := range files {
		text, err := fs.ReadFile(examples, file)
		if err != nil {
			t.Fatal(err)
		}
		lines := ""
		for _, m := range command.FindAllSubmatch(text, -1) {
			lines += string(m[1])
		}
		switch {
		case lines == "":
			t.Fatalf("%s names no command", file)
		case filepath.Ext(file) == ".wgsl":
			builds = append(builds, lines)
		default:
			commands[file] = lines
		}
	}
	return builds, commands
}

// shell runs commands in a folder.
func shell(t *testing.T, folder, text string, environment ...string) (string, error) {
	t.Helper()
	c := exec.Command("sh", "-ec", text)
	c.Dir, c.Env = folder, append(os.Environ(), environment...)
	said, err := c.CombinedOutput()
	return string(said), err
}

// lacks returns what the machine lacks to run a program, or "".
func lacks(t *testing.T, file string) string {
	t.Helper()
	compiles := func(what, program string, flags ...string) string {
		source := filepath.Join(t.TempDir(), "try.c")
		if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := exec.LookPath("cc"); err != nil {
			return "there is no compiler of C (Debian: gcc and libc6-dev)"
		}
		if err := exec.Command("cc", append([]string{"-o", source + ".out", source}, flags...)...).Run(); err != nil {
			return "there is no " + what
		}
		return ""
	}
	library := func() string {
		if found, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*"); len(found) == 0 {
			return "there is no lavapipe (Debian: mesa-vulkan-drivers)"
		}
		return ""
	}
	python := func() string {
		if exec.Command("python3", "-c", "import ctypes").Run() != nil {
			return "there is no python3 with ctypes"
		}
		return ""
	}
	switch file {
	case "saxpy_vulkan.c", "soften_vulkan.c":
		return cmp.Or(compiles("header or library of Vulkan (Debian: libvulkan-dev)", "#include <vulkan/vulkan.h>\nint main(void) { return 0; }\n", "-lvulkan"), library())
	case "saxpy_vulkan.py", "tint_vulkan.py", "soften_vulkan.py":
		return cmp.Or(python(), library())
	case "saxpy_cuda.c":
		return compiles("header of the C library (Debian: libc6-dev)", "#include <stdio.h>\nint main(void) { return 0; }\n")
	case "saxpy_hip.c":
		if missing := amdgpu.MissingTools(); missing != "" {
			return "there is no " + missing
		}
		return compiles("header of HIP (Debian: libamdhip64-dev)", "#define __HIP_PLATFORM_AMD__\n#include <hip/hip_runtime_api.h>\nint main(void) { return 0; }\n")
	case "saxpy_cuda.py":
		return cmp.Or(python(), compiles("header of the C library (Debian: libc6-dev)", "#include <stdio.h>\nint main(void) { return 0; }\n"))
	}
	return ""
}

// TestLoadingExamples builds the kernels, and runs each program. Those for Vulkan run on lavapipe,
// those for CUDA and HIP on fake libraries, and the Go program on the CPU device.
func TestLoadingExamples(t *testing.T) {
	testmode.Long(t)
	folder := t.TempDir()
	builds, commands := loadingExamples(t, folder)
	if len(commands) != 9 || len(builds) != 3 {
		t.Fatalf("there are commands for %d programs, and %q for the kernels", len(commands), builds)
	}
	bin := t.TempDir()
	withGPUC := "PATH=" + filepath.Dir(commandtest.Path(t)) + string(filepath.ListSeparator) + os.Getenv("PATH")
	for _, build := range builds {
		if said, err := shell(t, folder, build, withGPUC); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
	}
	cuda := filepath.Join(bin, "libcuda.so.1")
	headers, err := filepath.Abs("testdata/loading")
	if err != nil {
		t.Fatal(err)
	}
	for file, command := range commands {
		t.Run(file, func(t *testing.T) {
			if missing := lacks(t, file); missing != "" {
				t.Skip("skipped: " + missing)
			}
			var environment []string
			switch {
			case strings.Contains(file, "_vulkan"):
				found, _ := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*")
				environment = []string{"VK_ICD_FILENAMES=" + found[0]}
			case strings.HasPrefix(file, "saxpy_cuda"):
				said, err := shell(t, bin, "cc -std=c11 -shared -fPIC -Wall -Werror -o libcuda.so.1 "+filepath.Join(headers, "cuda.c")+"; ln -sf libcuda.so.1 libcuda.so")
				if err != nil {
					t.Fatalf("%s: %v\n%s", cuda, err, said)
				}
				environment = []string{"C_INCLUDE_PATH=" + headers, "LIBRARY_PATH=" + bin, "LD_LIBRARY_PATH=" + bin}
			case file == "saxpy_hip.c":
				// which may be linked with the machine's HIP, and runs with the imitation under its
				// name
				if said, err := shell(t, bin, "cc -shared -fPIC -Wall -Werror -o libamdhip64.so "+filepath.Join(headers, "hip.c")+" -lpthread; for n in 5 6 7; do ln -sf libamdhip64.so libamdhip64.so.$n; done"); err != nil {
					t.Fatalf("%v\n%s", err, said)
				}
				environment = []string{withGPUC, "LIBRARY_PATH=" + bin, "LD_LIBRARY_PATH=" + bin}
			case file == "main.go":
				module := "module example.com/saxpy\n\ngo 1.26.0\n"
				work := "go 1.26.0\n\nuse (\n\t.\n\t" + commandtest.Repository + "\n)\n"
				for name, text := range map[string]string{"go.mod": module, "go.work": work} {
					if err := os.WriteFile(filepath.Join(folder, name), []byte(text), 0o644); err != nil {
						t.Fatal(err)
					}
				}
				environment = []string{"CGO_ENABLED=0", "VK_ICD_FILENAMES=/nowhere"}
			}
			said, err := shell(t, folder, command, environment...)
			kernel, _, _ := strings.Cut(file, "_")
			want := cmp.Or(map[string]string{
				// of texel (56, 57, 58, 59) and colour (0, 1, 0, -1)
				"tint": "result[14] = (0.0, 57.0, 0.0, -59.0)\n",
				// three quarters of 4·30 and one of 4·31
				"soften": "result[30] = 121\n",
			}[kernel], "y[999] = 1999\n")
			if err != nil || !strings.Contains(said, want) {
				t.Errorf("%v\n%s", err, said)
			}
			// its own warnings are mistakes, too, beside the headers that the command has written
			if strings.HasSuffix(file, ".c") {
				said, err := shell(t, folder, "cc -std=c11 -Wall -Wextra -Wno-missing-field-initializers -Werror -D__HIP_PLATFORM_AMD__ -fsyntax-only "+file, environment...)
				if err != nil {
					t.Errorf("%v\n%s", err, said)
				}
			}
			damaged(t, folder, file, command, environment)
		})
	}
}

// damaged runs a program that checks digests with modified code, which it must refuse.
func damaged(t *testing.T, folder, file, command string, environment []string) {
	t.Helper()
	code := map[string]string{"saxpy_vulkan.py": "saxpy.spv", "saxpy_cuda.py": "saxpy.ptx", "tint_vulkan.py": "tint.spv", "soften_vulkan.py": "soften.spv", "main.go": "saxpy.ir"}[file]
	if code == "" {
		return
	}
	path := filepath.Join(folder, code)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	defer os.WriteFile(path, text, 0o644)
	if err := os.WriteFile(path, append(text[:len(text):len(text)], "\n\n\n\n"...), 0o644); err != nil {
		t.Fatal(err)
	}
	if said, err := shell(t, folder, command, environment...); err == nil || !strings.Contains(said, code+" is not the code") {
		t.Errorf("beside other code it ends with %v and says %s", err, said)
	}
}
