import { isSteady, marksOf, stateWords } from '../../contract/flag-text';
import { type Column, named, text } from '../../contract/measured/column';
import { batchSize, loadOf, p99, throughput } from '../../contract/measured/columns';
import { padding } from '../../contract/measured/detail-columns';
import { type Scenario, scenarios } from '../../contract/run/run-events';
import { budgetLatencyUs, byLoad } from '../../contract/run/sweep';
import type { StudyLengthRow } from '../../contract/study/study-lengths';
import { present } from '../../contract/trees';
import type { MatrixResult } from './matrix-result';
import { measuredPoints } from './points';

const field = 'performance.lengthDistribution';

function rowsOf({ axes, state, number }: MatrixResult): readonly StudyLengthRow[] {
  const chosen = axes.find((axis) => axis.field === field);
  if (chosen === undefined || state === null) return [];
  const others = axes.filter((axis) => axis !== chosen).map(({ value }) => value);
  const run = { lengths: chosen.value, choice: others.join(', '), number };
  return measuredPoints(state).map(({ scenario, point }) => ({ ...run, scenario, point }));
}

/** Levels of a matrix over lengths, those of the same load together; empty without such an axis. */
export function byLength(results: readonly MatrixResult[]): readonly StudyLengthRow[] {
  const rows = results.flatMap(rowsOf);
  return scenarios.flatMap((scenario) =>
    rows.filter((row) => row.scenario === scenario).sort((a, b) => byLoad(a.point, b.point)),
  );
}

type LengthColumn = Column<StudyLengthRow>;

const scenarioTitle: Readonly<Record<Scenario, string>> = { offline: 'Offline', online: 'Online' };

const own = (id: string, title: string, help: string, read: LengthColumn['read']): LengthColumn => ({
  ...named(id, title, title, text),
  help,
  read,
});

const ofPoint = (
  { id, heading, title, help, unit, kind, read }: Column,
  value: Column['read'] = read,
): LengthColumn => ({
  ...named(id, heading, title, { unit, kind }),
  help,
  read: ({ point }) => value(point),
});

export function lengthColumns(rows: readonly StudyLengthRow[]): readonly LengthColumn[] {
  const has = (of: (row: StudyLengthRow) => boolean): boolean => rows.some(of);
  return [
    own(
      'scenario',
      'Scenario',
      'Offline: one request at a time. Online: several.',
      ({ scenario }) => scenarioTitle[scenario],
    ),
    ofPoint(batchSize),
    ofPoint(loadOf('concurrency')),
    ...(has(({ point }) => point.requestRate !== undefined) ? [ofPoint(loadOf('requestRate'))] : []),
    own('lengths', 'Lengths of texts', 'Tokens of the texts that were sent.', ({ lengths }) => lengths),
    ...(has(({ choice }) => choice !== '')
      ? [own('choice', 'Choice', 'Values of the other axes.', ({ choice }) => choice)]
      : []),
    ofPoint(throughput),
    ofPoint(p99, budgetLatencyUs),
    ...(has(({ point }) => point.paddingShare !== undefined) ? [ofPoint(padding)] : []),
    own('state', 'State', 'Steady, and other doubts about the level.', ({ point }) => stateWords(point)),
    { ...own('number', 'Run', 'Number of the run in the matrix.', ({ number }) => number), kind: 'count' },
  ];
}

/** For machines: values as measured, microseconds; null where missing. */
export const lengthDocument = (rows: readonly StudyLengthRow[]) =>
  rows.map(({ lengths, number, scenario, point }) => ({
    number,
    lengths,
    scenario,
    batchSize: point.batchSize,
    concurrency: point.concurrency,
    ...present({ requestRate: point.requestRate }),
    inferencesPerSecond: point.inferencesPerSecond,
    p99Us: budgetLatencyUs(point),
    paddingShare: point.paddingShare ?? null,
    steady: isSteady(point),
    marks: marksOf(point),
  }));
