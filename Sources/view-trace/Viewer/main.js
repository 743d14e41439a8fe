"use strict";
// The state of the page, and what the reader does.

const model = readTrace(document.getElementById("trace").textContent);
const canvas = document.getElementById("canvas");
const painter = new Painter(canvas);
const whole = { from: -model.end * 0.01, to: Math.max(model.end * 1.01, 1) };
const state = {
  model, view: { ...whole }, scroll: 0, moment: null, selected: null, hits: new Set(), expanded: new Set(), layout: layOut(model, new Set()),
};
let isPending = false;
let found = [];
let foundIndex = -1;

function repaint() {
  if (isPending) return;
  isPending = true;
  requestAnimationFrame(() => {
    isPending = false;
    state.scroll = Math.max(0, Math.min(state.scroll, state.layout.height - painter.height + painter.axis + 20));
    painter.paint(state);
  });
}

function zoom(factor, time) {
  const { from, to } = state.view;
  const span = Math.max((to - from) * factor, 1);
  if (span > (whole.to - whole.from) * 1.5) return;
  const share = (time - from) / (to - from);
  state.view = { from: time - span * share, to: time + span * (1 - share) };
  repaint();
}

/** Shows an item, and a moment of it, its beginning unless told. */
function show(item, moment) {
  if (!item) return;
  const begin = item.begin ?? item.time;
  const end = item.end === null ? model.end : typeof item.end === "number" ? item.end : begin;
  const margin = Math.max((end - begin) * 0.3, (whole.to - whole.from) / 200);
  state.view = { from: begin - margin, to: end + margin };
  const row = rowOf(item);
  if (row) state.scroll = row.top - painter.height / 3;
  select(item, moment ?? begin);
}

/** The row of an item. Where only the first rows of a place are drawn, this draws the others. */
function rowOf(item) {
  const find = () => state.layout.rows.find((row) =>
    (item.kind === "moment" && row.kind === "counter" && row.label === item.name) || [row.bars, row.slices, row.marks].some((items) => items?.includes(item)));
  const row = find();
  if (row || state.expanded.has(item.place ?? item.name)) return row;
  expand(item.place ?? item.name);
  return find();
}

function expand(place) {
  state.expanded.add(place);
  state.layout = layOut(model, state.expanded);
}

/** What is at a point of the canvas: an item, or nothing. */
function itemAt(x, y) {
  const time = painter.time(x);
  const slack = (state.view.to - state.view.from) / (painter.width - painter.gutter) * 4;
  const row = state.layout.rows.find((row) => y >= painter.axis + row.top - state.scroll && y < painter.axis + row.top - state.scroll + row.height);
  if (!row) return { row, time };
  const near = (each) => Math.abs(each.time - time) <= slack;
  if (row.marks) return { row, time, item: row.marks.find(near) };
  if (row.bars) {
    const item = row.bars.find((bar) => bar.begin - slack <= time && time <= (bar.end ?? model.end) + slack);
    return { row, time, item: item?.elements?.find(near)?.slice ?? item };
  }
  if (row.slices) {
    const depth = Math.floor((y - (painter.axis + row.top - state.scroll) - 2) / unit);
    const item = row.slices.findLast((each) => Math.max(each.depth, 0) === depth && each.begin - slack <= time && time <= (each.end ?? model.end) + slack);
    return { row, time, item };
  }
  return { row, time };
}

function select(item, time) {
  state.selected = item ?? null;
  state.moment = time;
  describe(item);
  describeAlive(time);
  repaint();
}

function text(element, content) {
  element.textContent = content;
  return element;
}

function describe(item) {
  const details = document.getElementById("details");
  details.replaceChildren();
  if (!item) return text(details, "Nothing is here.");
  const rows = [];
  if (item.chain) {
    rows.push(["Observed at", item.place], ["Began", duration(item.begin)]);
    rows.push(["Ended", item.end === null ? "never" : `${duration(item.end)}, ${item.how}`]);
    rows.push(["Open for", duration((item.end ?? model.end) - item.begin)], ["Thread", item.thread?.name ?? "unknown"]);
    rows.push(["Elements", `${item.elements.length}${item.elements.length ? `, the last at ${duration(item.elements.at(-1).time)}: ${item.elements.at(-1).text}` : ""}`]);
    for (const pause of item.pauses.slice(-5)) rows.push(["Paused", `${duration(pause.begin)} to ${pause.end === null ? "the end" : duration(pause.end)}`]);
    rows.push(["Chain", chainOf(model, item).join(" ← ")]);
    const creator = createdIn(item);
    if (creator) rows.push(["Created in", `the observer at ${creator.name}`]);
  } else {
    rows.push(["Name", item.name], ["At", duration(item.begin ?? item.time)]);
    if (item.begin !== undefined && item.end !== undefined) rows.push(["Took", item.end === null ? "did not end" : duration(item.end - item.begin)]);
    if (item.thread) rows.push(["Thread", item.thread.name]);
    if (item.text) rows.push(["Element", item.text]);
    if (item.args?.waited !== undefined) rows.push(["Waited", duration(item.args.waited)]);
    for (const [key, value] of Object.entries(item.args ?? {})) {
      if (key === "v") rows.push(["Element", value]);
      else if (!["s", "h", "waited"].includes(key)) rows.push([key, value]);
    }
    if (item.subscription) rows.push(["Chain", chainOf(model, item.subscription).join(" ← ")]);
  }
  const dl = details.appendChild(document.createElement("dl"));
  for (const [name, value] of rows) {
    dl.append(text(document.createElement("dt"), name), text(document.createElement("dd"), `${value}`));
  }
}

/** The slice of the observer that observed, if one did. */
function createdIn(item) {
  return item.thread?.slices.findLast((slice) => slice.category === "element" && slice.begin <= item.begin && item.begin <= (slice.end ?? model.end));
}

function describeAlive(time) {
  document.getElementById("aliveTitle").textContent = `Alive at ${duration(time)}`;
  document.getElementById("alive").replaceChildren(aliveGraph(model, time, (item) => select(item, time)));
}

function search(query) {
  state.hits = new Set();
  found = [];
  foundIndex = -1;
  const wanted = query.trim().toLowerCase();
  if (wanted) {
    const matches = (...texts) => texts.some((each) => each && `${each}`.toLowerCase().includes(wanted));
    for (const each of model.subscriptions.values()) if (!each.parent && matches(each.place, ...each.chain)) found.push(each);
    for (const on of model.threads.values()) for (const each of on.slices) if (matches(each.name, each.args.v)) found.push(each);
    for (const marks of [...model.lanes.values(), ...model.sources.values()]) for (const each of marks) if (matches(each.name, each.text)) found.push(each);
    found.sort((a, b) => (a.begin ?? a.time) - (b.begin ?? b.time));
    state.hits = new Set(found);
  }
  document.getElementById("matches").textContent = wanted ? `${found.length} found` : "";
  repaint();
}

function step(by) {
  if (!found.length) return;
  foundIndex = (foundIndex + by + found.length) % found.length;
  show(found[foundIndex]);
}

let drag = null;
canvas.addEventListener("mousedown", (event) => { drag = { x: event.offsetX, y: event.offsetY, view: { ...state.view }, scroll: state.scroll, hasMoved: false }; });
window.addEventListener("mousemove", (event) => {
  if (!drag) return;
  const box = canvas.getBoundingClientRect();
  const [dx, dy] = [event.clientX - box.left - drag.x, event.clientY - box.top - drag.y];
  if (Math.abs(dx) + Math.abs(dy) < 4 && !drag.hasMoved) return;
  drag.hasMoved = true;
  const shift = (dx / (painter.width - painter.gutter)) * (drag.view.to - drag.view.from);
  state.view = { from: drag.view.from - shift, to: drag.view.to - shift };
  state.scroll = drag.scroll - dy;
  repaint();
});
window.addEventListener("mouseup", (event) => {
  if (drag && !drag.hasMoved && event.target === canvas) {
    const { row, item, time } = itemAt(drag.x, drag.y);
    if (row?.kind === "more") {
      expand(row.place);
      repaint();
    } else {
      select(item, time);
    }
  }
  drag = null;
});
canvas.addEventListener("wheel", (event) => {
  event.preventDefault();
  if (event.ctrlKey || event.metaKey) return zoom(event.deltaY > 0 ? 1.25 : 0.8, painter.time(event.offsetX));
  state.scroll += event.deltaY;
  const shift = (event.deltaX / (painter.width - painter.gutter)) * (state.view.to - state.view.from);
  state.view = { from: state.view.from + shift, to: state.view.to + shift };
  repaint();
}, { passive: false });

const middle = () => (state.view.from + state.view.to) / 2;
const all = () => { state.view = { ...whole }; repaint(); };
window.addEventListener("keydown", (event) => {
  if (event.target instanceof HTMLInputElement) {
    if (event.key === "Enter") step(event.shiftKey ? -1 : 1);
    return;
  }
  const shift = (state.view.to - state.view.from) / 5;
  if (event.key === "+" || event.key === "=") zoom(0.5, middle());
  else if (event.key === "-") zoom(2, middle());
  else if (event.key === "0") all();
  else if (event.key === "ArrowLeft" || event.key === "ArrowRight") {
    const by = event.key === "ArrowLeft" ? -shift : shift;
    state.view = { from: state.view.from + by, to: state.view.to + by };
    repaint();
  } else if (event.key === "ArrowUp" || event.key === "ArrowDown") {
    state.scroll += event.key === "ArrowUp" ? -60 : 60;
    repaint();
  } else if (event.key === "/") {
    document.getElementById("search").focus();
    event.preventDefault();
  }
});
document.getElementById("search").addEventListener("input", (event) => search(event.target.value));
document.getElementById("next").addEventListener("click", () => step(1));
document.getElementById("previous").addEventListener("click", () => step(-1));
document.getElementById("in").addEventListener("click", () => zoom(0.5, middle()));
document.getElementById("out").addEventListener("click", () => zoom(2, middle()));
document.getElementById("all").addEventListener("click", all);
window.addEventListener("resize", repaint);
matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);

document.title = `Trace of ${model.program}`;
document.getElementById("title").textContent = `Trace of ${model.program}`;
const roots = [...model.subscriptions.values()].filter((each) => !each.parent && each.place !== "link");
document.getElementById("summary").textContent =
  `${duration(model.end)}, ${counted(model.count, "event")}, ${counted(roots.length, "subscription")}, ${counted(model.threads.size, "thread")}` +
  (model.started ? `, recorded ${new Date(model.started * 1000).toLocaleString()}` : "");
const allFindings = findings(model);
for (const finding of allFindings) {
  const entry = document.getElementById("findings").appendChild(document.createElement("li"));
  text(entry, finding.text);
  if (finding.isBad) entry.className = "bad";
  entry.addEventListener("click", () => show(finding.item, finding.moment));
}
repaint();
// A link to a finding: page.html#1.
const first = allFindings[Number(location.hash.slice(1)) - 1];
show(first?.item, first?.moment);
