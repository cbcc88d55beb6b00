// Command run tests random kernels in Go by hand, for hours if need be:
//
//	go run ./internal/gofuzz/run -ways cpu,spirv,ptx -packages 50 -kernels 200
//
// With -tiles kernels compute with tiles, and an evaluator says what they leave. They also run as
// plain Go, with -race under the race detector.
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
	ofTiles := flag.Bool("tiles", false, "kernels that compute with tiles, a seed for each")
	race := flag.Bool("race", false, "run kernels with tiles under the race detector")
	workers := flag.Int("workers", 2, "how many processes run kernels")
	silence := flag.Duration("silence", time.Minute, "how long one kernel may take")
	written := flag.String("write", "", "a file that takes the cases, which are not run")
	flag.Parse()
	cases := func(folder string, number uint64) ([]difftest.Case, error) {
		if *ofTiles {
			return tileCases(folder, *seed+number*uint64(*kernels), uint64(*kernels), *race)
		}
		return gofuzz.Cases(folder, *seed+number, *kernels, *doubles)
	}
	o := campaign.Options{Ways: strings.Split(*ways, ","), Configurations: 1, Texts: strings.Fields(*configurations), Workers: *workers, Silence: *silence}
	if err := run(cases, *packages, o, *written); err != nil {
		fmt.Fprintln(os.Stderr, "run:", err)
		os.Exit(1)
	}
}

// tileCases returns cases of kernels with tiles, and prints those that are wrong as plain Go.
func tileCases(folder string, seed, kernels uint64, race bool) ([]difftest.Case, error) {
	t, err := gofuzz.NewTiles(folder, seed, kernels)
	if err != nil {
		return nil, err
	}
	wrong, err := t.Plain(race)
	if err != nil {
		return nil, err
	}
	cases, err := t.Cases()
	if err == nil && len(wrong) > 0 {
		err = fmt.Errorf("plain Go: %s", strings.Join(wrong, "\n"))
	}
	return cases, err
}

// run makes the cases of packages, by their numbers, and runs them.
func run(makeCases func(folder string, number uint64) ([]difftest.Case, error), packages int, o campaign.Options, written string) error {
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
	var total campaign.Report
	for n := range packages {
		cases, err := makeCases(folder, uint64(n))
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
		o.File, o.Count = file, uint64(len(cases))
		r, err := campaign.Run(o)
		if err != nil {
			return err
		}
		for k := range r.Failures {
			f := &r.Failures[k]
			fmt.Printf("%s  %s  %s  %s\n", cases[f.Seed].Name, f.Way, f.Configuration, f.Message)
		}
		total.Add(r)
		fmt.Printf("package %d: %d kernels in %d executions so far, %d failures\n", n+1, total.Programs, total.Executions, len(total.Failures))
	}
	if written != "" {
		return save(written, all)
	}
	total.Ways.Write(os.Stdout)
	if len(total.Failures) > 0 {
		return fmt.Errorf("%d failures", len(total.Failures))
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
