"use strict";

// The playground: an editor in the place of the source, what is wrong with it, and the kernel executed. explore.js has the panes.

const $ = (id) => document.getElementById(id);

// Compiler is gpuc in its worker.
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
  // ask asks for an answer, which has data.
  async ask(method, request, data = []) {
    await this.loaded;
    return new Promise((resolve, reject) => {
      this.waiting.set(this.next, { resolve, reject });
      this.worker.postMessage({ id: this.next++, method, request, data });
    });
  }
  // restart ends what is under way.
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

// EditorPane is the source, which can be changed. Behind the text that is typed stand the rows that show it.
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
  // moved keeps the line of the caret, and brings what belongs to it into view.
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
  // insert replaces a part of the text, such that undoing brings it back.
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
  // show takes what was found in the text.
  show(looked) {
    this.problems = looked.diagnostics || [];
    if (looked.exploration) this.used = new Set(looked.exploration.texts.flatMap((t) => t.from || []));
    this.draw();
  }
}

// BoxPane is a pane of the page that has no lines.
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

// targetsOf are those that panes show, and that which WebGPU runs.
const targetsOf = () => ["wgsl", ...panes.list.map((p) => p.target && (p.target.value || p.wish.target || "spirv")).filter(Boolean)];

// look shows what there is to say of the program as it is: first what is wrong, then what becomes of it.
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
  panes.update(looked.exploration, chosen);
  showInputs();
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

// Inputs

const fills = { zeros: "zeros", ones: "ones", index: "0, 1, 2, …", random: "random", numbers: "numbers", picture: "a test picture" };

const defaultInput = (b) => ({ count: 1024, fill: b.access === "read_write" ? "zeros" : "index", numbers: "1, 2, 3", shown: "numbers", width: 256, fields: {} });
const defaultTexture = () => ({ size: [256, 256, 1] });

function inputOf(b) {
  return (state.inputs[b.name] ??= defaultInput(b));
}
function textureOf(h) {
  return (state.inputs[h.name] ??= defaultTexture());
}

// control is an element for a member of an input.
function control(kind, of, member, properties = {}, options) {
  const box = element(kind, properties, ...(options ? Object.entries(options).map(([value, text]) => element("option", { value, textContent: text })) : []));
  box.value = of[member];
  box.addEventListener("change", () => {
    of[member] = box.type === "number" ? Math.max(+box.min || -Infinity, +box.value || 0) : box.value;
    showInputs();
  });
  return box;
}

const hasColours = (layout) => {
  const kinds = layout.row ? layout.row.map((f) => f.kind).join(" ") : "";
  return layout.stride && /^(u32|f32|f32 f32 f32|f32 f32 f32 f32)$/.test(kinds) ? kinds : "";
};

function showInputs() {
  if (!kernel) {
    $("inputs").replaceChildren(element("p", { className: "quiet", textContent: "There is no kernel to run." }));
    return;
  }
  if (kernel.refusal) {
    $("inputs").replaceChildren(element("pre", { className: "said bad", textContent: kernel.refusal }));
    return;
  }
  const sets = [];
  for (const o of kernel.overrides || []) {
    const name = o.name;
    const box = element("input", { type: "number", step: "any", value: state.settings[name] ?? +shown(o.value, o.type), ariaLabel: name });
    box.addEventListener("change", () => {
      state.settings[name] = +box.value;
      look();
    });
    sets.push(element("fieldset", {}, element("legend", { innerHTML: `override ${escapeHTML(name)} <small>${escapeHTML(o.type)}</small>` }), box));
  }
  for (const b of kernel.buffers || []) sets.push(bufferControls(b));
  for (const h of kernel.handles || []) if (h.texture) sets.push(textureControls(h));
  const size = (state.extent ??= ["", "", ""]), auto = automaticExtent();
  sets.push(element("fieldset", {}, element("legend", { innerHTML: `invocations <small>in workgroups of ${kernel.workgroup.join("×")}</small>` }),
    ...[0, 1, 2].map((n) => control("input", size, n, { className: "size", type: "text", inputMode: "numeric", placeholder: auto[n], ariaLabel: "invocations in " + "xyz"[n] }))));
  $("inputs").replaceChildren(...sets);
}

function bufferControls(b) {
  const input = inputOf(b), l = b.layout, parts = [element("legend", { innerHTML: `${escapeHTML(b.name)} <small>${escapeHTML(b.type)}, ${b.access.replace("_", " and ")}</small>` })];
  for (const f of (l.fields || []).slice(0, 16)) {
    const box = element("input", { type: "number", step: "any", value: input.fields[f.name] ?? 0, ariaLabel: b.name + f.name });
    box.addEventListener("change", () => {
      input.fields[f.name] = +box.value;
      showInputs();
    });
    parts.push(element("label", {}, f.name.replace(/^\./, "") + " ", box));
  }
  if (l.stride) {
    if (!l.count) parts.push(element("label", {}, control("input", input, "count", { type: "number", min: 1, max: 1 << 24, ariaLabel: b.name + ": elements" }), " elements"));
    const offered = { ...fills };
    if (!hasColours(l)) delete offered.picture;
    parts.push(control("select", input, "fill", { ariaLabel: b.name + ": contents" }, offered));
    if (input.fill === "numbers") parts.push(control("input", input, "numbers", { className: "numbers", ariaLabel: b.name + ": numbers, again and again" }));
    if (hasColours(l) && (b.access === "read_write" || input.fill === "picture")) {
      if (b.access === "read_write") parts.push(element("label", {}, "shown as ", control("select", input, "shown", { ariaLabel: b.name + ": shown as" }, { numbers: "numbers", picture: "a picture" })));
      if (input.shown === "picture" || input.fill === "picture") parts.push(element("label", {}, "width ", control("input", input, "width", { type: "number", min: 1, max: 4096 })));
    }
  }
  return element("fieldset", {}, ...parts);
}

function textureControls(h) {
  const input = textureOf(h), isRead = h.texture.access !== "write";
  return element("fieldset", {}, element("legend", { innerHTML: `${escapeHTML(h.name)} <small>${escapeHTML(h.type)}${isRead ? ", a test picture" : ""}</small>` }),
    ...[0, 1, 2].map((n) => control("input", input.size, n, { type: "number", min: 1, max: 4096, ariaLabel: `${h.name}: ${["width", "height", "depth or layers"][n]}` })).slice(0, /3d|array/.test(h.type) ? 3 : 2));
}

const rowsOf = (b) => b.layout.count || Math.max(1, Math.min(inputOf(b).count, 1 << 24));

// automaticExtent is how many invocations there are if nobody says: one for each texel that is written, or for each element.
function automaticExtent() {
  const written = (kernel.handles || []).find((h) => h.texture && h.texture.access !== "read");
  if (written) return textureOf(written).size;
  const buffers = (kernel.buffers || []).filter((b) => b.layout.stride);
  const picture = buffers.find((b) => b.access === "read_write" && inputOf(b).shown === "picture" && hasColours(b.layout));
  if (picture && kernel.workgroup[1] > 1) return [inputOf(picture).width, Math.ceil(rowsOf(picture) / inputOf(picture).width), 1];
  return [Math.max(1, ...buffers.filter((b) => b.access === "read_write").map(rowsOf)), 1, 1];
}

function gridOf() {
  const auto = automaticExtent();
  return kernel.workgroup.map((w, n) => Math.max(1, Math.ceil((parseInt(state.extent[n], 10) || auto[n]) / w)));
}

// Numbers in memory, little-endian

function halfOf(x) {
  const f = new Float32Array([x]), bits = new Uint32Array(f.buffer)[0], sign = (bits >>> 16) & 0x8000;
  const e = ((bits >>> 23) & 0xff) - 112, m = bits & 0x7fffff;
  if (e >= 31) return sign | ((bits & 0x7fffffff) > 0x7f800000 ? 0x7e00 : 0x7c00);
  if (e <= 0) return e < -10 ? sign : sign | ((m | 0x800000) >> (14 - e));
  return (sign | (e << 10) | (m >> 13)) + ((m >> 12) & 1);
}
function ofHalf(h) {
  const e = (h >> 10) & 31, m = h & 1023, sign = h & 0x8000 ? -1 : 1;
  return sign * (e === 0 ? m * 2 ** -24 : e === 31 ? (m ? NaN : Infinity) : (1 + m / 1024) * 2 ** (e - 15));
}
const kinds = {
  f32: { put: (v, at, x) => v.setFloat32(at, x, true), get: (v, at) => v.getFloat32(at, true) },
  f16: { put: (v, at, x) => v.setUint16(at, halfOf(x), true), get: (v, at) => ofHalf(v.getUint16(at, true)) },
  f64: { put: (v, at, x) => v.setFloat64(at, x, true), get: (v, at) => v.getFloat64(at, true) },
  u32: { put: (v, at, x) => v.setUint32(at, x, true), get: (v, at) => v.getUint32(at, true) },
  i32: { put: (v, at, x) => v.setInt32(at, x, true), get: (v, at) => v.getInt32(at, true) },
  u64: { put: (v, at, x) => v.setBigUint64(at, BigInt(Math.trunc(x)), true), get: (v, at) => v.getBigUint64(at, true) },
  i64: { put: (v, at, x) => v.setBigInt64(at, BigInt(Math.trunc(x)), true), get: (v, at) => v.getBigInt64(at, true) },
};

// testPicture is a picture to try kernels on: a gradient with shapes, in bytes of red, green, blue and alpha.
function testPicture(width, height) {
  const out = new Uint8Array(4 * width * height);
  for (let y = 0; y < height; y++) {
    for (let x = 0; x < width; x++) {
      const u = x / width, v = y / height, at = 4 * (y * width + x);
      let colour = [70 + 150 * u, 110 + 60 * v, 190 - 120 * u];
      if ((u - 0.3) ** 2 + (v - 0.4) ** 2 < 0.04) colour = [240, 200, 60];
      if (Math.abs(u - 0.68) < 0.16 && Math.abs(v - 0.6) < 0.2) colour = (Math.floor(u * 24) + Math.floor(v * 24)) % 2 ? [245, 245, 245] : [30, 34, 60];
      if (Math.abs(u + v - 1.62) < 0.02) colour = [210, 60, 70];
      out.set([...colour.map(Math.round), 255], at);
    }
  }
  return out;
}

// random is a sequence that is the same each time (xorshift), from 0 to 1.
function random() {
  let x = 2463534242;
  return () => {
    x ^= x << 13;
    x ^= x >>> 17;
    x ^= x << 5;
    return (x >>> 0) / 2 ** 32;
  };
}

// contentsOf makes the bytes of a buffer.
function contentsOf(b) {
  const input = inputOf(b), l = b.layout, rows = l.stride ? rowsOf(b) : 0;
  const bytes = new Uint8Array(Math.ceil(Math.max(b.size + (b.stride || 0), l.rows + rows * l.stride, 4) / 4) * 4), view = new DataView(bytes.buffer);
  for (const f of l.fields || []) if (kinds[f.kind]) kinds[f.kind].put(view, f.offset, input.fields[f.name] ?? 0);
  if (!l.stride || input.fill === "zeros") return bytes;
  const next = random(), numbers = (input.numbers.match(/[-+.\deE]+/g) || [0]).map(Number);
  const colours = input.fill === "picture" && hasColours(l), picture = colours && testPicture(input.width, Math.ceil(rows / input.width));
  for (let n = 0, k = 0; n < rows; n++) {
    const at = l.rows + n * l.stride;
    l.row.forEach((f, c) => {
      const kind = kinds[f.kind];
      if (!kind) return;
      let x = 0;
      if (colours === "u32") x = new DataView(picture.buffer).getUint32(4 * n, true);
      else if (colours === "f32") x = (0.2126 * picture[4 * n] + 0.7152 * picture[4 * n + 1] + 0.0722 * picture[4 * n + 2]) / 255;
      else if (colours) x = picture[4 * n + c] / 255;
      else if (input.fill === "ones") x = 1;
      else if (input.fill === "index") x = n;
      else if (input.fill === "random") x = f.kind[0] === "f" ? next() : Math.floor(next() * 1000);
      else x = numbers[k++ % numbers.length];
      kind.put(view, at + f.offset, x);
    });
  }
  return bytes;
}

// Running

function dataOf() {
  const data = (kernel.buffers || []).map(contentsOf);
  for (const h of kernel.handles || []) {
    const size = h.texture && textureOf(h).size;
    data.push(h.texture && h.texture.access !== "write" ? testPicture(size[0], size[1]) : new Uint8Array(0));
  }
  return data;
}

async function run() {
  if (!kernel || $("run").disabled) return;
  const on = $("device").value;
  $("run").disabled = true;
  $("stop").hidden = false;
  $("results").replaceChildren(element("p", { className: "quiet", textContent: "It is running …" }));
  panes.activate(panes.list.find((p) => p.title === "Run"));
  try {
    const launch = { grid: gridOf(), data: dataOf(), began: performance.now() };
    const ran = on === "webgpu" ? await runOnWebGPU(launch) : await runOnCPU(launch, on);
    await showResults(ran);
  } catch (error) {
    $("results").replaceChildren(element("pre", { className: "said bad", textContent: error.message }));
  }
  $("stop").hidden = true;
  $("run").disabled = false;
}

async function runOnCPU(launch, device) {
  const sizes = (kernel.handles || []).map((h) => (h.texture ? textureOf(h).size : [1, 1, 1]));
  const request = { ...requestOf(), entry: kernel.name, device, grid: launch.grid, sizes };
  const { answer, data, milliseconds } = await compiler.ask("run", request, launch.data);
  return { ...answer, data, milliseconds, on: device === "cpu" ? "gpuc’s CPU device, in this browser" : "the checked CPU device, in this browser" };
}

// runOnWebGPU runs the WGSL that gpuc has written.
async function runOnWebGPU(launch) {
  if (!navigator.gpu) throw new Error("This browser has no WebGPU, or not on this page: it takes a secure address (https, or localhost). gpuc’s CPU device runs the kernel without.");
  const adapter = await navigator.gpu.requestAdapter();
  if (!adapter) throw new Error("This browser has WebGPU, and no adapter for it: its GPU is off or not supported. gpuc’s CPU device runs the kernel without.");
  const target = looked.exploration.kernels.find((k) => k.name === kernel.name).targets.find((t) => t.title === "wgsl");
  if (target.code < 0) throw new Error(target.refusal);
  if (kernel.immediates) throw new Error("WebGPU in browsers has no immediates yet, which this kernel takes.");
  const code = looked.exploration.texts[target.code].text;
  const wanted = { f16: "shader-f16", subgroups: "subgroups" };
  const features = Object.entries(wanted).filter(([word]) => new RegExp(`^enable.*\\b${word}\\b`, "m").test(code)).map(([, feature]) => feature);
  const missing = features.filter((f) => !adapter.features.has(f));
  if (missing.length) throw new Error(`This kernel takes ${missing.join(" and ")}, which the adapter of this browser does not have.`);
  const device = await adapter.requestDevice({ requiredFeatures: features });
  try {
    device.pushErrorScope("validation");
    const module = device.createShaderModule({ code });
    const pipeline = await device.createComputePipelineAsync({ layout: "auto", compute: { module, entryPoint: kernel.name } });
    const groups = new Map(), kept = [];
    const bind = (r, resource) => groups.set(r.group, [...(groups.get(r.group) || []), { binding: r.binding, resource }]);
    (kernel.buffers || []).forEach((b, n) => {
      const isUniform = b.access === "uniform", size = isUniform ? Math.ceil(launch.data[n].length / 16) * 16 : launch.data[n].length;
      const buffer = device.createBuffer({ size, usage: (isUniform ? GPUBufferUsage.UNIFORM : GPUBufferUsage.STORAGE) | GPUBufferUsage.COPY_SRC | GPUBufferUsage.COPY_DST });
      device.queue.writeBuffer(buffer, 0, launch.data[n]);
      bind(b, { buffer });
      if (b.access === "read_write") kept.push({ n, buffer, size });
    });
    const formats = [];
    for (const [k, h] of (kernel.handles || []).entries()) {
      const n = (kernel.buffers || []).length + k;
      formats.push("");
      if (!h.texture) {
        bind(h, device.createSampler({ minFilter: "linear", magFilter: "linear", mipmapFilter: "linear", ...(h.comparison ? { compare: "less" } : {}) }));
        continue;
      }
      const isStorage = Boolean(h.texture.format), [width, height] = textureOf(h).size, format = h.texture.format || { u32: "rgba8uint", i32: "rgba8sint" }[h.texture.channel] || "rgba8unorm";
      if (!/_2d$|_2d</.test(h.type)) throw new Error(`The playground binds textures of two dimensions on WebGPU, and \`${h.name}\` is ${h.type}.`);
      const texture = device.createTexture({ size: [width, height], format, usage: (isStorage ? GPUTextureUsage.STORAGE_BINDING : GPUTextureUsage.TEXTURE_BINDING) | GPUTextureUsage.COPY_SRC | GPUTextureUsage.COPY_DST });
      if (launch.data[n].length) {
        const { data } = await compiler.ask("texels", { source: format, grid: [width * height, 1, 1] }, [launch.data[n]]);
        device.queue.writeTexture({ texture }, data[0], { bytesPerRow: data[0].length / height }, [width, height]);
      }
      bind(h, texture.createView());
      if (h.texture.access !== "read") {
        formats[k] = format;
        kept.push({ n, texture, width, height, format });
      }
    }
    const commands = device.createCommandEncoder(), pass = commands.beginComputePass();
    pass.setPipeline(pipeline);
    for (const [n, entries] of groups) pass.setBindGroup(n, device.createBindGroup({ layout: pipeline.getBindGroupLayout(n), entries }));
    pass.dispatchWorkgroups(...launch.grid);
    pass.end();
    for (const k of kept) {
      if (k.texture) {
        const [{ data }] = [await compiler.ask("texels", { source: k.format, grid: [1, 1, 1] }, [new Uint8Array(4)])];
        k.row = k.width * data[0].length;
        k.pitch = Math.ceil(k.row / 256) * 256;
        k.size = k.pitch * k.height;
      }
      k.read = device.createBuffer({ size: k.size, usage: GPUBufferUsage.COPY_DST | GPUBufferUsage.MAP_READ });
      if (k.texture) commands.copyTextureToBuffer({ texture: k.texture }, { buffer: k.read, bytesPerRow: k.pitch }, [k.width, k.height]);
      else commands.copyBufferToBuffer(k.buffer, 0, k.read, 0, k.size);
    }
    device.queue.submit([commands.finish()]);
    const data = launch.data.map(() => null);
    for (const k of kept) {
      await k.read.mapAsync(GPUMapMode.READ);
      const bytes = new Uint8Array(k.read.getMappedRange()).slice();
      data[k.n] = bytes;
      if (k.texture) {
        data[k.n] = new Uint8Array(k.row * k.height);
        for (let y = 0; y < k.height; y++) data[k.n].set(bytes.subarray(y * k.pitch, y * k.pitch + k.row), y * k.row);
      }
    }
    const wrong = await device.popErrorScope();
    const { vendor, architecture, description } = adapter.info || {};
    return { problem: wrong ? wrong.message : "", formats, data, milliseconds: performance.now() - launch.began, on: "WebGPU, " + (description || [vendor, architecture].filter(Boolean).join(" ") || "an adapter without a name") };
  } finally {
    device.destroy();
  }
}

// Results

async function showResults(ran) {
  const out = [element("p", { className: "quiet", textContent: `${kernel.name} on ${ran.on}: ${ran.milliseconds < 10 ? ran.milliseconds.toFixed(1) : Math.round(ran.milliseconds)} ms, compiling and copying included` })];
  if (ran.diagnostics && ran.diagnostics.length) {
    editor.problems = [...((looked && looked.diagnostics) || []), ...ran.diagnostics];
    editor.draw();
    panes.relight();
    out.push(...ran.diagnostics.map(problem));
  } else if (ran.problem) {
    out.push(element("pre", { className: "said bad", textContent: ran.problem }));
  }
  if (ran.messages) out.push(element("pre", { className: "said", textContent: ran.messages }));
  const buffers = kernel.buffers || [];
  for (const [n, b] of buffers.entries()) if (ran.data && ran.data[n]) out.push(bufferResult(b, ran.data[n]));
  for (const [k, h] of (kernel.handles || []).entries()) {
    const texels = ran.data && ran.data[buffers.length + k];
    if (!texels) continue;
    const { data } = await compiler.ask("picture", { source: ran.formats[k] }, [texels]);
    const [width, height] = textureOf(h).size;
    out.push(element("div", { className: "results" }, element("h3", { innerHTML: `${escapeHTML(h.name)} <small>${escapeHTML(h.type)}, ${width}×${height}</small>` }), canvasOf(data[0], width, height)));
  }
  $("results").replaceChildren(...out);
}

function canvasOf(picture, width, height) {
  const canvas = element("canvas", { width, height });
  const pixels = new Uint8ClampedArray(4 * width * height);
  pixels.set(picture.subarray(0, pixels.length));
  canvas.getContext("2d").putImageData(new ImageData(pixels, width, height), 0, 0);
  canvas.setAttribute("role", "img");
  canvas.setAttribute("aria-label", `a picture of ${width} by ${height}`);
  return canvas;
}

function bufferResult(b, bytes) {
  const input = inputOf(b), l = b.layout, view = new DataView(bytes.buffer, bytes.byteOffset), rows = l.stride ? Math.floor((bytes.length - l.rows) / l.stride) : 0;
  const box = element("div", { className: "results" }, element("h3", { innerHTML: `${escapeHTML(b.name)} <small>${escapeHTML(b.type)}${rows ? `, ${rows} elements` : ""}</small>` }));
  const colours = hasColours(l);
  if (input.shown === "picture" && colours) {
    const width = Math.max(1, input.width), height = Math.ceil(rows / width);
    const picture = new Uint8Array(4 * width * height);
    for (let n = 0; n < rows; n++) {
      const at = l.rows + n * l.stride;
      if (colours === "u32") picture.set(bytes.subarray(at, at + 4), 4 * n);
      else for (let c = 0; c < 4; c++) {
        const f = colours === "f32" ? (c < 3 ? l.row[0] : null) : l.row[c];
        picture[4 * n + c] = f ? Math.round(255 * Math.min(1, Math.max(0, view.getFloat32(at + f.offset, true) || 0))) : 255;
      }
    }
    box.append(canvasOf(picture, width, height));
    return box;
  }
  const text = (f, at) => (kinds[f.kind] ? shown(kinds[f.kind].get(view, at + f.offset), f.kind) : "?");
  for (const f of l.fields || []) box.append(element("div", {}, element("code", { textContent: `${f.name.replace(/^\./, "") || b.name} = ${text(f, 0)}` })));
  if (!rows) return box;
  const most = 256, table = element("table");
  if (l.row.length === 1) {
    for (let n = 0; n < Math.min(rows, most); n += 8) {
      table.append(element("tr", {}, element("th", { textContent: n, scope: "row" }), ...Array.from({ length: Math.min(8, rows - n) }, (_, k) => element("td", { textContent: text(l.row[0], l.rows + (n + k) * l.stride) }))));
    }
  } else {
    const fields = l.row.slice(0, 16);
    table.append(element("tr", {}, element("th"), ...fields.map((f) => element("th", { textContent: f.name.replace(/^\./, ""), scope: "col" }))));
    for (let n = 0; n < Math.min(rows, most); n++) table.append(element("tr", {}, element("th", { textContent: n, scope: "row" }), ...fields.map((f) => element("td", { textContent: text(f, l.rows + n * l.stride) }))));
  }
  box.append(table);
  if (rows > most) box.append(element("p", { className: "quiet", textContent: `and ${rows - most} more` }));
  return box;
}

// shown is a number with the digits that its kind has.
function shown(x, kind) {
  if (typeof x === "bigint" || kind[0] !== "f") return String(x);
  return String(kind === "f64" ? x : Number(x.toPrecision(kind === "f16" ? 4 : 7)));
}

// Sharing: the whole state in the address, which no server is told.

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

// restore shows a program with what belongs to it.
function restore(s) {
  Object.assign(state, { inputs: structuredClone(s.inputs || {}), settings: { ...(s.settings || {}) }, extent: [...(s.extent || ["", "", ""])] });
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

start().catch((error) => $("found").replaceChildren(element("pre", { className: "said bad", textContent: error.message })));
