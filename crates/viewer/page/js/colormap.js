// Colour maps, the same as those of rendered pictures: places in Oklab (`ottosson2020`), evenly spaced, straight in between.

const COLOR_ANCHORS = {
  // Violet, blue, green, yellow; evenly growing lightness.
  lake: [[0.30, 0.075, -0.115], [0.41, 0.020, -0.125], [0.52, -0.045, -0.085], [0.63, -0.100, -0.015], [0.74, -0.130, 0.070], [0.84, -0.100, 0.150], [0.93, -0.030, 0.175]],
  // Black, red, orange, pale yellow; evenly growing lightness.
  heat: [[0.20, 0.010, -0.020], [0.34, 0.110, 0.010], [0.48, 0.165, 0.070], [0.62, 0.150, 0.120], [0.75, 0.080, 0.145], [0.86, 0.010, 0.145], [0.96, -0.020, 0.060]],
  // Blue, pale grey, red: for values of both signs.
  diverging: [[0.40, -0.015, -0.145], [0.60, -0.030, -0.110], [0.80, -0.015, -0.050], [0.93, 0.000, 0.005], [0.80, 0.060, 0.040], [0.62, 0.140, 0.075], [0.44, 0.160, 0.080]],
  grey: [[0.25, 0.0, 0.0], [0.95, 0.0, 0.0]],
  // Blue, cyan, green, yellow, red.
  rainbow: [[0.42, 0.010, -0.190], [0.62, -0.050, -0.140], [0.78, -0.120, -0.020], [0.80, -0.150, 0.120], [0.88, -0.040, 0.170], [0.72, 0.090, 0.140], [0.55, 0.190, 0.100]],
};

export const COLOR_MAPS = Object.keys(COLOR_ANCHORS);

// sRGB 0 … 1 of an Oklab colour, clipped to what a screen can show.
function srgbFromOklab(L, a, b) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return rgb.map((c) => srgbFromLinear(Math.min(Math.max(c, 0), 1)));
}

export function srgbFromLinear(c) {
  return c <= 0.0031308 ? 12.92 * c : 1.055 * c ** (1 / 2.4) - 0.055;
}

// 256 RGBA8 entries of a map.
export function colorMapBytes(name) {
  const anchors = COLOR_ANCHORS[name];
  const bytes = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const place = (i / 255) * (anchors.length - 1), k = Math.min(Math.floor(place), anchors.length - 2), t = place - k;
    const rgb = srgbFromOklab(...anchors[k].map((low, c) => low + t * (anchors[k + 1][c] - low)));
    for (let c = 0; c < 3; c++) bytes[4 * i + c] = Math.round(255 * rgb[c]);
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}
