// Command run tests random kernels in Go by hand, for hours if need be:
//
//	go run ./internal/gofuzz/run -ways cpu,spirv,ptx -packages 50 -kernels 200
//
// With -write it runs nothing and writes the cases, which internal/difftest/run runs where there is
// a GPU and no Go.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
	"github.com/gpuc/gpuc/internal/gofuzz"
)

func main() {
	campaign.Serve()
	seed := flag.Uint64("seed", 1, "the seed of the first package")
	packages := flag.Int("packages", 10, "how many packages")
	kernels := flag.Int("kernels", 200, "how many kernels each has")
	ways := flag.String("ways", "cpu,spirv,ptx", "who runs the kernels: emulators (spirv, ptx) and devices by name")
	doubles := flag.Bool("doubles", true, "whether kernels have numbers of type float64")
	configurations := flag.String("configurations", "robust,wgsl robust,wgsl,-O0", "how they are compiled")
	written := flag.String("write", "", "a file that takes the cases, which are not run")
	flag.Parse()
	if err := run(*seed, *packages, *kernels, *ways, *configurations, *written, *doubles); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

func run(seed uint64, packages, kernels int, ways, configurations, written string, doubles bool) error {
	repository, err := os.Getwd()
	if err != nil {
		return err
	}
	folder, err := os.MkdirTemp("", "gofuzz")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	if err := gofuzz.Workspace(folder, repository); err != nil {
		return err
	}
	var all []difftest.Case
	programs, executions, failures := uint64(0), uint64(0), 0
	for n := range packages {
		cases, err := gofuzz.Cases(folder, seed+uint64(n), kernels, doubles)
		if err != nil {
			return err
		}
		if written != "" {
			all = append(all, cases...)
			continue
		}
		file := filepath.Join(folder, "cases.json")
		if err := save(file, cases); err != nil {
			return err
		}
		r, err := campaign.Run(campaign.Options{Ways: strings.Split(ways, ","), File: file, Count: uint64(len(cases)), Configurations: 1,
			Texts: strings.Fields(configurations), Workers: 2, Silence: time.Minute})
		if err != nil {
			return err
		}
		for k := range r.Failures {
			f := &r.Failures[k]
			fmt.Printf("%s  %s  %s  %s\n", cases[f.Seed].Name, f.Way, f.Configuration, f.Message)
		}
		programs, executions, failures = programs+r.Programs, executions+r.Executions, failures+len(r.Failures)
		fmt.Printf("seed %d: %d kernels in %d executions so far, %d failures\n", seed+uint64(n), programs, executions, failures)
	}
	if written != "" {
		return save(written, all)
	}
	if failures > 0 {
		return fmt.Errorf("%d failures", failures)
	}
	return nil
}

func save(file string, cases []difftest.Case) error {
	data, err := json.Marshal(cases)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}
