// Draws the scene: shadow map, surface buffer, ambient occlusion, light, overlays, joining of jittered pictures.
import { ATTRIBUTE, ItemTexture, Program, Target, TargetTexture, createColorTable } from "./gl.js";
import { IMPOSTOR_FRAGMENT, IMPOSTOR_VERTEX, SOLID_FRAGMENT, SOLID_VERTEX } from "./shaders_shape.js";
import { LIGHT_FRAGMENT, OCCLUSION_FRAGMENT, PROBE_FRAGMENT, SCREEN_VERTEX, SMOOTH_FRAGMENT } from "./shaders_screen.js";
import { colorMapBytes, COLOR_MAPS } from "./colormap.js";
import { mat4, roundDown125, vec } from "./maths.js";
import { viewRotation } from "./camera.js";
import { parseColor, radians } from "./view.js";
import { Overlays } from "./overlays.js";

// Light and colours of the two themes (linear light, sRGB surfaces).
const THEMES = {
  light: {
    skyTop: [0.80, 0.86, 0.93], skyHorizon: [0.955, 0.965, 0.975], sun: [2.15, 2.05, 1.9], ambient: [0.62, 0.68, 0.78], bounce: [0.34, 0.33, 0.31],
    ground: [0.79, 0.80, 0.815], groundLine: [0.55, 0.58, 0.62], grid: [0.36, 0.40, 0.46, 0.75], box: [0.10, 0.25, 0.45, 0.55], mark: [0.90, 0.33, 0.02],
  },
  dark: {
    skyTop: [0.075, 0.09, 0.12], skyHorizon: [0.135, 0.155, 0.19], sun: [2.0, 1.9, 1.75], ambient: [0.42, 0.48, 0.58], bounce: [0.17, 0.17, 0.18],
    ground: [0.20, 0.215, 0.24], groundLine: [0.34, 0.37, 0.42], grid: [0.60, 0.65, 0.72, 0.6], box: [0.55, 0.75, 1.0, 0.55], mark: [1.0, 0.62, 0.16],
  },
};

// Ids that stand for nothing.
const NO_IDS = new Uint32Array(4);

function halton(index, base) {
  let out = 0;
  for (let f = 1 / base, i = index; i > 0; i = Math.floor(i / base), f /= base) out += f * (i % base);
  return out;
}

// The cutting plane as an eye with a view matrix sees it; what lies behind it is cut away.
function clipPlane(view, clip) {
  const n = mat4.transform(view, clip.normal, 0);
  const p = mat4.transform(view, vec.scale(clip.normal, clip.offset));
  return [n[0], n[1], n[2], -vec.dot(n, p)];
}

export class Renderer {
  constructor(gl, scene) {
    this.gl = gl;
    this.scene = scene;
    const solid = (...defines) => new Program(gl, SOLID_VERTEX, SOLID_FRAGMENT, defines);
    const impostor = (...defines) => new Program(gl, IMPOSTOR_VERTEX, IMPOSTOR_FRAGMENT, defines);
    // Programs a scene does not need are never made: compiling is a large part of the time to the first picture.
    this.makers = {
      sphere: (d) => impostor(...d), ellipsoid: (d) => impostor("ELLIPSOID", ...d), solid: (d) => solid(...d), plane: (d) => solid("PLANE", ...d),
      skin: (d) => solid("SKIN", ...d), tube: (d) => solid("TUBE", ...d), arrow: (d) => solid("ARROW", "DRAWN_OVER", ...d), chain: (d) => solid("CHAIN", "DRAWN_OVER", ...d),
    };
    this.programs = new Map();
    this.light = new Program(gl, SCREEN_VERTEX, LIGHT_FRAGMENT);
    this.occlusion = [6, 12].map((taps) => new Program(gl, SCREEN_VERTEX, OCCLUSION_FRAGMENT, [`TAPS ${taps}`]));
    this.smooth = new Program(gl, SCREEN_VERTEX, SMOOTH_FRAGMENT);
    this.probe = new Program(gl, SCREEN_VERTEX, PROBE_FRAGMENT);
    this.maps = Object.fromEntries(COLOR_MAPS.map((name) => [name, createColorTable(gl, colorMapBytes(name), gl.LINEAR)]));
    this.nothing = new ItemTexture(gl).texture;
    this.empty = gl.createVertexArray();
    this.overlays = new Overlays(gl, scene);
    this.makeTargets();
    this.still = 0;
    this.shadowCenter = [0, 0, 0];
    this.shadowRadius = 1;
    this.shadowDirty = true;
  }

  makeTargets() {
    const { gl } = this;
    const depth = new TargetTexture(gl, gl.DEPTH_COMPONENT24);
    this.surface = new Target(gl, [new TargetTexture(gl, gl.RGBA8), new TargetTexture(gl, gl.RGB10_A2), new TargetTexture(gl, gl.R32UI)], depth);
    this.open = gl.floatTargets ? new Target(gl, [new TargetTexture(gl, gl.RG16F)], null) : null;
    const lit = new TargetTexture(gl, gl.RGBA8, gl.LINEAR);
    this.lit = new Target(gl, [lit], null);
    this.drawnOver = new Target(gl, [lit], depth);
    this.mean = new Target(gl, [new TargetTexture(gl, gl.floatTargets ? gl.RGBA16F : gl.RGBA8, gl.LINEAR)], null);
    this.shadow = new Target(gl, [], new TargetTexture(gl, gl.DEPTH_COMPONENT24, gl.LINEAR, true));
    this.spot = new Target(gl, [new TargetTexture(gl, gl.RGBA8)], null);
    this.spot.resize(1, 1);
    this.found = new Target(gl, [new TargetTexture(gl, gl.RGBA8), new TargetTexture(gl, gl.RGB10_A2), new TargetTexture(gl, gl.R32UI)], new TargetTexture(gl, gl.DEPTH_COMPONENT24));
    this.found.resize(1, 1);
  }

  program(name, depthOnly = false) {
    const key = depthOnly ? `${name} depth` : name;
    if (!this.programs.has(key)) this.programs.set(key, this.makers[name](depthOnly ? ["DEPTH_ONLY"] : []));
    return this.programs.get(key).use();
  }

  // Anything that changes the picture calls this, and the averaging starts anew.
  restart() {
    this.still = 0;
  }

  get finished() {
    return this.still >= this.stillLimit;
  }

  // Whether the last picture is still being drawn.
  busy() {
    const { gl } = this;
    if (!this.fence) return false;
    if (gl.getSyncParameter(this.fence, gl.SYNC_STATUS) !== gl.SIGNALED) return true;
    gl.deleteSync(this.fence);
    this.fence = null;
    return false;
  }

  fitShadow(bounds) {
    this.shadowCenter = vec.sub(bounds.center, this.scene.center);
    this.shadowRadius = Math.max(bounds.radius, 1e-9);
  }

  // Draw one picture. `quality`: { scale, shadows, occlusion, stillLimit }; `moving`: the next one will differ.
  draw(camera, options, quality, moving) {
    const { gl } = this;
    const canvas = gl.canvas;
    const scale = moving ? quality.scale : 1;
    const width = Math.max(1, Math.round(canvas.width * scale)), height = Math.max(1, Math.round(canvas.height * scale));
    if (this.surface.resize(width, height)) this.still = 0;
    this.lit.resize(width, height);
    this.drawnOver.resize(width, height);
    this.stillLimit = moving ? 1 : quality.stillLimit;
    const sample = this.still;
    const jitter = sample === 0 ? [0, 0] : [(2 * halton(sample, 2) - 1) / width, (2 * halton(sample, 3) - 1) / height];
    const view = { cssHeight: canvas.clientHeight || canvas.height, ...camera.matrices(width / height, jitter), ortho: camera.ortho, width, height, sample, theme: THEMES[options.theme], camera };
    view.sun = this.sunDirection(camera, sample);
    view.clip = clipPlane(view.view, options.clip);
    gl.disable(gl.BLEND);
    if (quality.shadows && options.shadows) this.drawShadow(view, options, quality);
    this.drawSurfaces(view, options);
    // Thinned-out surfaces would occlude each other pixel by pixel.
    view.occluded = options.occlusion && this.open && quality.occlusion > 0 && options.opacity > 0.6;
    if (view.occluded) this.drawOcclusion(view, moving ? quality.occlusion - 1 : 1);
    this.drawLight(view, options, quality);
    this.drawnOver.bind();
    this.overlays.draw(view, options);
    this.join(canvas, sample, moving);
    this.still = sample + 1;
    this.lastView = view;
    if (this.fence) gl.deleteSync(this.fence);
    this.fence = gl.fenceSync(gl.SYNC_GPU_COMMANDS_COMPLETE, 0);
    gl.flush();
  }

  // The sun is a small disc: each picture of the average sees another point of it, which softens shadows.
  sunDirection(camera, sample) {
    const { up, side, front } = camera;
    const { direction, softness_deg } = this.scene.view.sun;
    const base = vec.unit(direction ?? vec.add(vec.scale(up, 1.0), vec.add(vec.scale(side, 0.62), vec.scale(front, -0.18))));
    if (sample === 0) return base;
    const x = vec.normalTo(base), y = vec.cross(base, x);
    const r = (Number.isFinite(softness_deg) ? Math.tan(radians(softness_deg)) : 0.028) * Math.sqrt(halton(sample, 5)), turn = 2 * Math.PI * halton(sample, 7);
    return vec.unit(vec.add(base, vec.add(vec.scale(x, r * Math.cos(turn)), vec.scale(y, r * Math.sin(turn)))));
  }

  drawShadow(view, options, quality) {
    const { gl } = this;
    this.shadow.resize(quality.shadows, quality.shadows);
    const r = this.shadowRadius * 1.05;
    const x = vec.normalTo(view.sun), y = vec.cross(view.sun, x);
    const shadowView = mat4.view(vec.add(this.shadowCenter, vec.scale(view.sun, 2 * r)), x, y, view.sun);
    const projection = mat4.orthographic(r, r, 0, 4 * r);
    this.shadowFromWorld = mat4.multiply(projection, shadowView);
    this.shadow.bind();
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);
    this.drawShapes({ ...view, view: shadowView, projection, ortho: true }, options, true);
  }

  drawSurfaces(view, options) {
    const { gl } = this;
    this.surface.bind();
    this.fillSurfaces(view, options);
  }

  // Draw everything that has a surface into the target that is bound.
  fillSurfaces(view, options) {
    const { gl } = this;
    gl.enable(gl.DEPTH_TEST);
    gl.depthMask(true);
    gl.clearBufferfv(gl.COLOR, 0, [0, 0, 0, 0]);
    gl.clearBufferfv(gl.COLOR, 1, [0.5, 0.5, 1, 0]);
    gl.clearBufferuiv(gl.COLOR, 2, [0, 0, 0, 0]);
    gl.clearBufferfv(gl.DEPTH, 0, [1]);
    this.drawShapes(view, options, false);
    if (!view.find || view.planes) this.drawPlanes(view, options);
    if (this.scene.contacts && (options.arrows || options.chains)) this.drawForces(view, options);
  }

  // Uniforms that all shape programs share in one pass.
  passUniforms(view, options) {
    return {
      uView: view.view, uProjection: view.projection, uOrtho: view.ortho ? 1 : 0, uCenter: this.scene.center, uLooks: this.scene.looks, uViewTurn: viewRotation(view.view),
      uClip: clipPlane(view.view, options.clip), uClipOn: options.clip.on ? 1 : 0, uOpacity: options.opacity, uDither: view.sample % 64, uMap: this.maps[options.color.map], uRange: options.color.range,
      uFind: view.find ?? 0, uPassed: view.passed?.[0] ?? NO_IDS, uPassedToo: view.passed?.[1] ?? NO_IDS,
    };
  }

  colorUniforms(group, options) {
    const none = { uField: this.nothing, uFieldB: this.nothing };
    if (!options.color.name) return { uColorMode: 0, ...none };
    const field = this.scene.fieldUniforms(group, options.color);
    return field ? { uColorMode: 1, ...field } : { uColorMode: options.color.keepOthers ? 0 : 2, ...none };
  }

  // Attributes a batch leaves out take these values.
  attributeDefaults() {
    const { gl } = this;
    gl.vertexAttribI4ui(ATTRIBUTE.iItem, 0, 0, 0, 0);
    gl.vertexAttribI4ui(ATTRIBUTE.iLook, 0, 0, 0, 0);
    gl.vertexAttrib4f(ATTRIBUTE.iPosition, 0, 0, 0, 1);
    gl.vertexAttrib4f(ATTRIBUTE.iRotation, 0, 0, 0, 1);
    gl.vertexAttrib4f(ATTRIBUTE.iSize, 1, 1, 1, 0);
  }

  drawShapes(view, options, depthOnly) {
    const { gl, scene } = this;
    const shared = this.passUniforms(view, options);
    this.attributeDefaults();
    for (const draw of scene.draws) {
      if (!draw.count || !scene.visible(draw, options)) continue;
      const name = draw.kind in this.makers ? draw.kind : "solid";
      const poses = scene.groups[draw.group];
      const program = this.program(name, depthOnly).set(shared).set(poses.uniforms()).set(this.colorUniforms(draw.group, options));
      if (name === "sphere" || name === "ellipsoid") {
        gl.bindVertexArray(this.empty);
        program.set({
          uItemsInOrder: draw.loose ? 1 : 0, uLook: draw.look ?? 0, uRadius: draw.one || 0, uShape: draw.shape, uShapePosition: draw.shapePosition ?? this.nothing, uShapePlaced: draw.shapePosition ? 1 : 0,
          uShapeAxes: draw.shapeAxes ?? this.nothing, uShapeRotation: draw.shapeRotation ?? this.nothing, uShapeTurned: draw.shapeRotation ? 1 : 0,
        });
        gl.drawArrays(gl.TRIANGLES, 0, 3 * draw.count);
      } else {
        gl.bindVertexArray(draw.array);
        program.set({ uRounded: draw.rounded ? 1 : 0, uTubeRadius: draw.radius ?? 0, uLook: draw.look ?? 0, uSkinNormal: draw.normals?.texture ?? this.nothing });
        this.drawSolid(draw, draw.count);
      }
    }
    gl.bindVertexArray(null);
  }

  drawSolid(draw, count) {
    const { gl } = this;
    if (draw.indexed) gl.drawElementsInstanced(gl.TRIANGLES, draw.length, gl.UNSIGNED_INT, 0, count);
    else gl.drawArraysInstanced(gl.TRIANGLES, 0, draw.length, count);
  }

  drawPlanes(view, options) {
    const { gl, scene } = this;
    if (!options.ground) return;
    this.attributeDefaults();
    for (const draw of scene.planes) {
      if (!scene.visible(draw, options)) continue;
      const program = this.program("plane").set(this.passUniforms(view, options)).set(draw.poses ?? scene.groups[draw.group].uniforms());
      program.set({ uColorMode: 0, uField: this.nothing, uFieldB: this.nothing });
      gl.bindVertexArray(draw.array);
      gl.enable(gl.CULL_FACE);
      const ground = draw.isGround, asked = scene.view.ground;
      program.set({
        uExtent: view.camera.sceneRadius * (ground ? 60 : 1.6), uGridStep: this.gridStep(view.camera), uGridOn: options.grid ? 1 : 0, uChecker: ground && options.grid && asked.pattern === "checker" ? 1 : 0, uWall: ground ? 0 : 1,
        uGround: (ground && parseColor(asked.color)) || view.theme.ground, uGroundLine: view.theme.groundLine, uForceScale: 1,
      });
      gl.drawArraysInstanced(gl.TRIANGLE_STRIP, 0, 4, draw.count);
      gl.disable(gl.CULL_FACE);
    }
    gl.bindVertexArray(null);
  }

  gridStep(camera) {
    const { spacing } = this.scene.view.ground;
    return spacing > 0 ? spacing : roundDown125(camera.sceneRadius * 0.12);
  }

  drawForces(view, options) {
    const { gl, scene } = this;
    scene.loadContacts();
    const { contacts } = scene;
    if (!contacts.count) return;
    const bodies = scene.groups[scene.bodyGroup];
    const r = view.camera.sceneRadius;
    const shared = {
      ...this.passUniforms(view, options), ...bodies.uniforms(), uForce: contacts.textures.force.texture, uContactPosition: contacts.textures.position.texture,
      uContactA: contacts.textures.a.texture, uContactB: contacts.textures.b.texture, uForceTop: contacts.top, uIdBase: scene.groups[scene.contactGroup].idBase, uField: this.nothing, uFieldB: this.nothing,
      uSkinNormal: this.nothing,
    };
    if (options.arrows) {
      gl.bindVertexArray(contacts.arrow.array);
      this.program("arrow").set(shared).set({ uColorMode: 0, uForceScale: (this.scene.view.marks.force_scale > 0 ? this.scene.view.marks.force_scale : (0.2 * r) / contacts.top) * options.forceSize, uWidth: 0.0045 * r });
      this.drawSolid(contacts.arrow, contacts.count);
    }
    if (options.chains) {
      gl.bindVertexArray(contacts.chain.array);
      this.program("chain").set(shared).set({ uColorMode: 1, uRange: [0, 1], uMap: this.maps.heat, uForceScale: 0.5 * r, uWidth: 0.009 * r * options.forceSize });
      this.drawSolid(contacts.chain, contacts.count);
    }
    gl.bindVertexArray(null);
  }

  drawOcclusion(view, level) {
    const { gl } = this;
    const w = Math.ceil(view.width / 2), h = Math.ceil(view.height / 2);
    this.open.resize(w, h);
    this.open.bind();
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.empty);
    const perUnit = view.height / 2 / view.camera.halfField;
    this.occlusion[Math.min(level, 1)].use().set({
      uDepth: this.surface.depth.texture, uNormal: this.surface.colors[1].texture, uInverseProjection: view.inverseProjection, uSize: [view.width, view.height],
      uReach: 0.07 * view.camera.distance * view.camera.halfField * 2, uPixelsPerUnit: view.ortho ? perUnit / view.camera.distance : perUnit, uOrtho: view.ortho ? 1 : 0, uDither: view.sample,
    });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  drawLight(view, options, quality) {
    const { gl } = this;
    const { theme, camera } = view;
    const inView = (d) => mat4.transform(view.view, d, 0).slice(0, 3);
    const shadowOn = quality.shadows && options.shadows;
    const fromView = shadowOn ? mat4.multiply(this.shadowFromWorld, mat4.inverse(view.view)) : mat4.orthographic(1, 1, 0, 1);
    this.lit.bind();
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.empty);
    if (!this.shadow.depth.texture) this.shadow.resize(16, 16);
    this.light.use().set({
      uAlbedo: this.surface.colors[0].texture, uNormal: this.surface.colors[1].texture, uIds: this.surface.colors[2].texture, uDepth: this.surface.depth.texture,
      uOpen: this.open?.colors[0].texture ?? this.nothing, uOpenOn: view.occluded ? 1 : 0, uShadow: this.shadow.depth.texture,
      uShadowOn: shadowOn ? 1 : 0, uShadowFromView: fromView, uShadowTexel: 0.8 / this.shadow.depth.width, uShadowOffset: (1.5 * 2 * this.shadowRadius) / this.shadow.depth.width,
      uInverseProjection: view.inverseProjection, uOrtho: view.ortho ? 1 : 0, uSun: inView(view.sun), uUp: inView(camera.up), uSkyTop: theme.skyTop, uSkyHorizon: theme.skyHorizon,
      uSunColor: theme.sun, uAmbient: theme.ambient, uBounce: theme.bounce, uMark: theme.mark, uExposure: 0.58, uSelected: options.selected, uFadeStart: 6 * camera.sceneRadius,
      uFadeEnd: 40 * camera.sceneRadius, uSceneCenter: mat4.transform(view.view, this.shadowCenter).slice(0, 3),
    });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  // Put the picture on the screen; pictures of a still scene are averaged.
  join(canvas, sample, moving) {
    const { gl } = this;
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.empty);
    let picture = this.lit.colors[0].texture;
    if (!moving && gl.floatTargets && this.stillLimit > 1) {
      this.mean.resize(this.lit.colors[0].width, this.lit.colors[0].height);
      this.mean.bind();
      gl.enable(gl.BLEND);
      gl.blendColor(0, 0, 0, 1 / (sample + 1));
      gl.blendFunc(gl.CONSTANT_ALPHA, gl.ONE_MINUS_CONSTANT_ALPHA);
      this.smooth.use().set({ uPicture: picture, uSmooth: 0 });
      gl.drawArrays(gl.TRIANGLES, 0, 3);
      gl.disable(gl.BLEND);
      picture = this.mean.colors[0].texture;
    }
    gl.bindFramebuffer(gl.FRAMEBUFFER, null);
    gl.viewport(0, 0, canvas.width, canvas.height);
    this.smooth.use().set({ uPicture: picture, uSmooth: moving || sample < 2 ? 1 : 0 });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
  }

  // Id of what somebody means at a place (fractions of the canvas from the top left): what is opaque before what can be
  // seen through. Half-spaces and items with the ids `passed`, of which the first eight count, are looked through; null
  // looks through nothing.
  choose(x, y, options, passed) {
    const { gl } = this;
    const last = this.lastView;
    if (!last) return 0;
    const [px, py] = this.pixel(x, y, last);
    const ids = Uint32Array.from({ length: 8 }, (_, i) => passed?.[i] ?? 0), id = new Uint32Array(4);
    for (const find of [1, 2]) {
      this.found.bind();
      // The picture as before, of which only this pixel lies within the target.
      gl.viewport(-px, -py, last.width, last.height);
      gl.disable(gl.BLEND);
      this.fillSurfaces({ ...last, find, planes: passed === null, passed: [ids.subarray(0, 4), ids.subarray(4)] }, { ...options, opacity: 1 });
      gl.readBuffer(gl.COLOR_ATTACHMENT2);
      gl.readPixels(0, 0, 1, 1, gl.RED_INTEGER, gl.UNSIGNED_INT, id);
      gl.readBuffer(gl.COLOR_ATTACHMENT0);
      if (id[0] !== 0) return id[0];
    }
    return 0;
  }

  pixel(x, y, view) {
    return [Math.min(Math.max(Math.floor(x * view.width), 0), view.width - 1), Math.min(Math.max(Math.floor((1 - y) * view.height), 0), view.height - 1)];
  }

  // Where a world point is in the picture, in fractions of the canvas from the top left.
  fraction(point) {
    const { view, projection } = this.lastView;
    const p = mat4.transform(projection, mat4.transform(view, vec.sub(point, this.scene.center)));
    return [0.5 + (0.5 * p[0]) / p[3], 0.5 - (0.5 * p[1]) / p[3]];
  }

  // Id under a place (fractions of the canvas from the top left) and the world point there, if any.
  pick(x, y) {
    const { gl } = this;
    const view = this.lastView;
    if (!view) return { id: 0, point: null };
    const [px, py] = this.pixel(x, y, view);
    const ids = new Uint32Array(4);
    gl.bindFramebuffer(gl.FRAMEBUFFER, this.surface.framebuffer);
    gl.readBuffer(gl.COLOR_ATTACHMENT2);
    gl.readPixels(px, py, 1, 1, gl.RED_INTEGER, gl.UNSIGNED_INT, ids);
    gl.readBuffer(gl.COLOR_ATTACHMENT0);
    return { id: ids[0], point: this.pointAt(px, py, view) };
  }

  pointAt(px, py, view) {
    const { gl } = this;
    this.spot.bind();
    gl.disable(gl.DEPTH_TEST);
    gl.bindVertexArray(this.empty);
    this.probe.use().set({ uDepth: this.surface.depth.texture, uAt: [px, py] });
    gl.drawArrays(gl.TRIANGLES, 0, 3);
    const bytes = new Uint8Array(4);
    gl.readPixels(0, 0, 1, 1, gl.RGBA, gl.UNSIGNED_BYTE, bytes);
    const depth = (bytes[0] + 256 * bytes[1] + 65536 * bytes[2]) / 16777215;
    if (depth >= 0.9999999) return null;
    const clip = [((px + 0.5) / view.width) * 2 - 1, ((py + 0.5) / view.height) * 2 - 1, depth * 2 - 1];
    const p = mat4.transform(view.inverseProjection, clip);
    const world = mat4.transform(mat4.inverse(view.view), p.slice(0, 3).map((c) => c / p[3]));
    return vec.add(world.slice(0, 3), this.scene.center);
  }
}

