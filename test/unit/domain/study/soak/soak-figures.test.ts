import { expect, it } from 'vitest';
import type { Soaked } from '../../../../../main/contract/study/soak';
import { soakAnswer } from '../../../../../main/domain/study/soak/soak-answer';
import { soakKeyFigures } from '../../../../../main/domain/study/soak/soak-figures';
import { reading, soaked, soakStrategy } from '../../../../support/soaked';

const soak = soakStrategy();
const figuresOf = (given: Soaked) =>
  Object.fromEntries(
    soakKeyFigures(soak, soakAnswer(soak, given, null)).map(({ label, value, unit, note }) => [
      label,
      `${value} ${unit} (${note})`,
    ]),
  );

it('the process that grows fastest, the memory of all, latency and requests', () => {
  const figures = figuresOf(soaked({ stub: 600_000, client: 5_000_000 }));
  expect(figures['Fastest growth of resident memory']).toMatch(
    /^3\d\.\d+ MB per hour \(3\d\.\d+ to 3\d\.\d+; the Python stub of ocr\)$/,
  );
  // Of the load generator nothing is added.
  expect(figures['Memory of the server']).toMatch(/^21[0-9.]+ MB \(20[0-9.]+ MB at first\)$/);
  expect(figures['p99 at the end']).toBe('12.30 ms (12.00 ms at first)');
  expect(figures['Requests']).toBe('12,000  (none failed)');
  expect(figures['Time under load']).toBe('20 min 00 s  (of 20 min 00 s)');
});

it('what is not known is missing, and a machine is no process', () => {
  const span = { fromMs: 0, toMs: 60_000, life: 1, requests: null, reloads: 0 };
  const machine = reading({ role: 'machine', rss: 4e9 });
  const figures = figuresOf({ blocks: [{ ...span, readings: [machine] }], slices: [] });
  expect(figures['Fastest growth of resident memory']).toContain('too few readings yet');
  expect(figures['Memory of the machine']).toContain('MB at first');
  expect(figures['p99 at the end']).toContain('not measured yet');
  const unread = figuresOf({ blocks: [{ ...span, readings: [reading({ rss: null })] }], slices: [] });
  expect(unread['Memory of the server']).toContain('not read');
});
