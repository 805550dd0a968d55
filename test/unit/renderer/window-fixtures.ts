import type { RunSummary } from '../../../main/contract/api';
import type { MonitorState } from '../../../main/contract/monitor/monitor';
import type { RunList } from '../../../main/contract/run/run-outcome';

/** A row of the run list. */
export const runSummary = (change: Partial<RunSummary> = {}): RunSummary => ({
  runId: 'a',
  dir: '/runs/a',
  preset: 'resnet50',
  imported: null,
  onServer: null,
  profile: 'quick',
  format: 'onnx',
  precision: 'fp16',
  engine: 'local',
  status: 'done',
  createdAt: '2025-11-21T08:00:00.000Z',
  updatedAt: '2025-11-21T08:10:00.000Z',
  best: { inferencesPerSecond: 100, p99Us: 9000, steady: true },
  chosen: { inferencesPerSecond: 100, p99Us: 9000, steady: true },
  answer: { text: 'Best steady level: 100.0 inferences/s.', isSure: true, mark: null },
  machine: '',
  server: '',
  servedBy: null,
  accuracyPassed: true,
  accuracy: { word: 'verified', of: 'outputs and metric' },
  unverified: false,
  name: null,
  tags: [],
  note: '',
  waitsFor: null,
  job: null,
  origin: 'own',
  damagedLines: [],
  ...change,
});

/** A list that is whole. */
export const runList = (...runs: readonly RunSummary[]): RunList => ({ runs, outdated: [], missing: 0 });

/** A server at this address is watched. */
export const monitorStateFixture = (url: string, change: Partial<MonitorState> = {}): MonitorState => ({
  source: { kind: 'live', url, metricsUrl: '', sinceMs: 0 },
  probe: null,
  probeProblem: null,
  recording: null,
  rules: [],
  alerts: [],
  recent: [],
  ...change,
});
