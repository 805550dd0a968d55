import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../main/contract/api';
import type { Preset } from '../../main/contract/run/preset';
import type { ReportFile } from '../../main/contract/run/run-events';
import { attempting } from '../components/notices';
import { formatWhen } from '../format/times';
import { runStatusText } from '../format/words';
import { routeTo } from '../stores/route';
import { useWorkbench, type Workbench } from '../workbench';
import type { Command } from './command';
import { helpCommands } from './help-commands';
import { pageCommands } from './page-commands';
import { runCommands } from './run-commands';
import { settingCommands } from './setting-commands';
import { showConfiguration } from './use-opened';
import { themeText, useThemeChoice } from './use-theme-choice';
/** Puts the cursor into the last search field of the page that can be seen: a log's before the list's. */
function findOnPage(): void {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-find]')];
  const field = fields.findLast((one) => one.offsetParent !== null);
  const input = field instanceof HTMLInputElement ? field : field?.querySelector('input');
  input?.focus();
  input?.select();
}

/** The same list each time: a new one would draw again. */
const none: readonly ReportFile[] = [];

async function openConfiguration(workbench: Workbench): Promise<void> {
  const file = await workbench.client.call('desktop.openText');
  if (file !== null) await showConfiguration(workbench, file);
}

const actions = (
  workbench: Workbench,
  { choice, next }: Pick<ReturnType<typeof useThemeChoice>, 'choice' | 'next'>,
): readonly Command[] => [
  {
    id: 'open-file',
    title: 'Open a configuration …',
    note: 'run.yaml, runner configuration, environment file or config.pbtxt',
    group: 'Actions',
    run: attempting(() => openConfiguration(workbench)),
  },
  {
    id: 'measure',
    title: 'Measure a running Triton …',
    note: 'a model on localhost:8000 or another server, as perf does',
    group: 'Actions',
    run: () => {
      workbench.overlay.getState().measure({});
    },
  },
  {
    id: 'add-host',
    title: 'Add host …',
    note: 'another machine with Docker, by ssh, a Docker context or TLS',
    group: 'Actions',
    run: () => {
      workbench.route.getState().go({ page: 'hosts' });
      workbench.overlay.getState().show('add-host');
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
];

const pages = ({ route, compared }: Workbench): readonly Command[] =>
  pageCommands.map(({ page, title, shortcut, note }) => ({
    id: `page ${page}`,
    title,
    group: 'Pages',
    shortcut,
    ...(note === undefined ? {} : { note }),
    run: () => {
      route.getState().go(routeTo(page, compared.getState().runIds));
    },
  }));

const runsByName = (
  { route }: Workbench,
  runs: readonly RunSummary[],
  presets: readonly Preset[],
): readonly Command[] =>
  runs.map((run) => ({
    id: `run ${run.runId}`,
    title: [
      ...(run.name === null ? [] : [run.name]),
      presets.find(({ id }) => id === run.preset)?.title ?? run.preset,
      `${run.format} ${run.precision}`,
      run.profile,
    ].join(' · '),
    note: [runStatusText[run.status], formatWhen(run.createdAt), ...run.tags].join(' · '),
    group: 'Runs',
    run: () => {
      route.getState().go({ page: 'run', runId: run.runId });
    },
  }));

/** Everything that can be done from here by name: actions, pages, runs. */
export function useCommands(): readonly Command[] {
  const workbench = useWorkbench();
  const shown = useStore(workbench.route, (state) => state.route);
  const list = useStore(workbench.runs, (state) => state.value);
  const openRunId = useStore(workbench.run, (one) => one.state?.runId);
  const reports = useStore(workbench.run, (one) => one.state?.reports ?? none);
  const known = useStore(workbench.presets, (state) => state.value);
  const { choice, next } = useThemeChoice();
  return useMemo(() => {
    const open = shown.page === 'run' ? list?.find((run) => run.runId === shown.runId) : undefined;
    return [
      ...(open === undefined ? [] : runCommands(workbench, open, openRunId === open.runId ? reports : none)),
      ...actions(workbench, { choice, next }),
      ...helpCommands(workbench),
      ...pages(workbench),
      ...settingCommands(workbench),
      ...runsByName(workbench, list ?? [], known ?? []),
    ];
  }, [workbench, shown, list, openRunId, reports, known, choice, next]);
}
