import { mkdtemp, rm, truncate, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { fileLimits } from '../../../../main/contract/reader-limits';
import { readSlowRequests } from '../../../../main/perf/trace/read-slow-requests';
import { tracedSpans } from '../../../../main/perf/trace/traced-spans';
import { rejection } from '../../../support/rejection';
import {
  httpStamps,
  stepStamps,
  type TracedRequestOf,
  traceFile,
  without,
} from '../../../support/triton-trace';

let dir: string;
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'workbench-trace-'));
});
afterAll(() => rm(dir, { recursive: true, force: true }));

const file = async (name: string, text: string): Promise<string> => {
  const path = join(dir, name);
  await writeFile(path, text);
  return path;
};

/** An ensemble whose second step is slow in one of twenty requests. */
function ensemble(count: number): readonly TracedRequestOf[] {
  return Array.from({ length: count }, (_one, at): readonly TracedRequestOf[] => {
    const [id, fromUs] = [3 * at + 1, at * 1e6];
    const slowUs = at % 20 === 7 ? 30_000 : 1000;
    const endUs = fromUs + 40 + 200 + slowUs;
    return [
      { id: id + 1, model: 'resize', parent: id, atUs: stepStamps(fromUs + 30, 10, 190) },
      { id: id + 2, model: 'detect', parent: id, atUs: stepStamps(fromUs + 230, 10, slowUs) },
      {
        ...{ id, model: 'whole', requestId: `r${at}` },
        atUs: {
          ...{ HTTP_RECV_START: fromUs, HTTP_RECV_END: fromUs + 10, REQUEST_START: fromUs + 20 },
          ...{
            QUEUE_START: fromUs + 20,
            REQUEST_END: endUs,
            HTTP_SEND_START: endUs,
            HTTP_SEND_END: endUs + 10,
          },
        },
      },
    ];
  }).flat();
}

describe('readSlowRequests', () => {
  it('finds the slow model of an ensemble in Triton’s own trace', async () => {
    const [slow] = await readSlowRequests(await file('trace.json', traceFile(ensemble(100))));
    expect(slow).toMatchObject({ model: 'whole', requests: 100, slowCount: 5, incomplete: 0 });
    const longest = slow?.parts.toSorted((a, b) => b.slowUs - a.slowUs)[0];
    expect(longest).toMatchObject({ model: 'detect', phase: 'infer' });
    expect(longest?.slowUs).toBeCloseTo(30_000, 3);
    expect(slow?.slowest[0]).toMatchObject({ longest: { model: 'detect', phase: 'infer' } });
  });

  it('reads the files of a folder as one trace, and one that Triton still writes', async () => {
    const folder = await mkdtemp(join(dir, 'several-'));
    const text = traceFile(ensemble(3));
    await writeFile(join(folder, 'trace.json.0'), text);
    await writeFile(join(folder, 'trace.json.1'), text.slice(0, -1));
    const [slow] = await readSlowRequests(folder);
    expect(slow?.requests).toBe(6);
  });

  it('counts requests that had not ended', async () => {
    const open = without(httpStamps(0, 1, 1), 'REQUEST_END', 'HTTP_SEND_END');
    const requests = [
      { id: 1, model: 'm', atUs: httpStamps(0, 1, 1) },
      { id: 2, model: 'm', atUs: open },
    ];
    const [slow] = await readSlowRequests(await file('open.json', traceFile(requests)));
    expect(slow).toMatchObject({ requests: 1, incomplete: 1 });
    const only = await file('only-open.json', traceFile(requests.slice(1)));
    const error = await rejection(readSlowRequests(only));
    expect(error.message).toBe('No request of the trace is complete');
  });
});

describe('refuses', () => {
  const whole = traceFile(ensemble(2));
  it.each([
    ['', 'The file is empty'],
    ['timestamp,model\n1,a\n', 'The file is not JSON'],
    ['{"a": 1}', 'The file is neither a trace of Triton nor OTLP'],
    ['[1, 2]', 'The file is neither a trace of Triton nor OTLP'],
    ['[{"id": 1, "timestamps": x}]', 'This is not JSON'],
    ['[{"id": "1", "model_name": "m"}]', 'The member "id" is not a number'],
    ['[{"id": 1, "model_name": 7}]', 'The "model_name" is not a name'],
    ['[{"id": 1, "model_name": "m", "parent_id": {}}]', 'The member "parent_id" is not a number'],
    ['[{"id": 1, "timestamps": [{"name": "REQUEST_START"}]}]', 'The time stamp REQUEST_START has no time'],
    [whole.slice(0, 720), 'The file ends within a value'],
    ['[]', 'The trace has no request of a model'],
    // Each is below the other.
    [
      '[{"id": 1, "model_name": "m", "parent_id": 2}, {"id": 2, "model_name": "m", "parent_id": 1}]',
      'no request',
    ],
  ])('%j', async (text, message) => {
    const path = await file('refused.json', text);
    const error = await rejection(readSlowRequests(path));
    expect(error).toMatchObject({ code: 'input-invalid' });
    expect(error.message).toContain(message);
    expect(error.where).toContain(path);
    expect(error.remedy).not.toBe('');
  });

  it('models that call each other without end', () => {
    const nested = Array.from({ length: 100 }, (_one, at) => ({
      ...{ id: at + 1, model: 'm', atUs: stepStamps(0, 0, 1) },
      ...(at === 0 ? {} : { parent: at }),
    }));
    expect(() => tracedSpans(traceFile(nested), 'deep.json')).toThrow('nested deeper than 16 models');
  });

  it('a file that is too large, unread, and one that is not there', async () => {
    const large = await file('large.json', '[');
    await truncate(large, fileLimits.trace.bytes + 1);
    expect((await rejection(readSlowRequests(large))).message).toContain('at most');
    expect((await rejection(readSlowRequests(join(dir, 'nowhere')))).message).toContain('cannot be read');
  });
});
