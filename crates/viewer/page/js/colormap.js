// Colour maps with even steps of lightness, computed in OKLab (`ottosson2020oklab`).

// sRGB 0…1 of an OKLab colour; null outside the gamut.
function srgbFromOklab(L, a, b) {
  const l = (L + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (L - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (L - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const rgb = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  if (rgb.some((c) => c < -1e-4 || c > 1.0001)) return null;
  return rgb.map((c) => {
    const x = Math.min(Math.max(c, 0), 1);
    return x <= 0.0031308 ? 12.92 * x : 1.055 * x ** (1 / 2.4) - 0.055;
  });
}

// Colour of a lightness, chroma and hue [°], with as much of the chroma as a screen can show.
function srgbFromLch(L, chroma, hue) {
  const h = (hue * Math.PI) / 180;
  const at = (c) => srgbFromOklab(L, c * Math.cos(h), c * Math.sin(h));
  const full = at(chroma);
  if (full) return full;
  let low = 0, high = chroma;
  for (let i = 0; i < 24; i++) {
    const middle = (low + high) / 2;
    if (at(middle)) low = middle;
    else high = middle;
  }
  return at(low) ?? [L, L, L];
}

export const COLOR_MAPS = {
  // Violet, blue, green, yellow.
  sequential: (x) => srgbFromLch(0.34 + 0.58 * x, 0.15 + 0.03 * x, 298 - 193 * x ** 1.1),
  // Deep purple, red, orange, pale yellow.
  heat: (x) => srgbFromLch(0.22 + 0.74 * x, 0.04 + 0.62 * x * (1 - x) + 0.06 * x, (330 + 130 * x) % 360),
  // Blue, near white, red: for signed quantities.
  diverging(x) {
    const d = Math.abs(2 * x - 1);
    return srgbFromLch(0.93 - 0.5 * d, 0.2 * d ** 0.9, x < 0.5 ? 258 : 27);
  },
};

// 256 RGBA8 entries of a map.
export function colorMapBytes(name) {
  const map = COLOR_MAPS[name];
  const bytes = new Uint8Array(1024);
  for (let i = 0; i < 256; i++) {
    const rgb = map(i / 255);
    for (let k = 0; k < 3; k++) bytes[4 * i + k] = Math.round(255 * rgb[k]);
    bytes[4 * i + 3] = 255;
  }
  return bytes;
}
