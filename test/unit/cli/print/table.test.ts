import { describe, expect, it } from 'vitest';
import { formatTable } from '../../../../main/cli/print/table';

const header = ['run', 'status', 'rate'];
const rows = [
  ['20261125-a', 'done', '1,906'],
  ['20261125-b', 'waiting for the run before it', '7'],
];

describe('formatTable', () => {
  it('is as wide as its cells without a terminal, numbers to the right', () => {
    expect(formatTable(header, rows, null)).toBe(
      [
        'run         status                          rate',
        '20261125-a  done                           1,906',
        '20261125-b  waiting for the run before it      7',
      ].join('\n'),
    );
  });

  it('wraps cells of text within the width, and cuts nothing', () => {
    expect(formatTable(header, rows, 36)).toBe(
      [
        'run         status              rate',
        '20261125-a  done               1,906',
        '20261125-b  waiting for the        7',
        '            run before it',
      ].join('\n'),
    );
  });

  it.each([20, 25, 30, 40, 60, 80])('is never wider than %i columns where words fit', (width) => {
    const lines = formatTable(header, rows, width).split('\n');
    expect(Math.max(...lines.map((line) => line.length))).toBeLessThanOrEqual(width);
    const words = rows.flat().flatMap((cell) => cell.split(' '));
    for (const word of words) expect(lines.join('\n')).toContain(word);
  });

  it('has a line per cell where even words do not fit side by side', () => {
    expect(formatTable(header, rows.slice(0, 1), 20)).toBe('run     20261125-a\nstatus  done\nrate    1,906');
  });
});
