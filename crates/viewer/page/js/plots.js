// Plots of the recording's scalars over time; quantities with one unit and one family share a plot.
import { formatNumber, roundDown125 } from "./maths.js";

const MARGIN = { left: 58, right: 10, top: 8, bottom: 20 };

export class Plots {
  constructor(stage, playback, seek) {
    this.playback = playback;
    this.seek = seek;
    this.chosen = new Set();
    this.figures = [];
    this.list = document.getElementById("plot-list");
    this.take(stage);
    this.chooseFirst();
  }

  // Scalars of a stage, without their rows.
  take(stage) {
    this.scalars = stage.scalars;
    this.width = 1 + stage.scalars.length;
    this.rows = new Float64Array(0);
    this.count = 0;
    const chips = document.getElementById("plot-chips");
    chips.replaceChildren();
    if (this.scalars.length === 0) chips.textContent = "This recording holds no scalars.";
    this.scalars.forEach((scalar, i) => {
      const chip = document.createElement("button");
      chip.textContent = scalar.name;
      chip.onclick = () => this.choose(i, !this.chosen.has(i));
      chip.setAttribute("aria-pressed", String(this.chosen.has(i)));
      chips.append(chip);
    });
    this.layout();
  }

  // The first family is shown without asking.
  chooseFirst() {
    const first = this.scalars[0];
    this.scalars.forEach((s, i) => {
      if (s.unit === first.unit && this.chosen.size < 4) this.choose(i, true, false);
    });
    this.layout();
  }

  choose(index, on, layout = true) {
    if (on) this.chosen.add(index);
    else this.chosen.delete(index);
    document.getElementById("plot-chips").children[index].setAttribute("aria-pressed", String(on));
    if (layout) this.layout();
  }

  // Rows of (time, scalars…) that follow those already here; `from` = 0 starts anew.
  append(rows, from) {
    const kept = Math.min(from, this.count) * this.width;
    const all = new Float64Array(kept + rows.length);
    all.set(this.rows.subarray(0, kept));
    all.set(rows, kept);
    this.rows = all;
    this.count = Math.floor(all.length / this.width);
    this.dirty = true;
  }

  layout() {
    const sets = new Map();
    for (const i of [...this.chosen].sort((a, b) => a - b)) {
      const { name, unit } = this.scalars[i];
      const key = `${name.includes(".") ? name.split(".")[0] : unit} ${unit}`;
      if (!sets.has(key)) sets.set(key, []);
      sets.get(key).push(i);
    }
    this.list.replaceChildren();
    this.figures = [...sets.values()].map((members) => this.makeFigure(members));
    this.dirty = true;
  }

  makeFigure(members) {
    const figure = document.createElement("figure");
    const caption = document.createElement("figcaption");
    members.forEach((index, k) => {
      const entry = document.createElement("span");
      const line = document.createElement("i");
      line.className = `series-${(k % 6) + 1}`;
      entry.append(line, `${this.scalars[index].name}${this.scalars[index].unit ? ` [${this.scalars[index].unit}]` : ""}`);
      caption.append(entry);
    });
    const canvas = document.createElement("canvas");
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Plot of ${members.map((i) => this.scalars[i].name).join(", ")} over time`);
    figure.append(caption, canvas);
    this.list.append(figure);
    const entry = { members, canvas };
    const seekTo = (event) => {
      const box = canvas.getBoundingClientRect();
      const x = (event.clientX - box.left - MARGIN.left) / (box.width - MARGIN.left - MARGIN.right);
      this.seek(this.playback.start + Math.min(Math.max(x, 0), 1) * (this.playback.end - this.playback.start));
    };
    canvas.onpointerdown = (event) => {
      canvas.setPointerCapture(event.pointerId);
      seekTo(event);
    };
    canvas.onpointermove = (event) => event.buttons && seekTo(event);
    return entry;
  }

  // Redraw when data, size or the play head changed.
  update() {
    const mark = `${this.playback.time} ${this.list.clientWidth} ${document.documentElement.dataset.theme} ${this.playback.end}`;
    if (!this.dirty && mark === this.mark) return;
    this.dirty = false;
    this.mark = mark;
    for (const figure of this.figures) this.drawFigure(figure);
  }

  drawFigure({ members, canvas }) {
    const ratio = Math.min(devicePixelRatio || 1, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0) return;
    canvas.width = width * ratio;
    canvas.height = height * ratio;
    const ctx = canvas.getContext("2d");
    ctx.scale(ratio, ratio);
    const style = getComputedStyle(document.documentElement);
    const ink = (name) => style.getPropertyValue(name).trim();
    const { start, end } = this.playback;
    const [low, high] = this.rangeOf(members);
    const x = (t) => MARGIN.left + ((t - start) / (end - start || 1)) * (width - MARGIN.left - MARGIN.right);
    const y = (v) => height - MARGIN.bottom - ((v - low) / (high - low)) * (height - MARGIN.top - MARGIN.bottom);
    ctx.font = "11.5px system-ui, sans-serif";
    drawAxis(ctx, ink, ticks(low, high, 4), "y", y, width, height);
    drawAxis(ctx, ink, ticks(start, end || 1, Math.max(2, Math.floor(width / 90))), "x", x, width, height);
    members.forEach((index, k) => {
      ctx.strokeStyle = ink(`--plot-${(k % 6) + 1}`);
      ctx.lineWidth = 1.6;
      this.drawSeries(ctx, index, x, y, width);
    });
    ctx.strokeStyle = ink("--ink");
    ctx.lineWidth = 1;
    ctx.beginPath();
    ctx.moveTo(x(this.playback.time), MARGIN.top);
    ctx.lineTo(x(this.playback.time), height - MARGIN.bottom);
    ctx.stroke();
  }

  rangeOf(members) {
    let low = Infinity, high = -Infinity;
    for (let r = 0; r < this.count; r++) {
      for (const i of members) {
        const v = this.rows[r * this.width + 1 + i];
        if (v < low) low = v;
        if (v > high) high = v;
      }
    }
    if (!(low <= high)) return [0, 1];
    const pad = (high - low) * 0.06 || Math.abs(high) * 0.1 || 1;
    return [low - pad, high + pad];
  }

  // Least and greatest value of every pixel column, so that no peak is lost however many rows there are.
  drawSeries(ctx, index, x, y, width) {
    ctx.beginPath();
    let column = NaN, low = 0, high = 0, last = 0, pen = false;
    const flush = () => {
      if (!Number.isFinite(column)) return;
      if (pen) ctx.lineTo(column, y(low));
      else ctx.moveTo(column, y(low));
      if (high !== low) ctx.lineTo(column, y(high));
      ctx.lineTo(column, y(last));
      pen = true;
    };
    for (let r = 0; r < this.count; r++) {
      const v = this.rows[r * this.width + 1 + index];
      if (!Number.isFinite(v)) continue;
      const px = Math.round(x(this.rows[r * this.width]) * 2) / 2;
      if (px === column) {
        low = Math.min(low, v);
        high = Math.max(high, v);
      } else {
        flush();
        column = px;
        low = high = v;
      }
      last = v;
    }
    flush();
    ctx.stroke();
  }
}

function ticks(low, high, count) {
  const span = high - low;
  if (!(span > 0)) return [low];
  let step = roundDown125(span / count);
  while (span / step > count) step = roundDown125(step * 2.6);
  const out = [];
  for (let v = Math.ceil(low / step) * step; v <= high + step * 1e-9; v += step) out.push(Math.abs(v) < step * 1e-9 ? 0 : v);
  return out;
}

function drawAxis(ctx, ink, values, axis, place, width, height) {
  ctx.strokeStyle = ink("--grid");
  ctx.fillStyle = ink("--ink-soft");
  ctx.lineWidth = 1;
  ctx.beginPath();
  for (const v of values) {
    const p = Math.round(place(v)) + 0.5;
    if (axis === "y") {
      ctx.moveTo(MARGIN.left, p);
      ctx.lineTo(width - MARGIN.right, p);
      ctx.textAlign = "right";
      ctx.textBaseline = "middle";
      ctx.fillText(formatNumber(v, 4), MARGIN.left - 6, p);
    } else {
      ctx.moveTo(p, MARGIN.top);
      ctx.lineTo(p, height - MARGIN.bottom);
      ctx.textAlign = "center";
      ctx.textBaseline = "top";
      ctx.fillText(formatNumber(v, 4), Math.min(p, width - 16), height - MARGIN.bottom + 5);
    }
  }
  ctx.stroke();
}
