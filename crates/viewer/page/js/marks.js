// Small marks around the picture: axes, scale bar, legend.
import { COLOR_MAPS, colorMapBytes } from "./colormap.js";
import { formatLength, formatNumber, roundDown125 } from "./maths.js";
import { byId } from "./dom.js";

const AXES = [["x", [1, 0, 0], ["#c4201d", "#ff8078"]], ["y", [0, 1, 0], ["#11702a", "#76d68a"]], ["z", [0, 0, 1], ["#1d4fc4", "#8db4ff"]]];

// World axes as the camera sees them; far ones are drawn first and paler.
export function drawGizmo(camera, theme) {
  const canvas = byId("gizmo");
  const ctx = canvas.getContext("2d");
  const { right, up, back } = camera.axes();
  const key = [theme, ...right, ...up].join();
  if (canvas.dataset.key === key) return;
  canvas.dataset.key = key;
  ctx.clearRect(0, 0, 160, 160);
  ctx.lineCap = "round";
  ctx.textAlign = "center";
  ctx.textBaseline = "middle";
  ctx.font = "600 25px system-ui, sans-serif";
  const dot = (a, b) => a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
  const seen = AXES.map(([name, axis, colors]) => ({ name, color: colors[theme === "dark" ? 1 : 0], x: dot(axis, right), y: -dot(axis, up), z: dot(axis, back) }));
  for (const { name, color, x, y, z } of seen.sort((a, b) => a.z - b.z)) {
    ctx.globalAlpha = z < -0.3 ? 0.65 : 1;
    ctx.strokeStyle = color;
    ctx.fillStyle = color;
    ctx.lineWidth = 5;
    ctx.beginPath();
    ctx.moveTo(80, 80);
    ctx.lineTo(80 + 48 * x, 80 + 48 * y);
    ctx.stroke();
    ctx.fillText(name, 80 + 65 * x, 80 + 65 * y);
  }
  ctx.globalAlpha = 1;
}

// A bar of a round length at the depth of the camera's target.
export function updateScaleBar(camera, height) {
  const pixel = camera.pixelLength(height);
  const length = roundDown125(pixel * 130);
  const label = formatLength(length);
  if (byId("scale-label").textContent !== label) byId("scale-label").textContent = label;
  const width = `${Math.round(length / pixel)}px`;
  if (byId("scale-line").style.width !== width) byId("scale-line").style.width = width;
}

// Legend of the colours; hidden while surfaces show their own.
export function updateLegend(color) {
  const legend = byId("legend");
  legend.hidden = !color.name || color.unexplained;
  if (legend.hidden) return;
  const key = [color.title, color.map, ...color.range].join("|");
  if (legend.dataset.key === key) return;
  legend.dataset.key = key;
  byId("legend-title").textContent = color.title;
  const bar = byId("legend-bar");
  const ctx = bar.getContext("2d");
  const bytes = colorMapBytes(COLOR_MAPS.includes(color.map) ? color.map : "lake");
  for (let x = 0; x < bar.width; x++) {
    const i = 4 * Math.min(255, Math.floor((256 * x) / bar.width));
    ctx.fillStyle = `rgb(${bytes[i]},${bytes[i + 1]},${bytes[i + 2]})`;
    ctx.fillRect(x, 0, 1, bar.height);
  }
  const [low, high] = color.range;
  bar.setAttribute("aria-label", `Colours from ${formatNumber(low)} to ${formatNumber(high)}`);
  const ticks = byId("legend-ticks");
  ticks.replaceChildren();
  for (const share of [0, 0.25, 0.5, 0.75, 1]) {
    const tick = document.createElement("span");
    const value = low + share * (high - low);
    tick.textContent = formatNumber(Math.abs(value) < 1e-9 * (high - low) ? 0 : value, 3);
    tick.style.left = `${100 * share}%`;
    ticks.append(tick);
  }
}
