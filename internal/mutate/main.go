// Command mutate tests the tests: it makes small mistakes in the compiler, one at a
// time, and lists those that no test finds.
//
//	go run ./internal/mutate -seed 1 -count 120
//
// All mistakes are compiled at once, each behind a question for its number, which an
// environment variable answers, so that the tests are built once (package mutant).
// The files of the repository stay as they are: the go command reads instrumented
// ones in their place (-overlay).
//
// A mutation is killed if a test fails, a program of a campaign (internal/difftest)
// gets another result than without it, or something does not end. It survives with
// an explanation if testdata/equivalent.md has a row for it; the exit status is 1 if one survives
// without.
package main

import (
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"text/tabwriter"
)

// mutated are the packages that mutations are made in.
var mutated = []string{"opt", "opt/analysis", "codegen/legalize", "codegen/mir", "codegen/ptx", "codegen/spirv", "frontend/wgsl/lower", "ir/interp"}

const explanations = "internal/mutate/testdata/equivalent.md"

// options are what the command line asks for.
type options struct {
	seed                       uint64
	count, programs, processes int
	match, only                string
	list                       bool
}

func main() {
	var o options
	flag.Uint64Var(&o.seed, "seed", 1, "what the mutations are drawn by")
	flag.IntVar(&o.count, "count", 120, "how many mutations")
	flag.StringVar(&o.match, "match", "", "instead of drawing: all mutations whose line in the list this expression matches")
	flag.StringVar(&o.only, "only", "", "the numbers of those that are judged, as in 3,17; the others are built in all the same")
	flag.BoolVar(&o.list, "list", false, "list the mutations and judge none")
	flag.IntVar(&o.programs, "programs", 300, "how many generated programs judge a mutation")
	flag.IntVar(&o.processes, "processes", 2, "how many judges run at a time")
	flag.Parse()
	unexplained, err := run(&o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "mutate:", err)
		os.Exit(2)
	}
	if unexplained > 0 {
		os.Exit(1)
	}
}

// run does what the options ask for and returns how many mutations survive without an
// explanation.
func run(o *options) (unexplained int, err error) {
	root, err := moduleRoot()
	if err != nil {
		return 0, err
	}
	packs, err := load(root, patterns())
	if err != nil {
		return 0, err
	}
	sites, err := choose(packs, root, o)
	if err != nil {
		return 0, err
	}
	results := make([]result, len(sites))
	for n, s := range sites {
		results[n] = result{number: n + 1, site: s, name: s.name(root)}
	}
	if o.list {
		for n := range results {
			fmt.Printf("%d\t%s\n", n+1, results[n].name)
		}
		return 0, nil
	}
	if results, err = selected(results, o.only); err != nil {
		return 0, err
	}
	explained, err := explanationsIn(filepath.Join(root, explanations))
	if err != nil {
		return 0, err
	}
	for n := range results {
		results[n].explained = explained[results[n].key()]
	}
	if err := judgeAll(root, sites, results, o); err != nil {
		return 0, err
	}
	killed := 0
	for n := range results {
		switch r := &results[n]; {
		case r.killer != "":
			killed++
		case !r.explained:
			unexplained++
		}
	}
	if err := table(results); err != nil {
		return 0, err
	}
	fmt.Printf("\nseed %d: %d mutations, %d killed, %d survived, of which %d without an explanation\n",
		o.seed, len(results), killed, len(results)-killed, unexplained)
	return unexplained, nil
}

// patterns names the mutated packages for the go command, seen from the root.
func patterns() []string {
	list := make([]string, len(mutated))
	for n, p := range mutated {
		list[n] = "./" + p
	}
	return list
}

// judgeAll builds the judges with all mutations and has them judge some.
func judgeAll(root string, sites []*site, results []result, o *options) error {
	folder, err := os.MkdirTemp("", "mutate")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	own, common, err := prepare(root, folder, sites, o.programs)
	if err != nil {
		return err
	}
	var group sync.WaitGroup
	room := make(chan bool, o.processes)
	for n := range results {
		room <- true
		group.Go(func() {
			defer func() { <-room }()
			results[n].judge(own, common)
			fmt.Fprintln(os.Stderr, &results[n])
		})
	}
	group.Wait()
	return nil
}

// choose draws mutations, or takes those that an expression matches.
func choose(packs []*pack, root string, o *options) ([]*site, error) {
	if o.match == "" {
		return draw(packs, o.count, o.seed), nil
	}
	wanted, err := regexp.Compile(o.match)
	if err != nil {
		return nil, err
	}
	var sites []*site
	for _, p := range packs {
		for _, f := range p.files {
			for _, s := range find(f) {
				if wanted.MatchString(s.name(root)) {
					sites = append(sites, s)
				}
			}
		}
	}
	order(sites)
	return sites, nil
}

// prepare builds the judges, those of the mutated packages by path and those of all,
// and runs them without a mutation.
func prepare(root, folder string, sites []*site, programs int) (own map[string]*judge, common []*judge, err error) {
	overlay, err := instrument(sites, folder)
	if err != nil {
		return nil, nil, err
	}
	own, common = map[string]*judge{}, nets(programs)
	all := slices.Clone(common)
	for _, s := range sites {
		path := s.file.pack.path
		if own[path] != nil {
			continue
		}
		pack, err := filepath.Rel(root, s.file.pack.folder)
		if err != nil {
			return nil, nil, err
		}
		own[path] = &judge{pack: filepath.ToSlash(pack), arguments: quick}
		all = append(all, own[path])
	}
	for _, j := range all {
		if err := j.build(root, overlay, folder); err != nil {
			return nil, nil, err
		}
		if err := j.measure(); err != nil {
			return nil, nil, err
		}
		fmt.Fprintf(os.Stderr, "%s: %d failures without a mutation, a limit of %s\n", j.pack, len(j.failures), j.limit)
	}
	return own, common, nil
}

// result is what became of a mutation.
type result struct {
	*site
	number int
	name   string // where it is and what it does
	// killer is the judge that found it and by what, or empty.
	killer    string
	explained bool
}

// name says where a mutation is and what it does.
func (s *site) name(root string) string {
	folder, err := filepath.Rel(root, s.file.pack.folder)
	if err != nil {
		folder = s.file.pack.folder
	}
	line := s.file.at.Line(s.file.at.Pos(s.from))
	return fmt.Sprintf("%s/%s:%d\t%s\t%s\t%s", filepath.ToSlash(folder), s.file.name, line, s.function, s.operator, s.distinct())
}

// distinct is the mutation, numbered if the function has several that read the same.
func (s *site) distinct() string {
	if s.occurrence > 1 {
		return fmt.Sprintf("%s (%d)", s.mutation(), s.occurrence)
	}
	return s.mutation()
}

// key names a mutation in the table of explanations, which knows no line numbers.
func (r *result) key() string {
	path, _, _ := strings.Cut(r.name, ":")
	return strings.Join([]string{path, r.function, r.distinct()}, "\t")
}

func (r *result) String() string {
	verdict := r.killer
	switch {
	case verdict != "" && r.explained:
		verdict += ", against " + explanations
	case verdict != "":
	case r.explained:
		verdict = "SURVIVED, explained"
	default:
		verdict = "SURVIVED"
	}
	return fmt.Sprintf("%d\t%s\t%s", r.number, r.name, verdict)
}

func (r *result) judge(own map[string]*judge, common []*judge) {
	first := own[r.file.pack.path]
	for _, j := range slices.Insert(slices.Clone(common), 1, first) {
		if j.pack == first.pack && j != first {
			continue // it runs a part of the tests
		}
		if verdict, _ := j.run(r.number, nil); verdict != "" {
			r.killer = j.pack + ": " + verdict
			return
		}
	}
}

// table prints results in columns.
func table(results []result) error {
	w := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "number\tplace\tfunction\toperator\tmutation\tkilled by")
	for n := range results {
		fmt.Fprintln(w, &results[n])
	}
	return w.Flush()
}

// selected returns the results with some numbers, as in 3,17; all if there are none.
func selected(results []result, list string) (some []result, err error) {
	if list == "" {
		return results, nil
	}
	for word := range strings.SplitSeq(list, ",") {
		n, err := strconv.Atoi(word)
		if err != nil || n < 1 || n > len(results) {
			return nil, fmt.Errorf("expected numbers from 1 to %d, found %q", len(results), word)
		}
		some = append(some, results[n-1])
	}
	return some, nil
}

// explanationsIn reads the table of survivors, file, function, mutation and reason,
// and returns the keys of those that have one.
func explanationsIn(path string) (map[string]bool, error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	explained := map[string]bool{}
	for line := range strings.SplitSeq(string(text), "\n") {
		cells := strings.Split(strings.ReplaceAll(line, `\|`, "\x00"), "|")
		if len(cells) != 6 || !strings.Contains(cells[1], ".go") {
			continue
		}
		for n := range cells {
			cells[n] = strings.Trim(strings.TrimSpace(strings.ReplaceAll(cells[n], "\x00", "|")), "`")
		}
		explained[strings.Join(cells[1:4], "\t")] = cells[4] != ""
	}
	return explained, nil
}

// moduleRoot is the folder of go.mod.
func moduleRoot() (string, error) {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return "", fmt.Errorf("go env: %w", err)
	}
	return filepath.Dir(strings.TrimSpace(string(out))), nil
}
