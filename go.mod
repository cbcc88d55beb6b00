module github.com/gpuc/gpuc

go 1.26
