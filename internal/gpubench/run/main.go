// Command run compares gpuc's code with nvcc's.
//
//	go run ./internal/gpubench/run -statistics      what the machine code consists of, from the files of the tests
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"

	"github.com/gpuc/gpuc/internal/gpubench"
)

func main() {
	folder := flag.String("kernels", "testdata/benchmarks/gpu", "where the kernels are")
	statistics := flag.Bool("statistics", false, "print what the machine code consists of")
	flag.Parse()
	err := error(nil)
	if *statistics {
		err = table(*folder)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

// table prints the statistics that the tests hold.
func table(folder string) error {
	var rows []gpubench.Row
	for _, file := range [...]string{"nvcc.txt", "machine.txt"} {
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
