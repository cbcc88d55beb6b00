module github.com/gpuc/gpuc

go 1.26

require (
	github.com/ebitengine/purego v0.11.3 // indirect
	github.com/google/go-cmp v0.7.0 // indirect
)
