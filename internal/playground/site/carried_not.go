//go:build !playground

package site

// carried returns errNotCarried.
func carried() (wasm, script []byte, err error) { return nil, nil, errNotCarried }
