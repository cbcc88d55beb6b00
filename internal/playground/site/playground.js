"use strict";

// The playground: the editor and the problems of the program. explore.js has the panes, run.js executes kernels.

const $ = (id) => document.getElementById(id);

// Compiler is the connection to gpuc in its worker.
class Compiler {
  constructor() {
    this.waiting = new Map();
    this.next = 1;
    this.start();
  }
  start() {
    this.worker = new Worker("worker.js");
    this.loaded = new Promise((resolve, reject) => {
      this.worker.onerror = (e) => reject(new Error(e.message || "worker.js cannot be had"));
      this.worker.onmessage = ({ data }) => {
        if (data.ready) return resolve();
        if (data.broken) return reject(new Error(data.broken));
        const { resolve: done, reject: failed } = this.waiting.get(data.id);
        this.waiting.delete(data.id);
        if (data.failed) failed(new Error(data.failed));
        else done(data);
      };
    });
    this.loaded.catch(() => {}); // who asks is told
  }
  // ask sends a request with data and returns a promise of the answer.
  async ask(method, request, data = []) {
    await this.loaded;
    return new Promise((resolve, reject) => {
      this.waiting.set(this.next, { resolve, reject });
      this.worker.postMessage({ id: this.next++, method, request, data });
    });
  }
  // restart aborts the current request.
  restart(why) {
    this.worker.terminate();
    for (const { reject } of this.waiting.values()) reject(new Error(why));
    this.waiting.clear();
    this.start();
  }
}

const indented = /^[ \t]*/;
const columnsOf = (text) => {
  let n = 0;
  for (const c of text) n += c === "\t" ? 4 - (n % 4) : 1;
  return n;
};

// EditorPane is the editable source. The rows with colours lie behind a transparent text area.
class EditorPane extends Pane {
  constructor(panes, changed) {
    super(panes, "Source");
    this.root.classList.add("edit");
    this.area = element("textarea", { spellcheck: false, autocapitalize: "off", autocomplete: "off", ariaLabel: "Source, WGSL", wrap: "off" });
    this.body.append(element("div", { className: "editor" }, this.rows, this.area));
    this.body.tabIndex = -1;
    this.problems = [];
    this.changed = changed;
    this.used = new Set();
    this.area.addEventListener("input", () => this.edited());
    this.area.addEventListener("keydown", (e) => this.typed(e));
    this.area.addEventListener("mousemove", (e) => this.panes.light(this.lineAt(e), this));
    this.area.addEventListener("mouseleave", () => this.panes.light(0, this));
    this.area.addEventListener("click", () => this.moved());
    this.area.addEventListener("keyup", (e) => /^(Arrow|Page|Home|End)/.test(e.key) && this.moved());
  }
  pointAt() {}
  keepAt() {}
  key() {}
  get text() {
    return this.area.value;
  }
  set text(text) {
    this.area.value = text;
    this.problems = [];
    this.draw();
  }
  lineAt(e) {
    const row = this.rows.firstElementChild;
    const n = row ? Math.floor((e.clientY - this.rows.getBoundingClientRect().top) / row.getBoundingClientRect().height) + 1 : 0;
    return this.used.has(n) ? n : 0;
  }
  caretLine() {
    return this.text.slice(0, this.area.selectionStart).split("\n").length;
  }
  // moved selects the line of the caret and scrolls its code into view.
  moved() {
    const line = this.caretLine();
    if (this.panes.kept === line) return;
    this.panes.kept = 0;
    this.panes.keep(this.used.has(line) ? line : 0, this);
  }
  edited() {
    this.used = new Set();
    this.problems = [];
    this.panes.kept = 0;
    this.draw();
    this.changed();
  }
  typed(e) {
    const { selectionStart: from, selectionEnd: to } = this.area;
    if (e.key === "Escape") {
      this.leaving = true;
      return;
    }
    if (e.key === "Tab" && !this.leaving && !e.shiftKey && !e.ctrlKey && !e.altKey) {
      e.preventDefault();
      this.insert(from, to, "  ");
    } else if (e.key === "Enter" && !e.ctrlKey && !e.metaKey) {
      e.preventDefault();
      const line = this.text.slice(this.text.lastIndexOf("\n", from - 1) + 1, from);
      this.insert(from, to, "\n" + indented.exec(line)[0] + (/\{\s*$/.test(line) ? "  " : ""));
    }
    this.leaving = false;
  }
  // insert replaces a part of the text, with undo.
  insert(from, to, text) {
    this.area.focus();
    this.area.setSelectionRange(from, to);
    if (!document.execCommand(text ? "insertText" : "delete", false, text)) {
      this.area.setRangeText(text, from, to, "end");
      this.edited();
    }
  }
  goTo(place) {
    this.area.focus();
    this.area.setSelectionRange(place.offset, place.offset);
    this.body.scrollTop = Math.max(0, (place.line - 5) * this.rows.firstElementChild.offsetHeight);
    this.moved();
  }
  draw() {
    const lines = this.text.split("\n"), top = this.body.scrollTop, left = this.body.scrollLeft;
    this.fill(rowsHTML(lines, lines.map((_, n) => (this.used.has(n + 1) ? n + 1 : 0)), "code"));
    this.body.scrollTop = top;
    this.body.scrollLeft = left;
    for (const p of this.problems) {
      const row = p.place && this.rows.children[p.place.line - 1];
      if (!row) continue;
      const start = this.text.lastIndexOf("\n", p.place.offset - 1) + 1;
      const end = p.place.endLine === p.place.line ? p.place.endOffset : start + lines[p.place.line - 1].length;
      const wave = element("span", { className: "wave " + p.severity, title: p.message });
      const before = columnsOf(this.text.slice(start, p.place.offset));
      wave.style.setProperty("--from", before);
      wave.style.setProperty("--width", columnsOf(this.text.slice(start, end)) - before);
      row.append(wave);
    }
  }
  // show displays the diagnostics of the text.
  show(looked) {
    this.problems = looked.diagnostics || [];
    if (looked.exploration) this.used = new Set(looked.exploration.texts.flatMap((t) => t.from || []));
    this.draw();
  }
}

// BoxPane is a pane without lines.
class BoxPane {
  constructor(title, root) {
    this.title = title;
    this.root = root;
  }
}

const compiler = new Compiler();
const state = { inputs: {}, settings: {} }; // by names of variables, and of overrides
let looked = null, kernel = null, asked = 0;

const panes = new Panes($("panes"), $("tabs"), $("status"));
const editor = panes.add(new EditorPane(panes, () => later()));
panes.add(new ViewPane(panes, "IR", {}));
panes.add(new ViewPane(panes, "Code", { target: "wgsl", stage: codeStage }));
panes.add(new BoxPane("Problems", $("problems")));
panes.add(new BoxPane("Run", $("runner")));

panes.want = () => later(0);

let timer = 0;
function later(milliseconds = 100) {
  document.body.dataset.looking = "yes";
  clearTimeout(timer);
  timer = setTimeout(look, milliseconds);
}

const requestOf = () => ({ source: editor.text, noOptimize: $("plain").checked, debug: $("debug").checked, settings: state.settings });

// targetsOf returns the targets that panes show, and the one that WebGPU runs.
const targetsOf = () => ["wgsl", ...panes.list.map((p) => p.target && (p.target.value || p.wish.target || "spirv")).filter(Boolean)];

// look checks the current program and shows its diagnostics, and then its compilation.
async function look() {
  const number = ++asked;
  clearTimeout(timer);
  document.body.dataset.looking = "yes";
  try {
    const found = await compiler.ask("check", requestOf());
    if (number !== asked) return; // there is another text by this time
    showProblems(found.answer);
    document.body.classList.toggle("stale", found.answer.errors > 0);
    if (found.answer.errors) {
      looked = found.answer;
      editor.show(looked);
      $("run").disabled = true;
    } else {
      const { answer } = await compiler.ask("look", { ...requestOf(), targets: targetsOf() });
      if (number !== asked) return;
      looked = answer;
      editor.show(looked);
      chooseKernels($("kernel"), looked.exploration, showKernel);
      $("run").disabled = !kernel;
    }
  } catch (error) {
    if (number === asked) $("found").replaceChildren(element("pre", { className: "said bad", textContent: error.message }));
  }
  if (number === asked) document.body.dataset.looking = "no";
}

function showKernel(chosen) {
  kernel = chosen ? looked.kernels.find((k) => k.name === chosen.name) : null;
  if (kernel) sizeLaunch();
  panes.update(looked.exploration, chosen);
  showInputs();
}

// sizeLaunch restores the launch size that was entered for the kernel, if any. The size for another kernel may be too small. An edited
// kernel counts as the same if its name and the names of the variables that it writes are.
function sizeLaunch() {
  const written = [...(kernel.buffers || []).filter((b) => b.access === "read_write"), ...(kernel.handles || []).filter((h) => h.texture && h.texture.access !== "read")];
  const key = [kernel.name, ...written.map((v) => v.name)].join(" ");
  state.sizes ??= { [key]: state.extent };
  state.extent = state.sizes[key] ??= ["", "", ""];
}

// Problems

function showProblems({ diagnostics, rendered, errors }) {
  panes.list.find((p) => p.title === "Problems").tab.textContent = diagnostics && diagnostics.length ? `Problems ${diagnostics.length}` : "Problems";
  if (!diagnostics || !diagnostics.length) {
    $("found").replaceChildren(element("p", { className: "quiet", textContent: errors ? rendered : "Nothing is wrong." }));
    return;
  }
  $("found").replaceChildren(...diagnostics.map(problem));
}

function problem(d) {
  const out = element("div", { className: "problem " + d.severity }, placeLink(d.place), element("strong", { textContent: d.severity }), ": ", d.message, " ",
    element("code", { textContent: `[${d.code}]`, title: `gpuc doc ${d.code} explains it` }));
  if (d.label) out.append(element("div", { className: "note", textContent: d.label }));
  for (const n of d.notes || []) out.append(element("div", { className: "note" }, placeLink(n.place), n.message));
  for (const f of d.fixes || []) {
    const said = f.message || (f.text ? `write ${f.text}` : "remove it");
    out.append(element("button", { className: "fix", type: "button", textContent: said[0].toUpperCase() + said.slice(1), title: f.text ? `Writes ${f.text}` : "Removes this", onclick: () => editor.insert(f.place.offset, f.place.endOffset, f.text) }));
  }
  return out;
}

function placeLink(place) {
  if (!place) return "";
  return element("span", {}, element("button", { className: "at", type: "button", textContent: `${place.line}:${place.column}`, onclick: () => { panes.activate(editor); editor.goTo(place); } }), " ");
}

// Sharing: the address's fragment has the state; browsers do not send it to servers.

async function packed(text) {
  const bytes = new TextEncoder().encode(text);
  let out = bytes, mark = "t";
  if (window.CompressionStream) {
    out = new Uint8Array(await new Response(new Blob([bytes]).stream().pipeThrough(new CompressionStream("deflate-raw"))).arrayBuffer());
    mark = "z";
  }
  let binary = "";
  for (const b of out) binary += String.fromCharCode(b);
  return mark + btoa(binary).replaceAll("+", "-").replaceAll("/", "_").replaceAll("=", "");
}

async function unpacked(fragment) {
  const bytes = Uint8Array.from(atob(fragment.slice(1).replaceAll("-", "+").replaceAll("_", "/")), (c) => c.charCodeAt(0));
  if (fragment[0] === "t") return new TextDecoder().decode(bytes);
  if (fragment[0] !== "z") throw new Error("The address has a program in a form that this page does not know.");
  return new Response(new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"))).text();
}

function snapshot() {
  return { source: editor.text, kernel: $("kernel").value, device: $("device").value, plain: $("plain").checked, debug: $("debug").checked, inputs: state.inputs, settings: state.settings, extent: state.extent };
}

// restore shows a program with its state.
function restore(s) {
  Object.assign(state, { inputs: structuredClone(s.inputs || {}), settings: { ...(s.settings || {}) }, extent: [...(s.extent || ["", "", ""])], sizes: undefined });
  $("device").value = s.device || "cpu";
  $("plain").checked = Boolean(s.plain);
  $("debug").checked = Boolean(s.debug);
  $("results").replaceChildren(element("p", { className: "quiet", textContent: "What a run leaves is shown here." }));
  $("kernel").replaceChildren(element("option", { value: s.kernel || "", textContent: s.kernel || "" }));
  panes.kept = 0;
  editor.text = s.source || "";
  return look();
}

async function share() {
  location.hash = await packed(JSON.stringify(snapshot()));
  try {
    await navigator.clipboard.writeText(location.href);
    $("status").textContent = "The address has the program, and is on the clipboard.";
  } catch {
    $("status").textContent = "The address has the program: copy it from the browser’s bar.";
  }
}

async function format() {
  try {
    const { answer } = await compiler.ask("format", { source: editor.text });
    if (!answer.problem && answer.text !== editor.text) editor.insert(0, editor.text.length, answer.text);
    if (answer.problem) $("status").textContent = "What does not parse cannot be formatted; Problems says why.";
  } catch (error) {
    $("status").textContent = error.message;
  }
}

async function start() {
  const examples = await (await fetch("examples.json")).json();
  $("example").replaceChildren(...examples.map((x, n) => element("option", { value: n, textContent: x.title })));
  const fragment = location.hash.slice(1);
  let first = examples[0];
  if (fragment) {
    try {
      first = JSON.parse(await unpacked(fragment));
      $("example").prepend(element("option", { value: "", textContent: "– of the address –", selected: true }));
    } catch {
      $("status").textContent = "The address has a program that cannot be read; it may have been cut short.";
    }
  }
  $("example").onchange = () => examples[$("example").value] && restore(examples[$("example").value]);
  $("run").onclick = run;
  $("stop").onclick = () => compiler.restart("It was stopped.");
  $("format").onclick = format;
  $("share").onclick = share;
  $("plain").onchange = $("debug").onchange = look;
  $("add").onclick = () => addView(panes, looked && looked.exploration, looked && looked.exploration && looked.exploration.kernels[$("kernel").selectedIndex]);
  document.addEventListener("keydown", (e) => {
    if (e.key === "Enter" && (e.ctrlKey || e.metaKey)) {
      e.preventDefault();
      run();
    }
  });
  if (!navigator.gpu) $("device").querySelector("[value=webgpu]").textContent = "WebGPU (not in this browser)";
  await restore(first);
}

const unserved = "This page has to be served: gpuc playground does that, and so does any server of static files.";
start().catch((error) => $("found").replaceChildren(element("pre", { className: "said bad", textContent: location.protocol === "file:" ? unserved : error.message })));
