// Command run is a campaign of differential tests by hand, for hours if need be:
//
//	go run ./internal/difftest/run -ways cpu,spirv,ptx -count 200000
//
// Built with CGO_ENABLED=0 it needs no Go where it runs, so that one file takes the
// campaign to a machine with a GPU:
//
//	run -ways cuda,vulkan -count 20000 -out failures
//
// Given files of cases as arguments, it runs those instead of generated programs. With -write it
// runs nothing and writes such a file, for other implementations (internal/difftest/dawn).
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/difftest/campaign"
)

func main() {
	campaign.Serve()
	o := campaign.Options{Progress: os.Stdout}
	ways := flag.String("ways", "cpu,cpu:checked,spirv,ptx", "who runs the programs: emulators (spirv, ptx), wgsl, which is read back, and devices by name")
	flag.Uint64Var(&o.First, "seed", 1, "the first seed")
	flag.Uint64Var(&o.Count, "count", 1000, "how many seeds")
	flag.IntVar(&o.Configurations, "configurations", 2, "in how many ways each program is compiled")
	flag.IntVar(&o.Workers, "workers", runtime.NumCPU(), "how many processes run programs")
	worker := flag.String("worker", "", "the command that runs a worker, if not this program: as in \"qemu-aarch64-static run.arm64\"")
	flag.DurationVar(&o.Limit, "limit", 0, "end after this time; 0 runs all seeds")
	flag.DurationVar(&o.Silence, "silence", 30*time.Second, "how long one program may take")
	flag.IntVar(&o.Reduced, "reduce", 3, "how many failures of each way and kind are reduced")
	flag.DurationVar(&o.Patience, "patience", 60*time.Second, "how long one reduction may take")
	flag.StringVar(&o.Folder, "out", "", "a folder for reduced programs")
	flag.StringVar(&o.Family, "family", "", "small programs of one kind instead of whole ones: "+families())
	flag.StringVar(&o.Containing, "containing", "", "run only programs with this text, as in \"textureStore\"")
	counts := flag.Bool("counts", false, "say of each way what it ran, what it left out, and what the CPU device executed in a lower tier")
	configuration := flag.String("configuration", "", "how all programs are compiled, as in \"robust,wgsl off,fast,-O0\", instead of -configurations")
	written := flag.String("write", "", "a file that takes the cases of the seeds, which are not run")
	flag.Parse()
	if *written != "" {
		if err := write(*written, o.Family, o.First, o.Count); err != nil {
			fail(err)
		}
		return
	}
	o.Texts = strings.Fields(*configuration)
	o.Ways, o.Worker = strings.Split(*ways, ","), strings.Fields(*worker)
	if o.Folder != "" {
		if err := os.MkdirAll(o.Folder, 0o755); err != nil {
			fail(err)
		}
	}
	if flag.NArg() > 0 {
		files(o, flag.Args(), *counts)
		return
	}
	r, err := campaign.Run(o)
	for n := range r.Failures {
		if f := &r.Failures[n]; f.ReducedCode != "" {
			fmt.Printf("\n%s\n%s\n", f, f.ReducedCode)
		}
	}
	if *counts {
		r.Ways.Write(os.Stdout)
	}
	fmt.Printf("%d programs in %d executions, %d discarded, %d failures\n", r.Programs, r.Executions, r.Discarded, len(r.Failures))
	if err != nil {
		fail(err)
	}
	if len(r.Failures) > 0 {
		os.Exit(1)
	}
}

// families lists the families.
func families() string {
	var list []string
	for _, f := range difftest.Families {
		list = append(list, f.Name+" ("+f.Doc+")")
	}
	return strings.Join(list, ", ")
}

// files runs the cases of files, and prints what each way did if counts is set.
func files(o campaign.Options, names []string, counts bool) {
	o.Progress = nil
	if len(o.Texts) == 0 {
		o.Texts = []string{"robust,wgsl", "robust,wgsl,-O0", "robust,strict", "robust,fast"}
	}
	wrong := false
	for _, name := range names {
		cases, err := campaign.ReadCases(name)
		if err != nil {
			fail(err)
		}
		o.File, o.First, o.Count = name, 0, uint64(len(cases))
		r, err := campaign.Run(o)
		if err != nil {
			fail(err)
		}
		for n := range r.Failures {
			f := &r.Failures[n]
			fmt.Printf("%s  %s  %s  %s\n", cases[f.Seed].Name, f.Way, f.Configuration, f.Message)
		}
		if counts {
			r.Ways.Write(os.Stdout)
		}
		wrong = wrong || len(r.Failures) > 0
		fmt.Printf("%s: %d cases in %d executions, %d failures\n", name, r.Programs, r.Executions, len(r.Failures))
	}
	if wrong {
		os.Exit(1)
	}
}

// write puts the cases of count seeds into a file that files reads, without the programs that the
// evaluator does not run to an end.
func write(file, family string, first, count uint64) error {
	cases := []*difftest.Case{}
	for seed := first; seed < first+count; seed++ {
		for _, f := range difftest.Families {
			if f.Name == family {
				cases = append(cases, f.Case(seed))
			}
		}
		if family != "" {
			continue
		}
		if c, err := difftest.Generate(seed).Case(); err == nil {
			cases = append(cases, c)
		}
	}
	return save(file, cases)
}

func save(file string, cases []*difftest.Case) error {
	data, err := json.Marshal(cases)
	if err != nil {
		return err
	}
	return os.WriteFile(file, data, 0o644)
}

func fail(err error) {
	fmt.Fprintln(os.Stderr, "run:", err)
	os.Exit(2)
}
