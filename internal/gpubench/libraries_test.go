package gpubench

import (
	"bytes"
	"encoding/binary"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/runtime/dl"
)

func words(list ...uint32) []byte {
	var data []byte
	for _, w := range list {
		data = binary.LittleEndian.AppendUint32(data, w)
	}
	return data
}

// TestLibraryResults compares library results that were computed by hand from a kernel's, and
// results with one wrong word.
func TestLibraryResults(t *testing.T) {
	// two workgroups: the input, then the results of the kernels
	var numbers, scanned, selected, sorted []uint32
	for n := range uint32(2 * group) {
		numbers = append(numbers, n*2654435761>>7)
	}
	sums, counts, digits := make([]uint32, 2), make([]uint32, 2), make([]uint32, 32)
	const least, shift = 1 << 24, 4
	for g := range 2 {
		part := numbers[g*group:][:group]
		for _, x := range part {
			sums[g] += x
			scanned = append(scanned, sums[g])
			if x >= least {
				selected = append(selected, x)
				counts[g]++
			}
			digits[16*g+int(x>>shift&15)]++
		}
		for len(selected) < (g+1)*group {
			selected = append(selected, 0)
		}
		part = slices.Clone(part)
		slices.SortStableFunc(part, func(a, b uint32) int { return int(a>>shift&15) - int(b>>shift&15) })
		sorted = append(sorted, part...)
	}
	var total uint32
	var allScanned, allSelected []uint32
	for _, x := range numbers {
		total += x
		allScanned = append(allScanned, total)
		if x >= least {
			allSelected = append(allSelected, x)
		}
	}
	allSorted := slices.Clone(numbers)
	slices.SortStableFunc(allSorted, func(a, b uint32) int { return int(a>>shift&15) - int(b>>shift&15) })
	if len(allSelected) == 0 || len(allSelected) == len(numbers) {
		t.Fatal("all or none are selected")
	}
	for _, test := range []struct {
		name            string
		kernel, library [][]byte
		immediate       uint32
		// words of the library's results that are changed one by one, and how many of the changes
		// must be detected
		changes, differed int
	}{
		{"sum", [][]byte{words(math.Float32bits(1.5), math.Float32bits(2.25))}, [][]byte{words(math.Float32bits(3.75), 0)}, 0, 1, 1},
		{"scan", [][]byte{words(scanned...), words(sums...)}, [][]byte{words(allScanned...), words(0, 0)}, 0, len(numbers), len(numbers)},
		{"compact", [][]byte{words(selected...), words(counts...)}, [][]byte{words(allSelected...), words(uint32(len(allSelected)), 0)}, least, len(allSelected), len(allSelected)},
		{"radix", [][]byte{words(sorted...), words(digits...)}, [][]byte{words(allSorted...), nil}, shift, len(numbers), len(numbers)},
	} {
		n := slices.IndexFunc(Kernels, func(k Kernel) bool { return k.Name == test.name })
		k, l := &Kernels[n], libraryOf(&Kernels[n])
		work := &Work{Immediates: []uint32{test.immediate}}
		if d := l.Differs(k, work, test.kernel, test.library); d != "" {
			t.Errorf("%s: %s", test.name, d)
		}
		noticed := 0
		for n := range test.changes {
			changed := [][]byte{bytes.Clone(test.library[0]), nil}
			if len(test.library) > 1 {
				changed[1] = test.library[1]
			}
			changed[0][4*n+2] ^= 0x40
			if l.Differs(k, work, test.kernel, changed) != "" {
				noticed++
			}
		}
		if noticed != test.differed {
			t.Errorf("%s: of %d changes %d are noticed", test.name, test.changes, noticed)
		}
	}
	compact := libraryOf(&Kernel{Name: "compact"})
	if compact.Differs(nil, nil, [][]byte{words(selected...), words(counts...)}, [][]byte{words(allSelected...), words(uint32(len(allSelected))-1, 0)}) == "" {
		t.Error("compact: a wrong count is not noticed")
	}
}

// TestLibrariesAreOfKernels checks that each call has a kernel, and a function of its name in its
// file.
func TestLibrariesAreOfKernels(t *testing.T) {
	for _, l := range Libraries {
		if !slices.ContainsFunc(Kernels, func(k Kernel) bool { return k.Name == l.Kernel }) {
			t.Errorf("there is no kernel %s", l.Kernel)
		}
		text, err := os.ReadFile(filepath.Join(folder, l.File+".cu"))
		if err != nil || !strings.Contains(string(text), "\nFUNCTION("+l.Kernel+")") {
			t.Errorf("%s.cu has no function %s: %v", l.File, l.Kernel, err)
		}
	}
}

// TestBuildLibrary builds cublas.so, which takes seconds, and calls its functions. Without a device
// they return an error. With an nvcc that lacks headers the error names the missing one.
func TestBuildLibrary(t *testing.T) {
	if *compiler == "" {
		t.Skip("skipped: -nvcc says which nvcc makes the library")
	}
	path, err := exec.LookPath(*compiler)
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{"cublas", "cub"} {
		out := filepath.Join(t.TempDir(), file+suffix)
		if err := BuildLibrary(path, folder, file, Profile, out); err != nil {
			if !strings.Contains(err.Error(), "is missing: a CUDA toolkit has it") {
				t.Error(err)
			}
			continue
		}
		l, err := dl.Open(out)
		if err != nil {
			t.Error(err)
			continue
		}
		for _, x := range Libraries {
			if x.File == file && l.Symbol(x.Kernel) == 0 {
				t.Errorf("%s has no function %s", file, x.Kernel)
			}
		}
		if l.Symbol("message") == 0 {
			t.Errorf("%s has no function message", file)
		}
	}
}
