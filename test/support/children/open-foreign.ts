import { openSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { api } from '../../../main/contract/api';
import { toWire, WorkbenchError } from '../../../main/contract/errors';
import { openModelSchema } from '../../../main/contract/run/own-model';
import { stepIds } from '../../../main/contract/run/run-events';
import { createCore } from '../../../main/core';
import { readBoundedFile } from '../../../main/platform/plain-entry';
import type { ForeignFolder } from '../foreign/foreign-folders';

interface Plan {
  readonly home: string;
  readonly resources: string;
  readonly folders: readonly ForeignFolder[];
}

/** Far above what any takes, with gigabytes to hash on a busy machine: only a call that hangs comes so far. */
const hangsAfterMs = 300_000;

const say = (value: unknown): void => {
  process.stdout.write(`${JSON.stringify(value)}\n`);
};

/** Marks the place in the log of system calls: what follows belongs to this folder. */
function mark(home: string, at: number): void {
  try {
    openSync(join(home, `mark-${at}`), 'r');
  } catch {
    // There is no such file: the attempt is the mark.
  }
}

/** Opens every folder of a plan as the window would, one call after the other, and says of each call what came of it. */
async function main(): Promise<void> {
  const plan = JSON.parse(readFileSync(process.argv[2] ?? '', 'utf8')) as Plan;
  const { home, resources, folders } = plan;
  const core = await createCore({
    ...{ home, resources, version: 'test', electron: null },
    env: { PATH: process.env['PATH'], DOCKER_HOST: `unix://${home}/none.sock` },
    workerFile: join(process.cwd(), 'out', 'main', 'load-worker.cjs'),
    readerFile: join(process.cwd(), 'out', 'main', 'reader-process.cjs'),
    printPdf: () => Promise.reject(new WorkbenchError('report-failed', 'Nothing is printed here')),
  });
  const { handlers } = core;
  const emit = async (at: number, call: string, work: () => Promise<unknown>): Promise<void> => {
    let timer: NodeJS.Timeout | undefined;
    const late = new Promise<string>((resolve) => {
      timer = setTimeout(resolve, hangsAfterMs, 'hangs');
    });
    const done = work().then(
      () => 'ok',
      (error: unknown) => toWire(error).code,
    );
    const outcome = await Promise.race([done, late]);
    clearTimeout(timer);
    say({ at, call, outcome });
    if (outcome === 'hangs') process.exit(1);
  };
  for (const [at, { kind, dir, open }] of folders.entries()) {
    mark(home, at);
    if (kind === 'run') {
      const runId = dir.slice(dir.lastIndexOf('/') + 1);
      await emit(at, 'runs.get', () => handlers['runs.get']({ runId }));
      await emit(at, 'runs.annotate', () => handlers['runs.annotate']({ runId, tags: ['seen'], note: '' }));
      for (const step of stepIds)
        await emit(at, 'runs.log', () => handlers['runs.log']({ runId, step, limit: 100 }));
      await emit(at, 'runs.setBudget', () => handlers['runs.setBudget']({ runId, p99BudgetMs: 5 }));
      for (const report of ['html', 'csv-offline', 'json'] as const)
        await emit(at, 'reportPath', () => core.handlers['runs.reportPath']({ runId, kind: report }));
      await emit(at, 'writeReports', () => core.handlers['runs.writeReports']({ runId }));
      await emit(at, 'runs.resume', async () => {
        const { end } = await core.handlers['runs.execute']({ runId });
        await end;
      });
      await emit(at, 'runs.rerunFrom', async () => {
        const { end } = await core.handlers['runs.execute']({ runId, from: 'configure' });
        await end;
      });
      await emit(at, 'runs.remove', () => handlers['runs.remove']({ runId }));
      await emit(at, 'runs.restore', () => handlers['runs.restore']({ runId }));
      continue;
    }
    for (const path of open) {
      if (kind !== 'specification') {
        await emit(at, 'models.open', () => handlers['models.open'](openModelSchema.parse({ path })));
        await emit(at, 'models.open with a shape', () =>
          handlers['models.open'](openModelSchema.parse({ path, shapes: { x: [3] } })),
        );
        continue;
      }
      await emit(at, 'runs.import', () => handlers['runs.import']({ path }));
      await emit(at, 'spec.import', async () => {
        const found = await readBoundedFile(path, 1_000_000);
        if (!('text' in found)) return null;
        const imported = await handlers['spec.import']({
          text: found.text,
          fileName: path,
          preset: 'resnet50',
        });
        if (imported.choice === null) return null;
        const choice = api['spec.preview'].input.parse(imported.choice);
        const preview = await handlers['spec.preview'](choice);
        return preview.spec === null ? null : handlers['runs.check']({ spec: preview.spec });
      });
      const performance = { inputData: 'file', inputDataFile: path };
      await emit(at, 'spec.preview of input data', () =>
        handlers['spec.preview']({ preset: 'resnet50', overrides: { performance } }),
      );
    }
  }
  mark(home, folders.length);
  await emit(folders.length, 'runs.list', () => handlers['runs.list'](undefined));
  await core.close();
  say({ at: folders.length, call: 'end', outcome: 'ok' });
}

void main();
