package loader

import (
	"flag"
	"fmt"
	"math"
	"strconv"
	"strings"

	"github.com/gpuc/gpuc/cmd/gpuc/internal/cli"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/scalartext"
	"github.com/gpuc/gpuc/cmd/gpuc/internal/usage"
	"github.com/gpuc/gpuc/codegen"
	"github.com/gpuc/gpuc/codegen/workaround"
	"github.com/gpuc/gpuc/ir/op"
	"github.com/gpuc/gpuc/ir/scalar"
)

// Flags are the flags of a compilation.
type Flags struct {
	Entry, Math, Bounds string
	Debug               bool
	NoOptimize          bool
	Settings            Settings
	// Workarounds is the list of -workarounds, or "" for the default: all of them, or those that
	// the device of a run needs.
	Workarounds string
}

// Register registers all flags.
func (c *Flags) Register(e *cli.Env, f *flag.FlagSet) {
	e.ColourFlag(f)
	f.StringVar(&c.Entry, "entry", "", "the entry point's `name`, where the program has several")
	c.RegisterModes(f)
	f.BoolVar(&c.NoOptimize, "O0", false, "leave out the optimising passes")
	f.StringVar(&c.Workarounds, "workarounds", "", "which workarounds for driver bugs the code has, by `names`: all, none, NAME,NAME, or -NAME for the default without one; gpuc doc workaround lists them (default: all; for a run, those of the device's driver)")
	f.Var(&c.Settings, "D", "`name=value` gives an override its value; repeatable")
}

// RegisterModes registers the flags that decide what code does: -math, -bounds and -debug.
func (c *Flags) RegisterModes(f *flag.FlagSet) {
	f.StringVar(&c.Math, "math", "wgsl", "floating point, by `mode`: wgsl (what WGSL permits), strict (IEEE 754), fast")
	f.BoolVar(&c.Debug, "debug", false, "keep what kernels print and assert")
	f.StringVar(&c.Bounds, "bounds", "robust", "what an index out of bounds does, by `mode`: robust (reads are clamped, stores dropped), trap (the first one is reported, but not a read whose value a select drops), trap-all (those, too) or off (undefined)")
}

// CodegenOptions returns the options of the compiler, or a *usage.Error.
func (c *Flags) CodegenOptions() (codegen.Options, error) {
	o := codegen.Options{NoOptimize: c.NoOptimize, Debug: c.Debug, Lines: true, Settings: c.Settings}
	switch c.Math {
	case "wgsl":
		o.Math = codegen.MathWGSL
	case "strict":
		o.Math = codegen.MathStrict
	case "fast":
		o.Math = codegen.MathFast
	default:
		return o, usage.Errorf("-math is wgsl, strict or fast, not `%s`%s", c.Math, usage.DidYouMean(c.Math, []string{"wgsl", "strict", "fast"}, ""))
	}
	switch c.Bounds {
	case "robust":
		o.Bounds = codegen.BoundsRobust
	case "off":
		o.Bounds = codegen.BoundsOff
	case "trap":
		o.Bounds = codegen.BoundsTrap
	case "trap-all":
		o.Bounds = codegen.BoundsTrapAll
	default:
		return o, usage.Errorf("-bounds is robust, trap, trap-all or off, not `%s`", c.Bounds)
	}
	if c.Workarounds != "" {
		set, err := workaround.Parse(c.Workarounds, workaround.All)
		if err != nil {
			return o, usage.Errorf("-workarounds: %v", err)
		}
		o.Workarounds = &set
	}
	return o, nil
}

// Settings are the values of overrides: -D name=value.
type Settings []codegen.Setting

func (s *Settings) String() string { return "" }

func (s *Settings) Set(text string) error {
	name, value, found := strings.Cut(text, "=")
	if !found || name == "" {
		return fmt.Errorf("want name=value, such as -D size=64")
	}
	x, err := scalartext.ParseNumber(value)
	if err != nil {
		return err
	}
	for _, other := range *s {
		if other.Key == name {
			return fmt.Errorf("`%s` is given twice", name)
		}
	}
	*s = append(*s, codegen.Setting{Key: name, Value: x})
	return nil
}

// Check checks the values against the types of the program's overrides. The compiler would truncate
// a fraction for an integer, as WebGPU does.
func (s Settings) Check(p *Program) error {
	for _, setting := range s {
		for i := range p.Module.Overrides {
			o := &p.Module.Overrides[i]
			if o.Op != op.Invalid || o.Name != setting.Key && (o.ID < 0 || strconv.Itoa(int(o.ID)) != setting.Key) {
				continue
			}
			x := setting.Value
			switch k := scalar.Kind(o.Type); {
			case k == scalar.Bool && x != 0 && x != 1:
				return usage.Errorf("-D %s=%v: override `%s` is a bool, so give it true or false", setting.Key, x, o.Name)
			case k.IsInteger() && x != math.Trunc(x):
				return usage.Errorf("-D %s=%v: override `%s` is %s, so give it a whole number, such as %v or %v", setting.Key, x, o.Name, k,
					math.Floor(x), math.Ceil(x))
			}
		}
	}
	return nil
}
