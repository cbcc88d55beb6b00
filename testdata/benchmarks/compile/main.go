// Command compile compares compile times: gpuc through front end, all passes and
// SPIR-V against gogpu/naga, which does not optimise, in one process.
//
//	cd testdata/benchmarks/compile && go run . ../../exec/*.wgsl
//
// For each file both compilers run in turn, several rounds; the fastest round
// counts. A file that one of them refuses is named and left out of the ratio.
package main

import (
	"fmt"
	"os"
	"path/filepath"
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

// rounds is how often each file is compiled by each compiler.
const rounds = 15

type compiler struct {
	loader  frontend.Loader
	context opt.Context
}

// gpuc compiles every entry point of a file.
func (c *compiler) gpuc(name, text string) (bytes int, err error) {
	var set source.Set
	var list diag.List
	file, err := set.Add(name, text)
	if err != nil {
		return 0, err
	}
	m, err := c.loader.Load(&set, file, frontend.Options{}, &list)
	if err != nil {
		return 0, err
	}
	if m != nil {
		for _, k := range m.Kernels() {
			a := codegen.Compile(m, k.Name, &spirv.Target, &codegen.Options{Context: &c.context}, &list)
			if a != nil {
				bytes += len(a.Code)
			}
		}
	}
	if list.Errors() > 0 {
		return 0, fmt.Errorf("%s", list.Items()[0].Message)
	}
	return bytes, nil
}

func peer(text string) (bytes int, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	code, err := naga.Compile(text)
	return len(code), err
}

func fastest(run func() (int, error)) (time.Duration, int, error) {
	best := time.Duration(1 << 62)
	size := 0
	for range rounds {
		start := time.Now()
		n, err := run()
		if err != nil {
			return 0, 0, err
		}
		best, size = min(best, time.Since(start)), n
	}
	return best, size, nil
}

func main() {
	var c compiler
	var total [2]time.Duration
	var bytes [2]int
	var ratios []float64
	lines, files := 0, 0
	for _, name := range os.Args[1:] {
		data, err := os.ReadFile(name)
		if err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		text := string(data)
		ours, ourBytes, err := fastest(func() (int, error) { return c.gpuc(filepath.Base(name), text) })
		theirs, theirBytes, theirErr := fastest(func() (int, error) { return peer(text) })
		switch {
		case err != nil:
			fmt.Printf("%-28s gpuc refuses: %v\n", filepath.Base(name), err)
			continue
		case theirErr != nil:
			fmt.Printf("%-28s gpuc %7.0f µs; naga refuses: %s\n", filepath.Base(name), micro(ours), firstLine(theirErr))
			continue
		}
		files++
		lines += strings.Count(text, "\n")
		total[0], total[1] = total[0]+ours, total[1]+theirs
		bytes[0], bytes[1] = bytes[0]+ourBytes, bytes[1]+theirBytes
		ratios = append(ratios, float64(theirs)/float64(ours))
		fmt.Printf("%-28s gpuc %7.0f µs %6d B; naga %7.0f µs %6d B; speed %.2f of naga's\n",
			filepath.Base(name), micro(ours), ourBytes, micro(theirs), theirBytes, float64(theirs)/float64(ours))
	}
	if files == 0 {
		return
	}
	slices.Sort(ratios)
	fmt.Printf("\n%d files, %d lines: gpuc %.0f k lines/s, naga %.0f k lines/s, speed %.2f of naga's in all, %.2f in the median; SPIR-V %d against %d bytes\n",
		files, lines, rate(lines, total[0]), rate(lines, total[1]), float64(total[1])/float64(total[0]), ratios[len(ratios)/2], bytes[0], bytes[1])
}

func micro(d time.Duration) float64 { return float64(d.Nanoseconds()) / 1e3 }

func rate(lines int, d time.Duration) float64 { return float64(lines) / d.Seconds() / 1e3 }

func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line[:min(len(line), 80)]
}
