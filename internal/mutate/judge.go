package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/internal/mutate/mutant"
)

// This file judges mutations: it builds the tests once, with all mutations in them,
// and runs them with one on.

// judge is a program that fails if what it runs is wrong.
type judge struct {
	pack      string // that it is built of, relative to the module
	command   bool   // it is no test
	arguments []string

	path, folder string
	// failures are those without a mutation.
	failures map[string]bool
	limit    time.Duration
}

// nets are the judges of all mutations, those that find most and take least first: a campaign, the
// tests of the mutated package, and the tests of other packages. What asks validators and devices,
// and what is about time and memory, is left out, for it takes longer than all else together.
func nets(programs int) []*judge {
	without := func(tests string) []string { return append([]string{"-test.skip", tests}, quick...) }
	return []*judge{
		{pack: "internal/difftest/run", command: true, arguments: []string{"-ways", "cpu,spirv,ptx", "-count", strconv.Itoa(programs),
			"-reduce", "0", "-workers", "1", "-silence", "20s"}},
		{pack: "internal/emulate/spirv", arguments: quick},
		{pack: "internal/exectest", arguments: quick},
		{pack: "codegen/all", arguments: without("OnDevices|IsValid|Judges|Hostile|Peak")},
		{pack: "codegen/spirv", arguments: without("OnDevices|AreValid|Regular|Texture|Storage")},
		{pack: "codegen/ptx", arguments: without("Regular")},
	}
}

var quick = []string{"-test.short"}

// build builds a judge with an overlay.
func (j *judge) build(root, overlay, folder string) error {
	j.folder = filepath.Join(root, filepath.FromSlash(j.pack))
	j.path = filepath.Join(folder, strings.ReplaceAll(j.pack, "/", "-")+".exe")
	if _, err := os.Stat(j.path); err == nil {
		return nil // another judge is the same program
	}
	arguments := []string{"test", "-c"}
	if j.command {
		arguments = []string{"build"}
	}
	build := exec.Command("go", append(arguments, "-overlay", overlay, "-o", j.path, "./"+j.pack)...)
	build.Dir = root
	if out, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("%s with mutations does not compile: %w\n%s", j.pack, err, out)
	}
	if _, err := os.Stat(j.path); err != nil {
		return fmt.Errorf("%s has no tests", j.pack)
	}
	return nil
}

// measure runs a judge without a mutation: what fails then is not the mutations' fault.
func (j *judge) measure() error {
	start := time.Now()
	j.failures = nil
	j.limit = 10 * time.Minute
	failures := map[string]bool{}
	if verdict, out := j.run(0, failures); verdict != "" && len(failures) == 0 {
		return fmt.Errorf("%s does not run without a mutation: %s\n%s", j.pack, verdict, out)
	}
	j.failures = failures
	// a mutation that does not end must be told from a busy machine
	j.limit = 10*time.Since(start) + 20*time.Second
	return nil
}

// failure matches what judges print of a failure: a campaign's lines name the seed and
// the way that failed, those of tests the test.
var failure = regexp.MustCompile(`^(seed \d+  \S+|\s*--- FAIL: \S+)`)

// run runs a judge with a mutation on and says how it finds it wrong, or nothing. It
// ends at the first failure that is not known, unless it is given a set: then it adds
// all failures to that.
func (j *judge) run(number int, failures map[string]bool) (verdict, out string) {
	ctx, cancel := context.WithTimeout(context.Background(), j.limit)
	defer cancel()
	// A mutation that allocates without end must not take the machine with it.
	const script = `ulimit -v 12000000; exec "$0" "$@"`
	c := exec.CommandContext(ctx, "sh", append([]string{"-c", script, j.path}, j.arguments...)...)
	c.Dir = j.folder
	c.Env = append(os.Environ(), mutant.Variable+"="+strconv.Itoa(number))
	alone(c)
	read, write := io.Pipe()
	c.Stdout, c.Stderr = write, write
	c.WaitDelay = 10 * time.Second
	if err := c.Start(); err != nil {
		return err.Error(), ""
	}
	ended := make(chan error, 1)
	go func() {
		ended <- c.Wait()
		write.Close()
	}()
	var text strings.Builder
	first, seen := "", false // the first new failure; whether known ones were seen
	for lines := bufio.NewReader(read); ; {
		line, err := lines.ReadString('\n')
		if name := strings.TrimSpace(failure.FindString(line)); name != "" {
			if failures != nil {
				failures[name] = true
			}
			if j.failures[name] {
				seen = true
			} else if first == "" {
				first = strings.TrimPrefix(name, "--- FAIL: ")
				if failures == nil {
					cancel()
				}
			}
		}
		if text.Len() < 1<<16 {
			text.WriteString(line)
		}
		if err != nil {
			break
		}
	}
	err := <-ended
	var status *exec.ExitError
	switch {
	case first != "":
		return first, text.String()
	case errors.Is(ctx.Err(), context.DeadlineExceeded):
		return "no end", text.String()
	case errors.As(err, &status) && seen && status.ExitCode() == 1:
		return "", ""
	case err != nil:
		return err.Error(), text.String()
	}
	return "", ""
}
