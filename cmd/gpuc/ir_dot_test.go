package main

import (
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// The lines of nodes and of edges.
var (
	dotNode = regexp.MustCompile(`^    (f\d+_\d+) \[label="((?:[^"\\]|\\.)*)"\];$`)
	dotEdge = regexp.MustCompile(`^    (f\d+_\d+) -> (f\d+_\d+)(?: \[label="(?:[^"\\]|\\.)*"\])?(?: \[constraint=false, style=dashed\])?;$`)
)

// TestDot reads the graphs of all exec kernels: names of nodes are unique, edges connect nodes, and
// the last instruction of a node determines the number of its edges. Graphviz reads them if it is
// installed.
func TestDot(t *testing.T) {
	files, err := filepath.Glob("../../testdata/exec/*.wgsl")
	if err != nil || len(files) == 0 {
		t.Fatal("no kernels")
	}
	graphviz, missing := exec.LookPath("dot")
	if missing != nil {
		t.Log("Graphviz is not asked: dot (Debian: graphviz) is not on the PATH")
	}
	for _, file := range files {
		out, _ := succeed(t, "ir", "-dot", file)
		labels, leaving := map[string]string{}, map[string]int{}
		type edge struct{ from, to string }
		var edges []edge
		for line := range strings.Lines(out) {
			line = strings.TrimRight(line, "\n")
			if m := dotNode.FindStringSubmatch(line); m != nil {
				if labels[m[1]] != "" {
					t.Errorf("%s: %s is there twice", file, m[1])
				}
				labels[m[1]] = m[2]
			} else if m := dotEdge.FindStringSubmatch(line); m != nil {
				edges = append(edges, edge{m[1], m[2]})
				leaving[m[1]]++
			} else if strings.HasPrefix(line, "    f") {
				t.Errorf("%s: %s", file, line)
			}
		}
		for _, e := range edges {
			if labels[e.from] == "" || labels[e.to] == "" {
				t.Errorf("%s: an edge from %s to %s, of which one is not there", file, e.from, e.to)
			}
		}
		for name, label := range labels {
			lines := strings.Split(strings.TrimSuffix(label, `\l`), `\l`)
			last, want := lines[len(lines)-1], 0
			words := strings.Fields(last)
			switch {
			case strings.Contains(last, "if ^"):
				want = 2
			case strings.Contains(last, "loop ^"), strings.Contains(last, "scope ^"), words[0] == "exit", words[0] == "continue":
				want = 1
			case words[0] == "next":
				want = 1 + strings.Count(last, "break_if")
			case strings.Contains(last, "switch ^"):
				continue
			case words[0] != "return" && words[0] != "unreachable":
				t.Errorf("%s: %s ends with %s", file, name, last)
				continue
			}
			if leaving[name] != want {
				t.Errorf("%s: %d edges leave %s, which ends with %s", file, leaving[name], name, last)
			}
		}
		if missing == nil {
			c := exec.Command(graphviz, "-Tplain")
			c.Stdin = strings.NewReader(out)
			if said, err := c.CombinedOutput(); err != nil || !strings.HasPrefix(string(said), "graph ") {
				t.Errorf("%s: dot says %v: %.500s", file, err, said)
			}
		}
	}
}
