import { describe, expect, it } from 'vitest';
import { csvRecords, jsonRecords } from '../../../../main/perf/replay/trace-records';

describe('csvRecords', () => {
  it.each([
    [
      'a,b\n1,2\n',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      [1, 2],
    ],
    [
      'a;b;c\r\n1;2;3,4\r\n',
      [
        ['a', 'b', 'c'],
        ['1', '2', '3,4'],
      ],
      [1, 2],
    ],
    [
      'a\tb\n\n# note\n1\t2',
      [
        ['a', 'b'],
        ['1', '2'],
      ],
      [1, 4],
    ],
    [
      'a,"b ""c"" , d"\n"x\ny",z\nlast,1\n',
      [
        ['a', 'b "c" , d'],
        ['x\ny', 'z'],
        ['last', '1'],
      ],
      [1, 2, 4],
    ],
  ])('reads %j', (text, cells, lines) => {
    const records = [...csvRecords(text, 'file')];
    expect(records.map((record) => record.cells)).toEqual(cells);
    expect(records.map((record) => record.line)).toEqual(lines);
  });
});

describe('jsonRecords', () => {
  it.each([
    ['{"a": [1, {"b": "}]"}]}\n{"a": "\\""}\n', [{ a: [1, { b: '}]' }] }, { a: '"' }], [1, 2]],
    ['[\n {"a": 1},\n 2.5, "three"]', [{ a: 1 }, 2.5, 'three'], [2, 3, 3]],
    ['[]', [], []],
  ])('reads %j', (text, values, lines) => {
    const records = [...jsonRecords(text, 'file')];
    expect(records.map((record) => record.value)).toEqual(values);
    expect(records.map((record) => record.line)).toEqual(lines);
  });
});
