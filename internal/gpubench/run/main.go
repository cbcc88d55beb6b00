// Command run compares gpuc's code with nvcc's: the times of kernels, or their machine code.
//
//	CGO_ENABLED=0 go build -o gpubench ./internal/gpubench/run
//	./gpubench -json times.json            times on all devices, with nvcc if it is on the path
//	./gpubench -json t.json -libraries d   with cub.so and cublas.so of a folder instead of nvcc
//	./gpubench -build-libraries d          builds these libraries for sm_90; needs no device
//	./gpubench -strict                     the cost of strict arithmetic
//	./gpubench -launches                   the host's time for a launch, compared with C's
//	./gpubench -small                      the sizes of tests, for software drivers
//	./gpubench -statistics                 machine code, from stored statistics; needs no device
//	./gpubench -passes                     instructions without each pass; needs ptxas, nvdisasm
//
// It reads the kernels from the working tree, and needs no Go installation.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/gpuc/gpuc/internal/gpubench"
	"github.com/gpuc/gpuc/runtime/driver/cuda"
	"github.com/gpuc/gpuc/runtime/driver/vulkan"
)

func main() {
	var o gpubench.Options
	flag.StringVar(&o.Folder, "kernels", "testdata/benchmarks/gpu", "the folder of the kernels")
	flag.BoolVar(&o.Small, "small", false, "the sizes of tests")
	flag.IntVar(&o.Rounds, "rounds", 9, "measurements of each way")
	flag.BoolVar(&o.Strict, "strict", false, "measure the cost of strict arithmetic")
	flag.BoolVar(&o.Workarounds, "workarounds", false, "measure the cost of the workarounds for driver bugs")
	only := flag.String("only", "", "the names of kernels to measure, separated by commas")
	out := flag.String("json", "", "a file for the results")
	launches := flag.Bool("launches", false, "measure the host's time for a launch, and no kernels")
	statistics := flag.Bool("statistics", false, "print statistics of the machine code")
	flag.StringVar(&o.Libraries, "libraries", "", "a folder with cub.so and cublas.so, instead of building them by nvcc")
	build := flag.String("build-libraries", "", "a folder in which to build cub.so and cublas.so")
	passes := flag.Bool("passes", false, "print statistics of the machine code without each of the passes")
	flag.Parse()
	o.NVCC, _ = exec.LookPath("nvcc")
	err := error(nil)
	switch {
	case *statistics:
		err = table(o.Folder)
	case *build != "":
		err = libraries(o, *build)
	case *passes:
		err = worth(o.Folder)
	case *launches:
		err = gpubench.Launches(os.Stdout, &o, new(cuda.Driver))
	default:
		err = times(o, *only, *out)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

// times runs the kernels.
func times(o gpubench.Options, only, out string) error {
	b, err := gpubench.NewBench(o, new(cuda.Driver), new(vulkan.Driver))
	if err != nil {
		return err
	}
	defer b.Close()
	for _, name := range b.Devices() {
		fmt.Println(name)
	}
	for _, m := range b.Missing() {
		fmt.Println(m)
	}
	if o.NVCC != "" {
		version, err := gpubench.CompilerVersion(o.NVCC)
		if err != nil {
			return err
		}
		fmt.Println(version)
	}
	var results []*gpubench.Result
	wrong := 0
	for n := range gpubench.Kernels {
		k := &gpubench.Kernels[n]
		if only != "" && !slices.Contains(strings.Split(only, ","), k.Name) {
			continue
		}
		start := time.Now()
		r, err := b.Kernel(k, false)
		fmt.Fprintf(os.Stderr, "%s: %.1f s\n", k.Name, time.Since(start).Seconds())
		if err != nil { // the others can still be measured
			fmt.Fprintln(os.Stderr, "run:", err)
			wrong++
			continue
		}
		wrong += r.Wrong()
		results = append(results, r)
	}
	gpubench.Report(os.Stdout, results)
	if out != "" {
		text, err := json.MarshalIndent(results, "", " ")
		if err != nil {
			return err
		}
		if err := os.WriteFile(out, text, 0o666); err != nil {
			return err
		}
	}
	if wrong > 0 {
		return fmt.Errorf("%d results are wrong or missing", wrong)
	}
	return nil
}

// table prints the stored statistics, which the tests compare with.
func table(folder string) error {
	var rows []gpubench.Row
	for _, file := range [...]string{"peers.txt", "machine.txt"} {
		text, err := os.ReadFile(filepath.Join(folder, file))
		if err != nil {
			return err
		}
		more, err := gpubench.Parse(string(text))
		if err != nil {
			return err
		}
		rows = append(rows, more...)
	}
	gpubench.Table(os.Stdout, rows)
	return nil
}

// worth prints the ablation of all passes.
func worth(folder string) error {
	tools, err := gpubench.FindTools()
	if err != nil {
		return err
	}
	list, err := gpubench.Passes(folder, &tools, os.Stderr)
	if err == nil {
		gpubench.WorthTable(os.Stdout, list)
	}
	return err
}

// libraries builds the libraries of the bench by nvcc.
func libraries(o gpubench.Options, folder string) error {
	for _, file := range [...]string{"cub", "cublas"} {
		if err := gpubench.BuildLibrary(o.NVCC, o.Folder, file, gpubench.Profile, filepath.Join(folder, file+".so")); err != nil {
			return err
		}
	}
	return nil
}
