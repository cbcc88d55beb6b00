// Command compile compares compile times: gpuc through front end, all passes and
// SPIR-V against gogpu/naga, which does not optimise, in one process.
//
//	cd testdata/benchmarks/compile && go run . ../../exec/*.wgsl
//
// For each file both compilers run in turn, several rounds; the fastest round of
// each counts. A file that one of them refuses is named and left out of the
// ratio. One file more is made of all that both accept, until it has 5,000 lines.
//
// Absolute times depend on the machine; the ratio is what to look at. Instructions do not: with -alone one of the compilers
// works alone, so that a process of some rounds less one of none is that compiler's (valgrind --tool=callgrind).
package main

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/gogpu/naga"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/spirv"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/opt"
)

var (
	rounds  = flag.Int("rounds", 15, "how often each file is compiled by each compiler")
	sum     = flag.Bool("sum", false, "print the summary only")
	lines   = flag.Int("lines", 5000, "`length` of the large file; 0 leaves it out")
	write   = flag.String("write", "", "write the large file to this `path`")
	fresh   = flag.Bool("new", false, "make a new compiler for each compilation, as a program does that compiles one file")
	alone   = flag.String("alone", "", "compile with `gpuc` or naga alone, -rounds times all files that both accept, and measure nothing")
	profile = flag.String("cpuprofile", "", "write a CPU profile of gpuc alone to this `path`")
)

type compiler struct {
	context opt.Context
}

// result is what came of one file.
type result struct {
	bytes        int // of SPIR-V
	instructions int // of IR as the front end makes it
}

// gpuc compiles every entry point of a file.
func (c *compiler) gpuc(name, text string) (r result, err error) {
	if *fresh {
		c = new(compiler)
	}
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		return r, err
	}
	m, err := frontend.Load(&set, file, frontend.Options{}, &list)
	if err != nil {
		return r, err
	}
	if m != nil {
		for _, f := range m.Funcs {
			r.instructions += f.InstCount() - 1
		}
		for _, k := range m.Kernels() {
			a := codegen.Compile(m, k.Name, &spirv.Target, &codegen.Options{Context: &c.context}, &list)
			if a != nil {
				r.bytes += len(a.Code)
			}
		}
		frontend.Recycle(m)
	}
	if list.Errors() > 0 {
		return r, fmt.Errorf("%s", list.Items()[0].Message)
	}
	return r, nil
}

func peer(text string) (r result, err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("panic: %v", p)
		}
	}()
	code, err := naga.Compile(text)
	return result{bytes: len(code)}, err
}

// measurement is the comparison of one file.
type measurement struct {
	name                string
	lines               int
	ours, theirs        result
	time, theirTime     time.Duration
	err, theirErr       error
	allocations, memory float64 // of gpuc for one compilation once it is warm
}

func (c *compiler) measure(name, text string) measurement {
	m := measurement{name: name, lines: strings.Count(text, "\n"), time: 1 << 62, theirTime: 1 << 62}
	for range *rounds {
		if m.err == nil {
			start := time.Now()
			m.ours, m.err = c.gpuc(name, text)
			m.time = min(m.time, time.Since(start))
		}
		if m.theirErr == nil {
			start := time.Now()
			m.theirs, m.theirErr = peer(text)
			m.theirTime = min(m.theirTime, time.Since(start))
		}
	}
	if m.err != nil {
		return m
	}
	const repeats = 4
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	for range repeats {
		c.gpuc(name, text)
	}
	runtime.ReadMemStats(&after)
	m.allocations = float64(after.Mallocs-before.Mallocs) / repeats
	m.memory = float64(after.TotalAlloc-before.TotalAlloc) / repeats
	return m
}

// work compiles the files that both compilers accept with one of them.
func (c *compiler) work(ours bool, names []string) {
	var texts []string
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		_, err = c.gpuc(name, string(data))
		if _, theirErr := peer(string(data)); err == nil && theirErr == nil {
			texts = append(texts, string(data))
		}
	}
	for range *rounds {
		for _, text := range texts {
			if ours {
				c.gpuc("kernel.wgsl", text)
			} else {
				peer(text)
			}
		}
	}
}

func (m *measurement) print() {
	switch {
	case m.err != nil:
		fmt.Printf("%-28s gpuc refuses: %v\n", m.name, m.err)
		return
	case m.theirErr != nil:
		fmt.Printf("%-28s gpuc %7.0f µs; naga refuses: %s\n", m.name, micro(m.time), firstLine(m.theirErr))
		return
	}
	fmt.Printf("%-28s gpuc %7.0f µs %6d B %4.0f allocations %5d instructions; naga %7.0f µs %6d B; speed %.2f of naga's\n",
		m.name, micro(m.time), m.ours.bytes, m.allocations, m.ours.instructions, micro(m.theirTime), m.theirs.bytes, m.speed())
}

// speed is how many times as fast as naga gpuc is.
func (m *measurement) speed() float64 { return float64(m.theirTime) / float64(m.time) }

func main() {
	flag.Parse()
	var c compiler
	if *alone != "" {
		c.work(*alone == "gpuc", flag.Args())
		return
	}
	var total measurement
	var ratios []float64
	var texts []string // that both accept
	for _, name := range flag.Args() {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		m := c.measure(filepath.Base(name), string(data))
		if !*sum {
			m.print()
		}
		if m.err != nil || m.theirErr != nil {
			continue
		}
		texts = append(texts, string(data))
		total.add(&m)
		ratios = append(ratios, m.speed())
	}
	if len(texts) == 0 {
		return
	}
	slices.Sort(ratios)
	fmt.Printf("\n%d files: ", len(ratios))
	total.summary()
	fmt.Printf("median speed %.2f of naga's, worst %.2f\n", ratios[len(ratios)/2], ratios[0])
	fmt.Printf("gpuc once warm: %.1f allocations and %.1f KiB a file\n",
		total.allocations/float64(len(ratios)), total.memory/1024/float64(len(ratios)))
	if *lines > 0 {
		text := large(texts, *lines)
		if *write != "" {
			if err := os.WriteFile(*write, []byte(text), 0o666); err != nil {
				fmt.Fprintln(os.Stderr, err)
				os.Exit(1)
			}
		}
		m := c.measure("large.wgsl", text)
		if m.err != nil || m.theirErr != nil {
			m.print()
		} else {
			fmt.Printf("1 large file: ")
			m.summary()
		}
	}
	if *profile != "" {
		c.profile(texts)
	}
}

func (m *measurement) add(o *measurement) {
	m.lines += o.lines
	m.time, m.theirTime = m.time+o.time, m.theirTime+o.theirTime
	m.ours.bytes, m.theirs.bytes = m.ours.bytes+o.ours.bytes, m.theirs.bytes+o.theirs.bytes
	m.ours.instructions += o.ours.instructions
	m.allocations, m.memory = m.allocations+o.allocations, m.memory+o.memory
}

func (m *measurement) summary() {
	fmt.Printf("%d lines, gpuc %.0f k lines/s, naga %.0f k lines/s, speed %.2f of naga's; SPIR-V %d against %d bytes; %.3f allocations an IR instruction (%d)\n",
		m.lines, rate(m.lines, m.time), rate(m.lines, m.theirTime), m.speed(), m.ours.bytes, m.theirs.bytes,
		m.allocations/float64(m.ours.instructions), m.ours.instructions)
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func rate(lines int, d time.Duration) float64 { return float64(lines) / d.Seconds() / 1e3 }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line[:min(len(line), 80)]
}
