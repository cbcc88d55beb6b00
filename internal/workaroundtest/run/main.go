// Command run reports which workarounds a device needs. It runs the programs of package
// workaroundtest with each row's rewrite and without it. Built with CGO_ENABLED=0 it needs no Go
// installation on the machine with the device:
//
//	CGO_ENABLED=0 go build -o workarounds ./internal/workaroundtest/run
//	workarounds -device vulkan:0
//	workarounds -device cuda:0 -rows ptxas-lop3,ptxas-abs -v
//
// The exit status is 1 if a program has wrong results with the rewrite, and 2 if it cannot run.
package main

import (
	"flag"
	"fmt"
	"os"
	"slices"
	"strings"

	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/internal/workaroundtest"
)

func main() {
	workaroundtest.Serve()
	var o workaroundtest.Options
	flag.StringVar(&o.Device, "device", "vulkan:0", "the device, as package gpu names it")
	flag.StringVar(&o.Folder, "programs", "", "a folder of programs, instead of the built-in ones")
	rows := flag.String("rows", "", "the rows to try, separated by commas; by default those of the device's compiler")
	flag.BoolVar(&o.All, "all", false, "try all rows of the device's target, for any compiler")
	flag.IntVar(&o.Workers, "workers", 0, "the number of parallel processes; 0 for one per processor")
	flag.DurationVar(&o.Limit, "limit", 0, "the time limit of one program; 0 for 30 s")
	verbose := flag.Bool("v", false, "print a line for each program and level")
	flag.Parse()
	if *verbose {
		o.Progress = os.Stderr
	}
	if *rows != "" {
		for _, name := range strings.Split(*rows, ",") {
			n := slices.IndexFunc(workaround.Table[:], func(r workaround.Row) bool { return r.Name == name })
			if n < 0 {
				fail(fmt.Errorf("there is no workaround %q", name))
			}
			o.Rows = append(o.Rows, workaround.ID(n))
		}
	}
	r, err := workaroundtest.Run(o)
	if err != nil {
		fail(err)
	}
	r.Write(os.Stdout)
	if r.Broken() {
		os.Exit(1)
	}
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "run:", err)
	os.Exit(2)
}
