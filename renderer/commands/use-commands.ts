import { useMemo } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../main/contract/api';
import type { Preset } from '../../main/contract/run/preset';
import type { ReportFile } from '../../main/contract/run/run-events';
import { definitionOf, settingKeys } from '../../main/contract/settings/settings';
import { attempting } from '../components/notices';
import { runTitle } from '../format/run-title';
import { formatWhen } from '../format/times';
import { runStatusText } from '../format/words';
import { settledChoice } from '../stores/draft/draft-state';
import type { OverlayPage } from '../stores/overlay';
import { type Route, routeTo } from '../stores/route';
import { settingsOf, type SoughtSetting } from '../stores/settings';
import { changelog, pageArticle } from '../views/help/article';
import { useWorkbench, type Workbench } from '../workbench';
import type { Action, Command } from './command';
import { compareCommands, savedCommands } from './compare-commands';
import { runCommands } from './run-commands';
import { showConfiguration } from './use-opened';
import { themeText, useThemeChoice } from './use-theme-choice';

function findOnPage(): void {
  const fields = [...document.querySelectorAll<HTMLElement>('[data-find]')];
  const field = fields.findLast((one) => one.offsetParent !== null);
  const input = field instanceof HTMLInputElement ? field : field?.querySelector('input');
  input?.focus();
  input?.select();
}

/** A constant: a new list each time would redraw. */
const none: readonly ReportFile[] = [];

async function openConfiguration(workbench: Workbench): Promise<void> {
  const file = await workbench.client.call('desktop.openText');
  if (file !== null) await showConfiguration(workbench, file);
}

const actions = (
  workbench: Workbench,
  { choice, next }: Pick<ReturnType<typeof useThemeChoice>, 'choice' | 'next'>,
): readonly Action[] => [
  {
    id: 'open-file',
    title: 'Open a configuration…',
    note: 'run.yaml, runner configuration, environment file or config.pbtxt',
    run: attempting(() => openConfiguration(workbench)),
  },
  {
    id: 'measure',
    title: 'Measure a running Triton…',
    note: 'a model on localhost:8000 or another server, as perf does',
    run: () => workbench.overlay.getState().measure({}),
  },
  {
    id: 'search-together',
    title: 'Search several models together…',
    note: 'the best configurations of models that share one machine',
    run: () => workbench.overlay.getState().searchTogether([]),
  },
  {
    id: 'soak',
    title: 'Start a soak…',
    note: 'the same load for hours, to see which process grows and how fast',
    run: () => workbench.overlay.getState().soak({}),
  },
  {
    id: 'upgrade',
    title: 'Try another release…',
    note: 'compare the same files in another serving environment, before you move',
    run: () => workbench.overlay.getState().tryRelease({}),
  },
  {
    id: 'add-host',
    title: 'Add host…',
    note: 'another machine with Docker, by ssh, a Docker context or TLS',
    run: () => {
      workbench.route.getState().go({ page: 'hosts' });
      workbench.overlay.getState().show('add-host');
    },
  },
  { id: 'find', title: 'Find on this page', shortcut: 'Ctrl+F', run: findOnPage },
  {
    id: 'field-codes',
    title: 'Show or hide field codes',
    note: 'names of Triton, perf_analyzer and run.yaml beside labels',
    run: attempting(() => {
      const settings = workbench.settings.getState();
      return settings.set(
        'window.fieldCodes',
        settingsOf(settings)['window.fieldCodes'] === 'on' ? 'off' : 'on',
      );
    }),
  },
  {
    id: 'theme',
    title: 'Change theme',
    note: `light, dark or system colors; now ${themeText[choice]}`,
    shortcut: 'Ctrl+Shift+L',
    run: next,
  },
];

const draftCommands = ({ draft, overlay }: Workbench): readonly Action[] => [
  {
    id: 'search-draft',
    title: 'Find the best configuration',
    note: 'for this draft: the highest load within a latency target',
    run: attempting(async () => {
      overlay.getState().search({ choice: await settledChoice(draft) });
    }),
  },
];

function helpCommands(workbench: Workbench): readonly Action[] {
  const { client, overlay, help } = workbench;
  const shown = (id: string, page: OverlayPage, title: string, more: Partial<Action> = {}): Action => ({
    id,
    title,
    ...more,
    run: () => overlay.getState().show(page),
  });
  return [
    shown('shortcuts', 'shortcuts', 'Show all shortcuts', { shortcut: '?' }),
    {
      id: 'documentation',
      title: 'Documentation',
      note: 'help, guide, search, article of this page',
      shortcut: 'F1',
      run: () => help.getState().open(pageArticle(workbench)),
    },
    {
      id: 'changelog',
      title: 'Changelog',
      note: 'help, release notes',
      run: () => help.getState().open(changelog),
    },
    shown('whats-new', 'whats-new', 'What’s new', { note: 'help, changes of this version' }),
    shown('licenses', 'licenses', 'Licenses', { note: 'help, software in this package' }),
    shown('report-problem', 'report', 'Report a problem…', { note: 'help, text without secrets to copy' }),
    {
      id: 'open-logs',
      title: 'Open logs folder',
      note: 'help, log of the application',
      run: attempting(() => client.call('desktop.openFolder', { folder: 'logs' })),
    },
    {
      id: 'check-for-updates',
      title: 'Check for updates…',
      note: 'help, newer version from the update feed',
      run: attempting(() => client.call('desktop.checkForUpdates')),
    },
    shown('about', 'about', 'About Triton Workbench', { note: 'help, version and license' }),
  ];
}

function settingCommands({ route, settings }: Workbench): readonly Action[] {
  const open = (sought: SoughtSetting) => (): void => {
    settings.getState().seek(sought);
    route.getState().go({ page: 'settings' });
  };
  return [
    ...settingKeys.map((key): Action => {
      const { title, group, choices = {} } = definitionOf(key);
      return {
        id: `setting ${key}`,
        title: `Setting: ${title}`,
        note: [group, ...Object.values(choices)].join(', '),
        run: open(key),
      };
    }),
    { id: 'setting home', title: 'Setting: Workbench home', note: 'move, sizes', run: open('home') },
    {
      id: 'clean-up',
      title: 'Clean up…',
      note: 'free disk space, delete cache, trash, runs and images',
      run: open('clean-up'),
    },
  ];
}

function pages({ route, compared }: Workbench): readonly Command[] {
  const to = (page: Exclude<Route['page'], 'run'>, title: string, shortcut: string, note = ''): Command => ({
    id: `page ${page}`,
    title,
    group: 'Pages',
    shortcut,
    ...(note === '' ? {} : { note }),
    run: () => route.getState().go(routeTo(page, compared.getState().runIds)),
  });
  return [
    to('runs', 'Runs', 'Ctrl+1'),
    to('new', 'New deployment', 'Ctrl+N'),
    to('studies', 'Studies', 'Ctrl+8', 'several runs: matrices'),
    to('deployments', 'Deployments', 'Ctrl+2'),
    to('monitor', 'Monitor', 'Ctrl+3'),
    to('containers', 'Containers', 'Ctrl+4', 'Docker containers and images'),
    to('compare', 'Compare', 'Ctrl+5'),
    to('environment', 'Environment', 'Ctrl+6', 'tools, Docker, GPUs, checks'),
    to('hosts', 'Hosts', 'Ctrl+7', 'other machines with Docker and GPUs'),
    to('settings', 'Settings', 'Ctrl+,'),
  ];
}

const runsByName = (
  { route }: Workbench,
  runs: readonly RunSummary[],
  presets: readonly Preset[],
): readonly Command[] =>
  runs.map((run) => ({
    id: `run ${run.runId}`,
    title: runTitle(run, presets),
    note: [runStatusText[run.status], formatWhen(run.createdAt), ...run.tags].join(' · '),
    group: 'Runs',
    run: () => route.getState().go({ page: 'run', runId: run.runId }),
  }));

export function useCommands(): readonly Command[] {
  const workbench = useWorkbench();
  const shown = useStore(workbench.route, (state) => state.route);
  const list = useStore(workbench.runs, (state) => state.value);
  const openRunId = useStore(workbench.run, (one) => one.state?.runId);
  const reports = useStore(workbench.run, (one) => one.state?.reports ?? none);
  const known = useStore(workbench.presets, (state) => state.value);
  const comparedCount = useStore(workbench.compared, ({ runIds }) => runIds.length);
  const saved = useStore(workbench.comparisons, (state) => state.value);
  const { choice, next } = useThemeChoice();
  return useMemo(() => {
    const open = shown.page === 'run' ? list?.find((run) => run.runId === shown.runId) : undefined;
    const toDo = [
      ...(open === undefined ? [] : runCommands(workbench, open, openRunId === open.runId ? reports : none)),
      ...(shown.page === 'compare' && comparedCount > 1 ? compareCommands(workbench) : []),
      ...(shown.page === 'new' && shown.draft === true ? draftCommands(workbench) : []),
      ...actions(workbench, { choice, next }),
      ...savedCommands(workbench, saved ?? []),
      ...helpCommands(workbench),
      ...settingCommands(workbench),
    ];
    return [
      ...toDo.map((action) => ({ ...action, group: 'Actions' }) as const),
      ...pages(workbench),
      ...runsByName(workbench, list ?? [], known ?? []),
    ];
  }, [workbench, shown, list, openRunId, reports, known, comparedCount, saved, choice, next]);
}
