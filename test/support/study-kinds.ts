import type { LoadPoint } from '../../main/contract/measured/results';
import { MonitorHistory } from '../../main/contract/monitor/monitor-history';
import { comparisonOf } from '../../main/domain/comparison/comparison';
import { soakAnswer } from '../../main/domain/study/soak/soak-answer';
import { upgradeAnswer } from '../../main/domain/study/upgrade/upgrade-answer';
import { monitorReport } from '../../main/monitor/monitor-report';
import { comparisonText } from '../../main/reports/comparison/write-comparison';
import type { StoredReportSettings } from '../../main/reports/report-settings';
import { soakFiles } from '../../main/reports/soak-report';
import type { StudyFile } from '../../main/reports/study-files';
import { formatTime } from '../../main/reports/to-report';
import { upgradeFiles } from '../../main/reports/upgrade-report';
import { model, sample } from '../unit/monitor/fixtures';
import { createdBodies, measurementBody, pointFixture, stateOf } from './run-state';
import { soaked, soakStrategy } from './soaked';
import { turns, upgraded, upgradeStrategy } from './upgraded';

const generatedAt = '2025-11-21T08:30:00.000Z';
const name = 'night';

const pageOf = (files: readonly StudyFile[]): string =>
  files.find(({ kind }) => kind === 'html')?.content ?? '';

function runOf(short: string, factor: number, change: Partial<LoadPoint> = {}) {
  const point = (concurrency: number, batchSize: number) =>
    pointFixture({
      ...{ concurrency, batchSize, throughputIntervalIps: 253.9, p99IntervalUs: 1100 },
      ...{ p99Us: (9000 * concurrency * batchSize) / factor, inferencesPerSecond: 500 * factor * batchSize },
      ...change,
    });
  const sizes = [1, 2, 4, 8];
  return {
    ...stateOf([
      ...createdBodies(),
      ...sizes.map((size) => measurementBody('offline', point(1, size))),
      ...sizes.map((concurrency) => measurementBody('online', point(concurrency, 1))),
      { type: 'run-finished', outcome: 'done' },
    ]),
    runId: `20251121-081700-resnet50-onnx-fp16-${short}`,
    name: short,
  };
}

/** Three runs side by side, one of them unsteady: the widest cells that a half page has. */
function comparison(settings: StoredReportSettings): string {
  const runs = [
    runOf('slow', 1),
    runOf('fast', 2),
    runOf('shaky', 3, { stable: false, flags: ['unstable'] }),
  ];
  const how = { title: null, budgetMs: 20, titleOf: (id: string) => id, when: formatTime };
  return comparisonText(comparisonOf(runs, how), 'html', { generatedAt, settings });
}

function soak(settings: StoredReportSettings): string {
  const [strategy, measured] = [soakStrategy({ criteria: ['rss-slope>1MB/h'] }), soaked({ server: 200_000 })];
  const answer = soakAnswer(strategy, measured, null);
  return pageOf(soakFiles({ name, generatedAt, soak: strategy, soaked: measured, answer, settings }));
}

function upgrade(settings: StoredReportSettings): string {
  const strategy = upgradeStrategy();
  const looks = { looks: turns(8), failed: {} };
  const answer = upgradeAnswer(strategy, upgraded({ loadMs: 3100 }), looks);
  return pageOf(upgradeFiles({ name, generatedAt, upgrade: strategy, answer, settings }));
}

/** Ten minutes of two models, one with probes and a limit of theirs. */
function monitor(settings: StoredReportSettings): string {
  const history = new MonitorHistory();
  const start = Date.UTC(2026, 0, 5, 12);
  for (let second = 0; second < 600; second += 1) {
    const p99Us = second > 300 && second < 340 ? 41_000 : 14_000;
    const probe = { count: 60, failures: 0, p50Us: 4000, p95Us: 9000, p99Us, sendP99Us: 1, worstUs: p99Us };
    const models = [model({ probe }), model({ name: 'bert-question-answering' })];
    history.add(sample(start + second * 1000, { models }));
  }
  const rule = { id: 'p99', metric: 'probe-p99-ms', model: 'echo', above: 20 } as const;
  const rules = [{ ...rule, forSeconds: 1, enabled: true }];
  return monitorReport({ source: 'localhost:8000', history, alerts: [], rules, settings });
}

/** Reports that are of no single run, as pages. */
export const studyKinds = { comparison, soak, upgrade, monitor } as const;
