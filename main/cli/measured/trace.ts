import { resolve } from 'node:path';
import { invalidInput, WorkbenchError } from '../../contract/errors';
import type { SlowRequests } from '../../contract/measured/slow-requests';
import { formatMs, missing } from '../../contract/numbers';
import { mostTracedRequests } from '../../contract/run/run-spec';
import { present } from '../../contract/trees';
import type { Core } from '../../core';
import {
  partText,
  slowDocument,
  slowHeader,
  type SlowLevel,
  slowLevels,
  slowNotes,
  slowRows,
  slowText,
  type TracedSubject,
} from '../../domain/measured/slow/slow-text';
import { isThere } from '../../platform/files';
import { formatTable, type Output } from '../output';
import { readDuration, readNumber, resolveRunId } from '../read-values';
import type { Verb } from '../verb';
import { cancelling, listenForStops } from '../work';

interface TraceOptions {
  readonly requests?: number;
  readonly for?: number;
  readonly model?: string;
}

/** What was traced, and what of. */
interface Traced {
  readonly of: TracedSubject;
  readonly levels: readonly SlowLevel[];
}

const usualRequests = 200;
const usualLimitMs = 60_000;

const oneLevel = (title: string, slow: readonly SlowRequests[]): readonly SlowLevel[] => [
  { title, slow, problem: null },
];

/** Until the requests are there, the time is over, or Ctrl-C, which puts the settings back first. */
async function traceDeployment(
  core: Core,
  output: Output,
  id: string,
  { requests = usualRequests, for: limitMs = usualLimitMs, model }: TraceOptions,
): Promise<Traced> {
  // Throws for anything else: only a deployment is announced.
  await core.handlers['deployments.show']({ id });
  output.say(`Tracing the next ${requests} requests to ${id}, for at most ${limitMs / 1000} s…`);
  const stop = new AbortController();
  const dispose = listenForStops(core, {
    ...{ runIds: () => [], isHandedOver: () => false, say: output.say, leave: () => stop.abort() },
    cancel: () => {
      output.say(cancelling);
      stop.abort();
    },
  });
  try {
    const { dir, slow } = await core.handlers['deployments.trace']({
      ...{ id, requests, limitMs, signal: stop.signal },
      ...present({ model }),
    });
    return { of: { deployment: id, dir }, levels: oneLevel(id, slow) };
  } finally {
    dispose();
  }
}

async function traceOfRun(core: Core, text: string): Promise<Traced> {
  const runId = await resolveRunId(core, text);
  const { state } = await core.handlers['runs.show']({ runId });
  const levels = slowLevels(state);
  if (levels.length > 0) return { of: { runId }, levels };
  throw invalidInput(
    runId,
    `No requests of ${runId} were traced`,
    `Trace some of each level: resume ${runId} --set performance.traceRequests=200. Its levels are kept.`,
  );
}

/** Throws input-invalid for options of a deployment with something else. */
function requireDeploymentOptions({ requests, for: limitMs, model }: TraceOptions): void {
  const given = { '--requests': requests, '--for': limitMs, '--model': model };
  const [flag] = Object.entries(given).find(([, value]) => value !== undefined) ?? [];
  if (flag === undefined) return;
  throw invalidInput(flag, `${flag} applies to a deployment`, 'Leave it out, or name a deployment.');
}

const isUnknownDeployment = (error: unknown): boolean =>
  error instanceof WorkbenchError && error.code === 'deployment-unknown';

/** A folder may have the name of a deployment: a file is named by a path, or by its ending. */
const isFile = async (what: string): Promise<boolean> =>
  what.includes('/') || (what.includes('.') && (await isThere(resolve(what))));

async function tracedOf(core: Core, output: Output, what: string, options: TraceOptions): Promise<Traced> {
  const path = resolve(what);
  if (await isFile(what)) {
    requireDeploymentOptions(options);
    const slow = await core.handlers['traces.read']({ path });
    return { of: { file: path }, levels: oneLevel(path, slow) };
  }
  try {
    return await traceDeployment(core, output, what, options);
  } catch (error) {
    if (!isUnknownDeployment(error)) throw error;
  }
  requireDeploymentOptions(options);
  return traceOfRun(core, what);
}

function slowLines(slow: SlowRequests): readonly string[] {
  return [
    '',
    `${slow.model}: ${slowText(slow)}`,
    formatTable(slowHeader, slowRows(slow)),
    ...slowNotes(slow),
    '',
    'The slowest:',
    formatTable(
      ['Request', 'Total (ms)', 'Longest part', 'Longest (ms)'],
      slow.slowest.map(({ requestId, totalUs, longest }) => [
        ...[requestId ?? missing, formatMs(totalUs), partText(longest), formatMs(longest.us)],
      ]),
    ),
  ];
}

const levelLines = ({ title, slow, problem }: SlowLevel): readonly string[] => [
  title,
  ...(problem === null ? slow.flatMap(slowLines) : [`Not traced: ${problem}`]),
];

function readRequests(text: string): number {
  const requests = readNumber('--requests', text);
  if (Number.isInteger(requests) && requests >= 1 && requests <= mostTracedRequests) return requests;
  throw invalidInput('--requests', `"${text}" is not a number of requests from 1 to ${mostTracedRequests}`);
}

/** `trace`: where slow requests spent their time, by a trace of Triton. */
export function addTrace(program: Verb): void {
  program
    .command('trace')
    .description(
      'Show where slow requests spend their time, from a trace file, a run with --trace, or the next requests to a deployment',
    )
    .argument('<what>', 'trace file (Triton’s, or OTLP in JSON), deployment, or run')
    .option(
      '--requests <n>',
      `with a deployment: requests to trace, from any client; default: ${usualRequests}`,
      readRequests,
    )
    .option(
      '--for <time>',
      `with a deployment: how long to wait for them; default: ${usualLimitMs / 1000}s`,
      (text) => readDuration('--for', text, 'ms', 's'),
    )
    .option('--model <name>', 'with a deployment of several models: the one to trace')
    .answer(async ({ core, output }, what: string, options: TraceOptions) => {
      const traced = await tracedOf(core, output, what, options);
      const { dir } = traced.of;
      return {
        document: slowDocument(traced.of, traced.levels),
        lines: () => [
          ...traced.levels.flatMap(levelLines),
          ...(dir === undefined ? [] : ['', `Trace files: ${dir}`]),
        ],
      };
    });
}
