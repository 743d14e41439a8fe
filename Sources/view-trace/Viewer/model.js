"use strict";
// Reads the lines of a trace. Times are microseconds since its first event.

function readTrace(text) {
  const model = {
    threads: new Map(), subscriptions: new Map(), lanes: new Map(), sources: new Map(), counters: new Map(),
    waits: [], flows: new Map(), dropped: [], program: "program", started: null, clock: 0, firstKept: Infinity, hasWrapped: false, isClosed: false, malformed: 0, count: 0, end: 0,
  };
  const events = parsed(text, model);
  let first = Infinity;
  for (const event of events) {
    if (event.ph === "M") continue;
    first = Math.min(first, event.ts);
    // What is open stays in a file that is full.
    if (!"bnC".includes(event.ph)) model.firstKept = Math.min(model.firstKept, event.ts);
  }
  if (first === Infinity) first = 0;
  model.first = first;
  model.firstKept -= first;
  for (const event of events) {
    event.ts = (event.ts ?? first) - first;
    const end = event.ts + (event.dur ?? 0);
    if (event.ph !== "M" && end > model.end) model.end = end;
  }
  events.sort((a, b) => a.ts - b.ts);
  model.count = events.length;
  for (const event of events) readEvent(model, event);
  // An observer that is written by hand has no place, but its chain says what it is.
  for (const each of model.subscriptions.values()) {
    if (each.place === "unknown place" && each.chain.length) each.place = `an observer of ${each.chain[0].replace(/ #\d+$/, "")}`;
  }
  return model;
}

/** The events. A line can be damaged if the program crashed while it wrote the line. */
function parsed(text, model) {
  try {
    return JSON.parse(`[${text.trim().replace(/,$/, "")}]`);
  } catch {
    const events = [];
    for (const line of text.split("\n")) {
      const begin = line.indexOf("{");
      if (begin < 0) continue;
      try {
        events.push(JSON.parse(line.slice(begin, line.lastIndexOf("}") + 1)));
      } catch {
        model.malformed += 1;
      }
    }
    return events;
  }
}

function thread(model, id) {
  let found = model.threads.get(id);
  if (!found) model.threads.set(id, (found = { id, name: `thread ${id}`, slices: [], loop: [], stack: [], depth: 0 }));
  return found;
}

function subscription(model, id, time) {
  let found = model.subscriptions.get(id);
  if (!found) {
    found = {
      id, place: "observed before the recording", parent: 0, begin: time, end: null, how: null, chain: [], hot: [],
      pauses: [], elements: [], thread: null,
    };
    model.subscriptions.set(id, found);
  }
  return found;
}

function list(map, key) {
  let found = map.get(key);
  if (!found) map.set(key, (found = []));
  return found;
}

function readEvent(model, event) {
  const args = event.args ?? {};
  switch (event.ph) {
    case "M":
      if (event.name === "thread_name") thread(model, event.tid).name = args.name;
      if (event.name === "process_name") model.program = args.name;
      if (event.name === "process_labels") {
        model.started = args.started;
        // Nanoseconds; all other times are microseconds.
        model.clock = args.clock / 1000 - model.first;
      }
      if (event.name === "recording_wrapped") model.hasWrapped = true;
      if (event.name === "recording_closed") model.isClosed = true;
      break;
    case "B": {
      const on = thread(model, event.tid);
      const slice = {
        kind: "slice", begin: event.ts, end: null, name: event.name, category: event.cat, args, depth: on.stack.length,
        thread: on,
      };
      on.stack.push(slice);
      on.slices.push(slice);
      on.depth = Math.max(on.depth, on.stack.length);
      if (event.cat === "element") {
        const target = subscription(model, args.s, event.ts);
        if (target.elements.length === 0 && target.thread === null) target.place = event.name;
        slice.subscription = target;
        target.elements.push({ time: event.ts, text: args.v, slice });
      }
      break;
    }
    case "E": {
      const slice = thread(model, event.tid).stack.pop();
      if (!slice) break;
      slice.end = event.ts;
      Object.assign(slice.args, args);
      break;
    }
    case "X": {
      const on = thread(model, event.tid);
      on.loop.push({
        kind: "slice", begin: event.ts, end: event.ts + event.dur, name: event.name, category: event.cat, args, depth: -1,
        thread: on,
      });
      break;
    }
    case "b":
      if (event.cat === "subscription") {
        const target = subscription(model, Number(event.id), event.ts);
        Object.assign(target, { place: event.name, parent: args.parent ?? 0, begin: event.ts, thread: thread(model, event.tid) });
      } else {
        model.waits.push({ kind: "wait", id: event.id, begin: event.ts, end: null, name: event.name, args, category: event.cat });
      }
      break;
    case "n": {
      const target = subscription(model, Number(event.id), event.ts);
      if (event.cat === "chain") {
        target.chain.push(event.name);
        if (args.hot) target.hot.push(args.hot);
      } else if (event.name === "paused") {
        // A long recording can contain a pause twice, because what is open stays.
        if (target.pauses.at(-1)?.end !== null) target.pauses.push({ begin: event.ts, end: null });
      } else {
        const last = target.pauses.at(-1);
        if (last && last.end === null) last.end = event.ts;
      }
      break;
    }
    case "e":
      if (event.cat === "subscription") {
        const target = subscription(model, Number(event.id), event.ts);
        target.end = event.ts;
        target.how = args.how;
        if (event.name !== "link") target.place = event.name;
        const last = target.pauses.at(-1);
        if (last && last.end === null) last.end = event.ts;
      } else {
        const wait = model.waits.findLast((wait) => wait.id === event.id);
        if (wait) Object.assign(wait, { end: event.ts, args: { ...wait.args, ...args } });
      }
      break;
    case "i": {
      const mark = { kind: "mark", time: event.ts, text: args.v, end: args.end, name: event.name, category: event.cat, args };
      if (event.cat === "lane") list(model.lanes, event.name).push(mark);
      else if (event.cat === "lanes") list(model.lanes, args.name);
      else if (event.cat === "source") list(model.sources, event.name).push(mark);
      else if (event.cat === "dropped") model.dropped.push(mark);
      break;
    }
    case "C": list(model.counters, event.name).push({ time: event.ts, value: args.waiting }); break;
    case "s": model.flows.set(event.id, { from: event.ts, fromThread: event.tid, to: null, name: event.name }); break;
    case "f": {
      const flow = model.flows.get(event.id);
      if (flow) Object.assign(flow, { to: event.ts, toThread: event.tid });
      break;
    }
  }
}

/** The observer's subscription at the end of the chain of `id`. */
function rootOf(model, id) {
  let found = model.subscriptions.get(id);
  while (found && found.parent && model.subscriptions.has(found.parent)) found = model.subscriptions.get(found.parent);
  return found;
}

/** The chain from the observer to its sources, also through operators that have subscriptions of their own. */
function chainOf(model, root) {
  const names = [...root.chain];
  for (const other of model.subscriptions.values()) {
    if (other !== root && other.parent && rootOf(model, other.id) === root) names.push(...other.chain);
  }
  return [...new Set(names)];
}

function counted(count, noun) { return `${count} ${noun}${count === 1 ? "" : "s"}`; }

function duration(microseconds) {
  if (microseconds >= 1e6) return `${(microseconds / 1e6).toFixed(microseconds >= 1e7 ? 1 : 3)} s`;
  if (microseconds >= 1000) return `${(microseconds / 1000).toFixed(microseconds >= 1e5 ? 0 : 2)} ms`;
  return `${microseconds.toFixed(1)} µs`;
}

/** What took most of an iteration by itself, without what it called: its name, time, number of calls, and longest call. */
function longest(iteration, model) {
  const byName = new Map();
  const open = [];
  const inside = iteration.thread.slices
    .filter((each) => each.begin >= iteration.begin && (each.end ?? model.end) <= iteration.end)
    .sort((a, b) => a.begin - b.begin || b.end - a.end);
  for (const each of inside) {
    const time = (each.end ?? model.end) - each.begin;
    while (open.length && (open.at(-1).end ?? model.end) <= each.begin) open.pop();
    if (open.length) byName.get(open.at(-1).name).time -= time;
    open.push(each);
    if (!byName.has(each.name)) byName.set(each.name, { name: each.name, time: 0, count: 0, item: each });
    const sum = byName.get(each.name);
    sum.time += time;
    sum.count += 1;
    if (time > sum.item.end - sum.item.begin) sum.item = each;
  }
  return [...byName.values()].sort((a, b) => b.time - a.time)[0];
}

/** What a program was doing that did not end its recording, because it crashed or was killed. */
function abruptEnd(model) {
  const open = [...model.threads.values()].flatMap((each) => each.stack.length ? [each.stack.at(-1)] : []);
  open.sort((a, b) => b.begin - a.begin);
  const names = open.map((each) => `${each.name} on ${each.thread.name}`);
  return {
    isBad: true, item: open[0] ?? null,
    text: `The recording was not closed: the program crashed, was killed, or still runs${names.length ? `. It was in ${names.join(", ")}` : ""}`,
  };
}

/** What a reader should look at first. */
function findings(model) {
  const found = [];
  const open = new Map();
  const paused = new Map();
  for (const each of model.subscriptions.values()) {
    if (each.end !== null) continue;
    if (each.pauses.at(-1)?.end === null) list(paused, each.place).push(each);
    else if (!each.parent && each.place !== "link") list(open, each.place).push(each);
  }
  if (model.started !== null && !model.isClosed) found.push(abruptEnd(model));
  for (const [place, all] of [...open].sort((a, b) => b[1].length - a[1].length)) {
    const idle = all.filter((each) => !each.elements.length || each.elements.at(-1).time < model.end / 2).length;
    found.push({
      isBad: all.length > 1, item: all[0], moment: model.end,
      text: `${all.length} × never ended: ${place}${idle ? ` (${idle} without an element in the second half)` : ""}`,
    });
  }
  for (const [place, all] of paused) {
    const since = all[0].pauses.at(-1).begin;
    const count = all.length > 1 ? `${all.length} × paused, the first since` : "Paused since";
    found.push({ isBad: true, item: all[0], moment: since, text: `${count} ${duration(since)}, and not resumed: ${place}` });
  }
  for (const [name, points] of model.counters) {
    const most = points.reduce((a, b) => (b.value > a.value ? b : a));
    if (most.value > 10) {
      found.push({ isBad: points.at(-1).value > 10, item: { kind: "moment", begin: most.time, name }, text: `${most.value} elements waited: ${name}` });
    }
  }
  const long = [];
  for (const on of model.threads.values()) {
    for (const slice of on.loop) if (slice.category === "iteration" && slice.end - slice.begin > 10000) long.push(slice);
  }
  long.sort((a, b) => b.end - b.begin - (a.end - a.begin));
  for (const slice of long.slice(0, 5)) {
    const most = longest(slice, model);
    // A name only if it took a good part. Tasks of the main actor and closures of operators have no slice of their own.
    const isKnown = most && most.time > (slice.end - slice.begin) / 4;
    found.push({
      isBad: true, item: isKnown ? most.item : slice,
      text: `The loop of ${slice.thread.name} was busy for ${duration(slice.end - slice.begin)}: `
        + (isKnown ? `${most.name}, ${duration(most.time)}${most.count > 1 ? ` in ${most.count} calls` : ""}` : "outside of observers, for example in a task"),
    });
  }
  if (model.dropped.length) {
    found.push({ isBad: true, item: model.dropped[0], text: `${counted(model.dropped.length, "C call")} ${model.dropped.length === 1 ? "was" : "were"} dropped: ${model.dropped[0].name}` });
  }
  const waiting = model.waits.filter((wait) => wait.end === null);
  if (waiting.length) found.push({ isBad: false, item: waiting[0], text: `${waiting.length} × still waiting at the end: ${waiting[0].name}` });
  if (model.hasWrapped) {
    found.push({
      isBad: false, item: { kind: "moment", begin: model.firstKept, name: "" },
      text: `The file was full: of the first ${duration(model.firstKept - model.clock)}, only what was still open is known`,
    });
  }
  if (model.malformed) found.push({ isBad: false, item: null, text: `${model.malformed} lines could not be read` });
  found.sort((a, b) => b.isBad - a.isBad);
  if (!found.length) found.push({ isBad: false, item: null, text: "Every subscription ended, and nothing waited for long." });
  return found;
}
