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

// This file has what people call instead of writing a kernel: NVIDIA's CUB and cuBLAS, for the
// kernels that they have something for. It runs on the same stream and memory as the other ways,
// and takes its turn with them. The libraries are reached through files in CUDA C (cub.cu,
// cublas.cu) that nvcc makes shared libraries of.
//
// Some do more than the kernel, whose workgroups work alone: CUB sums, scans, compacts and sorts
// all of the input together. Their results are held against what follows from the kernel's.

// Library is what a library has for a kernel.
type Library struct {
	Kernel string
	File   string // cub or cublas; the function in it has the kernel's name
	Call   string // what it calls
	More   string // what it does that the kernel does not, ""
	// Differs says how its results differ from what follows from the kernel's, "" if they do not;
	// nil compares them as those of the other ways.
	Differs func(k *Kernel, work *Work, kernels, libraries [][]byte) string
}

// Libraries are those that there are, at most one for each kernel.
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

// libraryOf returns what a library has for a kernel, or nil.
func libraryOf(k *Kernel) *Library {
	for n := range Libraries {
		if Libraries[n].Kernel == k.Name {
			return &Libraries[n]
		}
	}
	return nil
}

// suffix ends the names of the shared libraries.
const suffix = ".so"

// BuildLibrary has nvcc make a shared library of cub.cu or cublas.cu, for a machine such as sm_90.
func BuildLibrary(nvcc, folder, file, machine, out string) error {
	arguments := []string{"-O3", "-arch=" + machine, "-shared", "-Xcompiler", "-fPIC", "-o", out, filepath.Join(folder, file+".cu")}
	root := filepath.Dir(filepath.Dir(nvcc))
	if real, err := filepath.EvalSymlinks(nvcc); err == nil {
		root = filepath.Dir(filepath.Dir(real))
	}
	for _, name := range [...]string{"lib64", "lib"} { // a toolkit has the first, wheels the other
		path := filepath.Join(root, name)
		arguments = append(arguments, "-L"+path, "-Xlinker", "-rpath="+path)
	}
	if include := filepath.Join(root, "include", "cccl"); isFolder(include) {
		arguments = append(arguments, "-I"+include)
	}
	if log, err := exec.Command(nvcc, arguments...).CombinedOutput(); err != nil {
		return fmt.Errorf("nvcc does not take %s.cu: %w\n%s", file, err, log)
	}
	return nil
}

func isFolder(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.IsDir()
}

// openLibraries makes and opens the libraries for a device of CUDA's. What is missing is left out,
// and Missing says why.
func (b *Bench) openLibraries(p *place) error {
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

// Missing says which libraries there are not, and why.
func (b *Bench) Missing() []string { return b.missing }

// libraryRun prepares what a library has for a kernel; nil if there is none, or it is not here.
func (b *Bench) libraryRun(k *Kernel, work *Work, p *place, m *memory) (*run, error) {
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
	immediates = append(immediates, 0, 0, 0, 0) // there is always something to point to
	places := make([]byte, 8*len(m.bound))
	r := &run{way: Way{Name: l.Call, Device: p.driver}, place: p, memory: m, library: l}
	r.begin = func() error {
		return cudalike.Interop(p.stream, m.bound, func(stream uintptr, addresses []uintptr) error {
			for n, a := range addresses {
				binary.NativeEndian.PutUint64(places[8*n:], uint64(a))
			}
			code := uint32(dl.Call4(function, stream, uintptr(dl.First(places)), uintptr(dl.First(words)), uintptr(dl.First(immediates))))
			runtime.KeepAlive([][]byte{places, words, immediates})
			if code != 0 {
				return fmt.Errorf("%s: %s (%d)", l.Call, dl.GoString(dl.Call1(message, uintptr(code))), int32(code))
			}
			return nil
		})
	}
	return r, nil
}

// start enqueues what a run does once.
func (r *run) start() error {
	if r.begin != nil {
		return r.begin()
	}
	return r.place.stream.Launch(&r.launch)
}

// word reads a result as a number.
func word(data []byte, n int) uint32 { return binary.LittleEndian.Uint32(data[4*n:]) }

// differingTotals: the library's first number is the sum of all of the kernel's.
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

// group is how many elements a workgroup of scan, compact and radix has.
const group = 256

// differingScans: the library's sums are the kernel's, and the sums of all workgroups before.
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

// differingSelections: the library has the kernel's elements one behind the other, and their
// number.
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

// differingSorts: the library's keys are in the order of their digits, of which there are as many
// as the kernel counts, and keys with equal digits have the sum that the kernel's have.
func differingSorts(_ *Kernel, work *Work, kernels, libraries [][]byte) string {
	var want, got [16]struct{ count, sum uint64 }
	shift, last := work.Immediates[0], uint32(0)
	for n := range len(libraries[0]) / 4 {
		key, kernels := word(libraries[0], n), word(kernels[0], n)
		digit := key >> shift & 15
		if digit < last {
			return fmt.Sprintf("key %d has digit %d behind %d", n, digit, last)
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
