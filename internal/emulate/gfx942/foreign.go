package gfx942

// leftToMGPUSim are the instructions that MGPUSim executes.
var leftToMGPUSim = map[string]bool{}
