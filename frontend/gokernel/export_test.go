package gokernel

import (
	"go/types"

	"github.com/gpuc/gpuc/ir"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/source"
)

// TunedFields is tunedFields for tests.
var TunedFields = tunedFields

// Swept counts what became of functions that were compiled as if they were kernels.
type Swept struct {
	Functions, Refused, Translated, Barred int
}

// Sweep compiles every function of packages by itself, as if it had the directive, and calls report
// with what is said about each. What a kernel must be declared as is not asked for; functions whose
// parameters are no parameters of a kernel are looked at, and not translated.
func Sweep(patterns []string, report func(function string, set *source.Set, list *diag.List)) (swept Swept, err error) {
	l := &loader{set: new(source.Set), list: new(diag.List), texts: map[string]*source.File{}}
	if err := l.load(patterns); err != nil {
		return swept, err
	}
	l.build(nil)
	base := l.newGate()
	for _, p := range l.packages {
		for _, f := range p.Syntax {
			for d := range functionsOf(f) {
				object, ok := p.TypesInfo.Defs[d.Name].(*types.Func)
				if !ok {
					continue
				}
				swept.Functions++
				l.list = new(diag.List)
				k := &kernel{declaration: d, object: object, of: p, workgroup: [3]int64{64, 1, 1}}
				switch l.sweep(base, &instance{kernel: k, name: object.Name(), signature: object.Signature(), function: l.program.FuncValue(object)}) {
				case refusedIt:
					swept.Refused++
				case translatedIt:
					swept.Translated++
				default:
					swept.Barred++
				}
				report(object.FullName(), l.set, l.list)
			}
		}
	}
	return swept, nil
}

type outcome int

const (
	barredIt outcome = iota
	refusedIt
	translatedIt
)

func (l *loader) sweep(base *gate, k *instance) (o outcome) {
	at := l.node(k.declaration.Name)
	defer diag.Recover(l.list, at, "sweeping "+k.object.FullName(), nil)
	g := *base
	g.loader, g.visited, g.typed = l, map[*types.Func]bool{}, map[line]bool{}
	g.function(k.object)
	if l.list.Errors() > 0 {
		return refusedIt
	}
	s := k.object.Signature()
	if k.declaration.Body == nil || len(g.missing) > 0 || k.object.Name() == "_" || k.object.Name() == "init" || s.TypeParams().Len()+s.RecvTypeParams().Len() > 0 {
		return barredIt
	}
	parameters := []*types.Var{}
	if s.Recv() != nil {
		parameters = append(parameters, s.Recv())
	}
	for v := range s.Params().Variables() {
		parameters = append(parameters, v)
	}
	for _, v := range parameters {
		t := pointedAt(v.Type())
		if unsupported(v.Type()) != nil || hasReference(t) != nil || isItem(t) || isSizeless(t) || bytesOf(t) > maxValueBytes {
			return barredIt
		}
	}
	m := ir.NewModule(l.set)
	l.translate(m, k)
	if l.list.Errors() > 0 {
		return refusedIt
	}
	l.divergent(m)
	ir.Verify(m, l.list)
	return translatedIt
}
