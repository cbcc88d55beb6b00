package gpubench

import (
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gpuc/gpuc/runtime/driver"
)

// launchCount is the number of launches in a measurement, in launch.cu too.
const launchCount = 20000

// Launches measures the host's time for a launch, in Go and in C (launch.cu), and writes both. It
// alternates between them and reports medians. The launches are asynchronous.
func Launches(w io.Writer, o *Options, d driver.Driver) error {
	folder, err := os.MkdirTemp("", "gpuc")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	program := filepath.Join(folder, "launch")
	if log, err := exec.Command(o.NVCC, "-O3", "-o", program, filepath.Join(o.Folder, "launch.cu")).CombinedOutput(); err != nil {
		return fmt.Errorf("nvcc does not compile launch.cu: %w\n%s", err, log)
	}
	b, err := NewBench(*o, d)
	if err != nil {
		return err
	}
	defer b.Close()
	if len(b.devices) == 0 {
		return fmt.Errorf("there is no device of %s", d.Name())
	}
	p := b.devices[0]
	artefact, err := b.compile(&Kernels[0], Way{}, p)
	if err != nil {
		return err
	}
	loaded, err := p.device.Load(artefact)
	if err != nil {
		return err
	}
	launch := driver.Launch{Kernel: loaded, Grid: [3]uint32{1, 1, 1}}
	for range artefact.Kernel.Bindings {
		m, err := p.device.Alloc(256)
		if err != nil {
			return err
		}
		launch.Bindings = append(launch.Bindings, driver.Slice{Memory: m, Bytes: 256})
	}
	many := func() error {
		for range launchCount {
			if err := p.stream.Launch(&launch); err != nil {
				return err
			}
		}
		return nil
	}
	var inGo, inC []float64
	for range 7 {
		text, err := exec.Command(program, strconv.Itoa(launchCount)).Output()
		if err != nil {
			return fmt.Errorf("launch.cu: %w", err)
		}
		seconds, err := strconv.ParseFloat(strings.TrimSpace(string(text)), 64)
		if err != nil {
			return err
		}
		inC = append(inC, seconds)
		start := time.Now()
		if err := many(); err != nil {
			return err
		}
		inGo = append(inGo, time.Since(start).Seconds()/launchCount)
		if err := p.stream.Wait(context.Background()); err != nil {
			return err
		}
	}
	slices.Sort(inGo)
	slices.Sort(inC)
	_, err = fmt.Fprintf(w, "launch: C %.0f ns, Go %.0f ns\n", 1e9*inC[len(inC)/2], 1e9*inGo[len(inGo)/2])
	return err
}
