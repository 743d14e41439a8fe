"use strict";
// The graph of what is alive at a moment: each arrow leads from what retains to what is retained.

function aliveGraph(model, time, choose) {
  const isAlive = (each) => each.begin <= time && (each.end === null || each.end >= time);
  const alive = [...model.subscriptions.values()].filter(isAlive);
  const roots = alive.filter((each) => !each.parent && each.place !== "link");
  const box = document.createElement("div");
  const summary = box.appendChild(document.createElement("p"));
  summary.textContent = roots.length ? `${counted(roots.length, "subscription")}. An arrow leads from what retains to what is retained.` : "No subscription.";
  const most = 40;
  const shown = roots.slice(0, most);
  if (roots.length > most) summary.textContent += ` The first ${most} are shown.`;

  // A hot stream retains the chain that observes it; each subscription retains the one below it.
  const nodes = new Map();
  const edges = [];
  const node = (key, label, column, item) => {
    if (!nodes.has(key)) nodes.set(key, { key, label, column, item, row: 0 });
    return nodes.get(key);
  };
  const children = new Map();
  for (const each of alive) if (each.parent) list(children, each.parent).push(each);
  const visit = (each, depth, column) => {
    if (depth > 6) return;
    const below = node(each.id, each.parent ? (each.chain[0] ?? "operator") : each.place.split("/").at(-1), column, each);
    for (const hot of each.hot) {
      node(`h${hot}`, each.chain.find((name) => name.endsWith(`#${hot}`)) ?? `hot #${hot}`, column + 1);
      edges.push([`h${hot}`, below.key]);
    }
    for (const child of children.get(each.id) ?? []) {
      visit(child, depth + 1, column + 1);
      edges.push([child.id, below.key]);
    }
  };
  for (const root of shown) visit(root, 0, 0);

  const deepest = Math.max(0, ...[...nodes.values()].map((each) => each.column));
  const used = [];
  for (const each of nodes.values()) {
    each.row = used[each.column] ?? 0;
    used[each.column] = each.row + 1;
  }
  const [width, height] = [Math.max(300, (deepest + 1) * 150), Math.max(30, Math.max(0, ...used.filter(Boolean)) * 30 + 6)];
  const svg = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  svg.setAttribute("viewBox", `0 0 ${width} ${height}`);
  svg.setAttribute("width", width);
  const make = (name, attributes, parent = svg) => {
    const made = parent.appendChild(document.createElementNS("http://www.w3.org/2000/svg", name));
    for (const [key, value] of Object.entries(attributes)) made.setAttribute(key, value);
    return made;
  };
  const cell = width / (deepest + 1);
  // What retains is on the left, the observer on the right.
  const place = (each) => ({ x: (deepest - each.column) * cell + 4, y: each.row * 30 + 4 });
  for (const [from, to] of edges) {
    const [a, b] = [place(nodes.get(from)), place(nodes.get(to))];
    make("path", {
      d: `M${a.x + cell - 22},${a.y + 11} C${a.x + cell},${a.y + 11} ${b.x - 14},${b.y + 11} ${b.x - 2},${b.y + 11}`,
      fill: "none", stroke: "var(--arrow)",
    });
    make("path", { d: `M${b.x},${b.y + 11} l-6,-3 v6 z`, fill: "var(--arrow)" });
  }
  for (const each of nodes.values()) {
    const { x, y } = place(each);
    const group = make("g", {});
    const isOpen = each.item && each.item.end === null;
    make("rect", {
      x, y, width: cell - 22, height: 22, rx: 4, fill: "var(--band)",
      stroke: each.item ? (isOpen ? "var(--open)" : "var(--ended)") : "var(--element)",
    }, group);
    const label = make("text", { x: x + 6, y: y + 15, "font-size": 11, fill: "currentColor" }, group);
    const room = Math.floor((cell - 34) / 6);
    label.textContent = each.label.length > room ? `…${each.label.slice(1 - room)}` : each.label;
    make("title", {}, group).textContent = each.label;
    if (each.item) {
      group.style.cursor = "pointer";
      group.addEventListener("click", () => choose(each.item));
    }
  }
  if (nodes.size) box.append(svg);
  return box;
}
