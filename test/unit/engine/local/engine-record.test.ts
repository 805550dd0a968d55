import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it } from 'vitest';
import {
  readEngineRecords,
  sweepLocalEngines,
  writeEngineRecord,
} from '../../../../main/engine/local/engine-record';
import { ownIdentity, ownPlace } from '../../../../main/platform/process';

let records: string;
beforeEach(async () => {
  records = await mkdtemp(join(tmpdir(), 'twb-engines-'));
});
afterEach(() => rm(records, { recursive: true, force: true }));

/** The record of a workbench whose id belongs to another process here. */
async function record(id: string, place: object | undefined): Promise<void> {
  await writeEngineRecord(records, {
    version: 1,
    id: id.repeat(32),
    runId: 'run',
    workbench: {
      ...ownIdentity(),
      startTime: '1',
      ...(place === undefined ? {} : { place: { ...ownPlace(), ...place } }),
    },
    server: null,
    command: [],
  });
}
const left = async () => (await readEngineRecords(records)).map(({ id }) => id[0]).sort();

it('leaves what belongs to another machine or PID namespace, and takes away the rest', async () => {
  await record('a', { host: 'other', bootId: 'other' });
  await record('b', { pidNamespace: '1' });
  await record('c', {});
  await record('d', { bootId: 'earlier' });
  await record('e', undefined);
  await sweepLocalEngines(records);
  expect(await left()).toEqual(['a', 'b']);
});

it('leaves the servers of a workbench that runs here', async () => {
  await writeEngineRecord(records, {
    version: 1,
    id: 'f'.repeat(32),
    runId: 'run',
    workbench: { ...ownIdentity(), place: ownPlace() },
    server: null,
    command: [],
  });
  await sweepLocalEngines(records);
  expect(await left()).toEqual(['f']);
});
