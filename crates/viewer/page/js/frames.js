// Frames near the play head: fetched ahead in the direction of play, kept within a budget of bytes.

const BUDGET_BYTES = 384 * 1024 * 1024;
const REQUESTS_AT_ONCE = 4;

export class FrameCache {
  // `accepts(index, frame)` may turn down a frame that is not the one asked for.
  constructor(source, accepts, onArrival) {
    this.source = source;
    this.accepts = accepts;
    this.onArrival = onArrival;
    this.frames = new Map();
    this.pending = new Map();
    this.bytes = 0;
    this.largest = 1;
    this.error = null;
  }

  // The frame if it is here, else undefined. A Map keeps insertion order, so re-inserting makes it the most recent.
  peek(index) {
    const frame = this.frames.get(index);
    if (frame) {
      this.frames.delete(index);
      this.frames.set(index, frame);
    }
    return frame;
  }

  clear() {
    for (const request of this.pending.values()) request.abort.abort();
    this.pending.clear();
    this.frames.clear();
    this.bytes = 0;
  }

  // Ask for the frames in `wanted`, most urgent first; requests that are no longer wanted are given up.
  want(wanted) {
    const keep = new Set(wanted);
    for (const [index, request] of this.pending) {
      if (!keep.has(index)) {
        request.abort.abort();
        this.pending.delete(index);
      }
    }
    for (const index of wanted) {
      if (this.pending.size >= REQUESTS_AT_ONCE) return;
      if (!this.frames.has(index) && !this.pending.has(index)) this.request(index);
    }
  }

  // How many frames ahead fit without pushing out those on show.
  get reach() {
    return Math.max(2, Math.min(64, Math.floor((BUDGET_BYTES * 0.6) / this.largest)));
  }

  async request(index) {
    const request = { abort: new AbortController() };
    this.pending.set(index, request);
    try {
      const frame = await this.source.frame(index, request.abort.signal);
      if (this.pending.get(index) !== request) return;
      this.pending.delete(index);
      if (!this.accepts(index, frame)) return;
      frame.index = index;
      this.frames.set(index, frame);
      this.bytes += frame.bytes;
      this.largest = Math.max(this.largest, frame.bytes);
      this.error = null;
      this.trim();
    } catch (error) {
      if (error.name === "AbortError" || this.pending.get(index) !== request) return;
      this.error = error;
      // Wait before the same request is tried again, so that a lost server is not hammered.
      await new Promise((done) => setTimeout(done, 1000));
      if (this.pending.get(index) === request) this.pending.delete(index);
    }
    this.onArrival();
  }

  trim() {
    for (const [index, frame] of this.frames) {
      if (this.bytes <= BUDGET_BYTES || this.frames.size <= 3) return;
      this.frames.delete(index);
      this.bytes -= frame.bytes;
    }
  }
}
