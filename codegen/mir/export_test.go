package mir

// Clean cleans up the blocks of a function, as lowering does at its end.
func Clean(f *Func) { new(cleaner).run(f) }
