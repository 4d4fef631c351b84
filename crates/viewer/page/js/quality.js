// How finely moving pictures are drawn, so that slow machines (also without a GPU) stay responsive.

const LEVELS = [
  { scale: 1, shadows: 2048, occlusion: 2 },
  { scale: 0.8, shadows: 1024, occlusion: 1 },
  { scale: 0.65, shadows: 1024, occlusion: 1 },
  { scale: 0.5, shadows: 512, occlusion: 1 },
  { scale: 0.4, shadows: 512, occlusion: 0 },
  { scale: 0.4, shadows: 0, occlusion: 0 },
];
const SLOW_MS = 55;
const FAST_MS = 20;
const STILL_PICTURES = 24;

export class Quality {
  constructor(gl) {
    const info = gl.getExtension("WEBGL_debug_renderer_info");
    const name = info ? String(gl.getParameter(info.UNMASKED_RENDERER_WEBGL)) : "";
    // Drawing without a GPU starts modestly.
    this.level = /swiftshader|llvmpipe|software/i.test(name) ? 3 : 0;
    this.mean = 16;
    this.slow = 0;
    this.fast = 0;
    // First pictures compile shaders and say nothing about speed.
    this.ignore = 4;
  }

  // Time between two pictures in motion [ms].
  measure(ms) {
    if (this.ignore-- > 0) return;
    this.mean += 0.2 * (Math.min(ms, 2000) - this.mean);
    this.slow = ms > SLOW_MS ? this.slow + 1 : 0;
    this.fast = ms < FAST_MS ? this.fast + 1 : 0;
    if (this.slow >= 3 && this.level < LEVELS.length - 1) this.change(ms > 5 * SLOW_MS && this.level < LEVELS.length - 2 ? 2 : 1);
    // Going up again is tried rarely: a level that was too slow would only flicker.
    else if (this.fast >= 90 && this.level > 0) this.change(-1);
  }

  change(by) {
    this.level += by;
    this.slow = this.fast = 0;
    this.ignore = 2;
  }

  get moving() {
    return { ...LEVELS[this.level], stillLimit: 1 };
  }

  // A still picture gets everything; fewer repeats where each one is slow.
  get still() {
    const repeats = this.stillMs > 1500 ? 2 : this.stillMs > 400 ? 8 : STILL_PICTURES;
    return { ...LEVELS[0], stillLimit: repeats };
  }

  measureStill(ms) {
    this.stillMs = ms;
  }
}

export const QUALITY_LEVELS = LEVELS;
