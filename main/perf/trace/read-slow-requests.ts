import { readdir, stat } from 'node:fs/promises';
import { join } from 'node:path';
import type { SlowRequests } from '../../contract/measured/slow-requests';
import { fileLimits } from '../../contract/reader-limits';
import { slowRequestsOf } from '../../domain/measured/slow/slow-requests';
import type { TracedSpan } from '../../domain/measured/slow/traced-span';
import { readBoundedFile } from '../../platform/plain-entry';
import { traceProblem } from './found-spans';
import { tracedSpans } from './traced-spans';

/** A trace file, or those of a folder. Throws input-invalid. */
async function filesOf(path: string): Promise<readonly string[]> {
  const found = await stat(path).catch(() => null);
  if (found?.isDirectory() !== true) return [path];
  return (await readdir(path)).sort().map((name) => join(path, name));
}

/** Where the requests of a trace spent their time. Throws input-invalid. @param path of a file, or of a folder of them */
export async function readSlowRequests(path: string): Promise<readonly SlowRequests[]> {
  const spans: TracedSpan[] = [];
  let left: number = fileLimits.trace.bytes;
  for (const file of await filesOf(path)) {
    const found = await readBoundedFile(file, left, { links: 'follow' });
    if ('problem' in found) {
      throw traceProblem(
        file,
        `The trace cannot be read: ${found.problem}`,
        'Give the path of a trace file.',
      );
    }
    left -= Buffer.byteLength(found.text);
    for (const span of tracedSpans(found.text, file)) spans.push(span);
  }
  const slow = slowRequestsOf(spans);
  if (slow.length > 0) return slow;
  throw traceProblem(
    path,
    spans.length === 0 ? 'The trace has no request of a model' : 'No request of the trace is complete',
    'Record it with level=TIMESTAMPS and rate=1, and open it once its requests have ended.',
  );
}
