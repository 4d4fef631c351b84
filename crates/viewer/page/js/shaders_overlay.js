// Shaders for lines drawn over the lit picture: boxes around shapes, frames of joints, the free grid, single lines.

// Edges of the box around each shape of a batch; the same attributes as the solids.
export const BOX_VERTEX = `
uniform mat4 uView, uProjection;
uniform sampler2D uPositionA, uPositionB, uRotationA, uRotationB;
uniform float uMix, uRadius;
uniform bool uTurned, uItemsInOrder, uRounded;
uniform vec3 uCenter, uBoxMin, uBoxMax;
uniform int uCount;
out vec3 vPoint;
in uint iItem;
in vec4 iSize;
in vec3 iPosition;
in vec4 iRotation;
vec4 itemTexel(sampler2D table, int item) { return texelFetch(table, ivec2(item & 2047, item >> 11), 0); }
vec3 turn(vec4 q, vec3 v) { vec3 t = 2.0 * cross(q.xyz, v); return v + q.w * t + cross(q.xyz, t); }
void main() {
  int item = uItemsInOrder ? gl_InstanceID : int(iItem);
  if (item >= uCount || abs(itemTexel(uPositionA, item).x) > 1e36) { gl_Position = vec4(2, 2, 2, 1); return; }
  int edge = gl_VertexID >> 1, axis = edge >> 2, e = edge & 3;
  float along = (gl_VertexID & 1) == 0 ? -1.0 : 1.0;
  vec2 side = vec2((e & 1) == 0 ? -1.0 : 1.0, (e & 2) == 0 ? -1.0 : 1.0);
  vec3 corner = axis == 0 ? vec3(along, side) : axis == 1 ? vec3(side.x, along, side.y) : vec3(side, along);
  vec3 local = mix(uBoxMin, uBoxMax, corner * 0.5 + 0.5) * iSize.xyz + corner * (uRounded ? iSize.w : 0.0);
  if (uRadius > 0.0) local = corner * uRadius;
  vec3 position = itemTexel(uPositionA, item).xyz - uCenter;
  vec4 rotation = vec4(0, 0, 0, 1);
  if (uMix > 0.0) position = mix(position, itemTexel(uPositionB, item).xyz - uCenter, uMix);
  if (uTurned) {
    rotation = itemTexel(uRotationA, item);
    if (uMix > 0.0) { vec4 b = itemTexel(uRotationB, item); rotation = mix(rotation, dot(rotation, b) < 0.0 ? -b : b, uMix); }
    rotation = normalize(rotation);
  }
  vec4 p = uView * vec4(position + turn(rotation, iPosition + turn(iRotation, local)), 1);
  vPoint = p.xyz;
  gl_Position = uProjection * p;
}`;

export const BOX_FRAGMENT = `
uniform vec4 uColor, uClip;
uniform bool uClipOn;
in vec3 vPoint;
layout(location = 0) out vec4 oColor;
void main() {
  if (uClipOn && dot(uClip.xyz, vPoint) + uClip.w < 0.0) discard;
  oColor = uColor;
}`;

// Thick lines: an instance is one line; its quad is widened on the screen.
export const LINE_VERTEX = `
uniform mat4 uView, uProjection;
uniform vec2 uViewport;
uniform float uWidth;
in vec3 aCore;
in vec3 iPosition;
in vec4 iSize;
in vec4 iRotation;
out vec4 vColor;
out float vAcross;
void main() {
  vec4 a = uProjection * uView * vec4(iPosition, 1), b = uProjection * uView * vec4(iSize.xyz, 1);
  vec2 d = (b.xy / b.w - a.xy / a.w) * uViewport;
  vec2 n = normalize(vec2(-d.y, d.x) + vec2(1e-9, 0)) * (uWidth * 0.5 + 0.75) / uViewport * 2.0;
  gl_Position = aCore.x < 0.0 ? a : b;
  gl_Position.xy += n * aCore.y * gl_Position.w;
  vColor = iRotation;
  vAcross = aCore.y * (uWidth * 0.5 + 0.75);
}`;

export const LINE_FRAGMENT = `
in vec4 vColor;
in float vAcross;
uniform float uWidth, uFaint;
layout(location = 0) out vec4 oColor;
void main() { oColor = vec4(vColor.rgb, vColor.a * uFaint * clamp(uWidth * 0.5 + 0.75 - abs(vAcross), 0.0, 1.0)); }`;

// A grid in the plane through uOrigin with the axes uX and uY, for scenes without ground.
export const GRID_VERTEX = `
uniform mat4 uView, uProjection;
uniform vec3 uOrigin, uX, uY;
uniform float uExtent;
in vec3 aCore;
out vec2 vPlane;
void main() {
  vPlane = aCore.xy * uExtent;
  gl_Position = uProjection * uView * vec4(uOrigin + uX * vPlane.x + uY * vPlane.y, 1);
}`;

export const GRID_FRAGMENT = `
in vec2 vPlane;
uniform vec2 uShift;
uniform float uGridStep, uExtent;
uniform vec4 uColor;
layout(location = 0) out vec4 oColor;
float lines(vec2 p, float gap) {
  vec2 f = fwidth(p) / gap;
  vec2 line = (1.0 - smoothstep(0.2, 1.2, abs(fract(p / gap - 0.5) - 0.5) / max(f, vec2(1e-6)))) * clamp(1.0 - f * 6.0, 0.0, 1.0);
  return max(line.x, line.y);
}
void main() {
  vec2 p = vPlane + uShift;
  float strength = max(0.4 * lines(p, uGridStep), 0.9 * lines(p, uGridStep * 10.0));
  oColor = vec4(uColor.rgb, uColor.a * strength * (1.0 - smoothstep(0.3, 1.0, length(vPlane) / uExtent)));
}`;
