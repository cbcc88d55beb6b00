package main

import (
	"fmt"
	"os"
	"regexp"
	"runtime/pprof"
	"strings"
	"time"
)

// This file makes one large program of many small ones: each is repeated with
// its own names for everything that it declares at module scope.

var (
	declaration = regexp.MustCompile(`(?m)^(?:@[^\n]*?\s)?(?:fn|struct|const|override|alias|var(?:<[^>]*>)?)\s+([A-Za-z_]\w*)`)
	kernelName  = regexp.MustCompile(`(?m)^fn\s+([A-Za-z_]\w*)`)
	word        = regexp.MustCompile(`\.?\s*\b[A-Za-z_]\w*`)
	binding     = regexp.MustCompile(`@binding\(\w+\)`)
	swizzle     = regexp.MustCompile(`^\.([xyzw]{1,4}|[rgba]{1,4})$`)
)

// large joins renamed copies of the texts until they have this many lines.
// Directives must stand at the top of a program and are collected there.
func large(texts []string, lines int) string {
	var directives, body strings.Builder
	seen := map[string]bool{}
	bindings := 0 // naga wants them to be different even where no entry point uses both
	for count, round := 0, 0; count < lines; round++ {
		text := texts[round%len(texts)]
		var kept []string
		for line := range strings.SplitSeq(text, "\n") {
			if strings.HasPrefix(line, "enable ") || strings.HasPrefix(line, "requires ") || strings.HasPrefix(line, "diagnostic(") {
				if !seen[line] {
					seen[line] = true
					directives.WriteString(line + "\n")
				}
				continue
			}
			kept = append(kept, line)
		}
		text = binding.ReplaceAllStringFunc(strings.Join(kept, "\n"), func(string) string {
			bindings++
			return fmt.Sprintf("@binding(%d)", bindings-1)
		})
		body.WriteString(renamed(text, fmt.Sprintf("_%d", round)))
		count += strings.Count(text, "\n")
	}
	return directives.String() + body.String()
}

// renamed appends an ending to every name that the text declares at module
// scope, wherever it stands.
func renamed(text, ending string) string {
	names := map[string]bool{}
	for _, pattern := range []*regexp.Regexp{declaration, kernelName} {
		for _, match := range pattern.FindAllStringSubmatch(text, -1) {
			names[match[1]] = true
		}
	}
	return word.ReplaceAllStringFunc(text, func(w string) string {
		if names[strings.TrimLeft(w, ". \t\n")] && !swizzle.MatchString(w) {
			return w + ending
		}
		return w
	})
}

// profile compiles the texts with gpuc alone for a few seconds.
func (c *compiler) profile(texts []string) {
	f, err := os.Create(*profile)
	if err == nil {
		err = pprof.StartCPUProfile(f)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	for start := time.Now(); time.Since(start) < 5*time.Second; {
		for _, text := range texts {
			c.gpuc("kernel.wgsl", text)
		}
	}
	pprof.StopCPUProfile()
	f.Close()
}
