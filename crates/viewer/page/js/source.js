// Where the page takes its data from: a server, or the page itself when it was exported to one file.
// Both have: stage(), times(from), scalars(from), ranges(), frame(index), subscribe(listener), send(command).
import { parseFrame, parseStage } from "./packed.js";

// Pulls from the local server; events arrive by a WebSocket, and by polling while that is closed.
export class HttpSource {
  constructor(token) {
    this.token = token;
    this.socket = null;
    this.retry = 500;
  }

  async fetch(path, signal) {
    const headers = this.token ? { Authorization: `Bearer ${this.token}` } : {};
    const answer = await fetch(path, { headers, signal, cache: "no-store" });
    if (answer.ok) return answer;
    const reason = answer.status === 401 || answer.status === 403
      ? "The server refused the token. Open the address that `huygens view` printed."
      : `The server answered ${answer.status} to ${path}.`;
    throw Object.assign(new Error(reason), { status: answer.status });
  }

  async stage() {
    this.parsed = parseStage(await (await this.fetch("api/stage")).arrayBuffer());
    return this.parsed;
  }

  async times(from) {
    return (await this.fetch(`api/times?from=${from}`)).json();
  }

  async scalars(from) {
    return new Float64Array(await (await this.fetch(`api/scalars?from=${from}`)).arrayBuffer());
  }

  async ranges() {
    return (await this.fetch("api/ranges")).json();
  }

  async frame(index, signal) {
    return parseFrame(await (await this.fetch(`api/frame/${index}`, signal)).arrayBuffer(), this.parsed);
  }

  subscribe(listener) {
    const url = new URL("ws", location.href);
    url.protocol = url.protocol.replace("http", "ws");
    url.search = "";
    url.hash = "";
    const socket = new WebSocket(url, this.token ? [`huygens.${this.token}`] : []);
    this.socket = socket;
    socket.onopen = () => {
      this.retry = 500;
      listener({ type: "connected" });
    };
    socket.onmessage = (message) => {
      let event = null;
      try {
        event = JSON.parse(message.data);
      } catch {
        return;
      }
      listener(event);
    };
    socket.onclose = () => {
      listener({ type: "disconnected" });
      setTimeout(() => this.subscribe(listener), this.retry);
      this.retry = Math.min(this.retry * 2, 15000);
    };
  }

  send(command) {
    if (this.socket?.readyState === WebSocket.OPEN) this.socket.send(JSON.stringify(command));
  }
}

// Bytes of a <script type="application/octet-stream"> element: base64 of gzip.
async function embeddedBytes(id) {
  const element = document.getElementById(id);
  if (!element) throw new Error(`this page lacks its part '${id}'`);
  const binary = atob(element.textContent.trim());
  const bytes = new Uint8Array(binary.length);
  for (let i = 0; i < binary.length; i++) bytes[i] = binary.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Response(stream).arrayBuffer();
}

// Data that travel inside the page.
export class EmbeddedSource {
  static available() {
    return document.getElementById("huygens-index") !== null;
  }

  constructor() {
    this.index = JSON.parse(document.getElementById("huygens-index").textContent);
    // Decompressed chunks; frames of a chunk are wanted together.
    this.chunks = new Map();
  }

  async stage() {
    this.parsed = parseStage(await embeddedBytes("huygens-stage"));
    return this.parsed;
  }

  async times(from) {
    return { times: this.index.times.slice(from), finished: true, from };
  }

  async scalars(from) {
    const all = new Float64Array(await embeddedBytes("huygens-scalars"));
    return all.subarray(from * (1 + this.parsed.scalars.length));
  }

  async ranges() {
    const count = this.index.times.length;
    return { frames: count, count, groups: this.index.ranges };
  }

  async frame(index) {
    const k = this.index.chunks.findIndex((c) => index >= c.first && index < c.first + c.count);
    if (k < 0) throw new Error(`no frame ${index}`);
    let chunk = this.chunks.get(k);
    if (!chunk) {
      chunk = embeddedBytes(`huygens-frames-${k}`);
      this.chunks.set(k, chunk);
      if (this.chunks.size > 4) this.chunks.delete(this.chunks.keys().next().value);
    }
    const buffer = await chunk;
    const head = new DataView(buffer);
    let at = 8 + 8 * head.getUint32(0, true);
    const within = index - this.index.chunks[k].first;
    for (let i = 0; i < within; i++) at += Number(head.getBigUint64(8 + 8 * i, true));
    const length = Number(head.getBigUint64(8 + 8 * within, true));
    return parseFrame(buffer.slice(at, at + length), this.parsed);
  }

  subscribe() {}

  send() {}
}
