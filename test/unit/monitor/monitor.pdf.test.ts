import { mkdir, mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { createMonitor } from '../../../main/monitor/monitor';
import { recordingHead, RecordingWriter } from '../../../main/monitor/recording';
import { defaultReportSettings } from '../../../main/reports/report-settings';
import { noHosts } from '../../support/host-reach';
import { sample } from './fixtures';

let dir: string;
beforeEach(async () => {
  dir = await mkdtemp(join(tmpdir(), 'twb-monitor-pdf-'));
  await mkdir(join(dir, 'tmp'));
  vi.stubEnv('TMPDIR', join(dir, 'tmp'));
});
afterEach(async () => {
  vi.unstubAllEnvs();
  await rm(dir, { recursive: true, force: true });
});

it('two that print at the same time each print their own report, and leave no other file', async () => {
  // Both are at the printer before it reads.
  let waiting = 0;
  const printPdf = async (html: string, pdf: string) => {
    waiting += 1;
    await vi.waitFor(() => {
      expect(waiting).toBe(2);
    });
    await writeFile(pdf, await readFile(html));
  };
  const recordings = join(dir, 'monitor');
  await mkdir(recordings);
  const names = ['one', 'two'];
  await Promise.all(
    names.map(async (name) => {
      const file = join(dir, `${name}.jsonl`);
      const writer = await RecordingWriter.create(file, recordingHead(`http://${name}:8000`, new Date(0)));
      await writer.append(sample(0));
      await writer.close();
      const monitor = createMonitor({
        ...{ recordings, printPdf, reach: noHosts, emit: () => undefined, now: () => new Date(0) },
        settingsFile: join(dir, `${name}.json`),
      });
      await monitor.replayFile(file, 0);
      await monitor.exportTo(join(dir, `${name}.pdf`), 'pdf', defaultReportSettings);
      await monitor.close();
    }),
  );
  for (const name of names) {
    expect(await readFile(join(dir, `${name}.pdf`), 'utf8')).toContain(join(dir, `${name}.jsonl`));
  }
  expect([await readdir(recordings), await readdir(join(dir, 'tmp'))]).toEqual([[], []]);
});
