package webgpu

import (
	"context"
	"errors"
	"fmt"
	"syscall/js"
)

// attempt calls f. What JavaScript throws is the error.
func attempt(f func()) (err error) {
	defer func() {
		switch thrown := recover().(type) {
		case nil:
		case js.Error:
			err = errors.New(message(thrown.Value))
		default:
			panic(thrown)
		}
	}()
	f()
	return nil
}

// message is the text of what was thrown, or of a GPUError.
func message(v js.Value) string {
	if v.Type() == js.TypeObject {
		if m := v.Get("message"); m.Type() == js.TypeString {
			return m.String()
		}
	}
	return v.String()
}

// promise is a value that comes later.
type promise struct {
	done  chan struct{} // closed when it is there
	value js.Value
	err   error
}

// promised follows a promise of JavaScript. Once it is resolved, then is called on the page's
// thread if it is not nil, before anything that waits goes on.
func promised(of js.Value, then func(js.Value) error) *promise {
	p := &promise{done: make(chan struct{})}
	var resolved, rejected js.Func
	end := func() {
		resolved.Release()
		rejected.Release()
		close(p.done)
	}
	resolved = js.FuncOf(func(_ js.Value, values []js.Value) any {
		p.value = values[0]
		if then != nil {
			p.err = then(values[0])
		}
		end()
		return nil
	})
	rejected = js.FuncOf(func(_ js.Value, values []js.Value) any {
		p.err = errors.New(message(values[0]))
		end()
		return nil
	})
	of.Call("then", resolved, rejected)
	return p
}

// wait waits until the value is there or a context ends.
func (p *promise) wait(ctx context.Context) (js.Value, error) {
	select {
	case <-p.done:
		return p.value, p.err
	default:
	}
	select {
	case <-p.done:
		return p.value, p.err
	case <-ctx.Done():
		return js.Undefined(), ctx.Err()
	}
}

// await waits for a promise of JavaScript.
func await(of js.Value) (js.Value, error) {
	return promised(of, nil).wait(context.Background())
}

// object makes an object of JavaScript.
func object(members map[string]any) js.Value { return js.ValueOf(members) }

// bytesToJS returns an array of JavaScript with some bytes and zeros up to a whole word.
func bytesToJS(b []byte) js.Value {
	array := js.Global().Get("Uint8Array").New((len(b) + 3) &^ 3)
	js.CopyBytesToJS(array, b)
	return array
}

// failed describes the error of a call.
func failed(what string, err error) error { return fmt.Errorf("webgpu: %s: %w", what, err) }
