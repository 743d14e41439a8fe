"use strict";
// Decides which rows there are. A row has a label, a height, and items in the order of their beginning.

const unit = 14;

function layOut(model, expanded) {
  const rows = [];
  const heading = (label) => rows.push({ kind: "heading", label, height: 22 });

  if (model.lanes.size) heading("Lanes");
  for (const [name, marks] of model.lanes) rows.push({ kind: "marbles", label: name, height: 26, marks });

  /** The bars of each name, in as few rows as possible. The first eight are drawn, and all after a click. */
  const bars = (groups) => {
    for (const [place, all] of groups) {
      all.sort((a, b) => a.begin - b.begin);
      const tracks = packed(all, model.end);
      const shown = expanded.has(place) ? tracks.length : Math.min(tracks.length, 8);
      tracks.slice(0, shown).forEach((bars, index) => {
        rows.push({ kind: "bars", label: index ? "" : place, note: index ? "" : `${all.length}`, height: unit + 4, bars });
      });
      if (shown < tracks.length) {
        rows.push({ kind: "more", label: `${tracks.length - shown} more rows`, place, height: unit + 2 });
      }
    }
  };

  const places = new Map();
  for (const each of model.subscriptions.values()) {
    if (each.parent || each.place === "link") continue;
    list(places, each.place).push(each);
  }
  if (places.size) heading("Subscriptions");
  bars(places);

  if (model.sources.size) heading("Hot streams");
  for (const [name, marks] of model.sources) rows.push({ kind: "marbles", label: name, height: 22, marks });

  heading("Threads");
  for (const thread of model.threads.values()) {
    if (thread.loop.length) rows.push({ kind: "slices", label: `${thread.name}: loop`, height: unit + 4, slices: thread.loop, depth: 1, thread });
    if (thread.slices.length) {
      const depth = Math.min(thread.depth, 12);
      rows.push({ kind: "slices", label: thread.name, height: depth * unit + 4, slices: thread.slices, depth, thread });
    }
  }

  if (model.dropped.length) rows.push({ kind: "marbles", label: "dropped C calls", height: 22, marks: model.dropped });

  if (model.waits.length || model.counters.size) heading("Waiting");
  const waits = new Map();
  for (const wait of model.waits) list(waits, wait.name).push(wait);
  bars(waits);
  for (const [name, points] of model.counters) {
    rows.push({ kind: "counter", label: name, height: 34, points, most: points.reduce((most, each) => Math.max(most, each.value), 1) });
  }

  let top = 0;
  for (const row of rows) {
    row.top = top;
    top += row.height;
  }
  return { rows, height: top };
}

/** Distributes bars over as few rows as possible, so that none overlap in a row. */
function packed(bars, end) {
  const tracks = [];
  const ends = [];
  // The earliest end. Where all rows are taken, none is looked for.
  let least = Infinity;
  for (const bar of bars) {
    let index = least <= bar.begin ? ends.findIndex((end) => end <= bar.begin) : -1;
    if (index < 0) {
      index = tracks.length;
      tracks.push([]);
    }
    tracks[index].push(bar);
    const reused = ends[index] === least;
    ends[index] = bar.end ?? Math.max(end, bar.begin) + 1;
    least = reused ? ends.reduce((a, b) => Math.min(a, b)) : Math.min(least, ends[index]);
  }
  return tracks;
}

/** The index of the first item whose `key` is at least `value`. */
function lowerBound(items, value, key) {
  let [low, high] = [0, items.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (key(items[middle]) < value) low = middle + 1;
    else high = middle;
  }
  return low;
}
