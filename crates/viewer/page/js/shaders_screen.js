// Shaders over the whole picture: occlusion, light, joining of jittered pictures, edges, depth under the pointer.

// One triangle that covers the screen; no buffers needed.
export const SCREEN_VERTEX = `
out vec2 vUv;
void main() {
  vUv = vec2(gl_VertexID & 1, gl_VertexID >> 1) * 2.0;
  gl_Position = vec4(vUv * 2.0 - 1.0, 0, 1);
}`;

const UNPROJECT_CHUNK = `
uniform sampler2D uDepth;
uniform mat4 uInverseProjection;
vec3 viewPoint(vec2 uv, float depth) {
  vec4 p = uInverseProjection * vec4(vec3(uv, depth) * 2.0 - 1.0, 1);
  return p.xyz / p.w;
}
`;

// Ambient occlusion in the manner of `mcguire2012`: samples on a spiral, one depth each. Output: openness, view z.
export const OCCLUSION_FRAGMENT = `${UNPROJECT_CHUNK}
uniform sampler2D uNormal;
uniform vec2 uSize;
uniform float uReach, uPixelsPerUnit, uDither;
uniform bool uOrtho;
in vec2 vUv;
layout(location = 0) out vec4 oOpen;
void main() {
  float depth = texture(uDepth, vUv).r;
  vec4 surface = texture(uNormal, vUv);
  if (depth >= 1.0) { oOpen = vec4(1, -1e4, 0, 1); return; }
  vec3 p = viewPoint(vUv, depth), n = normalize(surface.xyz * 2.0 - 1.0);
  float pixels = clamp(uReach * uPixelsPerUnit / (uOrtho ? 1.0 : -p.z), 4.0, 160.0);
  float reach = pixels * (uOrtho ? 1.0 : -p.z) / uPixelsPerUnit, sum = 0.0;
  float spin = 6.2831853 * fract(52.9829189 * fract(dot(gl_FragCoord.xy + 5.588238 * uDither, vec2(0.06711056, 0.00583715))));
  for (int i = 0; i < TAPS; i++) {
    float a = (float(i) + 0.5) / float(TAPS), turn = a * 6.2831853 * 3.0 + spin;
    vec2 uv = vUv + vec2(cos(turn), sin(turn)) * a * pixels / uSize;
    vec3 v = viewPoint(uv, texture(uDepth, uv).r) - p;
    float vv = dot(v, v), f = max(reach * reach - vv, 0.0) / (reach * reach);
    sum += f * f * max(dot(v, n) - 0.012 * reach, 0.0) / (vv + 1e-4 * reach * reach) * reach;
  }
  oOpen = vec4(clamp(1.0 - 2.4 * sum / float(TAPS), 0.0, 1.0), p.z, 0, 1);
}`;

export const LIGHT_FRAGMENT = `${UNPROJECT_CHUNK}
uniform sampler2D uAlbedo, uNormal, uOpen;
uniform usampler2D uIds;
uniform sampler2DShadow uShadow;
uniform mat4 uShadowFromView;
uniform vec3 uSun, uUp, uSkyTop, uSkyHorizon, uSunColor, uAmbient, uBounce, uMark;
uniform float uShadowTexel, uShadowOffset, uFadeStart, uFadeEnd, uExposure;
uniform bool uOrtho, uShadowOn, uOpenOn;
uniform uint uSelected;
uniform vec3 uSceneCenter;
in vec2 vUv;
layout(location = 0) out vec4 oColor;

vec3 linear(vec3 c) { return pow(c, vec3(2.2)); }
// Filmic curve with a soft shoulder; mid greys stay where they are, so that legend and surface agree.
vec3 display(vec3 c) { c *= uExposure; c = c * (1.0 + c * 0.12) / (1.0 + c * 0.32); return pow(c, vec3(1.0 / 2.2)); }
vec3 sky(vec3 ray) { return mix(uSkyHorizon, uSkyTop, smoothstep(-0.05, 0.75, dot(ray, uUp))); }
// What a mirror sees: the sky above, the ground below.
vec3 surroundings(vec3 ray) { return mix(uBounce, linear(sky(ray)) * 1.25, smoothstep(-0.12, 0.12, dot(ray, uUp))); }

float sunlight(vec3 p, vec3 n) {
  if (!uShadowOn) return 1.0;
  float slope = 1.0 - clamp(dot(n, uSun), 0.0, 1.0);
  vec3 q = (uShadowFromView * vec4(p + n * uShadowOffset * (0.6 + 2.0 * slope), 1)).xyz * 0.5 + 0.5;
  if (any(greaterThan(abs(q - 0.5), vec3(0.5)))) return 1.0;
  float sum = 0.0;
  for (int y = -1; y <= 1; y++)
    for (int x = -1; x <= 1; x++)
      sum += texture(uShadow, vec3(q.xy + vec2(x, y) * uShadowTexel, q.z - 0.0006));
  return sum / 9.0;
}

// Openness from the half-size buffer: neighbours at another depth do not count.
float openness(float z) {
  if (!uOpenOn) return 1.0;
  vec2 size = vec2(textureSize(uOpen, 0)), at = vUv * size - 0.5;
  ivec2 base = ivec2(floor(at)) - 1, top = ivec2(size) - 1;
  float sum = 1e-4, weight = 1e-4;
  for (int y = 0; y < 4; y++)
    for (int x = 0; x < 4; x++) {
      vec2 o = texelFetch(uOpen, clamp(base + ivec2(x, y), ivec2(0), top), 0).xy;
      float w = 1.0 / (1e-3 + abs(o.y - z) / -z);
      sum += o.x * w;
      weight += w;
    }
  return sum / weight;
}

void main() {
  float depth = texture(uDepth, vUv).r;
  vec3 p = viewPoint(vUv, depth);
  vec3 ray = uOrtho ? normalize(vec3((vUv - 0.5) * 0.5, -1)) : normalize(viewPoint(vUv, 0.5));
  vec3 color;
  vec4 surface = texture(uNormal, vUv);
  if (depth >= 1.0) {
    color = sky(ray);
  } else {
    vec4 albedo = texture(uAlbedo, vUv);
    bool metal = albedo.a > 0.4951;
    float rough = clamp((metal ? albedo.a - 0.5 : albedo.a) / 0.49, 0.08, 1.0);
    vec3 base = linear(albedo.rgb), n = normalize(surface.xyz * 2.0 - 1.0), eye = uOrtho ? vec3(0, 0, 1) : -ray;
    float open = openness(p.z), lit = max(dot(n, uSun), 0.0);
    if (lit > 0.0) lit *= sunlight(p, n);
    float facing = clamp(dot(n, eye), 0.0, 1.0);
    vec3 f0 = metal ? base : vec3(0.04);
    vec3 fresnel = f0 + (max(vec3(1.0 - rough), f0) - f0) * pow(1.0 - facing, 5.0);
    vec3 halfway = normalize(uSun + eye);
    float a2 = rough * rough * rough * rough, nh = clamp(dot(n, halfway), 0.0, 1.0), k = nh * nh * (a2 - 1.0) + 1.0;
    float gloss = min(a2 / (3.1416 * k * k), 6.0) * 0.25 / (0.25 + 0.75 * rough);
    vec3 around = mix(uBounce, uAmbient, dot(n, uUp) * 0.5 + 0.5) * open;
    vec3 mirrored = mix(surroundings(reflect(-eye, n)), mix(uBounce, uAmbient, dot(n, uUp) * 0.5 + 0.5), rough) * mix(open, 1.0, 0.2);
    vec3 diffuse = metal ? vec3(0) : base;
    color = diffuse * (around + uSunColor * lit) + fresnel * (mirrored + uSunColor * gloss * lit);
    color = display(color);
    if (surface.a < 0.5) {
      float far = distance(p, uSceneCenter);
      color = mix(color, sky(ray), smoothstep(uFadeStart, uFadeEnd, far));
    }
  }
  if (uSelected != 0u) {
    ivec2 at = ivec2(gl_FragCoord.xy), top = textureSize(uIds, 0) - 1;
    bool here = texelFetch(uIds, at, 0).r == uSelected, edge = false;
    for (int i = 0; i < 8; i++) {
      float turn = float(i) * 0.7853982;
      ivec2 q = clamp(at + ivec2(round(vec2(cos(turn), sin(turn)) * 2.0)), ivec2(0), top);
      edge = edge || (texelFetch(uIds, q, 0).r == uSelected) != here;
    }
    if (edge) color = uMark; else if (here) color = mix(color, uMark, 0.12);
  }
  oColor = vec4(color, 1);
}`;

// Edges smoothed along their direction (in the manner of `lottes2009`), for single pictures in motion.
export const SMOOTH_FRAGMENT = `
uniform sampler2D uPicture;
uniform bool uSmooth;
in vec2 vUv;
layout(location = 0) out vec4 oColor;
float luma(vec3 c) { return dot(c, vec3(0.299, 0.587, 0.114)); }
void main() {
  vec3 here = texture(uPicture, vUv).rgb;
  if (!uSmooth) { oColor = vec4(here, 1); return; }
  vec2 px = 1.0 / vec2(textureSize(uPicture, 0));
  float nw = luma(texture(uPicture, vUv + vec2(-1, 1) * px).rgb), ne = luma(texture(uPicture, vUv + px).rgb);
  float sw = luma(texture(uPicture, vUv - px).rgb), se = luma(texture(uPicture, vUv + vec2(1, -1) * px).rgb), m = luma(here);
  float low = min(m, min(min(nw, ne), min(sw, se))), high = max(m, max(max(nw, ne), max(sw, se)));
  if (high - low < max(0.03, high * 0.1)) { oColor = vec4(here, 1); return; }
  vec2 dir = vec2(sw + se - nw - ne, nw + sw - ne - se);
  float least = 1.0 / (min(abs(dir.x), abs(dir.y)) + max((nw + ne + sw + se) * 0.03, 0.008));
  dir = clamp(dir * least, -8.0, 8.0) * px;
  vec3 a = 0.5 * (texture(uPicture, vUv - dir / 6.0).rgb + texture(uPicture, vUv + dir / 6.0).rgb);
  vec3 b = 0.5 * a + 0.25 * (texture(uPicture, vUv - 0.5 * dir).rgb + texture(uPicture, vUv + 0.5 * dir).rgb);
  float l = luma(b);
  oColor = vec4(l < low || l > high ? a : b, 1);
}`;

// Depth at one place as four bytes, since depth textures cannot be read back.
export const PROBE_FRAGMENT = `
uniform sampler2D uDepth;
uniform vec2 uAt;
layout(location = 0) out vec4 oBytes;
void main() {
  uint d = uint(texelFetch(uDepth, ivec2(uAt), 0).r * 16777215.0);
  oBytes = vec4(d & 255u, (d >> 8) & 255u, (d >> 16) & 255u, 255u) / 255.0;
}`;
