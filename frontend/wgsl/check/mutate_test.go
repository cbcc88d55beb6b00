package check

import (
	"math/rand/v2"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/frontend/wgsl/sem"
	"github.com/gpuc/gpuc/frontend/wgsl/syntax"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

var tokens = regexp.MustCompile(`[A-Za-z_][A-Za-z_0-9]*|[0-9][0-9a-zA-Z.]*|\s+|<=|>=|==|!=|&&|\|\||->|\+\+|.`)

// TestMutations checks good programs in which single tokens were exchanged,
// doubled or removed: nearly right programs reach deeper than random bytes. The
// checker must survive all of them.
func TestMutations(t *testing.T) {
	files, err := filepath.Glob("../../../testdata/exec/*.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	own, err := filepath.Glob("testdata/*.wgsl")
	if err != nil {
		t.Fatal(err)
	}
	files = append(files, own...)
	rounds := 300
	if testing.Short() {
		rounds = 30
	}
	random := rand.New(rand.NewPCG(1, 2))
	parser := syntax.NewParser(sem.Vocabulary())
	checker := &Checker{}
	var all []string
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		all = append(all, tokens.FindAllString(string(text), -1)...)
	}
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		good := tokens.FindAllString(string(text), -1)
		for range rounds {
			words := append([]string(nil), good...)
			for range 1 + random.IntN(3) {
				at := random.IntN(len(words))
				switch random.IntN(4) {
				case 0:
					words = append(words[:at], words[at+1:]...)
				case 1:
					words[at] = words[random.IntN(len(words))]
				case 2:
					words[at] = all[random.IntN(len(all))]
				default:
					words[at] += " " + words[random.IntN(len(words))]
				}
			}
			program := strings.Join(words, "")
			func() {
				defer func() {
					if e := recover(); e != nil {
						t.Fatalf("%s: panic %v on\n%s", name, e, program)
					}
				}()
				set := &source.Set{}
				file, err := set.Add(name, program)
				if err != nil {
					t.Fatal(err)
				}
				list := &diag.List{}
				checker.Check(parser.Parse(file, list), ir.NewModule(set), Options{}, list)
			}()
		}
	}
}
