// Shaders that put shapes into the surface buffer (colour, normal, id, depth) or, with DEPTH_ONLY, into the shadow map.
// Poses of items come from textures; the pose of a shape is composed here, so JavaScript never loops over items.

// Poses, colours by field and clipping: shared by all shape shaders.
const ITEM_CHUNK = `
uniform mat4 uView, uProjection;
uniform sampler2D uPositionA, uPositionB, uRotationA, uRotationB, uField, uFieldB, uLooks;
uniform float uMix;
uniform bool uTurned, uOrtho;
uniform vec3 uCenter;
uniform int uColorMode, uFieldMagnitude, uCount;
uniform vec4 uFieldMask;
uniform uint uIdBase;

vec4 itemTexel(sampler2D table, int item) { return texelFetch(table, ivec2(item & 2047, item >> 11), 0); }
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
vec4 compose(vec4 a, vec4 b) { return vec4(a.w * b.xyz + b.w * a.xyz + cross(a.xyz, b.xyz), a.w * b.w - dot(a.xyz, b.xyz)); }
vec3 itemPosition(int item) {
  // The centre goes off first: the difference of near floats is exact, so far-away scenes do not tremble.
  vec3 a = itemTexel(uPositionA, item).xyz - uCenter;
  return uMix > 0.0 ? mix(a, itemTexel(uPositionB, item).xyz - uCenter, uMix) : a;
}
// Whether an item is not there: not counted, or placed nowhere.
bool itemAbsent(int item) { return item >= uCount || abs(itemTexel(uPositionA, item).x) > 1e36; }
vec4 itemRotation(int item) {
  if (!uTurned) return vec4(0, 0, 0, 1);
  vec4 a = itemTexel(uRotationA, item);
  if (uMix > 0.0) {
    vec4 b = itemTexel(uRotationB, item);
    a = mix(a, dot(a, b) < 0.0 ? -b : b, uMix);
  }
  return normalize(a);
}
float itemValue(int item) {
  if (uColorMode != 1) return 0.0;
  vec4 v = itemTexel(uField, item);
  if (uMix > 0.0) v = mix(v, itemTexel(uFieldB, item), uMix);
  // Formats without a fourth component read 1 there; the mask removes it.
  v = mix(vec4(0), v, uFieldMask);
  return uFieldMagnitude == 1 ? length(v) : v.x + v.y + v.z + v.w;
}
// Shapes of items that are not in this frame end up outside the picture.
const vec4 NOWHERE = vec4(2, 2, 2, 1);
`;

const SURFACE_CHUNK = `
uniform sampler2D uMap;
uniform int uColorMode;
uniform vec2 uRange;
uniform vec4 uClip;
uniform bool uClipOn;
uniform float uOpacity, uDither;
// 0: draw; 1: find what is opaque; 2: find what is there. Items in uPassed are looked through then.
uniform int uFind;
uniform uvec4 uPassed, uPassedToo;

#ifndef DEPTH_ONLY
layout(location = 0) out vec4 oAlbedo;
layout(location = 1) out vec4 oNormal;
layout(location = 2) out uint oId;
#endif

float screenNoise(vec2 p) { return fract(52.9829189 * fract(dot(p + 5.588238 * uDither, vec2(0.06711056, 0.00583715)))); }
// Transparency by leaving out pixels; the average over jittered pictures is smooth.
void thin(float opacity, uint id) {
  if (uFind > 0) {
    if (any(equal(uvec4(id), uPassed)) || any(equal(uvec4(id), uPassedToo)) || (uFind == 1 && opacity < 0.999)) discard;
    return;
  }
  if (opacity < 0.999 && fract(screenNoise(gl_FragCoord.xy) + float(id & 1023u) * 0.61803) > opacity) discard;
}
vec4 mapColor(float value, vec4 look) {
  if (uColorMode == 0) return look;
  if (uColorMode == 2) return vec4(0.62, 0.64, 0.67, look.a);
  if (!(value == value)) return vec4(1.0, 0.0, 1.0, look.a);
  return vec4(texture(uMap, vec2(clamp((value - uRange.x) / (uRange.y - uRange.x), 0.0, 1.0) * 0.996 + 0.002, 0.5)).rgb, look.a);
}
void writeSurface(vec3 color, vec3 normal, vec2 finish, uint id, float kind) {
#ifndef DEPTH_ONLY
  oAlbedo = vec4(color, finish.x * 0.49 + finish.y * 0.5);
  oNormal = vec4(normalize(normal) * 0.5 + 0.5, kind);
  oId = id;
#endif
}
`;

// Spheres and ellipsoids: a triangle that just covers the shape; each pixel meets it by its own ray. The triangles are
// drawn without instancing, which is slow for tiny instances, above all in software; shapes come from textures.
export const IMPOSTOR_VERTEX = `${ITEM_CHUNK}
flat out vec4 vSphere;
flat out vec4 vLook;
flat out vec2 vFinish;
flat out float vValue;
flat out uint vId;
out vec3 vPoint;
#ifdef ELLIPSOID
flat out vec4 vTurn;
flat out vec3 vAxes;
uniform sampler2D uShapeAxes, uShapeRotation;
uniform bool uShapeTurned;
#endif
uniform vec4 uViewTurn;
// Radius, item and look of a shape; where items are in order, only the radius.
uniform sampler2D uShape, uShapePosition;
uniform bool uItemsInOrder, uShapePlaced;
uniform float uRadius;
uniform uint uLook;

void main() {
  int shape = gl_VertexID / 3, corner = gl_VertexID - 3 * shape;
  vec4 texel = uRadius > 0.0 ? vec4(uRadius, 0, 0, 0) : itemTexel(uShape, shape);
  int item = uItemsInOrder ? shape : int(texel.y), look = uItemsInOrder ? int(uLook) : int(texel.z);
  if (itemAbsent(item)) { gl_Position = NOWHERE; return; }
  float radius = texel.x;
  vec3 center = itemPosition(item);
  if (uShapePlaced) center += turn(itemRotation(item), itemTexel(uShapePosition, shape).xyz);
#ifdef ELLIPSOID
  vTurn = compose(uViewTurn, itemRotation(item));
  if (uShapeTurned) vTurn = compose(vTurn, itemTexel(uShapeRotation, shape));
  vAxes = itemTexel(uShapeAxes, shape).xyz;
  radius = max(vAxes.x, max(vAxes.y, vAxes.z));
#endif
  vec3 c = (uView * vec4(center, 1)).xyz;
  vec3 right = vec3(1, 0, 0), up = vec3(0, 1, 0);
  float reach = radius;
  if (!uOrtho) {
    float d = length(c);
    vec3 away = c / d;
    right = normalize(cross(away, abs(away.y) < 0.9 ? vec3(0, 1, 0) : vec3(1, 0, 0)));
    up = cross(right, away);
    reach = d > radius * 1.001 ? radius * d / sqrt(d * d - radius * radius) : 0.0;
  }
  // Equilateral triangle around the circle.
  vec2 place = corner == 0 ? vec2(0, 2) : corner == 1 ? vec2(-1.7320508, -1) : vec2(1.7320508, -1);
  vPoint = c + (right * place.x + up * place.y) * reach;
  vSphere = vec4(c, radius);
  vLook = texelFetch(uLooks, ivec2(look * 2, 0), 0);
  vFinish = texelFetch(uLooks, ivec2(look * 2 + 1, 0), 0).xy;
  vValue = itemValue(item);
  vId = uIdBase + uint(item);
  gl_Position = uProjection * vec4(vPoint, 1);
}`;

export const IMPOSTOR_FRAGMENT = `${SURFACE_CHUNK}
uniform mat4 uProjection;
uniform bool uOrtho;
flat in vec4 vSphere;
flat in vec4 vLook;
flat in vec2 vFinish;
flat in float vValue;
flat in uint vId;
in vec3 vPoint;
#ifdef ELLIPSOID
flat in vec4 vTurn;
flat in vec3 vAxes;
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
#endif

void main() {
  vec3 from = uOrtho ? vec3(vPoint.xy, 0) : vec3(0);
  vec3 ray = uOrtho ? vec3(0, 0, -1) : normalize(vPoint);
  vec3 rel = from - vSphere.xyz;
  float radius = vSphere.w, stretch = 1.0;
#ifdef ELLIPSOID
  vec4 back = vec4(-vTurn.xyz, vTurn.w);
  vec3 along = turn(back, ray) / vAxes;
  rel = turn(back, rel) / vAxes;
  stretch = length(along);
  along /= stretch;
  radius = 1.0;
#else
  vec3 along = ray;
#endif
  // Distance of the centre from the ray, not the discriminant: it does not cancel for small far shapes.
  float b = dot(rel, along);
  vec3 miss = rel - b * along;
  float h = radius * radius - dot(miss, miss);
  if (h < 0.0) discard;
  h = sqrt(h);
  float t = (-b - h) / stretch;
  vec3 hit = from + t * ray;
#ifdef ELLIPSOID
  vec3 normal = turn(vTurn, (rel + (-b - h) * along) / vAxes);
#else
  vec3 normal = hit - vSphere.xyz;
#endif
  if (uClipOn && dot(uClip.xyz, hit) + uClip.w < 0.0) {
    vec3 far = from + (-b + h) / stretch * ray;
    if (dot(uClip.xyz, far) + uClip.w < 0.0) discard;
    // Cut open: the ray enters the solid through the plane.
    hit = from - (dot(uClip.xyz, from) + uClip.w) / dot(uClip.xyz, ray) * ray;
    normal = -uClip.xyz;
  }
  vec4 color = mapColor(vValue, vLook);
  thin(color.a * uOpacity, vId);
  vec4 clip = uProjection * vec4(hit, 1);
  gl_FragDepth = clamp(clip.z / clip.w * 0.5 + 0.5, 0.0, 1.0);
  writeSurface(color.rgb, normal, vFinish, vId, 1.0);
}`;

// Shapes made of triangles. A corner is core × scale + normal × border, which covers boxes, cylinders, cones, rounded
// shapes, capsules and meshes. Variants: TUBE between two items, ARROW at contacts, CHAIN between touching items,
// PLANE for half-spaces, SKIN with items as corners.
export const SOLID_VERTEX = `${ITEM_CHUNK}
in vec3 aCore, aNormal;
in uint iItem, iLook;
in vec4 iSize;
in vec3 iPosition;
in vec4 iRotation;
in uvec2 iSegment;
flat out vec4 vLook;
flat out vec2 vFinish;
flat out uint vId;
out float vValue;
out vec3 vNormal, vPoint;
#ifdef PLANE
out vec2 vPlane;
uniform float uExtent;
#endif
uniform bool uRounded;
uniform float uTubeRadius, uForceScale, uForceTop, uWidth;
uniform sampler2D uForce, uContactPosition, uContactA, uContactB, uSkinNormal;
uniform uint uLook;

mat3 frameAlong(vec3 z) {
  vec3 x = normalize(cross(abs(z.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0), z));
  return mat3(x, cross(z, x), z);
}

void main() {
  uint look = iLook;
  vec3 point, normal;
  int item = int(iItem);
  vFinish = vec2(-1);
#if !defined(SKIN) && !defined(TUBE) && !defined(ARROW) && !defined(CHAIN)
  if (itemAbsent(item)) { gl_Position = NOWHERE; return; }
#endif
#if defined(SKIN)
  item = gl_VertexID;
  look = uLook;
  point = itemPosition(item);
  normal = itemTexel(uSkinNormal, item).xyz;
  vValue = itemValue(item);
#elif defined(TUBE)
  look = uLook;
  if (itemAbsent(int(iSegment.x)) || itemAbsent(int(iSegment.y))) { gl_Position = NOWHERE; return; }
  vec3 a = itemPosition(int(iSegment.x)), b = itemPosition(int(iSegment.y));
  float span = length(b - a);
  mat3 axes = frameAlong(span > 0.0 ? (b - a) / span : vec3(0, 0, 1));
  normal = axes * aNormal;
  point = 0.5 * (a + b) + axes * (aCore * vec3(0, 0, 0.5 * span)) + normal * uTubeRadius;
  item = int(aCore.z > 0.0 ? iSegment.y : iSegment.x);
  vValue = itemValue(item);
#elif defined(ARROW)
  vec3 force = itemTexel(uForce, gl_InstanceID).xyz;
  float size = length(force), reach = size * uForceScale;
  mat3 axes = frameAlong(size > 0.0 ? force / size : vec3(0, 0, 1));
  float width = min(uWidth, 0.09 * reach), head = min(6.0 * width, 0.5 * reach);
  // aCore.z: 0 tail, 1 where the head begins, 2 tip.
  float z = aCore.z < 0.5 ? 0.0 : aCore.z < 1.5 ? reach - head : reach;
  normal = axes * aNormal;
  point = itemTexel(uContactPosition, gl_InstanceID).xyz - uCenter + axes * vec3(aCore.xy * width, z);
  vLook = vec4(0.93, 0.36, 0.10, 1);
  vFinish = vec2(0.6, 0);
  vValue = 0.0;
  item = gl_InstanceID;
#elif defined(CHAIN)
  vec3 touch = itemTexel(uContactPosition, gl_InstanceID).xyz - uCenter;
  float ia = itemTexel(uContactA, gl_InstanceID).x, ib = itemTexel(uContactB, gl_InstanceID).x;
  vec3 a = ia < 0.0 || itemAbsent(int(ia)) ? touch : itemPosition(int(ia)), b = ib < 0.0 || itemAbsent(int(ib)) ? touch : itemPosition(int(ib));
  // Items with a far-away origin (the ground) would draw lines across the scene: those end at the touching point.
  if (distance(a, touch) > uForceScale) a = touch;
  if (distance(b, touch) > uForceScale) b = touch;
  float span = length(b - a), share = length(itemTexel(uForce, gl_InstanceID).xyz) / uForceTop;
  mat3 axes = frameAlong(span > 0.0 ? (b - a) / span : vec3(0, 0, 1));
  normal = axes * aNormal;
  point = 0.5 * (a + b) + axes * (aCore * vec3(0, 0, 0.5 * span)) + normal * uWidth * sqrt(min(share, 1.0));
  // The eye reads widths and colours of the weak ones better by the root.
  vValue = sqrt(share);
  vLook = vec4(1);
  vFinish = vec2(0.7, 0);
  item = gl_InstanceID;
#else
  vec4 rotation = itemRotation(item);
  vec4 whole = compose(rotation, iRotation);
  vec3 place = itemPosition(item) + turn(rotation, iPosition);
#ifdef PLANE
  vPlane = aCore.xy * uExtent;
  normal = turn(whole, vec3(0, 0, 1));
  // The plane spreads around the foot of the scene's centre, which is the origin here.
  vec3 foot = normal * dot(place, normal);
  vec3 ex = turn(whole, vec3(1, 0, 0)), ey = turn(whole, vec3(0, 1, 0));
  point = foot + ex * vPlane.x + ey * vPlane.y;
  vPlane += vec2(dot(foot - place, ex), dot(foot - place, ey));
#else
  vec3 n = uRounded ? aNormal : aNormal / max(iSize.xyz, vec3(1e-20));
  normal = turn(whole, normalize(n));
  point = place + turn(whole, aCore * iSize.xyz + (uRounded ? aNormal * iSize.w : vec3(0)));
#endif
  vValue = itemValue(item);
#endif
  if (vFinish.x < 0.0) {
    vLook = texelFetch(uLooks, ivec2(int(look) * 2, 0), 0);
    vFinish = texelFetch(uLooks, ivec2(int(look) * 2 + 1, 0), 0).xy;
  }
  vId = uIdBase + uint(item);
  vec4 p = uView * vec4(point, 1);
  vPoint = p.xyz;
  vNormal = mat3(uView) * normal;
  gl_Position = uProjection * p;
}`;

export const SOLID_FRAGMENT = `${SURFACE_CHUNK}
flat in vec4 vLook;
flat in vec2 vFinish;
flat in uint vId;
in float vValue;
in vec3 vNormal, vPoint;
uniform bool uOrtho;
#ifdef PLANE
in vec2 vPlane;
uniform float uGridStep;
uniform bool uGridOn, uChecker, uWall;
uniform vec3 uGround, uGroundLine;
float lines(vec2 p, float gap, float width) {
  vec2 f = fwidth(p) / gap;
  vec2 d = abs(fract(p / gap - 0.5) - 0.5) / max(f, vec2(1e-6));
  // Lines closer than a few pixels fade into the ground instead of shimmering.
  vec2 strength = clamp(1.0 - f * 6.0, 0.0, 1.0);
  vec2 line = (1.0 - smoothstep(width - 0.5, width + 0.5, d)) * strength;
  return max(line.x, line.y);
}
#endif

void main() {
#ifndef PLANE
  if (uClipOn && dot(uClip.xyz, vPoint) + uClip.w < 0.0) discard;
#endif
#ifdef PLANE
  vec3 ground = uGround;
  if (uChecker) {
    // Squares smaller than a few pixels fade into their mean.
    vec2 square = floor(vPlane / uGridStep);
    vec2 f = fwidth(vPlane) / uGridStep;
    float dark = mix(0.5, mod(square.x + square.y, 2.0), clamp(2.0 - 6.0 * max(f.x, f.y), 0.0, 1.0));
    ground = mix(ground, uGroundLine, 0.4 * dark);
  } else if (uGridOn) {
    ground = mix(ground, uGroundLine, 0.45 * lines(vPlane, uGridStep, 0.6));
    ground = mix(ground, uGroundLine, 0.75 * lines(vPlane, uGridStep * 10.0, 0.9));
  }
  if (uWall || uFind > 0) thin(uWall ? 0.22 : 1.0, vId);
  writeSurface(ground, vNormal, vec2(0.95, 0), vId, 0.34);
#else
  vec3 normal = vNormal;
  vec3 eye = uOrtho ? vec3(0, 0, 1) : -vPoint;
  if (!gl_FrontFacing) normal = uClipOn ? -uClip.xyz : -normal;
  if (dot(normal, eye) < 0.0 && !gl_FrontFacing) normal = -normal;
  vec4 color = mapColor(vValue, vLook);
#ifndef DRAWN_OVER
  thin(color.a * uOpacity, vId);
#endif
  writeSurface(color.rgb, normal, vFinish, vId, 1.0);
#endif
}`;
