package gpubench

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"

	"github.com/gpuc/gpuc/runtime/dl"
	"github.com/gpuc/gpuc/runtime/driver/cudalike"
)

// Comparison with NVIDIA's libraries CUB and cuBLAS. Their calls run on the same stream and memory
// as the other ways, and are measured in the same rounds. nvcc compiles wrappers of them (cub.cu,
// cublas.cu) to shared libraries.
//
// Some calls do more than the kernel: CUB sums, scans, compacts and sorts the input globally, where
// the workgroups of the kernels are independent. Their results are compared with those derived from
// the kernel's.

// Library is the library call that corresponds to a kernel.
type Library struct {
	Kernel string
	File   string // cub or cublas; its function has the kernel's name
	Call   string // the library's function
	More   string // what it does in addition to the kernel, or ""
	// Differs returns how the results differ from those derived from the kernel's, or "". If nil,
	// they are compared like those of other ways.
	Differs func(k *Kernel, work *Work, kernels, libraries [][]byte) string
}

// Libraries are the library calls, at most one for each kernel.
var Libraries = []Library{
	{Kernel: "sum", File: "cub", Call: "cub::DeviceReduce::Sum", More: "adds the sums of workgroups", Differs: differingTotals},
	{Kernel: "histogram", File: "cub", Call: "cub::DeviceHistogram::HistogramEven"},
	{Kernel: "scan", File: "cub", Call: "cub::DeviceScan::InclusiveSum", More: "scans across workgroups", Differs: differingScans},
	{Kernel: "compact", File: "cub", Call: "cub::DeviceSelect::If", More: "compacts across workgroups", Differs: differingSelections},
	{Kernel: "radix", File: "cub", Call: "cub::DeviceRadixSort::SortKeys, 4 bits", More: "sorts across workgroups", Differs: differingSorts},
	{Kernel: "dot", File: "cublas", Call: "cublasSdot", More: "adds the sums of workgroups", Differs: differingTotals},
	{Kernel: "matvec", File: "cublas", Call: "cublasSgemv"},
	{Kernel: "sgemm16", File: "cublas", Call: "cublasSgemm"},
	{Kernel: "sgemm128", File: "cublas", Call: "cublasSgemm"},
	{Kernel: "gemm_batched", File: "cublas", Call: "cublasSgemmStridedBatched"},
	{Kernel: "transpose", File: "cublas", Call: "cublasSgeam"},
}

// libraryOf returns the library call of a kernel, or nil.
func libraryOf(k *Kernel) *Library {
	for n := range Libraries {
		if Libraries[n].Kernel == k.Name {
			return &Libraries[n]
		}
	}
	return nil
}

// suffix is the file extension of the shared libraries.
const suffix = ".so"

// BuildLibrary compiles a file such as cub.cu to a shared library by nvcc, for a machine such as
// sm_90. Further arguments name libraries to link, as -lcublas does.
func BuildLibrary(nvcc, folder, file, machine, out string, libraries ...string) error {
	arguments := []string{"-O3", "-arch=" + machine, "-shared", "-Xcompiler", "-fPIC", "-o", out, filepath.Join(folder, file+".cu")}
	root := filepath.Dir(filepath.Dir(nvcc))
	if real, err := filepath.EvalSymlinks(nvcc); err == nil {
		root = filepath.Dir(filepath.Dir(real))
	}
	// in a toolkit the first, in wheels the other
	for _, name := range [...]string{"lib64", "lib"} {
		path := filepath.Join(root, name)
		arguments = append(arguments, "-L"+path, "-Xlinker", "-rpath="+path)
	}
	if include := filepath.Join(root, "include", "cccl"); isFolder(include) {
		arguments = append(arguments, "-I"+include)
	}
	arguments = append(arguments, libraries...)
	if log, err := exec.Command(nvcc, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("nvcc does not compile %s.cu: %w\n%s", file, err, log)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// openLibraries builds and loads the libraries for a CUDA device. It skips those that are missing;
// Missing returns why.
func (b *Bench) openLibraries(p *openDevice) error {
	b.libraries, b.missing = map[string]*dl.Library{}, nil
	folder := b.options.Libraries
	if folder == "" {
		var err error
		if folder, err = os.MkdirTemp("", "gpuc"); err != nil {
			return err
		}
		defer os.RemoveAll(folder)
	}
	for _, file := range [...]string{"cub", "cublas"} {
		path, err := filepath.Abs(filepath.Join(folder, file+suffix))
		if err == nil && b.options.Libraries == "" {
			if b.options.NVCC == "" {
				err = errors.New("nvcc is not on the path")
			} else {
				err = BuildLibrary(b.options.NVCC, b.options.Folder, file, fmt.Sprintf("sm_%d", p.device.Info().Profile), path)
			}
		}
		if err == nil {
			var l *dl.Library
			if l, err = dl.Open(path); err == nil {
				b.libraries[file] = l
				continue
			}
		}
		b.missing = append(b.missing, fmt.Sprintf("without %s: %v", file, err))
	}
	return nil
}

// Missing returns the missing libraries, each with the reason.
func (b *Bench) Missing() []string { return b.missing }

// libraryRun prepares the library call of a kernel; it returns nil if there is none or the library
// is missing.
func (b *Bench) libraryRun(k *Kernel, work *Work, p *openDevice, m *memory) (*run, error) {
	l := libraryOf(k)
	if l == nil || p.driver != "cuda" || b.libraries[l.File] == nil {
		return nil, nil
	}
	library := b.libraries[l.File]
	function, message := library.Symbol(k.Name), library.Symbol("message")
	if function == 0 || message == 0 {
		return nil, fmt.Errorf("%s%s lacks a function %s or message; it was made of another %s.cu", l.File, suffix, k.Name, l.File)
	}
	words := make([]byte, 0, 8*len(m.bound))
	for n := range work.Buffers {
		words = binary.NativeEndian.AppendUint64(words, uint64(work.Buffers[n].Words))
	}
	immediates := make([]byte, 0, 4*len(work.Immediates)+4)
	for _, word := range work.Immediates {
		immediates = binary.NativeEndian.AppendUint32(immediates, word)
	}
	immediates = append(immediates, 0, 0, 0, 0) // never empty, so that there is an address
	pointers := make([]byte, 8*len(m.bound))
	r := &run{way: Way{Name: l.Call, Device: p.driver}, device: p, memory: m, library: l}
	r.begin = func() error {
		return cudalike.Interop(p.stream, m.bound, func(stream uintptr, addresses []uintptr) error {
			for n, a := range addresses {
				binary.NativeEndian.PutUint64(pointers[8*n:], uint64(a))
			}
			code := uint32(dl.Call4(function, stream, uintptr(dl.First(pointers)), uintptr(dl.First(words)), uintptr(dl.First(immediates))))
			runtime.KeepAlive([][]byte{pointers, words, immediates})
			if code != 0 {
				return fmt.Errorf("%s: %s (%d)", l.Call, dl.GoString(dl.Call1(message, uintptr(code))), int32(code))
			}
			return nil
		})
	}
	return r, nil
}

// start enqueues a launch of the kernel, or the library call.
func (r *run) start() error {
	if r.begin != nil {
		return r.begin()
	}
	return r.device.stream.Launch(&r.launch)
}

// word returns a word of a result.
func word(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }

// differingTotals compares the library's first word with the sum of all words of the kernel.
func differingTotals(k *Kernel, _ *Work, kernels, libraries [][]byte) string {
	sum := 0.0
	for n := range len(kernels[0]) / 4 {
		sum += float64(math.Float32frombits(word(kernels[0], n)))
	}
	got := float64(math.Float32frombits(word(libraries[0], 0)))
	if math.Abs(got-sum) > k.Tolerance*max(math.Abs(sum), 1) {
		return fmt.Sprintf("the sum is %v, and %v by the kernel", got, sum)
	}
	return ""
}

// group is the number of elements of a workgroup of scan, compact and radix.
const group = 256

// differingScans compares the library's sums with the kernel's plus the totals of all workgroups
// before.
func differingScans(_ *Kernel, _ *Work, kernels, libraries [][]byte) string {
	before := uint32(0)
	for n := range len(kernels[0]) / 4 {
		if want, got := before+word(kernels[0], n), word(libraries[0], n); want != got {
			return fmt.Sprintf("sum %d is %d, and %d by the kernel", n, got, want)
		}
		if n%group == group-1 {
			before += word(kernels[1], n/group)
		}
	}
	return ""
}

// differingSelections compares the library's elements with the concatenation of the workgroups'
// elements, and their count.
func differingSelections(_ *Kernel, _ *Work, kernels, libraries [][]byte) string {
	at := 0
	for g := range len(kernels[1]) / 4 {
		for n := range int(word(kernels[1], g)) {
			if want, got := word(kernels[0], g*group+n), word(libraries[0], at); want != got {
				return fmt.Sprintf("element %d is %d, and %d by the kernel", at, got, want)
			}
			at++
		}
	}
	if got := word(libraries[1], 0); int(got) != at {
		return fmt.Sprintf("%d elements are selected, and %d by the kernel", got, at)
	}
	return ""
}

// differingSorts checks that the library's keys are sorted by their digits. For each digit, the
// number and the sum of the keys must be those of the kernel.
func differingSorts(_ *Kernel, work *Work, kernels, libraries [][]byte) string {
	var want, got [16]struct{ count, sum uint64 }
	shift, last := work.Immediates[0], uint32(0)
	for n := range len(libraries[0]) / 4 {
		key, kernels := word(libraries[0], n), word(kernels[0], n)
		digit := key >> shift & 15
		if digit < last {
			return fmt.Sprintf("key %d has digit %d after %d", n, digit, last)
		}
		last = digit
		got[digit].count++
		got[digit].sum += uint64(key)
		want[kernels>>shift&15].sum += uint64(kernels)
	}
	for n := range len(kernels[1]) / 4 {
		want[n%16].count += uint64(word(kernels[1], n))
	}
	if want != got {
		return fmt.Sprintf("the digits have counts and sums %v, and %v by the kernel", got, want)
	}
	return ""
}
