package main

import (
	"fmt"
	"strings"
	"time"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/runtime/kernelcache"
)

var cacheCommand = cli.Command{
	Name:    "cache",
	Run:     runCache,
	Summary: "show or remove the compiled kernels on disk",
	Help: `
Lists the kernels that drivers have compiled and that programs keep for their next start: driver,
size, last use, entry point and device. They are in the folder gpuc of the user's cache folder, or
in the one that the environment variable GPUC_CACHE names, an absolute path; GPUC_CACHE=off turns
the cache off. The kernels that were not used for longest are removed when all of them have more
than 256 MiB.

  gpuc cache
  gpuc cache -clear
`,
}

// cacheResults are the results of gpuc cache for -json.
type cacheResults struct {
	Folder  string            `json:"folder"` // "" if the cache is off
	Limit   int64             `json:"limit"`  // bytes
	Bytes   int64             `json:"bytes"`
	Kernels []cacheKernelForm `json:"kernels"` // the last used first; with -clear, what is left
	Removed *cacheRemovedForm `json:"removed,omitempty"`
}

type cacheKernelForm struct {
	Driver  string `json:"driver"`
	Device  string `json:"device"`
	Kernel  string `json:"kernel"`
	Bytes   int64  `json:"bytes"`
	Used    string `json:"used"` // the day of the last use, as 2006-01-02
	Damaged bool   `json:"damaged,omitempty"`
}

type cacheRemovedForm struct {
	Kernels int   `json:"kernels"`
	Bytes   int64 `json:"bytes"`
}

func runCache(e *cli.Env, args []string) error {
	f := e.NewFlags()
	clearing := f.Bool("clear", false, "remove them")
	if err := e.ParseFlags(f, args); err != nil {
		return err
	}
	cache := kernelcache.FromEnvironment()
	var results cacheResults
	if *clearing && cache != nil {
		kernels, bytes, err := cache.Clear()
		if err != nil {
			return err
		}
		results.Removed = &cacheRemovedForm{kernels, bytes}
	}
	list, err := cache.List()
	if err != nil {
		return err
	}
	results.Folder, results.Limit, results.Bytes, results.Kernels = list.Folder, list.Limit, list.Bytes, []cacheKernelForm{}
	for _, k := range list.Entries {
		results.Kernels = append(results.Kernels, cacheKernelForm{k.Driver, k.Device, k.Kernel, k.Bytes, k.Used.Format(time.DateOnly), k.Damaged})
	}
	e.SetResults(results)
	switch {
	case cache == nil:
		fmt.Fprintf(e.Stdout, "The cache of compiled kernels is off (%s=%s).\n", kernelcache.Variable, kernelcache.Off)
		return nil
	case results.Removed != nil:
		fmt.Fprintf(e.Stdout, "%s: %s of %s removed\n", list.Folder, diag.Plural(results.Removed.Kernels, "kernel"), cacheSize(results.Removed.Bytes))
		return nil
	}
	fmt.Fprintf(e.Stdout, "%s: %s, %s of %s\n", list.Folder, diag.Plural(len(list.Entries), "kernel"), cacheSize(list.Bytes), cacheSize(list.Limit))
	for _, k := range list.Entries {
		if k.Damaged {
			fmt.Fprintf(e.Stdout, "%-8s %9s  %-12s  not used any more\n", "damaged", cacheSize(k.Bytes), cacheAge(k.Used, time.Now()))
			continue
		}
		fmt.Fprintf(e.Stdout, "%-8s %9s  %-12s  %s, %s\n", printable(k.Driver), cacheSize(k.Bytes), cacheAge(k.Used, time.Now()), printable(k.Kernel), printable(k.Device))
	}
	return nil
}

// cacheSize returns a size with a binary prefix.
func cacheSize(bytes int64) string {
	switch {
	case bytes < 1<<10:
		return fmt.Sprintf("%d B", bytes)
	case bytes < 1<<20:
		return fmt.Sprintf("%.1f KiB", float64(bytes)/(1<<10))
	}
	return fmt.Sprintf("%.1f MiB", float64(bytes)/(1<<20))
}

// cacheAge returns how long ago something was used. The cache knows it to a day.
func cacheAge(used, now time.Time) string {
	switch days := int(now.Sub(used) / (24 * time.Hour)); {
	case days <= 0:
		return "today"
	case days == 1:
		return "a day ago"
	default:
		return fmt.Sprintf("%d days ago", days)
	}
}

// printable returns text without characters that would move a terminal's cursor.
func printable(s string) string {
	return strings.Map(func(r rune) rune {
		if r < ' ' || r == 0x7f {
			return '?'
		}
		return r
	}, s)
}
