//go:build js && wasm

// Command wasm is gpuc for the page of `gpuc playground`. It defines a function gpuc(method,
// request, data) for the page's worker. The request and the first result are JSON. Data and the
// other results are arrays of bytes.
package main

import (
	"context"
	"encoding/json"
	"fmt"
	"runtime/debug"
	"syscall/js"

	"github.com/gpuc/gpuc/internal/playground"
	"github.com/gpuc/gpuc/ir/diag"
	"github.com/gpuc/gpuc/ir/texture"
)

// main defines the function and waits for calls.
func main() {
	debug.SetGCPercent(400) // for one thread, memory is cheaper than time
	js.Global().Set("gpuc", js.FuncOf(func(_ js.Value, args []js.Value) any {
		method, request := args[0].String(), args[1].String()
		data := bytesOf(args[2])
		// a function that JavaScript calls must not block, and a launch does
		begin := js.FuncOf(func(_ js.Value, promise []js.Value) any {
			go func() {
				defer func() {
					if r := recover(); r != nil {
						promise[1].Invoke(diag.Caught(r, "answering the page").Error())
					}
				}()
				promise[0].Invoke(result(answer(method, request, data)))
			}()
			return nil
		})
		defer begin.Release() // the constructor of Promise calls it
		return js.Global().Get("Promise").New(begin)
	}))
	js.Global().Get("gpucReady").Invoke()
	select {}
}

// answer answers a request.
func answer(method, request string, data [][]byte) (any, [][]byte) {
	var r playground.Request
	if err := json.Unmarshal([]byte(request), &r); err != nil {
		panic("the request of the page is no JSON: " + err.Error())
	}
	switch method {
	case "check":
		return playground.Check(&r), nil
	case "look":
		return playground.Look(&r), nil
	case "format":
		text, problem := playground.Format(r.Source)
		return map[string]string{"text": text, "problem": problem}, nil
	case "run":
		return playground.Run(context.Background(), &r, data)
	case "texels", "picture":
		format, ok := texture.FormatNamed(r.Source)
		if !ok {
			panic("there is no format " + r.Source)
		}
		if method == "picture" {
			return nil, [][]byte{playground.Picture(format, data[0])}
		}
		return nil, [][]byte{playground.Texels(format, int(r.Grid[0]), data[0])}
	}
	panic(fmt.Sprintf("there is no method %s", method))
}

// bytesOf copies an array of arrays of bytes to Go.
func bytesOf(v js.Value) [][]byte {
	list := make([][]byte, v.Length())
	for n := range list {
		list[n] = make([]byte, v.Index(n).Get("length").Int())
		js.CopyBytesToGo(list[n], v.Index(n))
	}
	return list
}

// result returns an answer as an array of JavaScript.
func result(v any, data [][]byte) js.Value {
	text, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	out := js.Global().Get("Array").New(string(text))
	for _, b := range data {
		if b == nil {
			out.Call("push", js.Null())
			continue
		}
		array := js.Global().Get("Uint8Array").New(len(b))
		js.CopyBytesToJS(array, b)
		out.Call("push", array)
	}
	return out
}
