import {
  IconAlertTriangle,
  IconCircleCheck,
  IconCircleDashed,
  IconCircleX,
  IconLoader2,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import {
  type Alert,
  type AlertRule,
  type GpuSample,
  type ModelSample,
  type ModelState,
  type MonitorSample,
  type MonitorState,
  type ServerState,
  watchedName,
  watchedServer,
} from '../../../main/contract/monitor/monitor';
import { formatBytes, formatCount, formatRate, formatShare } from '../../../main/contract/numbers';
import type { StatusWord } from '../../components/status-text';
import { formatAge, formatClock, formatWhen } from '../../format/times';

const serverStyles: Readonly<Record<ServerState, StatusWord>> = {
  starting: { icon: IconLoader2, tone: 'info', text: 'Starting' },
  up: { icon: IconCircleCheck, tone: 'good', text: 'Up' },
  'not-ready': { icon: IconAlertTriangle, tone: 'warn', text: 'Not ready' },
  gone: { icon: IconPlugConnectedX, tone: 'bad', text: 'Gone' },
};

const neverReached = ({ state, version, restarts }: MonitorSample['server']): boolean =>
  state === 'gone' && version === null && restarts === 0;

export const serverStyle = (server: MonitorSample['server']): StatusWord =>
  neverReached(server) ? { ...serverStyles.gone, text: 'Never reached' } : serverStyles[server.state];

export const modelStyles: Readonly<Record<ModelState, StatusWord>> = {
  ready: { icon: IconCircleCheck, tone: 'good', text: 'Ready' },
  loading: { icon: IconLoader2, tone: 'info', text: 'Loading' },
  unloading: { icon: IconLoader2, tone: 'info', text: 'Unloading' },
  unavailable: { icon: IconCircleDashed, tone: 'dim', text: 'Unavailable' },
  failing: { icon: IconCircleX, tone: 'bad', text: 'Failing' },
};

export const windowText = (minutes: number): string =>
  minutes < 60 ? `${minutes} min` : `${minutes / 60} h`;

export const speedText = (speed: number): string => (speed === 0 ? 'as fast as possible' : `${speed} ×`);

/** Made once: a comparison that looks up the language each time takes ten times as long for thousands of names. */
export const compareNames = new Intl.Collator().compare;

export function ruleModels(
  seen: readonly string[],
  { model }: Pick<AlertRule, 'model'>,
): { readonly value: string; readonly label: string }[] {
  const names = [...new Set([...seen, model])].filter((name) => name !== '');
  return [
    { value: '', label: 'All models' },
    ...names.toSorted(compareNames).map((name) => ({ value: name, label: name })),
  ];
}

export function gpuSentence(gpu: GpuSample): string {
  return [
    formatShare(gpu.utilization),
    `${formatBytes(gpu.memoryUsedBytes)} of ${formatBytes(gpu.memoryTotalBytes)}`,
    `${formatCount(gpu.powerWatts)} of ${formatCount(gpu.powerLimitWatts)} W`,
  ].join(' · ');
}

export function serverSentence({ server, metricsProblem, models }: MonitorSample): string {
  const parts = [
    watchedServer(server),
    server.state === 'gone' && models.length === 0 ? null : server.reason,
    server.restarts === 0
      ? null
      : server.restarts === 1
        ? 'restarted once'
        : `restarted ${server.restarts} times`,
    server.state === 'up' && metricsProblem !== null ? 'no Prometheus metrics' : null,
  ];
  return parts.filter((part) => part !== null).join(' · ');
}

export const serverName = (source: MonitorState['source']): string =>
  source === null
    ? 'the server'
    : source.kind === 'live'
      ? watchedName(source).replace(/^https?:\/\//, '')
      : source.file;

/** Names model, server and current load: others may depend on it. */
export function unloadQuestion(model: Pick<ModelSample, 'name' | 'rates'>, server: string): string {
  const rate = model.rates?.requestsPerSecond ?? 0;
  const load = rate === 0 ? '' : ` It is serving ${formatRate(rate)} requests/s.`;
  return `Unload ${model.name} from ${server}?${load}`;
}

export const withScheme = (url: string): string =>
  url === '' || url.includes('://') ? url : `http://${url}`;

const dayMs = 86_400_000;

/** "14:03:22", with its day where that is another one. */
const momentText = (ms: number, nowMs: number): string => {
  const iso = new Date(ms).toISOString();
  return Math.abs(nowMs - ms) < dayMs ? formatClock(iso) : formatWhen(iso);
};

/** "for 3 min, since 14:03:22"; of a resolved alert "3 min ago, at 14:03:22". @param nowMs of the newest sample */
export function alertSince({ state, sinceMs }: Pick<Alert, 'state' | 'sinceMs'>, nowMs: number): string {
  const age = formatAge(new Date(sinceMs).toISOString(), nowMs);
  const at = momentText(sinceMs, nowMs);
  return state === 'resolved' ? `${age} ago, at ${at}` : `for ${age}, since ${at}`;
}
