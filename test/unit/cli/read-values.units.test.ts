import { describe, expect, it } from 'vitest';
import { readBudgetMs, readDuration, readShape, readShapes } from '../../../main/cli/read-values';

describe('readDuration', () => {
  it.each([
    ['500', 500],
    ['500ms', 500],
    ['2s', 2000],
    ['1.1 s', 1100],
    ['1m', 60_000],
    ['2min', 120_000],
    ['1h', 3_600_000],
    ['250us', 0.25],
    ['250µs', 0.25],
    ['1e3', 1000],
  ])('reads %j as %d ms', (text, ms) => {
    expect(readDuration('--x', text, 'ms')).toBe(ms);
  });

  it('takes a number in the unit that the option documents', () => {
    expect(readDuration('--for', '90', 'ms', 's')).toBe(90_000);
    expect(readDuration('--for', '10m', 'ms', 's')).toBe(600_000);
  });

  it.each(['', 'ms', '2 weeks', '1.2.3', '-1', '1;2', '2sec'])('refuses %j, naming the option', (text) => {
    expect(() => readDuration('--x', text, 'ms')).toThrow(`"${text}" is not a time`);
  });
});

it('a budget is a time above 0', () => {
  expect(readBudgetMs('20')).toBe(20);
  expect(readBudgetMs('500us')).toBe(0.5);
  expect(() => readBudgetMs('0')).toThrow('"0" is not a latency');
});

describe('readShape', () => {
  it.each([
    ['x:3,224,224', { name: 'x', datatype: null, dims: [3, 224, 224] }],
    ['x=1,3,224,224', { name: 'x', datatype: null, dims: [1, 3, 224, 224] }],
    ['ids:INT64=1,16', { name: 'ids', datatype: 'INT64', dims: [1, 16] }],
    ['ids:INT64:16', { name: 'ids', datatype: 'INT64', dims: [16] }],
    ['serving_default_x:0:8', { name: 'serving_default_x:0', datatype: null, dims: [8] }],
  ])('reads %s', (text, shape) => {
    expect(readShape(text)).toEqual(shape);
  });

  it.each(['x', 'x:', ':3', 'x:0', 'x:1.5', 'x=a', 'x:-1'])('refuses %j', (text) => {
    expect(() => readShape(text)).toThrow(`"${text}" is not a shape`);
  });

  it('takes the batch of a model file as -1 or a name, and only that', () => {
    expect(readShape('x:-1,3,8', true).dims).toEqual([1, 3, 8]);
    expect(readShape('x:batchx3x8', true).dims).toEqual([1, 3, 8]);
    expect(() => readShape('x:1,3,height', true)).toThrow(
      expect.objectContaining({ remedy: expect.stringContaining('may be -1 or a name') as string }),
    );
  });

  it('needs no type where the server knows it', () => {
    expect(readShapes(['x:3,4', 'y=5'])).toEqual({ x: [3, 4], y: [5] });
    expect(() => readShapes(['x:FP32=3'])).toThrow('names a data type, which the server already defines');
  });
});
