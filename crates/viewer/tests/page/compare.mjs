// How far apart two pictures look: both are blurred, so that single pixels, edges and noise count little, then compared
// by the CIE 1976 colour difference ΔE. Runs inside a browser page, which reads and writes PNG by itself.
import { crc32, deflateSync } from "node:zlib";

// Limits that stored pictures and new ones must keep: the mean, the 99th percentile, and the mean over the worst tile.
export const LIMITS = { mean: 0.6, p99: 5, tile: 7 };

// A PNG file (base64) at half its width and height and with 64 steps a channel: what is finer would not be compared
// anyway, and takes much room.
export async function reduced(page, png) {
  const { data, width, height } = await page.evaluate(async (base64) => {
    const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
    const width = image.width / 2, height = image.height / 2, ctx = new OffscreenCanvas(width, height).getContext("2d");
    ctx.drawImage(image, 0, 0, width, height);
    const data = btoa(Array.from(ctx.getImageData(0, 0, width, height).data, (byte) => String.fromCharCode(byte)).join(""));
    return { data, width, height };
  }, png);
  const rgba = Buffer.from(data, "base64"), rgb = Buffer.alloc(3 * width * height);
  for (let i = 0; i < rgb.length; i++) rgb[i] = Math.min(255, Math.round(rgba[Math.floor(i / 3) * 4 + (i % 3)] / 4) * 4);
  return encodePng(rgb, width, height).toString("base64");
}

// Rows take the filter that leaves the smallest numbers.
function encodePng(rgb, width, height) {
  const row = 3 * width, lines = [];
  for (let y = 0; y < height; y++) {
    const at = (x, up) => (x < 0 || y < up ? 0 : rgb[(y - up) * row + x]);
    const paeth = (a, b, c) => [a, b, c].map((v) => [Math.abs(a + b - c - v), v]).reduce((p, q) => (q[0] < p[0] ? q : p))[1];
    const guesses = [() => 0, (x) => at(x - 3, 0), (x) => at(x, 1), (x) => (at(x - 3, 0) + at(x, 1)) >> 1, (x) => paeth(at(x - 3, 0), at(x, 1), at(x - 3, 1))];
    const tries = guesses.map((guess, filter) => Buffer.from([filter, ...Array.from({ length: row }, (_, x) => (at(x, 0) - guess(x)) & 255)]));
    const size = (line) => line.subarray(1).reduce((sum, v) => sum + (v < 128 ? v : 256 - v), 0);
    lines.push(tries.reduce((p, q) => (size(q) < size(p) ? q : p)));
  }
  const chunk = (tag, body) => {
    const named = Buffer.concat([Buffer.from(tag), body]), out = Buffer.alloc(named.length + 8);
    out.writeUInt32BE(body.length);
    named.copy(out, 4);
    out.writeUInt32BE(crc32(named), named.length + 4);
    return out;
  };
  const head = Buffer.from([0, 0, 0, 0, 0, 0, 0, 0, 8, 2, 0, 0, 0]);
  head.writeUInt32BE(width);
  head.writeUInt32BE(height, 4);
  const parts = [chunk("IHDR", head), chunk("IDAT", deflateSync(Buffer.concat(lines), { level: 9 })), chunk("IEND", Buffer.alloc(0))];
  return Buffer.concat([Buffer.from("\x89PNG\r\n\x1a\n", "latin1"), ...parts]);
}

// { mean, p99, tile, difference } of two PNG files as base64; `difference` is a PNG of the ΔE, bright where they differ.
export function compare(page, actual, stored) {
  return page.evaluate(async ([first, second]) => {
    const TILE = 10, SIGMA = 0.9;
    const pixels = async (base64) => {
      const image = await createImageBitmap(new Blob([Uint8Array.from(atob(base64), (c) => c.charCodeAt(0))], { type: "image/png" }));
      const ctx = new OffscreenCanvas(image.width, image.height).getContext("2d");
      ctx.drawImage(image, 0, 0);
      return ctx.getImageData(0, 0, image.width, image.height);
    };
    // Light of one channel, blurred along x, then along y.
    const blurred = ({ data, width, height }, channel) => {
      const reach = Math.ceil(2.5 * SIGMA), weights = [];
      for (let k = -reach; k <= reach; k++) weights.push(Math.exp(-(k * k) / (2 * SIGMA * SIGMA)));
      const sum = weights.reduce((a, b) => a + b), light = new Float32Array(width * height), half = new Float32Array(width * height);
      for (let i = 0; i < light.length; i++) {
        const c = data[4 * i + channel] / 255;
        light[i] = c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
      }
      const pass = (from, to, along, across, n, m) => {
        for (let j = 0; j < m; j++) for (let i = 0; i < n; i++) {
          let total = 0;
          for (let k = -reach; k <= reach; k++) total += weights[k + reach] * from[Math.min(Math.max(i + k, 0), n - 1) * along + j * across];
          to[i * along + j * across] = total / sum;
        }
      };
      pass(light, half, 1, width, width, height);
      pass(half, light, width, 1, height, width);
      return light;
    };
    const lab = (image) => {
      const [r, g, b] = [0, 1, 2].map((c) => blurred(image, c)), out = new Float32Array(3 * r.length);
      const f = (t) => (t > 0.008856 ? Math.cbrt(t) : 7.787 * t + 16 / 116);
      for (let i = 0; i < r.length; i++) {
        const x = f((0.4124 * r[i] + 0.3576 * g[i] + 0.1805 * b[i]) / 0.9505), y = f(0.2126 * r[i] + 0.7152 * g[i] + 0.0722 * b[i]);
        const z = f((0.0193 * r[i] + 0.1192 * g[i] + 0.9505 * b[i]) / 1.089);
        out.set([116 * y - 16, 500 * (x - y), 200 * (y - z)], 3 * i);
      }
      return out;
    };
    const [a, b] = await Promise.all([pixels(first), pixels(second)]);
    if (a.width !== b.width || a.height !== b.height) return { mean: Infinity, p99: Infinity, tile: Infinity, difference: "" };
    const [p, q] = [lab(a), lab(b)], { width, height } = a, delta = new Float32Array(width * height);
    const across = Math.ceil(width / TILE), tiles = new Float64Array(across * Math.ceil(height / TILE)), counts = tiles.slice();
    let mean = 0;
    for (let i = 0; i < delta.length; i++) {
      delta[i] = Math.hypot(p[3 * i] - q[3 * i], p[3 * i + 1] - q[3 * i + 1], p[3 * i + 2] - q[3 * i + 2]);
      mean += delta[i] / delta.length;
      const tile = Math.floor(Math.floor(i / width) / TILE) * across + Math.floor((i % width) / TILE);
      tiles[tile] += delta[i];
      counts[tile]++;
      a.data.set([12, 5, 2].map((gain) => Math.min(255, gain * delta[i])), 4 * i);
    }
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext("2d").putImageData(a, 0, 0);
    const bytes = new Uint8Array(await (await canvas.convertToBlob({ type: "image/png" })).arrayBuffer());
    const difference = btoa(Array.from(bytes, (byte) => String.fromCharCode(byte)).join(""));
    return { mean, p99: delta.slice().sort()[Math.floor(0.99 * delta.length)], tile: Math.max(...tiles.map((t, i) => t / counts[i])), difference };
  }, [actual, stored]);
}
