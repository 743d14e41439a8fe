"use strict";
// Draws the rows that are visible.

function palette() {
  const style = getComputedStyle(document.documentElement);
  const names = ["back", "text", "faint", "line", "band", "ended", "open", "paused", "element", "wait", "run", "mark", "hit", "arrow"];
  return Object.fromEntries(names.map((name) => [name, style.getPropertyValue(`--${name}`).trim()]));
}

class Painter {
  constructor(canvas) {
    this.canvas = canvas;
    this.context = canvas.getContext("2d");
    this.axis = 24;
  }

  get gutter() { return Math.min(260, Math.max(110, this.width * 0.24)); }
  get width() { return this.canvas.clientWidth; }
  get height() { return this.canvas.clientHeight; }

  x(time) { return this.gutter + ((time - this.view.from) / (this.view.to - this.view.from)) * (this.width - this.gutter); }
  time(x) { return this.view.from + ((x - this.gutter) / (this.width - this.gutter)) * (this.view.to - this.view.from); }

  paint(state) {
    const { context, canvas } = this;
    const scale = window.devicePixelRatio || 1;
    if (canvas.width !== Math.round(this.width * scale) || canvas.height !== Math.round(this.height * scale)) {
      canvas.width = Math.round(this.width * scale);
      canvas.height = Math.round(this.height * scale);
    }
    Object.assign(this, { view: state.view, state, colors: palette() });
    context.setTransform(scale, 0, 0, scale, 0, 0);
    context.fillStyle = this.colors.back;
    context.fillRect(0, 0, this.width, this.height);
    context.font = "12px system-ui, sans-serif";
    context.textBaseline = "middle";
    this.positions = new Map();
    for (const row of state.layout.rows) {
      const top = this.axis + row.top - state.scroll;
      if (row.thread && !this.positions.has(row.thread.id)) this.positions.set(row.thread.id, top);
      if (row.thread && row.label === row.thread.name) this.positions.set(row.thread.id, top);
      if (top > this.height || top + row.height < this.axis) continue;
      this.row(row, top);
    }
    this.flows(state.model);
    this.gutterLine();
    this.axisLine();
    if (state.moment !== null) this.line(state.moment, this.colors.mark);
  }

  row(row, top) {
    const { context, colors } = this;
    if (row.kind === "heading") {
      context.fillStyle = colors.band;
      context.fillRect(0, top, this.width, row.height);
      this.label(row.label, 8, top + row.height / 2, "bold 12px system-ui, sans-serif", colors.text);
      return;
    }
    context.save();
    context.beginPath();
    context.rect(this.gutter, Math.max(top, this.axis), this.width - this.gutter, row.height);
    context.clip();
    if (row.kind === "marbles") this.marbles(row, top);
    if (row.kind === "bars") this.bars(row, top);
    if (row.kind === "slices") this.slices(row, top);
    if (row.kind === "counter") this.counter(row, top);
    context.restore();
    context.save();
    context.beginPath();
    context.rect(0, Math.max(top, this.axis), this.gutter - 4, row.height);
    context.clip();
    const middle = top + Math.min(row.height, 26) / 2;
    let noteWidth = 0;
    if (row.note) {
      context.font = "11px system-ui, sans-serif";
      noteWidth = context.measureText(row.note).width + 12;
      context.textAlign = "right";
      this.label(row.note, this.gutter - 8, middle, "11px system-ui, sans-serif", colors.faint);
      context.textAlign = "left";
    }
    this.label(this.shortened(row.label, this.gutter - 24 - noteWidth), 14, middle, "12px system-ui, sans-serif", row.kind === "more" ? colors.element : colors.text);
    context.restore();
    context.fillStyle = colors.line;
    if (row.label) context.fillRect(0, top - 0.5, this.width, 0.5);
  }

  /** The end of a long name says more than its beginning. */
  shortened(text, width) {
    this.context.font = "12px system-ui, sans-serif";
    if (this.context.measureText(text).width <= width) return text;
    let from = 1;
    while (from < text.length && this.context.measureText(`…${text.slice(from)}`).width > width) from += 1;
    return `…${text.slice(from)}`;
  }

  label(text, x, y, font, color) {
    this.context.font = font;
    this.context.fillStyle = color;
    this.context.fillText(text, x, y);
  }

  isHit(item) { return this.state.hits.has(item); }

  marbles(row, top) {
    const { context, colors } = this;
    const middle = top + row.height / 2;
    context.fillStyle = colors.line;
    context.fillRect(this.gutter, middle, this.width, 1);
    const from = lowerBound(row.marks, this.time(this.gutter - 20), (each) => each.time);
    let last = -Infinity;
    let free = -Infinity;
    for (let index = from; index < row.marks.length; index += 1) {
      const mark = row.marks[index];
      const x = this.x(mark.time);
      if (x > this.width + 20) break;
      if (mark.end) {
        context.fillStyle = mark.end === "completed" ? colors.text : colors.mark;
        context.fillRect(x, middle - 9, 2, 18);
        continue;
      }
      if (x - last < 1.5 && !this.isHit(mark)) continue;
      last = x;
      const next = row.marks[index + 1];
      const room = (next ? this.x(next.time) : this.width) - x;
      this.dot(x, middle, room > 12 ? 5 : 3, mark);
      if (room > 28 && x > free && mark.text) {
        const text = mark.text.slice(0, Math.floor(room / 7));
        this.label(text, x + 8, middle - 1, "11px system-ui, sans-serif", colors.text);
        free = x + 8 + this.context.measureText(text).width;
      }
    }
  }

  dot(x, y, radius, item) {
    const { context, colors } = this;
    if (this.isHit(item)) {
      context.fillStyle = colors.hit;
      context.fillRect(x - radius - 3, y - radius - 3, radius * 2 + 6, radius * 2 + 6);
    }
    context.fillStyle = colors.element;
    context.beginPath();
    context.arc(x, y, radius, 0, 7);
    context.fill();
  }

  bars(row, top) {
    const { context, colors } = this;
    let last = -Infinity;
    for (const bar of row.bars) {
      const begin = this.x(bar.begin);
      const end = this.x(bar.end ?? this.state.model.end);
      if (end < this.gutter) continue;
      if (begin > this.width) break;
      if (end - last < 1 && !this.isHit(bar)) continue;
      last = end;
      context.fillStyle = this.isHit(bar) ? colors.hit : bar.end === null ? colors.open : bar.kind === "wait" ? colors.wait : colors.ended;
      if (this.state.selected === bar) context.fillStyle = colors.mark;
      context.fillRect(begin, top + 2, Math.max(end - begin, 1.5), unit);
      context.fillStyle = colors.paused;
      for (const pause of bar.pauses ?? []) {
        const from = this.x(pause.begin);
        context.fillRect(from, top + 2, Math.max(this.x(pause.end ?? this.state.model.end) - from, 1), unit);
      }
      const elements = bar.elements ?? [];
      let dot = -Infinity;
      for (let index = lowerBound(elements, this.time(this.gutter - 5), (each) => each.time); index < elements.length; index += 1) {
        const x = this.x(elements[index].time);
        if (x > this.width + 5) break;
        if (x - dot < 2) continue;
        dot = x;
        this.dot(x, top + 2 + unit / 2, 3, elements[index].slice);
      }
    }
  }

  slices(row, top) {
    const { context, colors } = this;
    const fills = { waits: colors.wait, element: colors.ended, iteration: colors.run, callback: colors.open, proxy: colors.arrow };
    const last = new Array(row.depth + 1).fill(-Infinity);
    for (const slice of row.slices) {
      if (slice.begin > this.view.to) break;
      const depth = Math.max(slice.depth, 0);
      if (depth >= row.depth) continue;
      const begin = this.x(slice.begin);
      const end = this.x(slice.end ?? this.state.model.end);
      if (end < this.gutter || (end - last[depth] < 1 && !this.isHit(slice))) continue;
      last[depth] = end;
      const width = Math.max(end - begin, 1);
      context.fillStyle = this.isHit(slice) ? colors.hit : slice.name === "waits" ? colors.wait : (fills[slice.category] ?? colors.run);
      if (this.state.selected === slice) context.fillStyle = colors.mark;
      context.fillRect(begin, top + 2 + depth * unit, width, unit - 1);
      if (width > 40 && slice.name !== "iteration" && slice.name !== "waits") {
        const from = Math.max(begin, this.gutter);
        const text = (slice.args.v ? `${slice.args.v}  ` : "") + slice.name;
        this.label(text.slice(0, Math.floor((end - from) / 7)), from + 3, top + 2 + depth * unit + unit / 2, "10px system-ui, sans-serif", colors.text);
      }
    }
  }

  counter(row, top) {
    const { context, colors } = this;
    const bottom = top + row.height - 3;
    context.fillStyle = colors.open;
    let index = Math.max(0, lowerBound(row.points, this.view.from, (each) => each.time) - 1);
    const bar = (from, to, value) => {
      const height = (value / row.most) * (row.height - 8);
      context.fillRect(from, bottom - height, to - from, height);
    };
    let [first, most] = [this.x(row.points[index].time), 0];
    for (; index < row.points.length && first <= this.width; index += 1) {
      const x = this.x(row.points[index].time);
      const next = index + 1 < row.points.length ? this.x(row.points[index + 1].time) : Math.min(this.width, this.x(this.state.model.end));
      most = Math.max(most, row.points[index].value);
      if (next - first < 1) continue;
      // Points within one pixel are one column, as high as the greatest of them. What stays after it is the last one.
      bar(first, Math.min(first + 1, next), most);
      bar(Math.max(first + 1, x), next, row.points[index].value);
      [first, most] = [next, 0];
    }
    this.label(`${row.most}`, this.gutter + 3, top + 9, "10px system-ui, sans-serif", colors.faint);
  }

  /** Arrows from where a job was posted to where it runs. */
  flows(model) {
    const { context, colors } = this;
    context.save();
    context.beginPath();
    context.rect(this.gutter, this.axis, this.width - this.gutter, this.height);
    context.clip();
    context.strokeStyle = colors.arrow;
    context.fillStyle = colors.arrow;
    let count = 0;
    for (const flow of model.flows.values()) {
      if (flow.to === null || flow.fromThread === flow.toThread || flow.to < this.view.from || flow.from > this.view.to) continue;
      const [y1, y2] = [this.positions.get(flow.fromThread), this.positions.get(flow.toThread)];
      if (y1 === undefined || y2 === undefined || (y1 < 0 && y2 < 0)) continue;
      if ((count += 1) > 2000) break;
      const [x1, x2] = [this.x(flow.from), this.x(flow.to)];
      const down = y2 > y1;
      context.beginPath();
      context.moveTo(x1, y1 + 6);
      context.lineTo(x2, y2 + 6);
      context.stroke();
      context.beginPath();
      context.moveTo(x2, y2 + 6);
      context.lineTo(x2 - 3, y2 + (down ? 0 : 12));
      context.lineTo(x2 + 3, y2 + (down ? 0 : 12));
      context.fill();
    }
    context.restore();
  }

  gutterLine() {
    this.context.fillStyle = this.colors.line;
    this.context.fillRect(this.gutter - 1, 0, 1, this.height);
  }

  axisLine() {
    const { context, colors } = this;
    context.fillStyle = colors.band;
    context.fillRect(0, 0, this.width, this.axis);
    const span = this.view.to - this.view.from;
    const target = (span / (this.width - this.gutter)) * 110;
    const power = 10 ** Math.floor(Math.log10(target));
    const step = [1, 2, 5, 10].map((each) => each * power).find((each) => each >= target);
    for (let time = Math.max(Math.ceil(this.view.from / step), 0) * step; time <= this.view.to; time += step) {
      const x = this.x(time);
      context.fillStyle = colors.line;
      context.fillRect(x, 0, 1, this.height);
      this.label(duration(time), x + 4, this.axis / 2, "11px system-ui, sans-serif", colors.faint);
    }
  }

  line(time, color) {
    const x = this.x(time);
    if (x < this.gutter) return;
    this.context.fillStyle = color;
    this.context.fillRect(x, 0, 1.5, this.height);
  }
}
