// Lines over the lit picture, hidden by what stands before them: grid without ground, boxes, joints, the pull line.
import { ATTRIBUTE, Program, attachFloats, createBuffer } from "./gl.js";
import { BOX_FRAGMENT, BOX_VERTEX, GRID_FRAGMENT, GRID_VERTEX, LINE_FRAGMENT, LINE_VERTEX } from "./shaders_overlay.js";
import { QUAD_CORNERS } from "./geometry.js";
import { quat, roundDown125, vec } from "./maths.js";

const AXIS_COLORS = [[0.86, 0.20, 0.20, 1], [0.16, 0.62, 0.22, 1], [0.20, 0.42, 0.95, 1]];

export class Overlays {
  constructor(gl, scene) {
    this.gl = gl;
    this.scene = scene;
    this.grid = new Program(gl, GRID_VERTEX, GRID_FRAGMENT);
    this.box = new Program(gl, BOX_VERTEX, BOX_FRAGMENT);
    this.line = new Program(gl, LINE_VERTEX, LINE_FRAGMENT);
    this.makeLineArray();
  }

  makeLineArray() {
    const { gl } = this;
    this.lineArray = gl.createVertexArray();
    gl.bindVertexArray(this.lineArray);
    attachFloats(gl, ATTRIBUTE.aCore, createBuffer(gl, QUAD_CORNERS), 3, 0);
    this.lineBuffer = gl.createBuffer();
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    // One line: from (3), to (4, the last unused), colour (4).
    for (const [location, size, offset] of [[ATTRIBUTE.iPosition, 3, 0], [ATTRIBUTE.iSize, 4, 12], [ATTRIBUTE.iRotation, 4, 28]]) {
      gl.enableVertexAttribArray(location);
      gl.vertexAttribPointer(location, size, gl.FLOAT, false, 44, offset);
      gl.vertexAttribDivisor(location, 1);
    }
    gl.bindVertexArray(null);
  }

  draw(view, options) {
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(false);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (options.grid && !(options.ground && this.scene.hasGround)) this.drawGrid(view);
    if (options.boxes) this.drawBoxes(view, options);
    const pull = options.pull ? this.pullLines(options.pull) : [];
    if (options.joints) this.drawLines(view, this.jointLines(view, options), 2.5, true);
    if (pull.length) this.drawLines(view, pull, 3, true);
    gl.depthMask(true);
    gl.disable(gl.BLEND);
  }

  drawGrid(view) {
    const { gl, scene } = this;
    const { up, side, front, sceneRadius } = view.camera;
    const height = scene.floor - vec.dot(scene.center, up);
    gl.bindVertexArray(this.lineArray);
    // Lines stay on round world coordinates although the grid is drawn around the centre.
    const step = roundDown125(sceneRadius * 0.12) * 10;
    const shift = [side, front].map((axis) => {
      const x = vec.dot(scene.center, axis);
      return x - Math.floor(x / step) * step;
    });
    this.grid.use().set({
      uView: view.view, uProjection: view.projection, uOrigin: vec.scale(up, height), uX: side, uY: front, uExtent: 12 * sceneRadius,
      uGridStep: step / 10, uShift: shift, uColor: view.theme.grid,
    });
    gl.drawArrays(gl.TRIANGLE_STRIP, 0, 4);
  }

  drawBoxes(view, options) {
    const { gl, scene } = this;
    gl.vertexAttribI4ui(ATTRIBUTE.iItem, 0, 0, 0, 0);
    gl.vertexAttrib4f(ATTRIBUTE.iPosition, 0, 0, 0, 1);
    gl.vertexAttrib4f(ATTRIBUTE.iRotation, 0, 0, 0, 1);
    for (const draw of scene.draws) {
      if (!draw.boxMin || !draw.count || !scene.visible(draw, options)) continue;
      gl.bindVertexArray(draw.array);
      this.box.use().set(scene.groups[draw.group].uniforms()).set({
        uView: view.view, uProjection: view.projection, uCenter: scene.center, uItemsInOrder: draw.loose ? 1 : 0, uRadius: draw.one || 0, uRounded: draw.rounded ? 1 : 0,
        uBoxMin: draw.boxMin, uBoxMax: draw.boxMax, uColor: view.theme.box, uClip: view.clip, uClipOn: options.clip.on ? 1 : 0,
      });
      gl.drawArraysInstanced(gl.LINES, 0, 24, draw.count);
    }
  }

  // Axes of the two frames of each joint: long on the first body, short on the second.
  jointLines(view, options) {
    const { scene } = this;
    const out = [];
    const size = 0.045 * view.camera.sceneRadius * options.jointSize;
    const now = scene.a?.time ?? 0;
    for (const joint of scene.stage.joints) {
      if (now < (joint.since ?? -Infinity) || now >= (joint.until ?? Infinity)) continue;
      for (const [item, position, rotation, share] of [[joint.a, joint.position_a, joint.rotation_a, 1], [joint.b, joint.position_b, joint.rotation_b, 0.6]]) {
        const body = item === null || item === undefined ? { position: [0, 0, 0], rotation: [0, 0, 0, 1] } : scene.itemPose(scene.bodyGroup, item);
        if (!body) continue;
        const origin = vec.sub(vec.add(body.position, quat.rotate(body.rotation, position)), scene.center);
        for (let k = 0; k < 3; k++) {
          const axis = [0, 0, 0];
          axis[k] = size * share;
          const tip = vec.add(origin, quat.rotate(body.rotation, quat.rotate(rotation, axis)));
          out.push(...origin, ...tip, 0, ...AXIS_COLORS[k]);
        }
      }
    }
    return out;
  }

  pullLines({ from, to }) {
    const { center } = this.scene;
    return [...vec.sub(from, center), ...vec.sub(to, center), 0, 0.95, 0.5, 0.05, 1];
  }

  // Lines as flat numbers; with `through`, they shine faintly through what hides them.
  drawLines(view, lines, width, through) {
    const { gl } = this;
    if (!lines.length) return;
    gl.bindVertexArray(this.lineArray);
    gl.bindBuffer(gl.ARRAY_BUFFER, this.lineBuffer);
    gl.bufferData(gl.ARRAY_BUFFER, new Float32Array(lines), gl.STREAM_DRAW);
    this.line.use().set({ uView: view.view, uProjection: view.projection, uViewport: [view.width, view.height], uWidth: (width * view.height) / view.cssHeight, uFaint: 1 });
    if (through) {
      gl.disable(gl.DEPTH_TEST);
      this.line.set({ uFaint: 0.35 });
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.length / 11);
      gl.enable(gl.DEPTH_TEST);
      this.line.set({ uFaint: 1 });
    }
    gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, lines.length / 11);
  }
}
