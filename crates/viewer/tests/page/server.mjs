// A stand-in for the viewer's server: the same addresses and checks, data from memory.
// `node server.mjs [spheres] [frames] [port]` serves the synthetic recording for development.
import { createHash } from "node:crypto";
import { readFile } from "node:fs/promises";
import { createServer } from "node:http";
import { extname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";
import { frameRanges, makeRecording, packFrame, packScalars, packStage } from "./recording.mjs";

export const PAGE = fileURLToPath(new URL("../../page/", import.meta.url));
const TYPES = { ".html": "text/html; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".css": "text/css; charset=utf-8" };
const POLICY = "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'; img-src 'self' data:";

// One text message as a WebSocket frame.
function wsText(text) {
  const body = Buffer.from(text);
  const head = body.length < 126 ? Buffer.from([0x81, body.length]) : Buffer.from([0x81, 126, body.length >> 8, body.length & 255]);
  return Buffer.concat([head, body]);
}

// Text messages of a client's frames (masked, short, unfragmented, as browsers send commands).
function wsMessages(data, visit) {
  let at = 0;
  while (at + 6 <= data.length) {
    let length = data[at + 1] & 127, start = at + 2;
    if (length === 126) { length = data.readUInt16BE(start); start += 2; }
    const mask = data.subarray(start, start + 4), body = Buffer.from(data.subarray(start + 4, start + 4 + length));
    for (let i = 0; i < body.length; i++) body[i] ^= mask[i & 3];
    if ((data[at] & 15) === 1) visit(body.toString());
    at = start + 4 + length;
  }
}

export class MockServer {
  // `budgetFrames`: of more frames than this, every second one is dropped.
  constructor(recording, { token = "secret", shown = recording.frames.length, interactive = false, budgetFrames = Infinity } = {}) {
    Object.assign(this, { recording, token, interactive, budgetFrames, commands: [], sockets: new Set(), requests: [], generation: 0, growth: 0, taken: 0, frames: [] });
    this.stage = packStage(recording.stage);
    this.write(shown);
    this.server = createServer((q, a) => this.answer(q, a));
    this.server.on("upgrade", (q, socket) => this.upgrade(q, socket));
  }

  listen(port = 0) {
    return new Promise((done) => this.server.listen(port, "127.0.0.1", () => {
      this.origin = `http://127.0.0.1:${this.server.address().port}`;
      this.url = `${this.origin}/?token=${this.token}`;
      done(this);
    }));
  }

  close() {
    for (const s of this.sockets) s.destroy();
    this.server.closeAllConnections();
    this.server.close();
  }

  get finished() {
    return this.taken >= this.recording.frames.length;
  }

  async answer(request, answer) {
    const url = new URL(request.url, this.origin);
    this.requests.push(url.pathname);
    const reply = (status, type, body) => {
      answer.writeHead(status, { "Content-Type": type, "Content-Security-Policy": POLICY });
      answer.end(body);
    };
    if (url.pathname.startsWith("/api/")) {
      if (request.headers.authorization !== `Bearer ${this.token}`) return reply(401, "text/plain", "no");
      return this.answerApi(url, reply);
    }
    const path = url.pathname === "/" ? "index.html" : normalize(url.pathname).replace(/^\/assets\//, "");
    try {
      reply(200, TYPES[extname(path)] ?? "application/octet-stream", await readFile(join(PAGE, path)));
    } catch {
      reply(404, "text/plain", "not here");
    }
  }

  answerApi(url, reply) {
    const { frames } = this;
    const from = Number(url.searchParams.get("from") ?? 0);
    const [, , what, index] = url.pathname.split("/");
    if (what === "stage") reply(200, "application/octet-stream", this.stage);
    else if (what === "times") reply(200, "application/json", JSON.stringify({ times: frames.slice(from).map((f) => f.time), finished: this.finished, from, generation: this.generation, growth: this.growth }));
    else if (what === "scalars") reply(200, "application/octet-stream", packScalars(frames.slice(from)));
    else if (what === "ranges") reply(200, "application/json", JSON.stringify({ frames: frames.length, count: frames.length, generation: this.generation, groups: frameRanges(this.recording.stage, frames) }));
    else if (what === "frame" && frames[Number(index)]) reply(200, "application/octet-stream", packFrame(frames[Number(index)]));
    else reply(404, "text/plain", "not here");
  }

  upgrade(request, socket) {
    const protocol = request.headers["sec-websocket-protocol"];
    if (protocol !== `huygens.${this.token}`) return socket.end("HTTP/1.1 401 Unauthorized\r\n\r\n");
    const accept = createHash("sha1").update(`${request.headers["sec-websocket-key"]}258EAFA5-E914-47DA-95CA-C5AB0DC85B11`).digest("base64");
    socket.write(`HTTP/1.1 101 Switching Protocols\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Accept: ${accept}\r\nSec-WebSocket-Protocol: ${protocol}\r\n\r\n`);
    this.sockets.add(socket);
    socket.on("close", () => this.sockets.delete(socket));
    socket.on("error", () => this.sockets.delete(socket));
    socket.on("data", (data) => wsMessages(data, (text) => this.command(JSON.parse(text))));
    this.tell();
    if (!this.interactive) return;
    this.send({ type: "state", paused: false });
    this.send({ type: "inputs", inputs: [{ name: "steering", value: 0, min: -1, max: 1, keys: ["ArrowLeft", "ArrowRight"] }, { name: "throttle", value: 0.2, min: 0, max: 1, keys: [] }] });
  }

  command(command) {
    this.commands.push(command);
    if (command.type === "pause" || command.type === "resume") this.send({ type: "state", paused: command.type === "pause" });
  }

  send(event) {
    for (const s of this.sockets) s.write(wsText(JSON.stringify(event)));
  }

  // Let a live run go on by some frames.
  grow(count) {
    this.write(count);
    this.tell();
  }

  write(count) {
    for (const frame of this.recording.frames.slice(this.taken, this.taken + count)) {
      this.taken++;
      this.frames.push(frame);
      if (this.frames.length <= this.budgetFrames) continue;
      this.frames = this.frames.filter((_, i) => i % 2 === 0);
      this.generation++;
    }
  }

  tell() {
    this.send({ type: "frames", count: this.frames.length, finished: this.finished, generation: this.generation });
  }

  // More things in the same run: a recording of a larger stage, of which as many frames are there as before.
  extend(recording) {
    Object.assign(this, { recording, frames: recording.frames.slice(0, this.taken), stage: packStage(recording.stage) });
    this.growth++;
    this.send({ type: "stage", grown: true });
  }

  // Another run under the same name.
  replace(recording) {
    Object.assign(this, { recording, taken: 0, frames: [], stage: packStage(recording.stage) });
    this.generation++;
    this.write(recording.frames.length);
    this.send({ type: "stage" });
    this.tell();
  }
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const [spheres = 2000, frames = 150, port = 8930] = process.argv.slice(2).map(Number);
  const server = await new MockServer(makeRecording({ spheres, frames }), { interactive: true }).listen(port);
  console.log(server.url);
}
