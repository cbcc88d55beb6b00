package gpu

import (
	"fmt"
	"math/rand/v2"
	"reflect"
	"testing"

	"github.com/gpuc/gpuc/internal/testmode"
	"github.com/gpuc/gpuc/ir/scalar"
	"github.com/gpuc/gpuc/runtime/abi"
)

// TestLayoutsByByte compares what is found with what bytes say one by one, for random types. Names
// say nothing there.
func TestLayoutsByByte(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	accepted, refused := 0, 0
	cases := testmode.Count(800, 4000, 4000)
	for n := range cases {
		k := &abi.Kernel{}
		g := layoutGenerator{r, k}
		of := g.structure(2)
		if r.IntN(2) == 0 {
			of = "array<" + of + ">"
		}
		l := k.LayoutOf(of)
		host := g.host(l)
		if l.Runtime {
			host = g.host(l.Element)
		}
		if host.Size() == 0 {
			continue
		}
		want := byteByByte(l, host)
		got := compareLayouts("v", l, host, false)
		if (got == "") != want {
			t.Fatalf("case %d: %s is %v\nhost is %v\ngot %s", n, of, k.Structs, host, got)
		}
		if want {
			accepted++
		} else {
			refused++
		}
	}
	if accepted < cases/8 || refused < cases/8 {
		t.Errorf("%d accepted, %d refused", accepted, refused)
	}
}

type layoutGenerator struct {
	*rand.Rand
	k *abi.Kernel
}

// structure makes a structure of scalars and arrays.
func (g *layoutGenerator) structure(depth int) string {
	s := abi.Struct{Name: fmt.Sprint("S", len(g.k.Structs)), Align: 4}
	g.k.Structs = append(g.k.Structs, s)
	at, number := uint32(0), len(g.k.Structs)-1
	for m := range 1 + g.IntN(3) {
		of := []string{"u32", "f32", "f32"}[g.IntN(3)]
		if depth > 0 && g.IntN(3) == 0 {
			of = g.structure(depth - 1)
		}
		if g.IntN(3) == 0 {
			of = fmt.Sprintf("array<%s, %du>", of, 1+g.IntN(3))
		}
		l := g.k.LayoutOf(of)
		at += 4 * uint32(g.IntN(5)/4)
		s.Members = append(s.Members, abi.Member{Name: fmt.Sprint("m", m), Type: of, Offset: at, Size: l.Size, Stride: l.Stride})
		at += l.Size
	}
	s.Size = at
	g.k.Structs[number] = s
	return s.Name
}

// host makes a type that is mostly right. Its fields have no names of the kernel's.
func (g *layoutGenerator) host(l *abi.Layout) reflect.Type {
	if g.IntN(25) == 0 {
		return []reflect.Type{reflect.TypeFor[uint32](), reflect.TypeFor[float32](), reflect.TypeFor[[2]float32]()}[g.IntN(3)]
	}
	switch {
	case l.Element != nil && g.IntN(8) == 0:
		return reflect.ArrayOf(int(l.Count)*int(l.Stride)/4, reflect.TypeFor[float32]())
	case l.Element != nil:
		return reflect.ArrayOf(int(l.Count), g.host(l.Element))
	case l.Members != nil:
		var list []reflect.StructField
		at := uint32(0)
		add := func(t reflect.Type) {
			list = append(list, reflect.StructField{Name: fmt.Sprint("F", len(list)), Type: t})
			at += uint32(t.Size())
		}
		for _, m := range l.Members {
			if at < m.Offset {
				add(reflect.TypeFor[[4]byte]())
			}
			add(g.host(m.Layout))
		}
		return reflect.StructOf(list)
	case l.Scalar == scalar.U32:
		return reflect.TypeFor[uint32]()
	}
	return reflect.TypeFor[float32]()
}

// byteByByte says whether types fit by what each byte is a part of.
func byteByByte(l *abi.Layout, host reflect.Type) bool {
	const bytes = 4000
	var kernel, buffer [bytes]byte
	var paint func(l *abi.Layout, at int)
	paint = func(l *abi.Layout, at int) {
		switch {
		case l.Runtime:
			for ; at < bytes; at += int(l.Stride) {
				paint(l.Element, at)
			}
		case l.Element != nil:
			for n := range int(l.Count) {
				paint(l.Element, at+n*int(l.Stride))
			}
		case l.Members != nil:
			for _, m := range l.Members {
				paint(m.Layout, at+int(m.Offset))
			}
		default:
			for n := 0; n < 4 && at+n < bytes; n++ {
				kernel[at+n] = byte(map[scalar.Kind]int{scalar.U32: 1, scalar.F32: 5}[l.Scalar] + n)
			}
		}
	}
	paint(l, 0)
	var have func(t reflect.Type, at int)
	have = func(t reflect.Type, at int) {
		switch t.Kind() {
		case reflect.Array:
			for n := range t.Len() {
				have(t.Elem(), at+n*int(t.Elem().Size()))
			}
		case reflect.Struct:
			for n := range t.NumField() {
				have(t.Field(n).Type, at+int(t.Field(n).Offset))
			}
		default:
			for n := 0; n < int(t.Size()) && at+n < bytes; n++ {
				buffer[at+n] = byte(map[reflect.Kind]int{reflect.Uint32: 1, reflect.Float32: 5, reflect.Uint8: 100}[t.Kind()])
				if t.Kind() != reflect.Uint8 {
					buffer[at+n] += byte(n)
				}
			}
		}
	}
	for at := 0; at < bytes; at += int(host.Size()) {
		have(host, at)
	}
	for n := range kernel {
		if kernel[n] != 0 && kernel[n] != buffer[n] && buffer[n] != 100 {
			return false
		}
	}
	size, element := int(host.Size()), int(l.Size)
	if host.Kind() != reflect.Struct && host.Kind() != reflect.Array {
		return true
	}
	if l.Runtime {
		element = int(l.Stride)
		return element%size == 0 || size%element == 0
	}
	return size >= element || element%size == 0 || host.Kind() == reflect.Array
}
