import { describe, expect, it } from 'vitest';
import { parseTrace } from '../../../../main/perf/replay/parse-trace';

const seconds = (text: string): number[] => {
  const rows = parseTrace(text, 'trace');
  return rows.map(({ atUs }) => (atUs - (rows[0]?.atUs ?? 0)) / 1e6);
};
const refusal = (text: string) => {
  try {
    parseTrace(text, 'trace.csv');
  } catch (error) {
    return error as { code: string; message: string; where: string; remedy: string };
  }
  throw new Error('was read');
};

describe('parseTrace', () => {
  it.each([
    ['a list of seconds', '0\n0.5\n2\n'],
    ['a named column', 'timestamp\n0\n0.5\n2\n'],
    ['milliseconds by name', 'timestamp_ms\n0\n500\n2000\n'],
    ['microseconds by name', 'time_us\r\n0\r\n500000\r\n2000000\r\n'],
    ['nanoseconds by name', 'Arrival (ns)\n7\n500000007\n2000000007\n'],
    ['milliseconds since 1970', 'ts\n1700000000000\n1700000000500\n1700000002000\n'],
    ['microseconds since 1970', 'ts\n1700000000000000\n1700000000500000\n1700000002000000\n'],
    ['nanoseconds since 1970', 'ts\n1700000000000000000\n1700000000500000000\n1700000002000000000\n'],
    ['dates', 'timestamp\n2026-03-01T12:00:00Z\n2026-03-01 12:00:00.5\n2026-03-01T13:00:02+01:00\n'],
    ['a date in each line', '2026-02-28T23:59:59Z\n2026-02-28T23:59:59.500Z\n2026-03-01T00:00:01Z\n'],
    ['rows in another order', 'timestamp\n2\n0\n0.5\n'],
    ['semicolons, comments and blank lines', '# a trace\n\nid;timestamp\na;0\n\nb;0.5\nc;2\n'],
    ['JSON lines', '{"timestamp": 0}\n{"timestamp": 0.5}\n{"timestamp": 2}\n'],
    ['a JSON list', '[{"time_ms": 0},\n {"time_ms": 500}, {"time_ms": 2000}]'],
    ['a JSON list of numbers', '[0, 0.5, 2]'],
  ])('reads %s', (_what, text) => {
    expect(seconds(text)).toEqual([0, 0.5, 2]);
  });

  it('takes sizes, models and inputs by name, and leaves every other column where it is', () => {
    const text =
      'timestamp,batch_size,model,entry,class,prompt\n1,4,a,2,,"two\nlines, ""quoted"""\n2,,b,,short,x\n';
    expect(parseTrace(text, 'trace')).toEqual([
      { atUs: 1e6, size: 4, model: 'a', entry: 2 },
      { atUs: 2e6, model: 'b', inputClass: 'short' },
    ]);
  });

  it('reads Triton’s own trace, without the models that an ensemble asks', () => {
    const stamps = (id: number, ns: number) => [
      { id, timestamps: [{ name: 'HTTP_RECV_START', ns: ns - 1000 }] },
      { id, timestamps: [{ name: 'REQUEST_START', ns }] },
      {
        id,
        activity: 'TENSOR_QUEUE_INPUT',
        tensor: { name: 'secret', data: '1,2', shape: '1,2', dtype: 'FP32' },
      },
      { id, timestamps: [{ name: 'REQUEST_END', ns: ns + 5000 }] },
    ];
    const text = JSON.stringify([
      { id: 1, model_name: 'simple', model_version: 1 },
      ...stamps(1, 2_356_425_054_785_863),
      { id: 2, model_name: 'inner', model_version: 1, parent_id: 1 },
      ...stamps(2, 2_356_425_054_786_863),
      { id: 3, model_name: 'simple', model_version: 1 },
      ...stamps(3, 2_356_425_055_785_863),
    ]);
    const rows = parseTrace(text, 'trace.json');
    expect(rows.map(({ model }) => model)).toEqual(['simple', 'simple']);
    expect((rows[1]?.atUs ?? 0) - (rows[0]?.atUs ?? 0)).toBeCloseTo(1000, 0);
    expect(JSON.stringify(rows)).not.toContain('secret');
  });

  it.each([
    ['a bad time', 'timestamp\n1\nsecret\n', 'trace.csv, line 3', 'no valid time in the form'],
    ['mixed forms', 'timestamp\n1\n2026-03-01T12:00:00Z\n', 'trace.csv, line 3', 'no valid time in the form'],
    ['a day that there is not', 'timestamp\n2026-02-30T12:00:00Z\n', 'trace.csv, line 2', 'no valid time'],
    ['a size of none', 'timestamp,size\n1,0\n', 'trace.csv, line 2', 'no whole number from 1 to'],
    [
      'too few columns',
      'timestamp,size\n1,1\n2\n',
      'trace.csv, line 3',
      'has 1 columns where the first has 2',
    ],
    ['no time at all', 'a,b\nx,y\n', 'trace.csv, line 1', 'No column has the name of a time'],
    ['columns without names', '1,2\n3,4\n', 'trace.csv, line 1', 'does not name them'],
    ['both inputs', 'timestamp,entry,class\n1,2,x\n', 'trace.csv, line 2', 'an entry and a class'],
    ['an open quote', 'timestamp,x\n1,"a\n2,b\n', 'trace.csv, line 2', 'not closed'],
    ['broken JSON', '{"timestamp": 1}\n{"timestamp": }\n', 'trace.csv, line 2', 'not JSON'],
    [
      'a list that was cut',
      '[{"timestamp": 1},\n{"timestamp": 2',
      'trace.csv, line 2',
      'ends within a value',
    ],
    ['JSON without times', '{"a": 1}\n', 'trace.csv, line 1', 'No member'],
    [
      'a trace without timestamps',
      '[{"id": 1, "model_name": "a", "model_version": 1}]',
      'trace.csv',
      'REQUEST_START',
    ],
    ['nothing', '\n\n', 'trace.csv', 'has no request'],
  ])('refuses %s with its line, and repeats nothing of the content', (_what, text, where, message) => {
    const error = refusal(text);
    expect(error).toMatchObject({ code: 'input-invalid', where });
    expect(error.message).toContain(message);
    expect(error.remedy).toMatch(/\.$/);
    expect(JSON.stringify([error.message, error.remedy])).not.toContain('secret');
  });

  it('ends at a million requests', () => {
    expect(refusal('1\n'.repeat(1_000_001)).message).toContain('More than 1000000 requests');
  });
});
