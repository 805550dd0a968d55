import { cpus, loadavg, release, type } from 'node:os';
import { median } from '../pairs';
import { openElectron } from './window-under-test';

/** From the start of the program to a list that can be clicked. @returns milliseconds */
export async function coldStart(executable: string, home: string): Promise<number> {
  const startedMs = performance.now();
  const window = await openElectron({ executable, args: [], home });
  try {
    await window.page.locator('[data-run] .run-name').first().click({ trial: true });
    return performance.now() - startedMs;
  } finally {
    await window.close();
  }
}

/** Median, smallest, largest and number. */
export const formatMs = (values: readonly number[], what: string): string =>
  `${median([...values]).toFixed(0)} ms (${Math.min(...values).toFixed(0)}–${Math.max(...values).toFixed(0)}, ${values.length} ${what})`;

/** The head of a document of figures: when, and on what. */
export const machineRows = (): readonly string[] => [
  '| | |',
  '|---|---|',
  `| Date | ${new Date().toISOString().slice(0, 10)} |`,
  `| Processor | ${cpus()[0]?.model ?? 'unknown'}, ${cpus().length} logical; load ${(loadavg()[0] ?? NaN).toFixed(1)} |`,
  `| System | ${type()} ${release()} |`,
];
