import type {
  ComparisonFile,
  ComparisonRequest,
  SavedComparison,
} from '../../../main/contract/run/saved-comparison';
import { sharedBudgetMs } from '../../../main/domain/measured/best-of-runs';
import { noticeAction, noticeSaved } from '../../components/action-message';
import { noticeDone } from '../../components/notices';
import type { ComparedRuns } from '../../stores/compared-runs';
import type { Workbench } from '../../workbench';

export const shownStates = ({ runIds, states, errors }: Pick<ComparedRuns, 'runIds' | 'states' | 'errors'>) =>
  runIds.flatMap((runId) => {
    const state = states[runId];
    return state === undefined || errors[runId] !== undefined ? [] : [state];
  });

/** As typed for these runs, else the budget that all of them have. */
export function shownBudgetMs(compared: ComparedRuns): number | null {
  const { typed, runIds } = compared;
  const isTyped = typed !== null && typed.runIds.some((runId) => runIds.includes(runId));
  const budgetMs = isTyped ? typed.budgetMs : sharedBudgetMs(shownStates(compared));
  return budgetMs !== null && budgetMs > 0 ? budgetMs : null;
}

/** undefined: not saved. */
export const savedOf = (
  saved: readonly SavedComparison[] | null,
  runIds: readonly string[],
): SavedComparison | undefined => saved?.find((one) => one.runIds.join('\n') === runIds.join('\n'));

function requestOf({ compared, comparisons }: Workbench): ComparisonRequest {
  const runIds = shownStates(compared.getState()).map(({ runId }) => runId);
  const title = savedOf(comparisons.getState().value, runIds)?.name ?? null;
  return { runIds, p99BudgetMs: shownBudgetMs(compared.getState()), title };
}

export async function exportComparison(workbench: Workbench, kind: ComparisonFile): Promise<void> {
  noticeSaved(
    workbench.client,
    await workbench.client.call('desktop.saveComparison', { ...requestOf(workbench), kind }),
  );
}

export async function copyComparison(workbench: Workbench): Promise<void> {
  const { text } = await workbench.client.call('comparisons.text', requestOf(workbench));
  await navigator.clipboard.writeText(text);
  noticeDone('Copied', 'The comparison is in the clipboard as Markdown.');
}

export async function saveComparison(workbench: Workbench, name: string): Promise<void> {
  const { client, comparisons } = workbench;
  const { runIds, p99BudgetMs } = requestOf(workbench);
  await client.call('comparisons.save', { name, runIds, p99BudgetMs });
  await comparisons.getState().load();
}

/** Undo has it back as it was saved. */
export async function removeComparison(
  { client, comparisons }: Workbench,
  { name, runIds, p99BudgetMs }: SavedComparison,
): Promise<void> {
  await client.call('comparisons.remove', { name });
  await comparisons.getState().load();
  noticeAction(`comparison-${name}`, {
    title: 'Removed',
    text: `The comparison ${name} was removed from the list. Its runs are kept.`,
    action: 'Undo',
    onAction: async () => {
      await client.call('comparisons.save', { name, runIds, p99BudgetMs });
      await comparisons.getState().load();
    },
  });
}

export function openComparison({ compared, route }: Workbench, saved: SavedComparison): void {
  compared.getState().typeBudget(saved.p99BudgetMs, saved.runIds);
  route.getState().go({ page: 'compare', runIds: [...saved.runIds] });
}
