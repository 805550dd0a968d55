import { readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { toWire, type WireError } from '../../../main/contract/errors';
import type { GpuReport } from '../../../main/contract/machine';
import { createReaders, type ReaderName, type Readers } from '../../../main/core/readers';
import { readGpus } from '../../../main/machine/gpu-report';
import { readPreset } from '../../../main/presets/presets';
import type { ReadingJob } from '../limits/at-limit';

/**
 * Asks the readers as the workbench's main process does, one job at a time, and tells of time and memory of this process.
 * read-at-limit.cjs READER-PROCESS RESOURCES
 */
const [, , readerFile = '', resources = ''] = process.argv;
const { readers } = createReaders(readerFile);
const preset = readPreset(join(resources, 'models', 'resnet50'));

export interface ReadingEnd {
  /** Time of the clock, or of this process and the readers on the processors where that is less: others wait for them too. */
  readonly ms: number;
  /** By how much the resident memory of this process rose at most. */
  readonly roseMiB: number;
  /** null: it was answered. */
  readonly error: WireError | null;
  /** What the answer says is wrong, where it says it in words; '' for none. */
  readonly problem: string;
}

const kibibytes = (name: string): number =>
  Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(readFileSync('/proc/self/status', 'utf8'))?.[1]);

/** Ticks of 10 ms that a process has had, and the processes that it has seen end; 0 when it is gone. proc(5), stat. */
function ticksOf(pid: string): number {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    const fields = stat.slice(stat.lastIndexOf(')') + 2).split(' ');
    return fields.slice(11, 15).reduce((sum, field) => sum + Number(field), 0);
  } catch {
    return 0;
  }
}

const busyMs = (): number => {
  const children = readFileSync(`/proc/self/task/${process.pid}/children`, 'utf8').split(' ');
  const pids = ['self', ...children.filter((pid) => pid !== '')];
  return 10 * pids.reduce((sum, pid) => sum + ticksOf(pid), 0);
};

async function read(
  { ask, name, path, fileName = '', input = {} }: ReadingJob,
  text: string,
): Promise<string> {
  switch (ask) {
    case 'reader':
      await (readers[name as ReaderName] as (given: unknown) => Promise<unknown>)({ path, ...input });
      return '';
    case 'text': {
      const { problem } = await readers.specModel({ text, fileName });
      const spec = await readers.spec({ loaded: await preset, text, fileName, overrides: {} });
      return [problem ?? '', ...spec.notes].join('\n');
    }
    case 'configEdit': {
      const edit: Parameters<Readers['configEdit']>[0] = {
        loaded: await preset,
        choice: { preset: 'resnet50', overrides: {} },
        text,
      };
      return (await readers.configEdit(edit)).problem?.message ?? '';
    }
    case 'nvidiaSmi': {
      // `cat` for nvidia-smi: what it prints is the file.
      const report: GpuReport = await readGpus({ PATH: dirname(path) });
      return report.problem ?? '';
    }
  }
}

async function work(job: ReadingJob): Promise<ReadingEnd> {
  const text = job.ask === 'text' || job.ask === 'configEdit' ? readFileSync(job.path, 'utf8') : '';
  const before = kibibytes('VmRSS');
  // The peak counts from here: proc(5), clear_refs.
  writeFileSync('/proc/self/clear_refs', '5');
  const started = performance.now();
  const busyBefore = busyMs();
  let error: WireError | null = null;
  let problem = '';
  try {
    problem = await read(job, text);
  } catch (caught) {
    error = toWire(caught);
  }
  const ms = Math.min(performance.now() - started, busyMs() - busyBefore);
  return { ms, roseMiB: (kibibytes('VmHWM') - before) / 1024, error, problem };
}

process.on('message', (job: ReadingJob) => {
  void work(job).then((end) => process.send?.(end));
});
