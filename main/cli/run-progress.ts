import type { CoreEvent } from '../contract/api';
import { marksOf } from '../contract/flag-text';
import { jobName } from '../contract/job/run-job';
import { comparedLines } from '../contract/measured/compared-batches';
import { formatDuration, formatMs, formatRate, formatScale } from '../contract/numbers';
import { type JournalEntry, type RunWait, scenarios, waitRemedy, waitText } from '../contract/run/run-events';
import { accuracyOf, accuracyText } from '../contract/run/run-outcome';
import type { LoadTool } from '../contract/run/run-spec';
import { type ChangePlan, changeText, type FieldChange } from '../contract/run/spec-tools';
import type { ByType, OfType } from '../contract/trees';
import { levelText, skipWords } from '../contract/words';
import { againLevelText } from '../domain/measured/again';
import { slowText } from '../domain/measured/slow/slow-text';
import type { Output } from './output';
import { paddingText, scheduledText } from './perf/perf-print';
import { formatError } from './print/format-error';
import { metricLines } from './print/metric-lines';

type TitleOf = (step: string) => string;

/** The repetition or load tool, if a level is measured several times. */
const turnText = ({ repeat, loadTool }: { repeat?: number | undefined; loadTool?: LoadTool | undefined }) =>
  repeat === undefined ? '' : `, repeat ${repeat}${loadTool === undefined ? '' : `, ${loadTool}`}`;

const waitWords = (wait: RunWait): string => `${waitText(wait)} ${waitRemedy(wait)}`;

interface Change {
  readonly changed: readonly FieldChange[];
  readonly steps: readonly string[];
  readonly kept: number;
}

const changeLines = ({ changed, steps, kept }: Change, titleOf: TitleOf): readonly string[] => [
  ...changed.map((change) => `Changed: ${changeText(change)}`),
  `Steps to run: ${steps.length === 0 ? 'none' : steps.map(titleOf).join(', ')}`,
  `Measurements kept: ${kept}`,
];

/** Steps and levels that continuing a run repeats and keeps. @param asked whether a change was requested */
export const planLines = (plan: ChangePlan, titleOf: TitleOf, asked: boolean): readonly string[] => [
  ...(asked && plan.changed.length === 0 ? ['The specification already has these values.'] : []),
  ...changeLines(plan, titleOf),
  ...scenarios.flatMap((scenario) => {
    const levels = plan.keptLevels.filter((level) => level.scenario === scenario).map(levelText);
    return levels.length === 0 ? [] : [`    ${scenario}: ${levels.join('; ')}`];
  }),
];

const none = (): readonly string[] => [];

const linesOf: ByType<JournalEntry, readonly string[], [titleOf: TitleOf]> = {
  'spec-changed': (entry, titleOf) => changeLines({ ...entry, kept: entry.kept.length }, titleOf),
  'levels-again': ({ levels }) => [
    'Measured again, longer:',
    ...levels.map((level) => `    ${againLevelText(level)}`),
  ],
  'steps-forgotten': ({ reason }) =>
    reason === undefined ? [] : [`Files changed; their steps run again. ${reason}`],
  'step-finished': ({ step, durationUs, facts, warnings }, titleOf) => [
    // Steps from the cache have no duration.
    `✓ ${titleOf(step)}${durationUs === 0 ? '' : ` (${formatDuration(durationUs)})`}`,
    ...facts.map(({ name, value }) => `    ${name}: ${value}`),
    ...warnings.map((warning) => `    warning: ${warning}`),
  ],
  'step-skipped': ({ step, reason }, titleOf) => [`- ${titleOf(step)}: ${skipWords[reason]}`],
  'step-failed': ({ step, durationUs }, titleOf) => [`✗ ${titleOf(step)} (${formatDuration(durationUs)})`],
  'step-cancelled': ({ step }, titleOf) => [`■ ${titleOf(step)}: cancelled`],
  measurement: ({ scenario, point }) => {
    const words = marksOf(point);
    const marks = words.length === 0 ? '' : `  [${words.join(', ')}]`;
    return [
      `    ${scenario}: ${levelText(point)}${turnText(point)}: ` +
        `${formatRate(point.inferencesPerSecond)} inferences/s, p50 ${formatMs(point.p50Us)} ms, ` +
        `p99 ${formatMs(point.p99Us)} ms${scheduledText(point)}${paddingText(point)}${marks}`,
    ];
  },
  'measurement-missing': (entry) => [
    `    ${entry.scenario}: ${levelText(entry)}${turnText(entry)}: no result: ${entry.error.message}`,
  ],
  trace: ({ scenario, event }) =>
    event.kind === 'traced'
      ? event.slow.map((slow) => `    ${scenario}, traced: ${slow.model}: ${slowText(slow)}`)
      : [],
  accuracy: ({ result }) => [
    `    accuracy ${accuracyText(accuracyOf(result))}`,
    ...comparedLines(result.batches).map((line) => `    ${line}`),
    ...metricLines(result).map((line) => `    ${line}`),
    ...result.outputs.map(
      ({ output, maxAbsDiff, maxRelDiff }) =>
        `    ${output}: largest difference ${formatScale(maxAbsDiff)} absolute, ${formatScale(maxRelDiff)} relative`,
    ),
  ],
  'run-finished': ({ outcome, error }) => [
    ...(outcome === 'paused' ? ['■ Paused'] : []),
    ...(error === undefined ? [] : [formatError(error)]),
  ],
  'run-waiting': ({ for: what, reason = 'device' }) => [
    what === null ? 'The run continues.' : waitWords({ reason, what }),
  ],
  preflight: ({ release, problems }) => [
    ...(release === null ? [] : [release]),
    ...problems.map(({ title, finding }) => `! ${title}: ${finding}`),
  ],
  'step-started': none,
  'run-created': none,
  'levels-kept': none,
  'run-trusted': none,
  'job-submitted': ({ job }) => [`Submitted as ${jobName(job)}. Its output: ${job.log}`],
  'job-ended': () => [],
  'run-started': ({ node }) => (node === undefined ? [] : [`Running on ${node}`]),
  annotation: none,
  'run-name': none,
  'model-memory': none,
  'cold-start': none,
  'model-record': none,
  'warm-up-trial': none,
  'p99-budget': none,
  'gate-overridden': none,
  environment: none,
  command: none,
  report: none,
};

function entryLines<Type extends JournalEntry['type']>(
  entry: OfType<JournalEntry, Type>,
  titleOf: TitleOf,
): readonly string[] {
  return linesOf[entry.type](entry, titleOf);
}

/** Prints a run's events as lines; on a terminal with one live line. */
export function createRunProgress(
  output: Output,
  options: { readonly verbose: boolean; readonly titleOf: TitleOf },
): (event: CoreEvent) => void {
  let moving = false;
  // A step without a line so far: lines before its end are headed by its title.
  let unnamed: string | null = null;
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
  const ignore = () => undefined;
  const handlers: ByType<CoreEvent, void> = {
    'held-up': ({ wait }) => line(waitWords(wait)),
    log: ({ lines }) => {
      if (options.verbose) for (const text of lines) line(`    ${text}`);
    },
    progress: ({ fraction, text }) =>
      move(`${fraction === null ? '' : `${Math.round(fraction * 100)} % `}${text}`),
    window: (event) =>
      move(
        `${levelText(event)}, window ${event.index + 1}: ` +
          `${formatRate(event.inferencesPerSecond)} inferences/s, p99 ${formatMs(event.p99Us)} ms`,
      ),
    journal: ({ entry }) => {
      if (entry.type === 'step-started') {
        unnamed = options.titleOf(entry.step);
        move(unnamed);
      }
      if (entry.type === 'run-finished') wipe();
      for (const text of entryLines(entry, options.titleOf)) {
        if (unnamed !== null && text.startsWith('    ')) line(`▸ ${unnamed}`);
        // Its own end names the step as well.
        if (text.startsWith('    ') || ('step' in entry && entry.type !== 'step-started')) unnamed = null;
        line(text);
      }
    },
    'runs-changed': ignore,
    'runs-retired': ignore,
    'deployments-changed': ignore,
    study: ignore,
    stopping: ignore,
    'docker-changed': ignore,
    'settings-changed': ignore,
    'home-move': ignore,
    'container-log': ignore,
    'monitor-changed': ignore,
    'monitor-sample': ignore,
    'monitor-verdict': ignore,
    'monitor-cleared': ignore,
    'image-work': ignore,
    'data-work': ignore,
    'setup-work': ignore,
  };
  return <Type extends CoreEvent['type']>(event: OfType<CoreEvent, Type>) => handlers[event.type](event);
}
