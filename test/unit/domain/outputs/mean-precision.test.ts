import { expect, it } from 'vitest';
import { type JudgedImage, meanAveragePrecision } from '../../../../main/domain/outputs/mean-precision';

type Found = JudgedImage['found'][number];
const found = (label: string, score: number, left: number, right: number): Found => ({
  ...{ label, score },
  box: [left, 0, right, 10],
});
const object = (label: string, left: number, right: number): JudgedImage['truth'][number] => ({
  label,
  box: [left, 0, right, 10],
});
const at50 = (...images: readonly JudgedImage[]) => meanAveragePrecision(images, 0.5);

it('is 1 where each object is found once, from half of the overlap', () => {
  expect(at50({ truth: [object('cat', 0, 10)], found: [found('cat', 0.9, 0, 10)] })).toBeCloseTo(1, 12);
  // 5 of 10: half of the union exactly; and just below.
  expect(at50({ truth: [object('cat', 0, 10)], found: [found('cat', 0.9, 0, 5)] })).toBeCloseTo(1, 12);
  expect(at50({ truth: [object('cat', 0, 10)], found: [found('cat', 0.9, 0, 4.9)] })).toBe(0);
});

it('reads the precision at 101 recalls', () => {
  // By score: right, wrong, right. Precision 1 up to recall 0.5 (51 recalls), then 2/3 (50 recalls).
  const images = [
    { truth: [object('cat', 0, 10)], found: [found('cat', 0.9, 0, 10), found('cat', 0.8, 50, 60)] },
    { truth: [object('cat', 0, 10)], found: [found('cat', 0.7, 0, 10)] },
  ];
  expect(at50(...images)).toBeCloseTo((51 + 50 * (2 / 3)) / 101, 12);
});

it('counts a second find of an object as wrong, and of two objects takes the nearer one', () => {
  const twice = { truth: [object('cat', 0, 10)], found: [found('cat', 0.7, 0, 10), found('cat', 0.9, 0, 9)] };
  // The better score comes first, and the other one behind full recall changes nothing.
  expect(at50(twice)).toBeCloseTo(1, 12);
  const missed = { truth: [object('cat', 100, 110)], found: [found('cat', 0.6, 100, 110)] };
  // Right, wrong, right.
  expect(at50(twice, missed)).toBeCloseTo((51 + 50 * (2 / 3)) / 101, 12);
  const near = {
    truth: [object('cat', 0, 10), object('cat', 2, 12)],
    found: [found('cat', 0.9, 2, 12), found('cat', 0.8, 0, 10)],
  };
  expect(at50(near)).toBeCloseTo(1, 12);
});

it('is the mean over labels that objects have: another label is wrong for both', () => {
  const images = {
    truth: [object('cat', 0, 10), object('dog', 20, 30)],
    found: [found('cat', 0.9, 0, 10), found('cat', 0.8, 20, 30), found('cow', 0.7, 40, 50)],
  };
  expect(at50(images)).toBeCloseTo(0.5, 12);
});

it('is unknown without any object', () => {
  expect(at50({ truth: [], found: [found('cat', 0.9, 0, 10)] })).toBeNull();
});
