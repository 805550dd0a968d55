import { expect, it } from 'vitest';
import { hatchedAsLines } from '../../../../main/reports/charts/hatch';

const pattern = (id: string, turned = '', shape = 'M0 0l1 0l0 1l-1 0Z') =>
  `<pattern width="1" height="5" patternUnits="userSpaceOnUse"${turned} id="${id}"><g ><path d="${shape}" fill="#1f2933"></path></g></pattern>`;
const bar = (id: string, d = 'M10 40l20 0l0 -30l-20 0Z') => `<path d="${d}" fill="url(#${id})"></path>`;

/** Ends of every line that is drawn. */
const linesOf = (svg: string): number[][] =>
  [...svg.matchAll(/M(-?[\d.]+) (-?[\d.]+)L(-?[\d.]+) (-?[\d.]+)/g)].map((found) =>
    found.slice(1).map(Number),
  );

it.each([
  ['', ([, fromY = 0, , toY = 0]: number[]) => fromY === toY],
  [' patternTransform="rotate(90)"', ([fromX = 0, , toX = 0]: number[]) => fromX === toX],
  [
    ' patternTransform="rotate(-45)"',
    ([x = 0, y = 0, toX = 0, toY = 0]: number[]) => Math.abs(x + y - toX - toY) < 0.3,
  ],
  [
    ' patternTransform="rotate(45)"',
    ([x = 0, y = 0, toX = 0, toY = 0]: number[]) => Math.abs(x - y - (toX - toY)) < 0.3,
  ],
])('draws a pattern%s as lines of its direction inside the bar', (turned, isOfDirection) => {
  const svg = hatchedAsLines(`<svg>${bar('p1')}<defs>${pattern('p1', turned)}</defs></svg>`);
  expect(svg).not.toMatch(/<pattern|url\(/);
  const lines = linesOf(svg);
  expect(lines.length).toBeGreaterThanOrEqual(4);
  expect(lines.filter((line) => !isOfDirection(line))).toEqual([]);
  for (const [x = 0, y = 0, toX = 0, toY = 0] of lines) {
    for (const at of [x, toX]) expect(at >= 10 && at <= 30).toBe(true);
    for (const at of [y, toY]) expect(at >= 10 && at <= 40).toBe(true);
  }
});

it('draws dots, and the icon of a legend where it is moved to', () => {
  const icon = '<path d="M2 0L8 0A2 2 0 0 1 10 2Z" transform="translate(100 20)" fill="url(#p0)"></path>';
  const svg = hatchedAsLines(`<svg>${icon}${pattern('p0', '', 'M4 2A2 2 0 1 1 4 1.9')}</svg>`);
  const dots = linesOf(svg);
  expect(dots.length).toBeGreaterThan(0);
  for (const [x = 0, y = 0, toX, toY] of dots) {
    expect([toX, toY]).toEqual([x, y]);
    expect(x > 100 && x < 110 && y > 20 && y < 28).toBe(true);
  }
});

it('leaves other fills, clips and bars that are too low for a line', () => {
  const other = '<g clip-path="url(#c0)"><path d="M0 0l1 0" fill="url(#gradient)"></path></g>';
  expect(hatchedAsLines(other)).toBe(other);
  expect(hatchedAsLines(`${bar('p', 'M10 12l20 0l0 -0.5l-20 0Z')}${pattern('p')}`)).toBe('');
});
