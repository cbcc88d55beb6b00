// Command run compares the executors of kernels on a processor, see package cpubench.
//
//	go run ./internal/cpubench/run                         the CPU device's tiers, Go, Vulkan
//	go run ./internal/cpubench/run -only gemm -rounds 9
//	go run ./internal/cpubench/run -exec                   the exec kernels, and Vulkan
//	go run ./internal/cpubench/run -stress 10m             the highest tier during collections
package main

import (
	"flag"
	"fmt"
	"os"
	"strings"

	"github.com/gpuc/gpuc/internal/cpubench"
)

func main() {
	var o cpubench.Options
	flag.StringVar(&o.Folder, "kernels", "testdata/benchmarks/cpu", "where the kernels are")
	flag.IntVar(&o.Rounds, "rounds", 5, "measurements of each way")
	flag.BoolVar(&o.Small, "small", false, "the sizes of tests")
	flag.BoolVar(&o.Interpreter, "interpreter", false, "measure the interpreter, too, which takes minutes")
	only := flag.String("only", "", "some kernels, by their names with commas between")
	ways := flag.String("ways", "", "some ways, by their names with commas between")
	stress := flag.Duration("stress", 0, "compare results for so long, with collections and the profiler, and measure nothing but how long collections wait")
	plain := flag.Bool("plain", false, "with -stress, Go loops that compute the same, and no kernel: what collections wait then, the machine has them wait")
	exec := flag.Bool("exec", false, "time the exec kernels, beside the first Vulkan")
	flag.Parse()
	if *only != "" {
		o.Only = strings.Split(*only, ",")
	}
	if *ways != "" {
		o.Ways = strings.Split(*ways, ",")
	}
	err := error(nil)
	switch {
	case *stress > 0:
		err = cpubench.Stress(os.Stdout, o.Folder, 8, *stress, *plain)
	case *exec:
		err = cpubench.Exec(os.Stdout, ".", &o)
	default:
		err = cpubench.Run(os.Stdout, &o)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}
