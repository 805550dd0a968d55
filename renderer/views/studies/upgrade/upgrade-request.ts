import { inContainers, isProcess } from '../../../../main/contract/run/engine-kinds';
import { engines } from '../../../../main/contract/run/run-spec';
import type { UpgradeRequest, UpgradeTarget } from '../../../../main/contract/study/upgrade';
import { present } from '../../../../main/contract/trees';
import type { UpgradeFrom } from '../../../stores/overlay';

export type UpgradeKind = 'run' | 'deployment';
export type TargetKind = 'release' | 'image' | 'folder';

/** What is typed. */
export interface UpgradeText {
  readonly kind: UpgradeKind;
  /** Empty: none is chosen. */
  readonly runId: string;
  readonly deployment: string;
  readonly target: TargetKind;
  readonly release: string;
  readonly image: string;
  /** The image that was typed to its end; null: none. */
  readonly asked: string | null;
  /** Empty: none is chosen. */
  readonly folder: string;
  /** How often an image or a folder was asked for. */
  readonly times: number;
  readonly minutes: number | string;
  /** Empty: those of the run. */
  readonly batchSize: number | string;
  readonly concurrency: number | string;
  readonly loads: number | string;
  /** Percent; empty: 10. */
  readonly slower: number | string;
  readonly less: number | string;
}

const usual: UpgradeText = {
  ...{ kind: 'run', runId: '', deployment: '', target: 'release', release: '', image: '', asked: null },
  ...{ folder: '', times: 0, minutes: 3, batchSize: '', concurrency: '', loads: '', slower: '', less: '' },
};

export const upgradeTextOf = ({ runId = '', deployment = '' }: UpgradeFrom): UpgradeText => ({
  ...{ ...usual, runId, deployment },
  kind: deployment === '' ? 'run' : 'deployment',
});

/** What an engine can be replaced with; all where it is not known. */
export function targetsOf(engine: string | null): readonly TargetKind[] {
  const kind = engines.find((one) => one === engine);
  if (kind !== undefined && inContainers({ kind })) return ['release', 'image'];
  return kind !== undefined && isProcess({ kind }) ? ['folder'] : ['release', 'image', 'folder'];
}

const isPositive = (value: number | string): value is number => typeof value === 'number' && value > 0;

function subjectOf({ kind, runId, deployment }: UpgradeText): UpgradeRequest['of'] | null {
  if (kind === 'run') return runId === '' ? null : { runId };
  return deployment === '' ? null : { deployment };
}

/** null: not typed to its end. */
function targetOf({ target, release, image, asked, folder }: UpgradeText): UpgradeTarget | null {
  switch (target) {
    case 'release':
      return /^\d\d\.\d\d$/.test(release.trim()) ? { release: release.trim() } : null;
    case 'image':
      return asked !== null && asked === image.trim() ? { image: asked } : null;
    case 'folder':
      return folder === '' ? null : { environment: folder };
  }
}

const usualPercent = 10;

/** "1.1": a criterion has no exponent. */
const factor = (percent: number): string => (1 + percent / 100).toFixed(4).replace(/\.?0+$/, '');

/** Absent: those of the plan. */
function criteriaOf({ slower, less }: UpgradeText): UpgradeRequest['criteria'] {
  if (!isPositive(slower) && !isPositive(less)) return undefined;
  const [rise, fall] = [slower, less].map((value) => (isPositive(value) ? value : usualPercent));
  return [`throughput<${factor(-(fall ?? usualPercent))}x`, `p99>${factor(rise ?? usualPercent)}x`];
}

/** What is asked for; null: something is missing. */
export function upgradeRequestOf(text: UpgradeText): UpgradeRequest | null {
  const { minutes, batchSize, concurrency, loads } = text;
  const [of, to] = [subjectOf(text), targetOf(text)];
  if (of === null || to === null || !isPositive(minutes)) return null;
  const whole = (value: number | string) => (isPositive(value) ? Math.round(value) : undefined);
  return {
    ...{ of, to, budgetS: minutes * 60 },
    ...present({ batchSize: whole(batchSize), concurrency: whole(concurrency) }),
    ...present({ loads: whole(loads), criteria: criteriaOf(text) }),
  };
}

const targetMissing: Readonly<Record<TargetKind, string>> = {
  release: 'Enter a release, such as 26.07.',
  image: 'Enter an image, and press Enter or Check.',
  folder: 'Choose the folder of another Triton, or of a Python environment.',
};

/** What is missing, a sentence; null: nothing. */
export function missingText(text: UpgradeText): string | null {
  if (subjectOf(text) === null) {
    return text.kind === 'run' ? 'Choose a finished run.' : 'Choose a deployment.';
  }
  if (targetOf(text) === null) return targetMissing[text.target];
  return isPositive(text.minutes) ? null : 'Enter the maximum time under load.';
}
