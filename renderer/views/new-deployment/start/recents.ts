import type { RunSummary } from '../../../../main/contract/api';
import { hasSpec } from '../../../../main/contract/run/server-load';
import type { Draft } from '../../../../main/contract/run/spec-tools';
import { getAt } from '../../../../main/contract/trees';

export interface Recent {
  readonly key: string;
  readonly title: string;
  /** Ways to weights or data, or what kind of file. */
  readonly detail: string;
  readonly at: string;
  readonly from:
    { readonly kind: 'draft'; readonly draft: Draft } | { readonly kind: 'run'; readonly runId: string };
}

const shown = 6;

const textAt = (draft: Draft, ...keys: string[]): string | null => {
  const value = getAt(draft.choice.overrides, keys);
  return typeof value === 'string' && value !== '' ? value : null;
};

/** What a preset is called, by its id. */
type TitleOf = (preset: string) => string;

function fromDraft(draft: Draft, titleOf: TitleOf): Recent {
  const parts = [
    textAt(draft, 'model', 'checkpoint'),
    textAt(draft, 'model', 'dataset'),
    [textAt(draft, 'format'), textAt(draft, 'precision')].filter((part) => part !== null).join(' ') || null,
  ].filter((part) => part !== null);
  const detail = parts.length === 0 ? 'a draft' : parts.join(', ');
  return {
    key: `${draft.choice.preset} ${detail}`,
    title: draft.name ?? titleOf(draft.choice.preset),
    detail,
    at: draft.updatedAt,
    from: { kind: 'draft', draft },
  };
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
 * What was deployed or put together last, newest first, the same thing once. Drafts without a change, and runs without a
 * specification, are none.
 */
export function recentModels(
  drafts: readonly Draft[],
  runs: readonly RunSummary[],
  titleOf: TitleOf,
): readonly Recent[] {
  const all = [
    ...drafts
      .filter(({ choice }) => Object.keys(choice.overrides).length > 0)
      .map((draft) => fromDraft(draft, titleOf)),
    ...runs.filter(hasSpec).map((run) => fromRun(run, titleOf)),
  ].sort((a, b) => b.at.localeCompare(a.at));
  return all
    .filter((recent, index) => all.findIndex(({ key }) => key === recent.key) === index)
    .slice(0, shown);
}
