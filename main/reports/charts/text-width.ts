/** Widths of the widest of the report's fonts (DejaVu Sans), in parts of the font size; what is not here is a letter or digit. */
const widths: readonly (readonly [RegExp, number])[] = [
  [/[ijl.,:;|'!]/, 0.34],
  [/[frt ()/-]/, 0.41],
  [/[mw%@—]/, 0.95],
  [/[MW]/, 0.99],
  [/[+=<>±×]/, 0.84],
  [/[A-Z]/, 0.7],
  // As wide as high; by one of them the renderer takes the height of a line.
  [/[\u2E80-\uFFEF]/, 1],
];
const letter = 0.63;
const boldFactor = 1.12;
const defaultPx = 12;

/** How wide a text is at most, in pixels; `font` as CSS writes it ("bold 9px sans-serif"). */
export function textWidth(text: string, font: string): number {
  const px = Number(/([\d.]+)px/.exec(font)?.[1] ?? defaultPx);
  const parts = Array.from(text, (character) => widths.find(([of]) => of.test(character))?.[1] ?? letter);
  return px * (/bold/.test(font) ? boldFactor : 1) * parts.reduce((sum, part) => sum + part, 0);
}
