//go:build !playground

package site

func carried() (wasm, script []byte, err error) { return nil, nil, errNotCarried }
