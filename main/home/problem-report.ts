import type { MachineStatus } from '../contract/machine';
import { formatBytes } from '../contract/numbers';
import type { RunState } from '../contract/run/run-state';
import { type SettingsState, settingText } from '../contract/settings/settings';
import type { Redact } from './redact';

export interface ReportFacts {
  readonly version: string;
  readonly electron: string | null;
  readonly at: string;
  /** null: unreadable. */
  readonly machine: MachineStatus | null;
  /** "connected", or why there is no connection. */
  readonly docker: string;
  readonly settings: SettingsState;
  readonly log: readonly string[];
  /** The newest failed run; null: none. */
  readonly failed: RunState | null;
}

const section = (title: string, lines: readonly string[]): string =>
  [`## ${title}`, '', ...(lines.length === 0 ? ['none'] : lines), ''].join('\n');

const fact = (name: string, value: string): string => `- ${name}: ${value}`;

function machineLines({ environment, host, engines, checks }: MachineStatus): readonly string[] {
  return [
    fact('Operating system', environment.os),
    fact('Processor', environment.cpu),
    fact(
      'GPUs',
      environment.gpus.length === 0 ? 'none' : environment.gpus.map(({ name }) => name).join(', '),
    ),
    fact('Free memory', formatBytes(host.memoryFreeBytes)),
    fact('Shared memory', formatBytes(host.sharedMemoryBytes)),
    ...host.disks.map(({ path, freeBytes }) => fact(`Free at ${path}`, formatBytes(freeBytes))),
    ...engines.map(({ kind, available, version, note }) =>
      fact(
        `Engine ${kind}`,
        `${available ? 'available' : 'not available'}, ${version ?? 'no version'}, ${note}`,
      ),
    ),
    ...checks.filter(({ status }) => status !== 'ok').map(({ title, finding }) => fact(title, finding)),
  ];
}

function failureLines(failed: RunState): readonly string[] {
  return [
    fact('Run', failed.runId),
    ...(failed.error === null
      ? []
      : [
          fact('Code', failed.error.code),
          fact('Message', failed.error.message),
          ...(failed.error.where === undefined ? [] : [fact('Where', failed.error.where)]),
          ...(failed.error.details === undefined
            ? []
            : ['', '```', failed.error.details.slice(-4000), '```']),
        ]),
  ];
}

/** Everything passes `redact`. */
export function problemReport(facts: ReportFacts, redact: Redact): string {
  const { version, electron, at, machine, docker, settings, log, failed } = facts;
  const text = [
    '# Problem report',
    '',
    section('Versions', [
      fact('Triton Workbench', version),
      fact('Electron', electron ?? 'none'),
      fact('Written', at),
    ]),
    section('Machine', machine === null ? [] : machineLines(machine)),
    section('Docker', [docker]),
    section('Settings that differ from their defaults', [
      // An internal address reveals the company.
      ...settings.changed.map((key) =>
        fact(key, key.startsWith('network.') ? 'set' : settingText(key, settings.values[key])),
      ),
      ...settings.invalid.map(({ key, reason }) => fact(key, `not valid, ${reason}`)),
      ...(settings.broken === null ? [] : [fact('settings.json', settings.broken)]),
    ]),
    section('Last failed run', failed === null ? [] : failureLines(failed)),
    section('Application log, last lines', log.length === 0 ? [] : ['```', ...log, '```']),
  ].join('\n');
  return redact(text);
}
