import type { CoreEvent } from '../contract/api';
import { marksOf } from '../contract/flag-text';
import { crossCheckOf } from '../contract/measured/cross-check';
import { bestDocument, budgetDocument } from '../contract/measured/verdict';
import { formatDuration, formatMetric, formatMs, formatRate, formatScale } from '../contract/numbers';
import { type JournalBody, type RunWait, scenarios, waitRemedy, waitText } from '../contract/run/run-events';
import type { LoadTool } from '../contract/run/run-spec';
import type { RunState } from '../contract/run/run-state';
import { byLoad } from '../contract/run/scenario-levels';
import { type ChangePlan, changeText, type FieldChange } from '../contract/run/spec-changes';
import { levelText } from '../contract/words';
import { formatError, type Output } from './output';
import { scheduledText } from './perf/perf-print';

/** Which of several measurements of a level; nothing where there is one. */
const turnText = ({ repeat, loadTool }: { repeat?: number | undefined; loadTool?: LoadTool | undefined }) =>
  repeat === undefined ? '' : `, repeat ${repeat}${loadTool === undefined ? '' : `, ${loadTool}`}`;

const waitWords = (wait: RunWait): string => `${waitText(wait)} ${waitRemedy(wait)}`;

const waitLine = ({ for: what, reason = 'device' }: JournalBody & { type: 'run-waiting' }): string =>
  what === null ? 'The run continues.' : waitWords({ reason, what });

interface Change {
  readonly changed: readonly FieldChange[];
  readonly steps: readonly string[];
  readonly kept: number;
}

/** What a change of the specification says, does again and keeps. */
export function changeLines(
  { changed, steps, kept }: Change,
  titleOf: (step: string) => string,
): readonly string[] {
  if (changed.length === 0) return ['The specification already has these values.'];
  return [
    ...changed.map((change) => `Changed: ${changeText(change)}`),
    `Steps to run: ${steps.map(titleOf).join(', ')}`,
    `Measurements kept: ${kept}`,
  ];
}

/** The measurements that a change keeps, a line per scenario; nothing of one that changes nothing. */
export const keptLines = ({ changed, keptLevels }: ChangePlan): readonly string[] =>
  (changed.length === 0 ? [] : scenarios).flatMap((scenario) => {
    const levels = keptLevels.filter((level) => level.scenario === scenario).map(levelText);
    return levels.length === 0 ? [] : [`    ${scenario}: ${levels.join('; ')}`];
  });

/** A run's events as lines, and on a terminal one moving line for what is under way. */
export function createRunProgress(
  output: Output,
  options: { readonly verbose: boolean; readonly titleOf: (step: string) => string },
): (event: CoreEvent) => void {
  let moving = false;
  const wipe = () => {
    if (moving) output.rewrite('');
    moving = false;
  };
  const line = (text: string) => {
    wipe();
    output.say(text);
  };
  const move = (text: string) => {
    if (!output.live) return;
    output.rewrite(`  … ${text.slice(0, 110)}`);
    moving = true;
  };
  return (event) => {
    switch (event.type) {
      case 'runs-changed':
      case 'stopping':
      case 'docker-changed':
      case 'container-log':
      case 'monitor-changed':
      case 'monitor-sample':
      case 'monitor-verdict':
      case 'monitor-cleared':
      case 'image-work':
      case 'data-work':
      case 'install-work':
        return;
      case 'held-up':
        line(waitWords(event.wait));
        return;
      case 'log':
        if (options.verbose) for (const text of event.lines) line(`    ${text}`);
        return;
      case 'progress': {
        const share = event.fraction === null ? '' : `${Math.round(event.fraction * 100)} % `;
        move(`${share}${event.text}`);
        return;
      }
      case 'window':
        move(
          `${levelText(event)}, window ${event.index + 1}: ` +
            `${formatRate(event.inferencesPerSecond)} inferences/s, p99 ${formatMs(event.p99Us)} ms`,
        );
        return;
      case 'journal':
        break;
    }
    const { entry } = event;
    switch (entry.type) {
      case 'spec-changed':
        for (const text of changeLines({ ...entry, kept: entry.kept.length }, options.titleOf)) line(text);
        return;
      case 'steps-forgotten':
        if (entry.reason !== undefined) line(`Files changed; their steps run again. ${entry.reason}`);
        return;
      case 'step-started':
        move(options.titleOf(entry.step));
        return;
      case 'step-finished':
        line(`✓ ${options.titleOf(entry.step)} (${formatDuration(entry.durationUs)})`);
        for (const fact of entry.facts) line(`    ${fact.name}: ${fact.value}`);
        for (const warning of entry.warnings) line(`    warning: ${warning}`);
        return;
      case 'step-skipped':
        line(`- ${options.titleOf(entry.step)}: ${entry.reason}`);
        return;
      case 'step-failed':
        line(`✗ ${options.titleOf(entry.step)} (${formatDuration(entry.durationUs)})`);
        return;
      case 'step-cancelled':
        line(`■ ${options.titleOf(entry.step)}: cancelled`);
        return;
      case 'measurement': {
        const { point } = entry;
        const words = marksOf(point);
        const marks = words.length === 0 ? '' : `  [${words.join(', ')}]`;
        line(
          `    ${entry.scenario}: ${levelText(point)}${turnText(point)}: ` +
            `${formatRate(point.inferencesPerSecond)} inferences/s, p50 ${formatMs(point.p50Us)} ms, ` +
            `p99 ${formatMs(point.p99Us)} ms${scheduledText(point)}${marks}`,
        );
        return;
      }
      case 'measurement-missing':
        line(
          `    ${entry.scenario}: ${levelText(entry)}${turnText(entry)}: no result: ${entry.error.message}`,
        );
        return;
      case 'accuracy':
        for (const metric of entry.result.metrics) {
          line(
            `    ${metric.name}: framework ${formatMetric(metric.framework)}, Triton ${formatMetric(metric.triton)}`,
          );
        }
        for (const output of entry.result.outputs) {
          line(
            `    ${output.output}: largest difference ${formatScale(output.maxAbsDiff)} absolute, ${formatScale(output.maxRelDiff)} relative`,
          );
        }
        return;
      case 'run-finished':
        wipe();
        if (entry.outcome === 'paused') line('■ Paused');
        if (entry.error !== undefined) line(formatError(entry.error));
        return;
      case 'run-waiting':
        line(waitLine(entry));
        return;
      case 'run-created':
      case 'levels-kept':
      case 'run-trusted':
      case 'run-started':
      case 'annotation':
      case 'p99-budget':
      case 'gate-overridden':
      case 'environment':
      case 'command':
      case 'report':
        return;
    }
  };
}

/** The document of `run --json`, `resume --json` and `show --json`. */
export function runDocument(state: RunState, dir: string) {
  const points = (scenario: 'offline' | 'online') =>
    state.scenarios[scenario].points.map((measured) => measured.point).sort(byLoad);
  return {
    runId: state.runId,
    status: state.status,
    origin: state.origin,
    dir,
    ...(state.error === null ? {} : { error: state.error }),
    unverified: state.unverified,
    tags: state.tags,
    note: state.note,
    specChanges: state.specChanges,
    waitsFor: state.waitsFor,
    damagedLines: state.damagedLines,
    steps: state.steps.map((step) => ({
      id: step.id,
      status: step.status,
      ...(step.skippedBecause === null ? {} : { skippedBecause: step.skippedBecause }),
      durationUs: step.durationUs,
      facts: step.facts,
      warnings: step.warnings,
      ...(step.error === null ? {} : { error: step.error }),
    })),
    best: bestDocument(state),
    budget: budgetDocument(state),
    accuracy: state.accuracy?.result ?? null,
    offline: points('offline'),
    online: points('online'),
    ...(state.spec.performance.crossCheck
      ? { crossCheck: { offline: crossCheckOf(state, 'offline'), online: crossCheckOf(state, 'online') } }
      : {}),
    missing: [...state.scenarios.offline.missing, ...state.scenarios.online.missing],
    reports: state.reports,
    imported: state.imported,
    environment: state.imported === null ? state.environment : null,
  };
}
