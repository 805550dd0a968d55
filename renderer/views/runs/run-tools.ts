import type { RunSummary } from '../../../main/contract/api';
import { WorkbenchError } from '../../../main/contract/errors';
import { isDeployedRow } from '../../../main/contract/run/run-outcome';
import { isDeployed, specOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import type { Choice } from '../../../main/contract/run/spec-tools';
import { noticeAction } from '../../components/action-message';
import { pageOfProblem } from '../../stores/draft/wizard-page';
import { eachRun, restoreRuns } from '../../stores/run-work';
import type { Workbench } from '../../workbench';

/** Opens the wizard with the run's changes from the defaults. Rejects with a WorkbenchError. */
export async function runAgain(workbench: Workbench, runId: string): Promise<void> {
  const { choice, run } = await choiceOf(workbench, runId);
  workbench.draft.getState().reuse(choice, `run ${runId}`, run.p99BudgetMs);
  workbench.route.getState().go({ page: 'new', draft: true });
}

/** Changes and continues that run, on the page of what stopped it. Rejects with a WorkbenchError. */
export async function changeRun(workbench: Workbench, runId: string): Promise<void> {
  const { choice, run } = await choiceOf(workbench, runId);
  workbench.draft.getState().changeRun(choice, runId, pageOfProblem(run), run.p99BudgetMs);
  workbench.route.getState().go({ page: 'new', draft: true });
}

/** A row of the run list, or the run itself. */
type Changeable = Pick<RunSummary, 'runId' | 'status' | 'origin'> &
  (Parameters<typeof isDeployedRow>[0] | Pick<RunState, 'source'>);

export const isChangeable = (run: Changeable): boolean =>
  ('source' in run ? isDeployed(run) : isDeployedRow(run)) &&
  run.status !== 'running' &&
  run.origin !== 'foreign';

/** Changes the run where that can be done, else begins another like it. Rejects with a WorkbenchError. */
export const editRun = (workbench: Workbench, run: Changeable): Promise<void> =>
  (isChangeable(run) ? changeRun : runAgain)(workbench, run.runId);

async function choiceOf(
  workbench: Workbench,
  runId: string,
): Promise<{
  readonly choice: Choice;
  readonly run: Pick<RunState, 'error' | 'steps' | 'p99BudgetMs'>;
}> {
  const run = await workbench.client.call('runs.get', { runId });
  const spec = specOf(run);
  if (spec === null) {
    throw new WorkbenchError('input-invalid', 'This run has no specification that could be run again.');
  }
  const choice = await workbench.client.call('spec.choice', { spec });
  // Drafts on disk are read first: they would replace this one.
  await workbench.draft.getState().open();
  return { choice, run };
}

/** Offers to restore them for a while. Rejects with the first refusal. */
export async function removeRuns(workbench: Workbench, rows: readonly RunSummary[]): Promise<void> {
  const { client, runs, selection } = workbench;
  const removed: RunSummary[] = [];
  try {
    await eachRun(
      rows.map(({ runId }) => runId),
      async (runId) => {
        await client.call('runs.remove', { runId });
        removed.push(...rows.filter((row) => row.runId === runId));
      },
    );
  } finally {
    await runs.getState().load();
    selection.getState().drop(removed.map((row) => row.runId));
    const [only] = removed;
    if (only !== undefined) {
      const what =
        removed.length === 1 ? (only.name ?? `${only.preset}, ${only.format} ${only.precision}`) : '';
      noticeAction(`undo-${Date.now()}`, {
        action: 'Undo',
        title: removed.length === 1 ? 'Run deleted' : `${removed.length} runs deleted`,
        text: what,
        onAction: () =>
          restoreRuns(
            workbench,
            removed.map(({ runId }) => runId),
          ),
      });
    }
  }
}
