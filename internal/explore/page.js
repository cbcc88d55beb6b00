"use strict";

// The panes of an exploration: the source, the IR after passes, and the code for targets. Pointing at a line highlights all lines that
// come from the same line of the source.

const escaped = { "&": "&amp;", "<": "&lt;", ">": "&gt;" };
const escapeHTML = (text) => text.replace(/[&<>]/g, (c) => escaped[c]);

// element creates an element with properties and children.
function element(name, properties, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// coloured highlights the syntax of a line. In assembly a semicolon begins a comment.
const words = "fn|kernel|func|var|let|const|override|struct|if|else|loop|for|while|switch|case|default|return|break|continue|continuing|exit|next|unreachable|enable|requires|alias|inline|using|namespace|void|define|call|br|phi|label|device|constant|threadgroup|thread";
const pattern = (comment) => new RegExp("(" + comment + ")|(\"(?:[^\"\\\\]|\\\\.)*\")|([%@^$][\\w.]+)|(?<![\\w.])(0[xf][\\da-fA-F]+|\\d[\\w.]*)|\\b(" + words + "|Op[A-Z]\\w*)\\b", "g");
const patterns = { code: pattern("//.*"), assembly: pattern("//.*|;.*") };
const tags = [, "i", "s", "em", "u", "b"];
function coloured(line, kind) {
  let out = "", end = 0;
  for (const found of line.matchAll(patterns[kind])) {
    const tag = tags[found.findIndex((part, n) => n > 0 && part !== undefined)];
    out += escapeHTML(line.slice(end, found.index)) + `<${tag}>${escapeHTML(found[0])}</${tag}>`;
    end = found.index + found[0].length;
  }
  return out + escapeHTML(line.slice(end));
}

// hue returns different colours for adjacent lines.
const hue = (line) => Math.round(line * 137.5) % 360;

// rowsHTML returns the HTML of rows. from has the source line of each, and added says which are marked.
function rowsHTML(lines, from, kind, added) {
  let out = "";
  for (let n = 0; n < lines.length; n++) {
    const source = from[n] ? ` data-s="${from[n]}" style="--h:${hue(from[n])}"` : "";
    out += `<div class="l${added && added[n] ? " added" : ""}" data-n="${n + 1}"${source}>${coloured(lines[n], kind) || " "}</div>`;
  }
  return out;
}

const linesOf = (text) => (text.endsWith("\n") ? text.slice(0, -1) : text).split("\n");

// compare marks the lines that an earlier text does not have, and counts the removed ones. It ignores the numbers of unnamed values.
function compare(before, after) {
  const count = new Map(), bare = (line) => line.trim().replace(/([%^]\w*)\.\d+/g, "$1");
  for (const line of before) count.set(bare(line), (count.get(bare(line)) || 0) + 1);
  const added = after.map((line) => {
    const left = count.get(bare(line)) || 0;
    if (left) count.set(bare(line), left - 1);
    return !left;
  });
  let gone = 0;
  for (const left of count.values()) gone += left;
  return { added, gone, come: added.filter(Boolean).length };
}

// Pane is a text with a title.
class Pane {
  constructor(panes, title) {
    this.panes = panes;
    this.title = title;
    this.bar = element("div", { className: "bar" }, element("h2", { textContent: title }));
    this.caption = element("div", { className: "caption", hidden: true });
    this.rows = element("div", { className: "rows" });
    this.body = element("div", { className: "text", tabIndex: 0 }, this.rows);
    this.body.setAttribute("role", "region");
    this.body.setAttribute("aria-label", title);
    this.ruler = element("div", { className: "ruler", ariaHidden: "true" });
    this.root = element("section", { className: "pane" }, this.bar, this.caption, element("div", { className: "frame" }, this.body, this.ruler));
    this.cursor = -1;
    this.body.addEventListener("mouseover", (e) => this.pointAt(e.target));
    this.body.addEventListener("mouseleave", () => this.panes.light(0, this));
    this.body.addEventListener("click", (e) => {
      if (getSelection().isCollapsed) this.keepAt(e.target);
    });
    this.body.addEventListener("keydown", (e) => this.key(e));
  }
  pointAt(target) {
    const row = target.closest(".l");
    this.panes.light(row && row.dataset.s ? +row.dataset.s : 0, this);
  }
  keepAt(target) {
    const row = target.closest(".l");
    if (!row) return;
    this.moveTo(+row.dataset.n - 1);
    this.panes.keep(row.dataset.s ? +row.dataset.s : 0, this);
  }
  // fill displays rows.
  fill(html) {
    this.rows.innerHTML = html;
    this.byLine = new Map();
    for (const row of this.rows.children) {
      if (!row.dataset.s) continue;
      const line = +row.dataset.s;
      if (!this.byLine.has(line)) this.byLine.set(line, []);
      this.byLine.get(line).push(row);
    }
    this.cursor = -1;
    this.body.scrollTop = this.body.scrollLeft = 0;
  }
  rowsFrom(line) {
    return (this.byLine && this.byLine.get(line)) || [];
  }
  // measure marks the rows of a source line on the ruler beside the text.
  measure(line) {
    const count = this.rows.children.length;
    this.ruler.replaceChildren(...this.rowsFrom(line).map((row) => {
      const mark = element("div");
      mark.style.top = `${(100 * (+row.dataset.n - 1)) / count}%`;
      return mark;
    }));
  }
  moveTo(n) {
    const rows = this.rows.children;
    if (!rows.length) return;
    if (rows[this.cursor]) rows[this.cursor].classList.remove("cursor");
    this.cursor = Math.max(0, Math.min(n, rows.length - 1));
    const row = rows[this.cursor];
    row.classList.add("cursor");
    row.scrollIntoView({ block: "nearest" });
    return row;
  }
  key(e) {
    const far = { ArrowDown: 1, ArrowUp: -1, PageDown: 20, PageUp: -20, Home: -Infinity, End: Infinity }[e.key];
    if (e.altKey || e.ctrlKey || e.metaKey) return;
    if (far !== undefined) {
      const row = this.moveTo(this.cursor < 0 && far === 1 ? 0 : Math.max(-1e9, Math.min(1e9, this.cursor + far)));
      this.panes.light(row && row.dataset.s ? +row.dataset.s : 0, this);
    } else if (e.key === "Enter" && this.cursor >= 0) {
      this.keepAt(this.rows.children[this.cursor]);
    } else if (e.key === "Escape") {
      this.panes.keep(0, this);
    } else {
      return;
    }
    e.preventDefault();
  }
  // reveal scrolls the first row of a source line into view.
  reveal(line) {
    const row = this.rowsFrom(line)[0];
    if (!row) return;
    const box = this.body.getBoundingClientRect(), at = row.getBoundingClientRect();
    if (at.top < box.top + 20 || at.bottom > box.bottom - 20) this.body.scrollTop += at.top - box.top - box.height / 3;
  }
}

// SourcePane shows the source, one file at a time.
class SourcePane extends Pane {
  constructor(panes) {
    super(panes, "Source");
    this.choice = element("select", { ariaLabel: "File", hidden: true, onchange: () => this.show() });
    this.bar.append(this.choice);
  }
  update(exploration) {
    this.sources = exploration.sources;
    this.used = new Set(exploration.texts.flatMap((t) => t.from || []));
    this.choice.replaceChildren(...this.sources.map((s, n) => element("option", { value: n, textContent: s.name })));
    this.choice.hidden = this.sources.length < 2;
    this.show();
  }
  show() {
    const source = this.sources[+this.choice.value || 0];
    if (!source) return this.fill("");
    this.fill(rowsHTML(source.lines, source.lines.map((_, n) => (this.used.has(source.first + n) ? source.first + n : 0)), "code"));
    this.panes.relight();
  }
  reveal(line) {
    const n = this.sources.findIndex((s) => line >= s.first && line < s.first + s.lines.length);
    if (n >= 0 && n !== +this.choice.value) {
      this.choice.value = n;
      this.show();
    }
    super.reveal(line);
  }
}

const codeStage = "code";

// ViewPane shows the IR after a pass, or the code.
class ViewPane extends Pane {
  constructor(panes, title, wish) {
    super(panes, title);
    this.wish = wish;
    this.target = element("select", { ariaLabel: "Target", onchange: () => this.chooseTarget() });
    this.stage = element("select", { ariaLabel: "Pass or code", onchange: () => this.chooseStage() });
    this.back = element("button", { type: "button", textContent: "‹", title: "The pass before (←)", onclick: () => this.step(-1) });
    this.forth = element("button", { type: "button", textContent: "›", title: "The next pass (→)", onclick: () => this.step(1) });
    this.bar.append(this.target, this.back, this.stage, this.forth);
    this.caption.hidden = false;
  }
  key(e) {
    const step = { ArrowLeft: -1, ArrowRight: 1 }[e.key];
    if (!step || e.altKey || e.ctrlKey || e.metaKey) return super.key(e);
    this.step(step);
    e.preventDefault();
  }
  step(by) {
    const n = this.stage.selectedIndex + by;
    if (n < 0 || n >= this.stage.options.length) return;
    this.stage.selectedIndex = n;
    this.chooseStage();
  }
  // update shows another exploration, and keeps the selection if possible.
  update(exploration, kernel) {
    this.texts = exploration.texts;
    this.targets = kernel ? kernel.targets : [];
    this.target.replaceChildren(...this.targets.map((t) => element("option", { value: t.title, textContent: t.title, title: t.doc })));
    const wanted = this.targets.findIndex((t) => t.title === this.wish.target);
    this.target.selectedIndex = wanted >= 0 ? wanted : Math.min(this.wish.place || 0, this.targets.length - 1);
    this.offerStages();
  }
  chooseTarget() {
    const old = this.wish.target;
    this.wish.target = this.target.value;
    this.offerStages();
    if (this.wish.stage === codeStage) this.panes.follow(this, old, this.target.value);
  }
  follow(old, target) {
    if (this.wish.stage === codeStage || (this.wish.target || this.target.value) !== (old || this.targets[0].title)) return;
    this.wish.target = this.target.value = target;
    this.offerStages();
  }
  chooseStage() {
    const option = this.stage.selectedOptions[0];
    this.wish.stage = option ? option.dataset.wish : undefined;
    this.show();
  }
  offerStages() {
    const target = this.targets[this.target.selectedIndex], options = [];
    if (target) {
      const seen = {};
      target.stages.forEach((s, n) => {
        const name = s.pass || "front end";
        seen[name] = (seen[name] || 0) + 1;
        const wish = name + " " + seen[name];
        options.push(element("option", { value: n, textContent: `${n}  ${s.pass ? "after " : ""}${name}${seen[name] > 1 ? ` (${seen[name]})` : ""}` }));
        options[n].dataset.wish = wish;
      });
      options.push(element("option", { value: codeStage, textContent: "code" }));
      options[options.length - 1].dataset.wish = codeStage;
    }
    this.stage.replaceChildren(...options);
    const wanted = options.findIndex((o) => o.dataset.wish === this.wish.stage);
    this.stage.selectedIndex = wanted >= 0 ? wanted : this.usual(target);
    this.show();
  }
  // usual returns the last stage that half of the targets share: the program after the target-independent passes.
  usual(target) {
    if (!target) return -1;
    const common = target.stages.findLastIndex((s) => {
      const sharing = this.targets.filter((t) => t.stages.some((o) => o.text === s.text)).length;
      return sharing > 1 && 2 * sharing >= this.targets.filter((t) => !t.left).length;
    });
    return common > 0 ? common : target.stages.length - 1;
  }
  show() {
    const target = this.targets[this.target.selectedIndex];
    this.back.disabled = this.stage.selectedIndex <= 0;
    this.forth.disabled = this.stage.selectedIndex >= this.stage.options.length - 1;
    if (!target) {
      this.caption.textContent = "";
      this.fill("");
      return;
    }
    const isCode = this.stage.value === codeStage || !target.stages.length;
    const stage = isCode ? null : target.stages[+this.stage.value];
    const text = this.texts[isCode ? target.code : stage.text];
    this.caption.textContent = isCode ? target.doc : stage.doc;
    if (target.left) {
      this.fill("");
      if (this.panes.want) this.panes.want();
      return;
    }
    if (!text) {
      this.fill("");
      this.rows.append(element("div", { className: "refusal", textContent: target.refusal }));
      return;
    }
    const lines = linesOf(text.text);
    let added;
    if (stage && +this.stage.value > 0) {
      const change = compare(linesOf(this.texts[target.stages[+this.stage.value - 1].text].text), lines);
      added = change.added;
      this.caption.append(` · +${change.come} −${change.gone} lines`);
    }
    if (stage && stage.idle) {
      const count = stage.idle.length;
      this.caption.append(" · ", element("details", {}, element("summary", { textContent: `${count} ${count === 1 ? "pass changes" : "passes change"} nothing` }), " " + stage.idle.join(", ")));
    }
    const kind = isCode && /^(spirv|amdgpu|cpu)/.test(target.title) ? "assembly" : "code";
    this.fill(rowsHTML(lines, text.from || [], kind, added));
    this.panes.relight();
  }
}

// Panes are all panes, with the highlighted and the selected line of the source.
class Panes {
  constructor(root, tabs, status) {
    Object.assign(this, { root, tabs, status, list: [], lit: 0, kept: 0 });
  }
  add(pane) {
    this.list.push(pane);
    pane.tab = element("button", { type: "button", textContent: pane.title, onclick: () => this.activate(pane) });
    pane.tab.setAttribute("role", "tab");
    this.tabs.append(pane.tab);
    if (!pane.root.isConnected) this.root.append(pane.root);
    if (this.list.length === 1) this.activate(pane);
    else pane.tab.setAttribute("aria-selected", "false");
    return pane;
  }
  remove(pane) {
    this.list = this.list.filter((other) => other !== pane);
    pane.root.remove();
    pane.tab.remove();
    this.activate(this.list[0]);
  }
  // activate selects the pane that narrow windows show.
  activate(pane) {
    for (const other of this.list) {
      other.root.classList.toggle("active", other === pane);
      other.tab.setAttribute("aria-selected", other === pane);
    }
    if (this.kept && pane.reveal) pane.reveal(this.kept);
  }
  update(exploration, kernel) {
    this.exploration = exploration;
    for (const pane of this.list) if (pane.update) pane.update(exploration, kernel);
    this.relight();
  }
  follow(from, old, target) {
    for (const pane of this.list) if (pane !== from && pane.follow) pane.follow(old, target);
  }
  // light highlights the rows of a line of the source; without one, those of the selected line.
  light(line) {
    if (this.lit === line) return;
    this.lit = line;
    this.relight();
  }
  keep(line, from) {
    this.kept = this.kept === line ? 0 : line;
    this.relight();
    if (this.kept) for (const pane of this.list) if (pane !== from && pane.reveal) pane.reveal(this.kept);
  }
  relight() {
    for (const row of this.root.querySelectorAll(".l.on, .l.kept")) row.classList.remove("on", "kept");
    for (const pane of this.list) {
      if (!pane.rowsFrom) continue;
      for (const row of pane.rowsFrom(this.kept)) row.classList.add("kept");
      for (const row of pane.rowsFrom(this.lit)) row.classList.add("on");
      pane.measure(this.lit || this.kept);
    }
    this.say(this.lit || this.kept);
  }
  say(line) {
    const source = this.exploration && this.exploration.sources.find((s) => line >= s.first && line < s.first + s.lines.length);
    if (!source) {
      this.status.textContent = "";
      return;
    }
    const counts = this.list.filter((p) => p instanceof ViewPane).map((p) => {
      const n = p.rowsFrom(line).length, option = p.stage.selectedOptions[0];
      return `${n} ${n === 1 ? "line" : "lines"} of ${option && option.value !== codeStage ? "IR" : p.target.value}`;
    });
    this.status.textContent = `${source.name}:${line - source.first + 1} – ${counts.join(", ")}`;
  }
}

// chooser fills the list of kernels.
function chooseKernels(select, exploration, changed) {
  const before = select.value;
  select.replaceChildren(...exploration.kernels.map((k) => element("option", { value: k.name, textContent: k.name })));
  const n = exploration.kernels.findIndex((k) => k.name === before);
  select.selectedIndex = n >= 0 ? n : 0;
  select.onchange = () => changed(exploration.kernels[select.selectedIndex]);
  changed(exploration.kernels[select.selectedIndex]);
}

// addView adds a pane that can be closed.
function addView(panes, exploration, kernel) {
  const shown = panes.list.filter((p) => p instanceof ViewPane && p.wish.stage === codeStage).map((p) => p.target.value);
  const other = kernel && kernel.targets.find((t) => !shown.includes(t.title));
  const pane = new ViewPane(panes, "Code", { target: other && other.title, stage: codeStage });
  pane.bar.append(element("button", { className: "close", type: "button", textContent: "×", title: "Close this pane", onclick: () => panes.remove(pane) }));
  panes.add(pane);
  if (exploration) pane.update(exploration, kernel);
  panes.activate(pane);
}

// showPage shows the exploration of the page.
function showPage(text) {
  const exploration = JSON.parse(text), select = document.getElementById("kernel");
  const panes = new Panes(document.getElementById("panes"), document.getElementById("tabs"), document.getElementById("status"));
  panes.add(new SourcePane(panes));
  panes.add(new ViewPane(panes, "IR", { place: 0 }));
  panes.add(new ViewPane(panes, "Code", { place: 0, stage: codeStage }));
  chooseKernels(select, exploration, (kernel) => panes.update(exploration, kernel));
  document.getElementById("add").onclick = () => addView(panes, exploration, exploration.kernels[select.selectedIndex]);
}
