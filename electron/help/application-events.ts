import { chmod } from 'node:fs/promises';
import type { App } from 'electron';
import type { CoreEvent, WireAnswer } from '../../main/contract/api';
import type { WireError } from '../../main/contract/errors';
import type { JournalEntry } from '../../main/contract/run/run-events';
import type { HomeMoveWork } from '../../main/contract/settings/storage';
import { type ApplicationLog, openApplicationLog } from '../../main/home/application-log';
import { redactHere } from '../../main/home/redact';
import { makeFolder } from '../../main/platform/files';
import { homeLayout } from '../../main/platform/layout';

/** The log of this start: versions first, then what ends the process or its pages without being asked. */
export async function openLog(app: App, home: string): Promise<ApplicationLog> {
  const { logs } = homeLayout(home);
  // A folder that cannot be written is reported by the first run; this log then has no lines.
  await makeFolder(logs).catch(() => []);
  await chmod(logs, 0o700).catch(() => undefined);
  const log = openApplicationLog(logs, { now: () => new Date(), redact: redactHere(home, process.env) });
  const { electron, chrome, node } = process.versions;
  const system = `${process.platform} ${process.arch} ${process.getSystemVersion()}`;
  log.add(
    'info',
    `Started: ${app.getVersion()}, Electron ${electron}, Chromium ${chrome}, Node ${node}, ${system}`,
  );
  // Listens only: what is not caught ends as it would without a log.
  process.on('uncaughtExceptionMonitor', (error, origin) =>
    log.add('error', `${origin}: ${error.stack ?? error.message}`),
  );
  app.on('render-process-gone', (_event, _contents, { reason, exitCode }) =>
    log.add('error', `Page ended: ${reason}, exit code ${exitCode}`),
  );
  app.on('child-process-gone', (_event, { type, reason, exitCode }) =>
    log.add('warning', `${type} process ended: ${reason}, exit code ${exitCode}`),
  );
  app.on('will-quit', () => log.add('info', 'Ended'));
  return log;
}

/** Writes calls that fail, each failure once until the call succeeds or fails for another reason. */
export function createCallLog(log: ApplicationLog): (name: string, answer: WireAnswer) => void {
  const failed = new Map<string, string>();
  return (name, answer) => {
    if (answer.ok) {
      failed.delete(name);
      return;
    }
    const { code, message } = answer.error;
    const text = `${name}: ${code}: ${message}`;
    if (failed.get(name) === text) return;
    failed.set(name, text);
    log.add('warning', text);
  };
}

interface Line {
  readonly level: 'info' | 'warning' | 'error';
  readonly text: string;
}

const whyOf = (error: WireError | null | undefined): string =>
  error === null || error === undefined ? '' : ` (${error.code}: ${error.message})`;

const workLine = (what: string, status: string): Line | null =>
  status === 'running' ? null : { level: status === 'failed' ? 'error' : 'info', text: `${what}: ${status}` };

function entryLine(runId: string, entry: JournalEntry): Line | null {
  if (entry.type === 'run-started') return { level: 'info', text: `${runId}: started` };
  if (entry.type !== 'run-finished') return null;
  const level = entry.outcome === 'failed' ? 'error' : 'info';
  return { level, text: `${runId}: ${entry.outcome}${whyOf(entry.error)}` };
}

function moveLine({ status, problem }: HomeMoveWork): Line | null {
  if (status === 'copying' || status === 'verifying') return null;
  const why = problem === null ? '' : ` (${problem})`;
  return { level: status === 'failed' ? 'error' : 'info', text: `Home: move ${status}${why}` };
}

/** null: not logged. */
function lineOf(event: CoreEvent): Line | null {
  if (event.type === 'journal') return entryLine(event.runId, event.entry);
  if (event.type === 'image-work')
    return workLine(`${event.work.kind} ${event.work.image}`, event.work.status);
  if (event.type === 'data-work') return workLine(`Download ${event.work.title}`, event.work.status);
  if (event.type === 'setup-work') return workLine(`Tools, ${event.work.action}`, event.work.status);
  if (event.type === 'settings-changed') return { level: 'info', text: 'Settings changed' };
  return event.type === 'home-move' ? moveLine(event.work) : null;
}

export function createEventLog(log: ApplicationLog): (event: CoreEvent) => void {
  const docker = { connection: '' };
  return (event) => {
    if (event.type === 'docker-changed') {
      const { connection, error } = event.state;
      if (connection === docker.connection) return;
      docker.connection = connection;
      log.add(connection === 'unavailable' ? 'warning' : 'info', `Docker: ${connection}${whyOf(error)}`);
      return;
    }
    const line = lineOf(event);
    if (line !== null) log.add(line.level, line.text);
  };
}
