package all_test

import (
	"bytes"
	"encoding/binary"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/all"
	"github.com/gpuc/gpuc/frontend"
	"github.com/gpuc/gpuc/frontend/wgsl/lower"
	"github.com/gpuc/gpuc/internal/difftest"
	"github.com/gpuc/gpuc/internal/peak"
	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/interp"
	"github.com/gpuc/gpuc/ir/source"
	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/opt"
	"github.com/gpuc/gpuc/runtime/abi"
)

// This file sends mutants of real programs through the whole compiler: nothing
// may panic, take long or change what a program does.

var (
	mutantTime = flag.Duration("mutants", 0, "how long mutants are tried; 0 means a fixed number of them")
	mutantSeed = flag.Uint64("mutant-seed", 1, "the first mutant's seed")
	shaders    = flag.String("shaders", "", "a directory with more .wgsl files to mutate")
	keep       = flag.String("keep", "", "a directory for the mutants that fail")
)

// mutantCount is how many mutants are tried if no time is given.
const mutantCount = 300

// Processor time that a program may take: for 64 KiB of text, and less for no smaller
// one. The slowest, structures of 2^20 members that are copied, takes about 50 units.
const (
	checkTime peak.Units = 32
	buildTime peak.Units = 128
)

// trial compiles programs one after the other in the same memory, as a server
// does, so what one program leaves behind meets the next.
type trial struct {
	context  opt.Context
	random   *rand.Rand
	accepted int // by the front end
	built    int
	compared int
	judged   int
	slowest  [2]time.Duration // to check, to build
}

func settingsOf(m *ir.Module) (list []ir.Setting) {
	for i := range m.Overrides { // those without a default need some value
		if name := m.Overrides[i].Name; name != "" {
			list = append(list, ir.Setting{Key: name, Value: 1})
		}
	}
	return list
}

// try compiles a program in all ways.
func (t *trial) try(text string) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v\n%s", r, debug.Stack())
		}
	}()
	scale := peak.Units(1 + len(text)>>16)
	var set source.Set
	var list diag.List
	file, err := set.Add("mutant.wgsl", text)
	if err != nil {
		return err
	}
	var m *ir.Module
	if err := t.timed(0, checkTime*scale, "load", func() {
		list.Reset()
		frontend.Recycle(m)
		m, _ = frontend.Load(&set, file, frontend.Options{Lower: lower.Options{Math: opt.MathStrict}, Warn: true}, &list)
	}); err != nil {
		return err
	}
	diag.Write(io.Discard, &set, list.Items())
	if m == nil {
		if list.Errors() == 0 {
			return errors.New("neither a module nor an error")
		}
		for _, d := range list.Items() {
			if d.Code == diag.Internal {
				return errors.New(d.Message)
			}
		}
		return nil
	}
	defer frontend.Recycle(m)
	t.accepted++
	list.Reset()
	if ir.Verify(m, &list); list.Errors() > 0 {
		return fmt.Errorf("lowering: %s", list.Items()[0].Message)
	}
	kernels := m.Kernels()
	if len(kernels) == 0 {
		return nil
	}
	k := kernels[t.random.IntN(len(kernels))]
	settings := settingsOf(m)
	for _, plain := range []bool{false, true} {
		for _, target := range all.Targets {
			if err := t.build(m, k.Name, target, codegen.Options{Math: pick(&mutator{random: t.random}, []opt.Math{opt.MathWGSL, opt.MathStrict, opt.MathFast}),
				Bounds: opt.Bounds(t.random.IntN(3)), NoOptimize: plain, Lines: t.random.IntN(2) == 0, Settings: settings}, scale); err != nil {
				return err
			}
		}
	}
	return t.same(m, k.Name, settings)
}

// timed runs something, and again if it took too much processor time.
func (t *trial) timed(sort int, bound peak.Units, what string, run func()) error {
	took, exceeded := peak.ProcessorWithin(bound, run)
	t.slowest[sort] = max(t.slowest[sort], took)
	if exceeded {
		return fmt.Errorf("slow: %s takes %v", what, took)
	}
	return nil
}

func (t *trial) build(m *ir.Module, kernel string, target *codegen.Target, o codegen.Options, scale peak.Units) error {
	var list diag.List
	var a *abi.Artefact
	t.context.Verify = true
	o.Context = &t.context
	if err := t.timed(1, buildTime*scale, string(target.Name)+" "+name(&o), func() {
		list.Reset()
		a = codegen.Compile(m, kernel, target, &o, &list)
	}); err != nil {
		return err
	}
	for _, d := range list.Items() {
		if d.Code == diag.Internal {
			return fmt.Errorf("%s, %s: %s", target.Name, name(&o), d.Message)
		}
	}
	if a == nil {
		if list.Errors() == 0 {
			return errors.New("neither code nor an error")
		}
		return nil
	}
	t.built++
	every := 50 // of the compilations are shown to a judge
	if target.Name == abi.PTX {
		every = 500
	}
	if t.random.IntN(every) != 0 {
		return nil
	}
	for n := range judges {
		if j := &judges[n]; j.target == target.Name {
			return t.judge(j, a.Code)
		}
	}
	return nil
}

func (t *trial) judge(j *judge, code []byte) error {
	path := os.Getenv(j.variable)
	if path == "" {
		var err error
		if path, err = exec.LookPath(j.program); err != nil {
			return nil // TestJudgesAcceptGeneratedModules says so
		}
	}
	folder, err := os.MkdirTemp("", "mutant")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	t.judged++
	return j.check(path, folder, code)
}

// mutantFuel bounds what an invocation of a mutant executes in loops.
const mutantFuel = 1 << 12

// approximate are the operations that legalisers of some targets express by others, of the
// same accuracy but with other results.
var approximate = regexp.MustCompile(`\b(a?(sin|cos|tan)h?|atan2|exp|log|pow|ldexp|frexp_\w+)\b`)

// same compares what a kernel does before and behind the portable passes, and
// behind each target's legalisers.
func (t *trial) same(m *ir.Module, kernel string, settings []ir.Setting) error {
	var list diag.List
	before := m.Clone()
	k := codegen.Prepare(before, kernel, settings, &codegen.WebLimits, &list)
	if k == nil || !small(before) {
		return nil
	}
	seed := t.random.Uint64()
	if defined, err := t.interpret(before, mutantFuel, seed, true); defined == nil {
		return err // WGSL leaves open what the program does
	}
	want, err := t.interpret(before, mutantFuel, seed, false)
	if want == nil {
		return err
	}
	for n, pipeline := range [][]opt.Pass{opt.Minimal(), opt.Standard()} {
		after := before.Clone()
		c := &opt.Context{Verify: true, Math: opt.MathStrict, List: &list}
		c.Run(after, pipeline, ir.Initial)
		got, err := t.interpret(after, 64*mutantFuel, seed, false)
		if got == nil && err == nil {
			err = errors.New("it does not end")
		}
		if err == nil {
			err = differAtAll(want, got)
		}
		if err != nil {
			return fmt.Errorf("differs behind pipeline %d: %w", n, err)
		}
	}
	for _, target := range all.Targets {
		if (target.Name == abi.PTX || target.Name == abi.AMDGPU) && approximate.MatchString(before.Text()) {
			continue
		}
		o := codegen.Options{Math: opt.MathStrict, Bounds: opt.BoundsRobust, NoOptimize: t.random.IntN(2) == 0}
		after, err := legalised(before, target, &o)
		if err != nil {
			continue // what a target lacks
		}
		got, err := t.interpret(after, 256*mutantFuel, seed, false)
		if err == nil && got != nil {
			err = differAtAll(want, got)
		}
		if err != nil {
			return fmt.Errorf("%s, %s, legalised: %w", target.Name, name(&o), err)
		}
	}
	t.compared++
	return nil
}

// small says that a kernel needs little memory and few invocations.
func small(m *ir.Module) bool {
	bytes, lanes := uint64(0), uint64(1)
	f := m.Kernels()[0]
	for _, w := range f.Workgroup {
		lanes *= m.ConstBits(w)
	}
	for i := range m.Globals {
		if t := m.Globals[i].Type; m.SpaceOf(t) != ir.Handle {
			bytes += uint64(m.Size(m.Element(t)))
		}
	}
	return lanes <= 256 && bytes < 1<<16 && len(m.Text()) < 1<<18
}

// interpret runs a kernel on two workgroups. It returns nothing if the kernel
// needs what the interpreter lacks or does not end, or, checked, if it does what WGSL
// leaves undefined.
func (t *trial) interpret(m *ir.Module, fuel, seed uint64, checked bool) (map[string][]byte, error) {
	p, err := interp.Compile(m, m.Kernels()[0])
	if err != nil {
		var unsupported *interp.Unsupported
		if errors.As(err, &unsupported) {
			return nil, nil
		}
		return nil, err
	}
	result := map[string][]byte{}
	launch := interp.Launch{Grid: [3]uint32{2, 1, 1}, Workers: 1, Fuel: fuel, Checked: checked, Immediates: make([]byte, p.Immediates())}
	for _, b := range p.Bindings() {
		size := (int(b.Size) + 37*int(b.Stride) + 7) &^ 7
		data := contents(bufferKey{b.Group, b.Binding}, size, seed)
		launch.Buffers = append(launch.Buffers, data)
		result[fmt.Sprintf("%d %d", b.Group, b.Binding)] = data
	}
	for _, h := range p.Handles() {
		bound, image := handleFor(&h)
		launch.Handles = append(launch.Handles, bound)
		if image != nil && h.Access != ir.Read {
			result[fmt.Sprintf("%d %d", h.Group, h.Binding)] = image.Level(0)
		}
	}
	items, err := p.Run(&launch)
	if err != nil || len(items) > 0 {
		return nil, err
	}
	return result, nil
}

// handleFor makes a small texture or a sampler for a handle.
func handleFor(h *interp.Handle) (texture.Handle, *texture.Image) {
	if h.Sampler {
		s := texture.Smooth
		if h.Comparison {
			s.Compare = texture.Less
		}
		return texture.Handle{Sampler: &s}, nil
	}
	format, class := h.Format, h.Shape.Info().Class
	switch {
	case class == texture.Depth:
		format = texture.Depth32Float
	case class != texture.Storage:
		for f := texture.NoFormat + 1; f < texture.StorageFormats; f++ {
			if f.Info().Channel == h.Channel {
				format = f
				break
			}
		}
	}
	d := h.Shape.Describe(format, 8, 8, 4, 1, 1)
	m := texture.NewImage(&d)
	for n, data := 0, m.Level(0); n < len(data) && class != texture.Depth; n++ {
		data[n] = byte(n*37 + 5)
	}
	return texture.Handle{Image: m, Levels: 1}, m
}

func differAtAll(want, got map[string][]byte) error {
	for at, data := range want {
		other, ok := got[at]
		if !ok {
			continue // nothing of it is used any more
		}
		for n := 0; n+4 <= len(data); n += 4 {
			x, y := binary.LittleEndian.Uint32(data[n:]), binary.LittleEndian.Uint32(other[n:])
			if x != y && !(isNaN(x) && isNaN(y)) {
				return fmt.Errorf("word %d of binding %s is %#x, want %#x", n/4, at, y, x)
			}
		}
		if len(data)%4 != 0 && !bytes.Equal(data[len(data)&^3:], other[len(data)&^3:]) {
			return fmt.Errorf("the end of binding %s differs", at)
		}
	}
	return nil
}

// ancestors are the programs that mutants are made of.
func ancestors(t testing.TB) (programs [][]string) {
	for _, pattern := range []string{"../../testdata/exec/*.wgsl", "../../frontend/wgsl/lower/testdata/*.wgsl", filepath.Join(*shaders, "*.wgsl")} {
		names, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		for _, name := range names {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			if len(text) < 1<<15 {
				programs = append(programs, tokensOf(string(text)))
			}
		}
	}
	for n := range uint64(20) {
		programs = append(programs, tokensOf(difftest.Generate(n).String()))
	}
	return programs
}

// TestMutants tries mutants of programs, and mutants of accepted mutants.
func TestMutants(t *testing.T) {
	testmode.Long(t)
	seeds := ancestors(t)
	for n, s := range seeds {
		random := rand.New(rand.NewPCG(uint64(n), 3))
		if err := (&trial{random: random}).try(textOf(s)); err != nil {
			keepMutant(t, fmt.Sprintf("seed-%d", n), textOf(s), err)
		}
	}
	one := trial{}
	var pool [][]string
	failed := map[string]int{}
	tried, start := 0, time.Now()
	for n := *mutantSeed; *mutantTime == 0 && tried < mutantCount || time.Since(start) < *mutantTime; n++ {
		m := &mutator{rand.New(rand.NewPCG(n, 5)), seeds}
		from := pick(m, seeds)
		if len(pool) > 0 && m.chance(50) {
			from = pick(m, pool)
		} else if m.chance(10) {
			from = tokensOf(difftest.Generate(n).String())
		}
		tokens := m.mutate(from)
		text := textOf(tokens)
		if len(text) > 1<<16 {
			continue
		}
		tried++
		accepted := one.accepted
		one.random = m.random
		if *keep != "" {
			os.WriteFile(filepath.Join(*keep, "current.wgsl"), []byte(text), 0o644)
		}
		// one that hangs is in current.wgsl when the test's own timeout ends it
		err := one.try(text)
		if err != nil {
			one.context = opt.Context{} // a panic may leave anything there
			first, _, _ := strings.Cut(err.Error(), "\n")
			if failed[first]++; failed[first] < 4 {
				keepMutant(t, fmt.Sprint(n), text, err)
			}
		} else if one.accepted > accepted && len(text) < 1<<15 {
			if len(pool) < 1000 {
				pool = append(pool, tokens)
			} else {
				pool[m.random.IntN(len(pool))] = slices.Clone(tokens)
			}
		}
		if tried%2000 == 0 {
			var s runtime.MemStats
			runtime.ReadMemStats(&s)
			t.Logf("%v: %d mutants, %d accepted, %d built, %d compared, %d judged, slowest %v, heap %d MB",
				time.Since(start).Round(time.Second), tried, one.accepted, one.built, one.compared, one.judged, one.slowest, s.HeapSys>>20)
		}
	}
	t.Logf("%d mutants of %d programs in %v: %d accepted, %d compilations, %d compared, %d judged; slowest %v to check, %v to build",
		tried, len(seeds), time.Since(start).Round(time.Second), one.accepted, one.built, one.compared, one.judged, one.slowest[0], one.slowest[1])
	if one.accepted < tried/5 {
		t.Errorf("only %d of %d mutants are accepted", one.accepted, tried)
	}
}

// FuzzMutants lets the fuzzer choose the mutants.
func FuzzMutants(f *testing.F) {
	seeds := ancestors(f)
	for n := range uint64(20) {
		f.Add(n, uint16(17*n))
	}
	f.Fuzz(func(t *testing.T, n uint64, from uint16) {
		m := &mutator{rand.New(rand.NewPCG(n, 5)), seeds}
		text := textOf(m.mutate(seeds[int(from)%len(seeds)]))
		if err := (&trial{random: m.random}).try(text); err != nil {
			t.Fatalf("%v\n%s", err, text)
		}
	})
}

func keepMutant(t *testing.T, name, text string, err error) {
	message := err.Error()
	if *keep == "" {
		t.Errorf("%s: %s\n%s", name, message, text)
		return
	}
	t.Errorf("%s: %s", name, message)
	comment := "// " + strings.ReplaceAll(message, "\n", "\n// ") + "\n"
	if err := os.WriteFile(filepath.Join(*keep, name+".wgsl"), []byte(comment+text), 0o644); err != nil {
		t.Error(err)
	}
}
