import type { RunSummary } from '../../../../main/contract/api';
import { isDeployedRow } from '../../../../main/contract/run/run-outcome';
import type { Draft } from '../../../../main/contract/run/spec-tools';
import { getAt, leavesOf, sameValue, unsetAt } from '../../../../main/contract/trees';
import { formatWhen } from '../../../format/times';
import { counted } from '../../../format/words';
import { contentOf, isWorthKeeping, type NewDraft, ownModelKeys } from '../../../stores/draft/draft-state';

export interface Recent {
  readonly key: string;
  readonly title: string;
  readonly detail: string;
  readonly at: string;
  readonly from:
    { readonly kind: 'draft'; readonly draft: Draft } | { readonly kind: 'run'; readonly runId: string };
}

const shownRuns = 6;

const newestFirst = (recents: readonly Recent[]): readonly Recent[] =>
  [...recents].sort((a, b) => b.at.localeCompare(a.at));

const textAt = (draft: Draft, ...keys: string[]): string | null => {
  const value = getAt(draft.choice.overrides, keys);
  return typeof value === 'string' && value !== '' ? value : null;
};

type TitleOf = (preset: string) => string;

const changesIn = ({ choice }: Draft, fresh: NewDraft): number =>
  leavesOf(unsetAt(choice.overrides, ownModelKeys)).filter(
    ([keys, value]) => !sameValue(value, getAt(fresh.overrides, keys)),
  ).length;

function fromDraft(draft: Draft, titleOf: TitleOf, fresh: NewDraft): Recent {
  const count = changesIn(draft, fresh);
  const detail = [
    draft.changing === undefined ? null : `change of run ${draft.changing}`,
    textAt(draft, ...ownModelKeys, 'path'),
    textAt(draft, 'model', 'checkpoint'),
    textAt(draft, 'model', 'dataset'),
    [textAt(draft, 'format'), textAt(draft, 'precision')].filter((part) => part !== null).join(' ') || null,
    count === 0 ? null : counted(count, 'change'),
    `edited ${formatWhen(draft.updatedAt)}`,
  ]
    .filter((part) => part !== null)
    .join(', ');
  const title = draft.name ?? titleOf(draft.choice.preset);
  return { key: `draft ${draft.id}`, title, detail, at: draft.updatedAt, from: { kind: 'draft', draft } };
}

function fromRun(run: RunSummary, titleOf: TitleOf): Recent {
  const detail = `${run.profile}, ${run.format} ${run.precision}, ${run.engine}`;
  return {
    key: `${run.name ?? run.preset} ${detail}`,
    title: run.name ?? titleOf(run.preset),
    detail,
    at: run.createdAt,
    from: { kind: 'run', runId: run.runId },
  };
}

/**
 * Newest first: every draft, and each deployment once. Leaves out drafts with nothing to continue or that became a
 * listed run, and runs without a specification.
 */
export function recentModels(
  drafts: readonly Draft[],
  runs: readonly RunSummary[],
  titleOf: TitleOf,
  fresh: NewDraft,
): readonly Recent[] {
  const started = new Set<string | undefined>(runs.map(({ runId }) => runId));
  const ofDrafts = drafts
    .filter((draft) => isWorthKeeping(contentOf(draft), fresh) && !started.has(draft.startedAs))
    .map((draft) => fromDraft(draft, titleOf, fresh));
  const ofRuns = newestFirst(runs.filter(isDeployedRow).map((run) => fromRun(run, titleOf)));
  const once = ofRuns.filter((recent, at) => ofRuns.findIndex(({ key }) => key === recent.key) === at);
  return newestFirst([...ofDrafts, ...once.slice(0, shownRuns)]);
}
