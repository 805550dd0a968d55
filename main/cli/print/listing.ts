import type { RunSummary } from '../../contract/api';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import { jobPlace } from '../../contract/job/run-job';
import { titleWithUnit } from '../../contract/measured/column';
import { p99, throughput } from '../../contract/measured/columns';
import { formatMs, formatRate, missing } from '../../contract/numbers';
import { originMark } from '../../contract/run/run-content';
import { leftOutText, shortWaitText } from '../../contract/run/run-events';
import { accuracyText, runSummarySchema } from '../../contract/run/run-outcome';
import { formatTable } from '../output';
import { readNumber, readOneOf, resolveRunId } from '../read-values';
import type { Answer, Verb } from '../verb';
import { localTime } from './local-time';
import { columnsOf, paintState, wrapped } from './terminal';

async function historyAnswer(runs: readonly RunSummary[], runId: string): Promise<Answer> {
  // Loaded here: a list has no verdicts.
  const { historyOf } = await import('../../domain/measured/verdict');
  const found = historyOf(runs, runId);
  if (found.length === 0) {
    throw new WorkbenchError('input-invalid', 'This run has no history', {
      where: runId,
      remedy: 'Name a run of this workbench that was not imported; "runs" lists them.',
    });
  }
  const [first] = found;
  const model = `${first?.preset ?? ''} ${first?.format ?? ''} ${first?.precision ?? ''} (${first?.profile ?? ''})`;
  const rows = found.map(({ runId: id, createdAt, machine, server, chosen, answer, status }) => [
    `${id}${id === runId ? ' *' : ''}`,
    localTime(createdAt),
    paintState(status),
    machine === '' ? missing : machine,
    server === '' ? missing : server,
    rateText({ chosen, answer }),
    formatMs(chosen?.p99Us),
  ]);
  const header = ['run', 'created', 'status', 'GPU or CPU', 'server', throughput.title, titleWithUnit(p99)];
  return { document: { runId, runs: found }, lines: () => [model, formatTable(header, rows)] };
}

const statuses = [...runSummarySchema.shape.status.options, 'waiting'] as const;

interface RunsOptions {
  readonly history?: string;
  readonly status?: string;
  readonly preset?: string;
  readonly limit?: string;
}

const lowered = (text: string): string => `${text.charAt(0).toLowerCase()}${text.slice(1)}`;

function statusText({ status, waitsFor, job }: RunSummary): string {
  if (waitsFor?.reason === 'job') return lowered(shortWaitText(waitsFor));
  if (waitsFor !== null) return 'waiting';
  const place = jobPlace({ status, job });
  return place === null ? status : `${status} ${lowered(place)}`;
}

/** Filters and limits in list order. Throws input-invalid. */
export function chosenRuns(runs: readonly RunSummary[], options: RunsOptions): readonly RunSummary[] {
  const { preset } = options;
  const wanted = (options.status ?? '')
    .split(/[\s,]+/)
    .filter((part) => part !== '')
    .map((part) => readOneOf('--status', statuses, part));
  const limit = options.limit === undefined ? runs.length : readNumber('--limit', options.limit);
  if (!Number.isInteger(limit) || limit < 0) {
    throw invalidInput('--limit', `"${String(options.limit)}" is not a number of runs`);
  }
  return runs
    .filter((run) => preset === undefined || run.preset === preset)
    .filter(
      ({ status, waitsFor }) =>
        wanted.length === 0 || wanted.includes(status) || (waitsFor !== null && wanted.includes('waiting')),
    )
    .slice(0, limit);
}

export function addRuns(program: Verb): void {
  program
    .command('runs')
    .description('List runs, newest first')
    .option('--status <list>', `only runs in these states: ${statuses.join(', ')}`)
    .option('--preset <id>', 'only runs of this preset')
    .option('--limit <n>', 'at most this many, the newest')
    .option('--history <run>', 'list the runs of the same model, format and precision as this run')
    .reading(async ({ core }, options: RunsOptions) => {
      const { runs: all, unreadable } = await core.handlers['runs.all'](undefined);
      const runs = chosenRuns(all, options);
      if (options.history !== undefined) {
        return historyAnswer(all, await resolveRunId(core, options.history));
      }
      const none = all.length > 0 ? 'No runs match.' : 'No runs yet. Start one: run resnet50 --profile quick';
      return {
        document: { runs, unreadable },
        lines: () => [
          runs.length === 0 ? none : runsTable(runs),
          ...runs.flatMap((run) => {
            const text = leftOutText(run);
            return text === null ? [] : `${run.runId}: ${text}`;
          }),
          ...unreadable.map(({ runId, reason }) => `${runId}: cannot be read: ${reason}`),
        ],
      };
    });
}

/** The chosen throughput and its caveats: "1,906 (3 faster not steady)". */
function rateText({ chosen, answer }: Pick<RunSummary, 'chosen' | 'answer'>): string {
  const mark = answer === null || answer.mark === null ? '' : ` (${answer.mark})`;
  return `${chosen === null ? missing : formatRate(chosen.inferencesPerSecond)}${mark}`;
}

interface RunColumn {
  readonly title: string;
  readonly cell: (run: RunSummary) => string;
  /** In a sentence: "p99 8.62 ms". */
  readonly phrase?: (cell: string) => string;
  /** Whether it is there for these runs; always without. */
  readonly isFor?: (run: RunSummary) => boolean;
}

const runColumns: readonly RunColumn[] = [
  { title: 'run', cell: ({ runId }) => runId },
  { title: 'status', cell: (run) => paintState(statusText(run)) },
  {
    title: `best ${lowered(throughput.title)}`,
    cell: rateText,
    phrase: (cell) => `best ${cell.replace(/ \(|$/, ` ${lowered(throughput.title)}$&`)}`,
  },
  {
    title: titleWithUnit(p99),
    cell: ({ chosen }) => formatMs(chosen?.p99Us),
    phrase: (cell) => `p99 ${cell} ms`,
  },
  {
    title: 'accuracy',
    cell: ({ accuracy }) => accuracyText(accuracy),
    phrase: (cell) => `accuracy ${cell}`,
  },
  { title: 'name', cell: ({ name }) => name ?? '', isFor: ({ name }) => name !== null },
  {
    title: 'tags',
    cell: ({ tags }) => tags.join(', '),
    phrase: (cell) => `tags ${cell}`,
    isFor: ({ tags }) => tags.length > 0,
  },
  {
    title: 'study',
    cell: ({ matrix }) => matrix?.name ?? '',
    phrase: (cell) => `study ${cell}`,
    isFor: ({ matrix }) => matrix !== undefined,
  },
  {
    title: 'origin',
    cell: ({ origin }) => originMark[origin] ?? '',
    isFor: ({ origin }) => originMark[origin] !== null,
  },
];

/** The run and its name, and below them the rest as a sentence. */
function narrowRun(columns: readonly RunColumn[], cells: readonly string[], width: number): string {
  const [id = '', ...rest] = cells;
  const named = columns.findIndex(({ title }) => title === 'name');
  const name = named === -1 ? '' : (cells[named] ?? '');
  const said = rest.flatMap((cell, at) => {
    const column = columns[at + 1];
    if (column === undefined || column.title === 'name' || cell === '' || cell === missing) return [];
    return column.phrase?.(cell) ?? cell;
  });
  const lines = wrapped(said.join(', '), width - 2);
  return [name === '' ? id : `${id}  ${name}`, ...lines.map((line) => `  ${line}`)].join('\n');
}

/** Columns that no run has are left out; a terminal that is too narrow for the others has two or three lines per run. */
export function runsTable(runs: readonly RunSummary[], width = columnsOf(process.stdout)): string {
  const columns = runColumns.filter(({ isFor }) => isFor === undefined || runs.some(isFor));
  const rows = runs.map((run) => columns.map(({ cell }) => cell(run)));
  const header = columns.map(({ title }) => title);
  return formatTable(header, rows, width, () =>
    rows.map((cells) => narrowRun(columns, cells, width ?? 0)).join('\n'),
  );
}
