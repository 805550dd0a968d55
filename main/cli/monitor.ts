import { extname, resolve } from 'node:path';
import type { Command } from 'commander';
import { withScheme } from '../contract/address';
import type { CoreEvent } from '../contract/api';
import { invalidInput, WorkbenchError } from '../contract/errors';
import {
  type Alert,
  alertMetrics,
  longestPollIntervalMs,
  type ProbeSettings,
  probeSettingsSchema,
} from '../contract/monitor/monitor';
import { longestTimerMs } from '../contract/run/run-spec';
import { present } from '../contract/trees';
import type { Core } from '../core';
import { requireOutput } from '../platform/files';
import { boundHeapGrowth } from '../platform/heap-growth';
import { addTlsOptions, readTlsOptions, type TlsOptions } from './field-options';
import { type CliContext, exitCodes, jsonText, type Output, untilReaderLeaves } from './output';
import {
  type AlertOptions,
  monitorTable,
  readAlerts,
  secondText,
  unjudgedLines,
} from './print/monitor-table';
import { readDuration, readHeaders, readNumber, readShapes } from './read-values';
import {
  addReportOptions,
  keepReportChange,
  reportChangeOf,
  type ReportOptions,
  requireReportFile,
} from './runs/report';

interface MonitorCliOptions extends TlsOptions, AlertOptions, ReportOptions {
  readonly header?: readonly string[];
  readonly url?: string;
  readonly metricsUrl?: string;
  readonly host?: string;
  readonly interval: string;
  readonly probe?: string;
  readonly shape?: readonly string[];
  readonly inputData: string;
  readonly record?: string;
  readonly replay?: string;
  readonly speed: string;
  readonly csv?: string;
  readonly report?: string;
  readonly for?: string;
  readonly json?: boolean;
}

const collect = (value: string, before: readonly string[] | undefined) => [...(before ?? []), value];

/** A request to a Python model whose process died takes a second, half of the latency limit. */
const probesPerSecond = 2;

function readProbe(options: MonitorCliOptions): ProbeSettings | null {
  if (options.probe === undefined) return null;
  const [, model, rate] = /^(.+?)(?::([\d.]+))?$/.exec(options.probe) ?? [];
  const parsed = probeSettingsSchema.safeParse({
    model,
    version: '',
    perSecond: rate === undefined ? probesPerSecond : Number(rate),
    input: options.inputData,
    shapes: readShapes(options.shape ?? []),
  });
  if (parsed.success) return parsed.data;
  const [issue] = parsed.error.issues;
  throw new WorkbenchError(
    'input-invalid',
    `${issue?.path.join('.') ?? ''}: ${issue?.message ?? 'not valid'}`,
    { where: '--probe', remedy: 'For example --probe resnet50:2, from 0.1 to 20 requests per second.' },
  );
}

/** By the file's extension. */
function reportKind(file: string): 'html' | 'pdf' {
  const kind = extname(file).toLowerCase();
  if (kind === '.pdf') return 'pdf';
  if (kind === '.html' || kind === '.htm') return 'html';
  throw new WorkbenchError('input-invalid', `${file} is not the name of a report`, {
    where: '--report',
    remedy: 'Use a name that ends in .html or .pdf.',
  });
}

async function write(core: Core, options: MonitorCliOptions): Promise<void> {
  if (options.csv !== undefined) await core.handlers['monitor.write']({ path: options.csv, kind: 'csv' });
  const { report } = options;
  if (report === undefined) return;
  await keepReportChange(core, { kind: 'monitor' }, options);
  await core.handlers['monitor.write']({ path: report, kind: reportKind(report) });
}

/** Milliseconds; `forMs` null: until Ctrl-C. */
function readTimes(options: MonitorCliOptions): {
  readonly intervalMs: number;
  readonly forMs: number | null;
} {
  const intervalMs = readDuration('--interval', options.interval, 'ms', 's');
  const forMs = options.for === undefined ? null : readDuration('--for', options.for, 'ms', 's');
  if (intervalMs < 500 || intervalMs > longestPollIntervalMs) {
    throw new WorkbenchError('input-invalid', 'The interval must be between 0.5 s and one hour', {
      where: '--interval',
      remedy: 'For example --interval 1.',
    });
  }
  if (forMs !== null && forMs > longestTimerMs) {
    throw new WorkbenchError('input-invalid', `At most ${Math.floor(longestTimerMs / 1000)} s`, {
      where: '--for',
      remedy: 'Omit it to watch until Ctrl-C.',
    });
  }
  return { intervalMs, forMs };
}

interface Seen {
  sample: boolean;
  /** Every alert that fired, as it was when it fired last. */
  readonly fired: Map<string, Alert>;
  model: boolean;
  /** Why no probes were sent or answered; null otherwise. */
  probeProblem: string | null;
}

const printer =
  (output: Output, alertModel: string | undefined, seen: Seen) =>
  (event: CoreEvent): void => {
    if (event.type === 'monitor-changed') {
      const { probeProblem } = event.state;
      if (probeProblem !== null) output.say(`No probes: ${probeProblem}`);
      seen.probeProblem = probeProblem;
    }
    if (event.type === 'monitor-verdict') {
      const { name, version, state, reason } = event.model;
      output.say(`${name}/${version} ${state}${reason === null ? '' : `: ${reason}`}`);
    }
    if (event.type !== 'monitor-sample') return;
    const { sample, alerts } = event;
    seen.sample = true;
    for (const alert of alerts)
      if (alert.state === 'firing') seen.fired.set(`${alert.ruleId} ${alert.subject}`, alert);
    seen.model ||= sample.models.some(({ name }) => name === alertModel);
    if (output.json) {
      process.stdout.write(`${jsonText({ ...sample, alerts })}\n`);
      return;
    }
    if (output.live) output.clearScreen();
    output.say(monitorTable(sample, alerts));
    for (const marker of sample.markers) output.say(`* ${marker.text}`);
  };

/** Resolves at Ctrl-C, after --for, and, for a monitor that only prints, when stdout is closed. */
function listenForEnd({ record, csv, report }: MonitorCliOptions, forMs: number | null) {
  const reader = untilReaderLeaves();
  const end = new AbortController();
  const finish = () => {
    end.abort();
  };
  const onlyPrints = [record, csv, report].every((file) => file === undefined) && forMs === null;
  if (onlyPrints) reader.signal.addEventListener('abort', finish);
  process.once('SIGINT', finish);
  process.once('SIGTERM', finish);
  const until = new Promise<void>((resolve) => {
    end.signal.addEventListener('abort', () => {
      resolve();
    });
    if (forMs !== null) setTimeout(resolve, forMs).unref();
  });
  const dispose = () => {
    process.off('SIGINT', finish);
    process.off('SIGTERM', finish);
    reader.dispose();
  };
  return { until, dispose };
}

interface WatchInput {
  readonly url: string;
  readonly intervalMs: number;
  readonly probe: ProbeSettings | null;
  readonly until: Promise<void>;
}

async function watchServer(
  core: Core,
  output: Output,
  options: MonitorCliOptions,
  { url, intervalMs, probe, until }: WatchInput,
): Promise<void> {
  const { metricsUrl = '', record, host } = options;
  const secure = [url, metricsUrl].some((address) => address.startsWith('https:'));
  const tls = readTlsOptions(options, secure);
  if (tls.insecure === true) output.say("Warning: the server's certificate is not verified.");
  const headers = readHeaders(options.header ?? []);
  const target = { url, metricsUrl, ...(secure ? { tls } : {}), ...present({ host }) };
  if (probe !== null) await core.handlers['monitor.requireModel']({ target, headers, model: probe.model });
  await core.handlers['monitor.watch']({ target, intervalMs, headers });
  if (probe !== null) await core.handlers['monitor.setProbe']({ probe });
  if (record !== undefined) await core.handlers['monitor.recordTo']({ path: record });
  // Keeps the event loop alive.
  const alive = setInterval(() => undefined, 60_000);
  await until;
  clearInterval(alive);
}

const ofServer = {
  'metrics-url': 'metricsUrl',
  host: 'host',
  header: 'header',
  probe: 'probe',
  shape: 'shape',
  record: 'record',
} as const;

/** Throws input-invalid for neither or both sources, and for options without effect. */
function requireOneSource(options: MonitorCliOptions): void {
  if ((options.url === undefined) === (options.replay === undefined)) {
    const remedy = 'For example: monitor --url localhost:8000, or monitor --replay FILE.';
    throw invalidInput('monitor', 'Use either --url or --replay', remedy);
  }
  const given = Object.entries(ofServer).find(([, name]) => options[name] !== undefined);
  if (options.replay === undefined || given === undefined) return;
  throw new WorkbenchError('input-invalid', `--${given[0]} applies only to a running server`, {
    where: `--${given[0]}`,
    remedy: 'Omit it, or use --url in place of --replay.',
  });
}

/** Throws server-unreachable where a server gave no sample in the time, input-invalid for a model that none had. */
function requireSeen({ url, alertModel }: MonitorCliOptions, forMs: number | null, seen: Seen): void {
  if (forMs !== null && url !== undefined && !seen.sample) {
    throw new WorkbenchError(
      'server-unreachable',
      'The server was not polled or did not respond in this time',
      {
        where: url,
        remedy: 'Watch for longer, for example --for 10s.',
      },
    );
  }
  if (alertModel !== undefined && !seen.model && seen.fired.size === 0) {
    throw new WorkbenchError('input-invalid', `Model "${alertModel}" was not seen`, {
      where: '--alert-model',
      remedy: 'Use the name from the model table, without a version.',
    });
  }
}

/** What fired while watching, and the files that have it. */
const endLines = ({ record, csv, report }: MonitorCliOptions, { fired }: Seen): readonly string[] => [
  ...[...fired.values()].map(
    ({ subject, text, sinceMs }) => `Alert fired: ${subject}: ${text}, since ${secondText(sinceMs)}`,
  ),
  ...[record, csv, report].flatMap((file) => (file === undefined ? [] : [`Written: ${resolve(file)}`])),
];

async function monitor(context: CliContext, options: MonitorCliOptions): Promise<number> {
  const { url, replay, alertModel } = options;
  requireOneSource(options);
  const output = context.output(options);
  const probe = readProbe(options);
  const rules = readAlerts(options);
  const { intervalMs, forMs } = readTimes(options);
  // Before watching for hours.
  if (options.report === undefined) requireReportFile(options, '--report FILE');
  else reportKind(options.report);
  reportChangeOf(options);
  for (const file of [options.csv, options.report]) if (file !== undefined) await requireOutput(file);
  boundHeapGrowth();
  const core = await context.core();
  if (rules !== null) await core.handlers['monitor.judgeBy']({ rules });
  const seen: Seen = { sample: false, fired: new Map(), model: false, probeProblem: null };
  const stop = core.subscribe(printer(output, alertModel, seen));
  const { until, dispose } = listenForEnd(options, forMs);
  try {
    if (replay !== undefined) {
      const speed = readNumber('--speed', options.speed);
      await Promise.race([core.handlers['monitor.replayFile']({ path: replay, speed }), until]);
    } else if (url !== undefined) {
      await watchServer(core, output, options, { url, intervalMs, probe, until });
    }
    await write(core, options);
  } finally {
    dispose();
    stop();
  }
  requireSeen(options, forMs, seen);
  const hasFired = seen.fired.size > 0;
  for (const line of endLines(options, seen)) output.say(line);
  if (rules === null) return hasFired ? exitCodes.alert : exitCodes.done;
  const unjudged = unjudgedLines(await core.handlers['monitor.unjudged'](undefined), seen.probeProblem);
  for (const line of unjudged) output.say(line);
  if (hasFired) return exitCodes.alert;
  return unjudged.length > 0 ? exitCodes.unjudged : exitCodes.done;
}

export function addMonitor(program: Command, context: CliContext): void {
  const command = program
    .command('monitor')
    .description(
      'Watch the models, rates, latencies and alerts of a running Triton until --for or Ctrl-C; exit code 3 means that an alert fired, 4 that an --alert had no data to judge',
    )
    .option('-u, --url <url>', 'HTTP address, as host:8000, http://host:8000 or https://host', withScheme)
    .option(
      '--metrics-url <url>',
      'metrics address; default: two ports above HTTP, or /metrics of https://host',
      withScheme,
    )
    .option(
      '--host <name>',
      'host of "hosts list" from which the addresses are seen, for example --url 127.0.0.1:8000; reached through ssh',
    )
    .option(
      '-H, --header <NAME: value>',
      'header of every request, for example "Authorization: Bearer …"; its value is not kept; repeatable',
      collect,
    )
    .option('--interval <time>', 'time between polls, in seconds or with a unit', '1')
    .option(
      '--probe <MODEL[:rate]>',
      `send probe requests to this model; default rate: ${probesPerSecond} per second`,
    )
    .option(
      '--shape <NAME:dims>',
      'dimensions of a probe input with dynamic ones, without the batch: x:3,224,224 or x=3,224,224; repeatable',
      collect,
    )
    .option('--input-data <mode>', 'probe input values: zero or random', 'zero')
    .option(
      '--alert <METRIC=limit[:seconds]>',
      `replace the saved alert rules, repeatable: ${alertMetrics.join(', ')}; the last two take no limit`,
      collect,
    )
    .option('--alert-model <name>', 'model that the alerts apply to; default: every model')
    .option('--record <file>', 'record every sample to a new file')
    .option('--replay <file>', 'replay a recording instead of watching a server')
    .option('--speed <n>', 'replay speed as a factor; 0 means as fast as possible', '0')
    .option('--csv <file>', 'at the end, write a CSV file with one row per second and model')
    .option('--report <file>', 'at the end, write a report (.html or .pdf)')
    .option('--for <time>', 'stop after this time, in seconds or with a unit: 90, 10m, 2h')
    .option('--json', 'print one JSON object per sample to stdout; messages go to stderr')
    .action(async (options: MonitorCliOptions) => {
      context.exit(await monitor(context, options));
    });
  addReportOptions(command);
  addTlsOptions(command);
}
