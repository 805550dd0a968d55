import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { ReportFile } from '../../main/contract/run/run-events';
import { attempt } from '../components/notices';
import { formatWhen } from '../format/times';
import { runStatusText } from '../format/words';
import { routeTo } from '../stores/route';
import { useWorkbench } from '../workbench';
import type { Command } from './command';
import { findOnPage } from './find-on-page';
import { pageCommands } from './page-commands';
import { runCommands } from './run-commands';
import { themeText, useThemeChoice } from './use-theme-choice';

/** The same list each time: a new one would draw again. */
const none: readonly ReportFile[] = [];

/** Everything that can be done from here by name: actions, pages, runs. */
export function useCommands(): readonly Command[] {
  const workbench = useWorkbench();
  const { route, runs, presets, overlay, compared, client, draft } = workbench;
  const shown = useStore(route, (state) => state.route);
  const list = useStore(runs, (state) => state.value);
  const openRunId = useStore(workbench.run, (one) => one.state?.runId);
  const reports = useStore(workbench.run, (one) => one.state?.reports ?? none);
  const known = useStore(presets, (state) => state.value);
  const { choice, next } = useThemeChoice();
  return useMemo(() => {
    const open = shown.page === 'run' ? list?.find((run) => run.runId === shown.runId) : undefined;
    const ofRun =
      open === undefined ? [] : runCommands(workbench, open, openRunId === open.runId ? reports : none);
    const actions: readonly Command[] = [
      ...ofRun,
      {
        id: 'open-file',
        title: 'Open a configuration …',
        note: 'run.yaml, runner configuration, environment file or config.pbtxt',
        group: 'Actions',
        run: () => {
          attempt(async () => {
            const file = await client.call('desktop.openText');
            if (file === null) return;
            route.getState().go({ page: 'new' });
            await draft.getState().open();
            await draft.getState().importText(file.fileName, file.text);
          });
        },
      },
      { id: 'find', title: 'Find on this page', group: 'Actions', shortcut: 'Ctrl+F', run: findOnPage },
      {
        id: 'theme',
        title: 'Change theme',
        note: `light, dark or system colors; now ${themeText[choice]}`,
        group: 'Actions',
        shortcut: 'Ctrl+Shift+L',
        run: next,
      },
      {
        id: 'shortcuts',
        title: 'Show all shortcuts',
        group: 'Actions',
        shortcut: '?',
        run: () => {
          overlay.getState().show('shortcuts');
        },
      },
    ];
    const pages = pageCommands.map(({ page, title, shortcut }): Command => ({
      id: `page ${page}`,
      title,
      group: 'Pages',
      shortcut,
      run: () => {
        route.getState().go(routeTo(page, compared.getState().runIds));
      },
    }));
    const rows = (list ?? []).map((run): Command => {
      const title = known?.find((preset) => preset.id === run.preset)?.title ?? run.preset;
      return {
        id: `run ${run.runId}`,
        title: `${title} · ${run.format} ${run.precision} · ${run.profile}`,
        note: [runStatusText[run.status], formatWhen(run.createdAt), ...run.tags].join(' · '),
        group: 'Runs',
        run: () => {
          route.getState().go({ page: 'run', runId: run.runId });
        },
      };
    });
    return [...actions, ...pages, ...rows];
  }, [
    workbench,
    route,
    overlay,
    compared,
    client,
    draft,
    shown,
    list,
    openRunId,
    reports,
    known,
    choice,
    next,
  ]);
}
