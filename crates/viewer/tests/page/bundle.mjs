// The page as one file, in the same way as `huygens export --html` writes it: modules joined, data embedded.
import { createHash } from "node:crypto";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import { PAGE } from "./server.mjs";
import { frameRanges, packFrame, packScalars, packStage } from "./recording.mjs";

const CHUNK_FRAMES = 16;

export function moduleSources() {
  const files = readFileSync(join(PAGE, "js/order.txt"), "utf8").trim().split("\n");
  return files.map((file) => ({ file, text: readFileSync(join(PAGE, "js", file), "utf8") }));
}

// All modules as one: imports dropped, exports made plain.
export function joinModules() {
  return moduleSources().map(({ text }) => text.replace(/^import .*;\n/gm, "").replace(/^export /gm, "")).join("\n");
}

const packed = (bytes) => gzipSync(bytes).toString("base64");
const hash = (text) => `'sha256-${createHash("sha256").update(text).digest("base64")}'`;

function packChunk(frames) {
  const bytes = frames.map(packFrame);
  const head = Buffer.alloc(8 + 8 * frames.length);
  head.writeUInt32LE(frames.length);
  bytes.forEach((b, i) => head.writeBigUInt64LE(BigInt(b.length), 8 + 8 * i));
  return Buffer.concat([head, ...bytes]);
}

export function exportHtml({ stage, frames }) {
  const script = joinModules(), style = readFileSync(join(PAGE, "style.css"), "utf8");
  const chunks = [];
  for (let first = 0; first < frames.length; first += CHUNK_FRAMES) chunks.push({ first, count: Math.min(CHUNK_FRAMES, frames.length - first) });
  const policy = `default-src 'none'; script-src ${hash(script)}; style-src ${hash(style)}; img-src data:`;
  const data = [
    `<script type="application/json" id="huygens-index">${JSON.stringify({ times: frames.map((f) => f.time), chunks, ranges: frameRanges(stage, frames) })}</script>`,
    `<script type="application/octet-stream" id="huygens-stage">${packed(packStage(stage))}</script>`,
    `<script type="application/octet-stream" id="huygens-scalars">${packed(packScalars(frames))}</script>`,
    ...chunks.map(({ first, count }, k) => `<script type="application/octet-stream" id="huygens-frames-${k}">${packed(packChunk(frames.slice(first, first + count)))}</script>`),
  ];
  return readFileSync(join(PAGE, "index.html"), "utf8")
    .replace('<link rel="stylesheet" href="assets/style.css">', () => `<meta http-equiv="Content-Security-Policy" content="${policy}">\n<style>${style}</style>`)
    .replace('<script type="module" src="assets/js/main.js"></script>\n', "")
    .replace("</body>", () => `${data.join("\n")}\n<script type="module">${script}</script>\n</body>`);
}
