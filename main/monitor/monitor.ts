import { readdir, rm, stat, writeFile } from 'node:fs/promises';
import { join, parse } from 'node:path';
import type { RequestHeader } from '../contract/address';
import type { Handlers } from '../contract/api';
import { invalidInput, WorkbenchError } from '../contract/errors';
import {
  type AlertRule,
  type MonitorTarget,
  type RecordingInfo,
  watchedName,
} from '../contract/monitor/monitor';
import type { MonitorHistory } from '../contract/monitor/monitor-history';
import { makeTemporaryFolder, writeOutput } from '../platform/files';
import { fileError } from '../platform/plain-entry';
import type { StoredReportSettings } from '../reports/report-settings';
import { createTritonClient } from '../triton/client';
import { formatConfigPbtxt } from '../triton/config/config-pbtxt';
import { unlistedModel } from '../triton/listed-models';
import { recognizeServer } from '../triton/open-inference';
import { parseMonitorTarget, readMonitorTarget } from './monitor-address';
import { MonitorSession, type MonitorSessionOptions } from './monitor-session';
import { monitorCsv, readRecordingHead } from './recording';

type MonitorCall = Extract<keyof Handlers, `monitor.${string}`>;

export interface Monitor {
  readonly handlers: Pick<Handlers, MonitorCall>;
  readonly history: MonitorHistory;
  /** One sample per interval. Throws input-invalid. */
  watch(target: MonitorTarget, intervalMs: number, headers?: readonly RequestHeader[]): Promise<void>;
  /** Throws input-invalid with the server's model names if none matches. */
  requireModel(target: MonitorTarget, headers: readonly RequestHeader[], model: string): Promise<void>;
  /** Rules without any figure, whose silence means nothing. */
  unjudged(): readonly AlertRule[];
  /** Overrides the stored rules until others are set. */
  judgeBy(rules: readonly AlertRule[]): void;
  /** Throws input-invalid if the file exists, disk-full, file-unwritable. */
  recordTo(path: string): Promise<void>;
  /** Plays to the end. Throws input-invalid for other files. */
  replayFile(path: string, speed: number): Promise<void>;
  /** File name without extension. */
  fileStem(): string;
  /** Address of the server, or the recording's file. */
  watchedName(): string;
  /** Throws report-failed, disk-full, file-unwritable. */
  exportTo(path: string, kind: 'csv' | 'html' | 'pdf', settings: StoredReportSettings): Promise<void>;
  close(): Promise<void>;
}

async function listRecordings(folder: string): Promise<readonly RecordingInfo[]> {
  const names = await readdir(folder).catch((error: unknown) => {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return [];
    throw fileError(error, folder);
  });
  const infos = await Promise.all(
    names
      .filter((name) => name.endsWith('.jsonl'))
      .map(async (file): Promise<RecordingInfo> => {
        const path = join(folder, file);
        const [{ size, mtime }, head] = await Promise.all([stat(path), readRecordingHead(path)]);
        return {
          ...{ file, sizeBytes: size, changedAt: mtime.toISOString() },
          ...{ url: head?.url ?? null, startedAt: head?.startedAt ?? null },
        };
      }),
  );
  return infos.sort((a, b) => b.changedAt.localeCompare(a.changedAt));
}

const startFirst = 'Start watching a server first.';

/** Timeout in ms for model names; servers that do not respond are watched anyway. */
const listMs = 3000;

interface MonitorOptions extends MonitorSessionOptions {
  readonly recordings: string;
  readonly printPdf: (htmlPath: string, pdfPath: string, signal: AbortSignal) => Promise<void>;
}

function createHandlers(
  session: MonitorSession,
  { recordings, reach }: Pick<MonitorOptions, 'recordings' | 'reach'>,
  stemOf: (target: MonitorTarget) => string,
): Monitor['handlers'] {
  const client = async () => {
    const target = session.target();
    if (target === null) {
      throw invalidInput(undefined, 'No server watched', startFirst);
    }
    const { http, tls, headers } = await readMonitorTarget(target, session.headers, reach);
    return createTritonClient(http, { tls, headers });
  };
  const record = async () => {
    const target = session.target();
    if (target === null) throw invalidInput(undefined, 'Only a watched server can be recorded', startFirst);
    await session.record(join(recordings, `${stemOf(target)}.jsonl`));
  };
  const nothing = async (work: Promise<unknown>) => {
    await work;
    return null;
  };
  return {
    'monitor.state': () => session.state(),
    'monitor.history': () => Promise.resolve(session.history.image()),
    'monitor.start': (target) => nothing(session.start(target)),
    'monitor.stop': () => nothing(session.stop()),
    'monitor.setProbe': ({ probe }) => nothing(session.setProbe(probe)),
    'monitor.setRules': ({ rules }) => nothing(session.setRules(rules)),
    'monitor.record': ({ on }) => nothing(on ? record() : session.endRecording()),
    'monitor.recordings': () => listRecordings(recordings),
    // Its end is an event.
    'monitor.replay': ({ file, speed }) => nothing(session.replay(join(recordings, file), file, speed)),
    'monitor.loadModel': async ({ model }) =>
      nothing((await client()).loadModel(model, { timeoutMs: 300_000 })),
    'monitor.unloadModel': async ({ model }) => nothing((await client()).unloadModel(model)),
    'monitor.modelConfig': async ({ model }) => {
      const { client: server, traits } = await recognizeServer(await client());
      if (traits.configuration) return { text: formatConfigPbtxt(await server.modelConfig(model)) };
      throw new WorkbenchError(
        'combination-unsupported',
        `${traits.title ?? 'The server'} serves no configuration`,
        {
          where: model,
          remedy: 'Only Triton has a config.pbtxt: see the settings of this server itself.',
        },
      );
    },
  };
}

/** One Triton at a time, live or from a recording. */
export function createMonitor(options: MonitorOptions): Monitor {
  const session = new MonitorSession(options);

  const stemOf = (target: MonitorTarget): string => {
    const { host: through, ...here } = target;
    const address = parseMonitorTarget(here).http;
    const host = [through, address]
      .filter(Boolean)
      .join('-')
      .replace(/[^\w.]+/g, '-');
    const stamp = options.now().toISOString().slice(0, 19).replace(/[:T]/g, '-');
    return `monitor-${host}-${stamp}`;
  };
  const nameSeen = (): string => {
    const source = session.seen();
    return source === null ? 'Nothing' : source.kind === 'live' ? watchedName(source) : source.file;
  };
  const report = async (settings: StoredReportSettings): Promise<string> => {
    const { alerts, rules } = await session.state();
    // Loaded on demand: the charts' library is a large part of the core.
    const { monitorReport } = await import('./monitor-report');
    return monitorReport({ source: nameSeen(), history: session.history, alerts, rules, settings });
  };
  return {
    handlers: createHandlers(session, options, stemOf),
    history: session.history,
    watch: (target, intervalMs, headers) => session.start(target, intervalMs, headers),
    requireModel: async (target, headers, model) => {
      const {
        http,
        tls,
        headers: sent,
        toPublicText,
      } = await readMonitorTarget(target, headers, options.reach);
      const client = createTritonClient(http, { timeoutMs: listMs, tls, headers: sent });
      const unlisted = await unlistedModel(client, model);
      if (unlisted !== null) throw invalidInput('--probe', toPublicText(unlisted.message), unlisted.remedy);
    },
    unjudged: () => session.unjudged(),
    judgeBy: (rules) => session.judgeBy(rules),
    recordTo: (path) => session.record(path),
    replayFile: async (path, speed) => {
      const { ended } = await session.replay(path, path, speed);
      await ended;
    },
    fileStem: () => {
      const source = session.seen();
      if (source === null) return 'monitor';
      return source.kind === 'live' ? stemOf(source) : parse(source.file).name;
    },
    watchedName: nameSeen,
    exportTo: async (path, kind, settings) => {
      if (kind === 'csv') return writeOutput(path, monitorCsv(session.history));
      const html = await report(settings);
      if (kind === 'html') return writeOutput(path, html);
      // Own folder, because other processes may print too.
      const folder = await makeTemporaryFolder('triton-workbench-report-', 'report-failed');
      try {
        const source = join(folder, 'report.html');
        await writeFile(source, html);
        await options.printPdf(source, path, new AbortController().signal);
      } finally {
        await rm(folder, { recursive: true, force: true });
      }
    },
    close: () => session.close(),
  };
}
