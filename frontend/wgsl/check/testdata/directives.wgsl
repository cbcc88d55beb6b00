enable f16, subgroups;
enable f61; // want "there is no extension named `f61` [unknown-extension]"
requires pointer_composite_access;
requires time_travel; // want "the language feature `time_travel` is not supported [unknown-extension]"
diagnostic(off, derivative_uniformity);
diagnostic(info, derivative_uniformity); // want "two filters for derivative_uniformity contradict each other [invalid-diagnostic-filter]"
diagnostic(maybe, subgroup_uniformity); // want "expected a severity: error, warning, info or off, found `maybe` [invalid-diagnostic-filter]"
diagnostic(off, unheard_of_rule); // want "there is no diagnostic rule `unheard_of_rule` [invalid-diagnostic-filter]"
diagnostic(off, other.rule);

var<private> h: f16 = 1.5h;
