package difftest

func (p *Program) checkStatic() error { return nil }
