import type { RunSummary } from '../../main/contract/api';
import type { ReportFile } from '../../main/contract/run/run-events';
import { isDeployedRow } from '../../main/contract/run/run-outcome';
import { noticeSaved } from '../components/action-message';
import { attempting } from '../components/notices';
import { doRunWork, hasFailed, worksFor } from '../stores/run-work';
import { changeRun, isChangeable, removeRuns, runAgain } from '../views/runs/run-tools';
import type { Workbench } from '../workbench';
import type { Action } from './command';

const workText = { pause: 'Pause this run', cancel: 'Cancel this run', resume: 'Resume this run' } as const;

const exportText: Readonly<Record<ReportFile['kind'], string>> = {
  pdf: 'Export PDF report of this run',
  html: 'Export HTML report of this run',
  json: 'Export JSON of this run',
  markdown: 'Export Markdown report of this run',
  'csv-offline': 'Export CSV of this run, offline levels',
  'csv-online': 'Export CSV of this run, online levels',
  'csv-accuracy': 'Export CSV of this run, accuracy',
  'csv-slices': 'Export CSV of this run, time slices',
  'csv-cold-start': 'Export CSV of this run, cold start',
  'csv-traces': 'Export CSV of this run, slow requests',
};

/** Longer than the palette takes to give the focus back to where it was opened. */
const afterPaletteMs = 60;

export function runCommands(
  workbench: Workbench,
  open: RunSummary,
  written: readonly ReportFile[],
): readonly Action[] {
  const { client, overlay, route } = workbench;
  const { runId } = open;
  const command = (id: string, title: string, note: string | null, work: () => Promise<void>): Action => ({
    id,
    title,
    ...(note === null ? {} : { note }),
    run: attempting(work),
  });
  const where = (holds: boolean, action: Action): readonly Action[] => (holds ? [action] : []);
  const works = worksFor(open.status).map((work) =>
    command(work, workText[work], null, () => doRunWork(client, runId, work)),
  );
  const change = where(
    isChangeable(open),
    command('change', 'Change and continue…', 'change the specification of this run', () =>
      changeRun(workbench, runId),
    ),
  );
  return [
    // After a failure changed settings come first: the same ones may fail again.
    ...(hasFailed(open.status) ? [...change, ...works] : [...works, ...change]),
    ...where(
      isDeployedRow(open),
      command('duplicate', 'Run again with changes', 'duplicate this run', () => runAgain(workbench, runId)),
    ),
    ...where(isDeployedRow(open) && open.status === 'done', {
      id: 'search',
      title: 'Find the best configuration',
      note: 'the highest load within a latency target',
      run: () => overlay.getState().search({ runId }),
    }),
    ...where(isDeployedRow(open) && open.status === 'done', {
      id: 'soak-run',
      title: 'Soak the model of this run…',
      note: 'the same load for hours, to see whether memory grows',
      run: () => overlay.getState().soak({ runId }),
    }),
    ...where(isDeployedRow(open) && open.status === 'done', {
      id: 'upgrade-run',
      title: 'Try this run on another release…',
      note: 'compare the same files in another serving environment, before you move',
      run: () => overlay.getState().tryRelease({ runId }),
    }),
    {
      id: 'rename',
      title: 'Rename this run',
      ...(open.name === null ? {} : { note: open.name }),
      run: () => overlay.getState().rename(runId),
    },
    // The field for it is there once the run has a level that it decides about.
    ...where(open.best !== null, {
      id: 'budget',
      title: 'Set the p99 budget of this run',
      note: 'names the best level within it',
      run: () => setTimeout(() => document.getElementById('latency-budget')?.focus(), afterPaletteMs),
    }),
    ...written.map(({ kind }) =>
      command(`export-${kind}`, exportText[kind], null, async () => {
        noticeSaved(client, await client.call('desktop.saveReport', { runId, kind }));
      }),
    ),
    command('show-folder', 'Show run folder', null, async () => {
      await client.call('desktop.showRunFolder', { runId });
    }),
    ...where(
      open.status !== 'running',
      command('delete', 'Delete this run', 'remove; can be undone', async () => {
        await removeRuns(workbench, [open]);
        route.getState().go({ page: 'runs' });
      }),
    ),
  ];
}
