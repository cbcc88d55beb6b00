package gpu

import (
	"context"
	"errors"
	"fmt"
	"io"
	"reflect"
	"strings"
	"testing"

	"github.com/gpuc/gpuc/ir/texture"
	"github.com/gpuc/gpuc/runtime/abi"
	"github.com/gpuc/gpuc/runtime/driver"
)

// This file calls everything that the package exports on nil pointers and zero values. Every call
// returns an error, and none panics.

// things are one valid value of each type that has methods or is an argument.
type things struct {
	device    *Device
	kernel    *Kernel
	args      *Args
	stream    *Stream
	arena     *Arena
	event     *Event
	recording *Recording
	captured  *Captured
	buffer    *Buffer[float32]
	host      *HostBuffer[float32]
	transfer  *Transfer
	texture   *Texture
	sampler   *Sampler
	group     *Group
	profile   *Profile
}

func makeThings(t *testing.T) *things {
	t.Helper()
	x := new(things)
	step := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	var err error
	x.device, err = Open(Named(CPU))
	step(err)
	x.kernel, err = x.device.Load(&abi.Artefact{Target: abi.CPU, Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{1, 1, 1},
		Bindings: []abi.Binding{{Name: "x", Access: abi.ReadWrite, Stride: 4, Element: "f32"}},
		Handles: []abi.Handle{{Name: "image", Binding: 1, Type: "texture_2d<f32>", Texture: &abi.Texture{Shape: texture.Sampled2D, Channel: "f32", Access: abi.Read}},
			{Name: "by", Binding: 2, Type: "sampler"}}},
		Code: []byte(`var @x : ptr<storage, array<f32>, read_write> [group 0, binding 0]
var @image : ptr<handle, texture_2d<f32>> [group 0, binding 1]
var @by : ptr<handle, sampler> [group 0, binding 2]

kernel @main() [workgroup 1u, 1u, 1u] {
  return
}
`)})
	step(err)
	x.stream, err = x.device.NewStream()
	step(err)
	x.arena, err = x.stream.NewArena(64)
	step(err)
	x.buffer, err = Alloc[float32](x.device, 4)
	step(err)
	x.host, err = AllocHost[float32](x.device, 4)
	step(err)
	x.transfer, err = x.buffer.ReadAsync(x.stream, x.host.Data())
	step(err)
	x.args = x.kernel.Args()
	step(x.args.Set(0, x.buffer))
	x.event, err = x.stream.Record()
	step(err)
	kernel, err := x.device.Load(&abi.Artefact{Target: abi.CPU, Kernel: abi.Kernel{Name: "main", Workgroup: [3]uint32{1, 1, 1}},
		Code: []byte("kernel @main() [workgroup 1u, 1u, 1u] {\n  return\n}\n")})
	step(err)
	x.recording, err = x.stream.Capture(func() error {
		err := x.stream.Run(kernel, D1(1))
		x.captured = x.stream.Captured()
		return err
	})
	step(err)
	x.texture, err = x.device.NewTexture(TextureDescription{Dimension: texture.D2, Format: texture.R32Float, Width: 1, Height: 1, Depth: 1, Layers: 1, Levels: 1, Samples: 1})
	step(err)
	x.sampler, err = x.device.NewSampler(SamplerDescription{})
	step(err)
	x.group, err = NewGroup(x.device)
	step(err)
	x.profile, err = StartProfile(ProfileOptions{})
	step(err)
	step(x.profile.Stop())
	return x
}

// of returns the value of a type, or the zero value of what is not among the things.
func (x *things) of(t reflect.Type) reflect.Value {
	for _, v := range []any{x.device, x.kernel, x.args, x.stream, x.arena, x.event, x.recording, x.captured, x.buffer, x.host, x.transfer, x.texture, x.sampler, x.group, x.profile} {
		if reflect.TypeOf(v) == t {
			return reflect.ValueOf(v)
		}
	}
	switch t {
	case reflect.TypeFor[Bound](), reflect.TypeFor[Resource]():
		return reflect.ValueOf(x.buffer)
	case reflect.TypeFor[Allocator]():
		return reflect.ValueOf(x.arena)
	case reflect.TypeFor[context.Context]():
		return reflect.ValueOf(context.Background())
	case reflect.TypeFor[Grid]():
		return reflect.ValueOf(Grid{X: 1, Y: 1, Z: 1})
	case reflect.TypeFor[[]float32]():
		return reflect.ValueOf(make([]float32, 4))
	case reflect.TypeFor[io.Writer]():
		return reflect.ValueOf(io.Discard)
	case reflect.TypeFor[TextureDescription]():
		return reflect.ValueOf(x.texture.Description())
	case reflect.TypeFor[*abi.Artefact]():
		return reflect.ValueOf(&abi.Artefact{Target: abi.CPU})
	case reflect.TypeFor[[]*Stream]():
		return reflect.ValueOf([]*Stream{x.stream})
	case reflect.TypeFor[[]*Buffer[float32]]():
		return reflect.ValueOf([]*Buffer[float32]{x.buffer})
	case reflect.TypeFor[*Embedded](), reflect.TypeFor[*KernelError](), reflect.TypeFor[*ShapeError]():
		return reflect.New(t.Elem())
	}
	return reflect.Zero(t)
}

// invalidOnes returns invalid values of a type: nil and the zero value.
func invalidOnes(t reflect.Type) []reflect.Value {
	switch {
	case t == reflect.TypeFor[Bound](), t == reflect.TypeFor[Resource]():
		return []reflect.Value{reflect.Zero(t), reflect.ValueOf((*Buffer[float32])(nil)), reflect.ValueOf(new(Buffer[float32]))}
	case t == reflect.TypeFor[Allocator]():
		return []reflect.Value{reflect.Zero(t), reflect.ValueOf((*Device)(nil)), reflect.ValueOf(new(Device)), reflect.ValueOf((*Stream)(nil)),
			reflect.ValueOf(new(Stream)), reflect.ValueOf((*Arena)(nil)), reflect.ValueOf(new(Arena))}
	case t.Kind() == reflect.Pointer:
		return []reflect.Value{reflect.Zero(t), reflect.New(t.Elem())}
	}
	return nil
}

// quiet are methods whose results are no failure of theirs.
var quiet = map[string]bool{"Error": true, "Unwrap": true}

// callAll calls a function with each of its parameters invalid once, and the others valid. The
// first may be a receiver, for which even a call with nothing else has to fail.
func callAll(t *testing.T, name string, f func(x *things) reflect.Value) int {
	t.Helper()
	calls := 0
	kind := f(makeThings(t)).Type()
	for n := range kind.NumIn() {
		in := kind.In(n)
		variadic := kind.IsVariadic() && n == kind.NumIn()-1
		if variadic {
			in = in.Elem()
		}
		for _, bad := range invalidOnes(in) {
			x := makeThings(t)
			arguments := make([]reflect.Value, kind.NumIn())
			for k := range arguments {
				arguments[k] = x.of(kind.In(k))
			}
			arguments[n] = bad
			if variadic {
				arguments[n] = reflect.Append(reflect.Zero(kind.In(n)), bad.Convert(in))
			}
			what := fmt.Sprintf("%s, parameter %d as %v %v", name, n, in, bad)
			calls++
			results, panicked := guarded(f(x), arguments)
			if panicked != nil {
				t.Errorf("%s ends the program: %v", what, panicked)
				continue
			}
			_, method, _ := strings.Cut(name, ".")
			if last := len(results) - 1; last >= 0 && results[last].Type() == reflect.TypeFor[error]() && !quiet[method] {
				if err, _ := results[last].Interface().(error); err == nil {
					t.Errorf("%s is no error", what)
				} else if !errors.Is(err, ErrClosed) && !errors.Is(err, ErrShape) && !errors.Is(err, ErrUnsupported) {
					t.Errorf("%s has an error of no kind: %v", what, err)
				}
			}
			_ = x.device.Close()
		}
	}
	return calls
}

// guarded calls a function and catches its panic.
func guarded(f reflect.Value, arguments []reflect.Value) (results []reflect.Value, panicked any) {
	defer func() { panicked = recover() }()
	if f.Type().IsVariadic() {
		return f.CallSlice(arguments), nil
	}
	return f.Call(arguments), nil
}

// TestInvalidValues calls all methods of all types, and the functions that take such types.
func TestInvalidValues(t *testing.T) {
	types := []reflect.Type{
		reflect.TypeFor[*Device](), reflect.TypeFor[*Kernel](), reflect.TypeFor[*Args](), reflect.TypeFor[*Stream](), reflect.TypeFor[*Arena](), reflect.TypeFor[*Event](), reflect.TypeFor[*Recording](), reflect.TypeFor[*Captured](),
		reflect.TypeFor[*Buffer[float32]](), reflect.TypeFor[*HostBuffer[float32]](), reflect.TypeFor[*Transfer](), reflect.TypeFor[*Texture](), reflect.TypeFor[*Sampler](), reflect.TypeFor[*Group](), reflect.TypeFor[*Embedded](), reflect.TypeFor[*Preloading](), reflect.TypeFor[*Profile](), reflect.TypeFor[*ProfileReport](), reflect.TypeFor[*WorkReport](), reflect.TypeFor[*Range](),
		reflect.TypeFor[*Tuning](), reflect.TypeFor[*Auto](), reflect.TypeFor[*KernelError](), reflect.TypeFor[*ShapeError](), reflect.TypeFor[*Message](), reflect.TypeFor[*Messages](), reflect.TypeFor[*Grid](), reflect.TypeFor[*Info](), reflect.TypeFor[*MemoryStats](), reflect.TypeFor[*Item](), reflect.TypeFor[*Vec3f](), reflect.TypeFor[*Mat4f](),
	}
	calls := 0
	for _, kind := range types {
		for n := range kind.NumMethod() {
			m := kind.Method(n)
			if _, byValue := kind.Elem().MethodByName(m.Name); byValue {
				calls += callValue(t, kind.Elem(), m.Name)
				continue
			}
			calls += callAll(t, kind.Elem().Name()+"."+m.Name, func(*things) reflect.Value { return m.Func })
		}
	}
	for name, f := range map[string]any{
		"Alloc": Alloc[float32], "AllocUninitialized": AllocUninitialized[float32], "NewAuto": NewAuto, "Upload": Upload[float32], "Copy": Copy[float32], "SetImmediates": SetImmediates[float32],
		"AllocHost": AllocHost[float32], "Share": Share[float32], "MakeShared": MakeShared[float32],
		"CopyBetween": CopyBetween[float32], "NewGroup": NewGroup, "Overlap": Overlap, "Scatter": Scatter[float32], "ScatterTo": ScatterTo[float32], "Gather": Gather[float32],
	} {
		calls += callAll(t, "gpu."+name, func(*things) reflect.Value { return reflect.ValueOf(f) })
	}
	t.Logf("%d calls", calls)
	if calls < 150 {
		t.Errorf("only %d calls", calls)
	}
}

// callValue calls a method of a zero value.
func callValue(t *testing.T, kind reflect.Type, name string) int {
	t.Helper()
	m, _ := kind.MethodByName(name)
	arguments := make([]reflect.Value, m.Type.NumIn())
	for n := range arguments {
		arguments[n] = reflect.Zero(m.Type.In(n))
	}
	_, panicked := guarded(m.Func, arguments)
	if said, _ := panicked.(string); kind == reflect.TypeFor[Item]() && strings.HasPrefix(said, "gpu: the Item is a zero value, which no launch has made") {
		return 1 // whose methods have no error to return
	}
	if panicked != nil {
		t.Errorf("%s.%s of a zero value ends the program: %v", kind, name, panicked)
	}
	return 1
}

// TestInvalidMessages shows the errors: each says what there is instead of what was wanted, and
// where that comes from.
func TestInvalidMessages(t *testing.T) {
	x := makeThings(t)
	defer x.device.Close()
	var none driver.Progress
	x.device.OnProgress(none)
	_, allocated := Alloc[float32](nil, 1)
	_, loaded := x.device.Load(nil)
	_, opened := Open(nil)
	_, since := x.event.Since(nil)
	for want, err := range map[string]error{
		"device: it is nil or none that Open made":                            allocated,
		"load a kernel: wrong shape: the artefact is nil; abi.Load reads one": loaded,
		"open a device: wrong shape: an option is nil":                        opened,
		"stream: it is nil or none that Device.NewStream made":                (*Stream)(nil).Wait(t.Context()),
		"launch a kernel: arguments: it is nil or none that Kernel.Args made": x.stream.Launch(nil, Grid{}),
		"event: it is nil or none that Stream.Record made":                    since,
		"read a buffer: it is nil or none that Alloc or Upload made":          new(Buffer[float32]).Read(t.Context(), x.stream, nil),
		"write a texture: it is nil or none that Device.NewTexture made":      (*Texture)(nil).Write(0, nil),
	} {
		if err == nil || err.Error() != want {
			t.Errorf("got %v, want %s", err, want)
		}
	}
}
