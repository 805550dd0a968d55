import {
  IconAdjustments,
  IconArrowUp,
  IconChevronDown,
  IconCopy,
  IconDots,
  IconDownload,
  IconExternalLink,
  IconFileTypePdf,
  IconFolder,
  IconGauge,
  IconHourglass,
  IconLayoutGrid,
  IconPackageExport,
  IconPencil,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconTargetArrow,
} from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { ReportFile } from '../../../main/contract/run/run-events';
import { isDeployed, serverLoadOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import { scenarioOfLevels, type ServerLoad } from '../../../main/contract/run/server-load';
import { budgetMsOf } from '../../../main/domain/measured/points';
import { noticeSaved } from '../../components/action-message';
import { ActionMenu, BareIcon, IconAction, MenuAction, SmallButton } from '../../components/actions';
import { attempt, attempting, noticeDone } from '../../components/notices';
import { useReportDialog } from '../../components/report/use-report-dialog';
import { doRunWork, hasFailed, type RunWork, worksFor } from '../../stores/run-work';
import { useWorkbench } from '../../workbench';
import { changeRun, isChangeable, runAgain } from '../runs/run-tools';
import { isDeployable, isServable, isUnchecked, KeepServing } from './keep-serving';
import { remediesOf } from './remedies';

const buttons = {
  pause: { icon: IconPlayerPause, label: 'Pause' },
  cancel: { icon: IconPlayerStop, label: 'Cancel run' },
  resume: { icon: IconPlayerPlay, label: 'Resume' },
} as const;

const soakLabel = 'Soak: the same load for hours, to see whether memory grows';

const isAsked = (work: RunWork, stopping: 'pause' | 'cancel' | undefined): boolean =>
  stopping === 'cancel' || (stopping === 'pause' && work === 'pause');

export function WorkButtons({ state }: { state: RunState }) {
  const { client, run } = useWorkbench();
  const [busy, setBusy] = useState<RunWork | null>(null);
  const { runId, status } = state;
  const stopping = useStore(run, (open) => open.stopping[runId]);
  const act = (work: RunWork): void => {
    setBusy(work);
    attempt(async () => {
      try {
        await doRunWork(client, runId, work);
        if (work === 'pause') noticeDone('Pausing', 'The run stops after the current level or step.');
        if (work === 'resume') await run.getState().open(runId);
      } finally {
        setBusy(null);
      }
    });
  };
  if (hasFailed(status)) return null;
  // A run from elsewhere is trusted first, by the button of its notice.
  const works = worksFor(status).filter((work) => work !== 'resume' || state.origin !== 'foreign');
  return works.map((work) => {
    const { icon: WorkIcon, label } = buttons[work];
    return (
      <SmallButton
        icon={WorkIcon}
        key={work}
        variant={work === 'resume' ? 'filled' : 'default'}
        loading={busy === work}
        disabled={status === 'running' && isAsked(work, stopping)}
        onClick={() => act(work)}
      >
        {label}
      </SmallButton>
    );
  });
}

const exportText: Readonly<Record<Exclude<ReportFile['kind'], 'pdf'>, string>> = {
  'csv-offline': 'CSV, offline levels',
  'csv-online': 'CSV, online levels',
  'csv-accuracy': 'CSV, accuracy',
  'csv-slices': 'CSV, time slices',
  'csv-cold-start': 'CSV, cold start',
  'csv-traces': 'CSV, slow requests',
  html: 'HTML report',
  markdown: 'Markdown report',
  json: 'JSON',
};

/** The dialogs have one model on one machine, and no rates. */
function fitsDialog({ addresses, models, levels }: ServerLoad): boolean {
  const { http, grpc } = addresses;
  const hostOf = (address: string): string => address.slice(0, address.lastIndexOf(':'));
  return (
    models.length === 1 &&
    hostOf(http) === hostOf(grpc) &&
    levels.every(({ requestRate }) => requestRate === undefined)
  );
}

function addressOf({ addresses, models }: ServerLoad) {
  const { http, grpc, httpTls } = addresses;
  const port = grpc.slice(grpc.lastIndexOf(':') + 1);
  return {
    url: `${httpTls === null ? 'http' : 'https'}://${http}?grpcPort=${port}`,
    caFile: httpTls?.caFile ?? '',
    model: models[0]?.name ?? '',
  };
}

/** What is done with a run now and then, in words. */
function MoreActions({ state }: { state: RunState }) {
  const workbench = useWorkbench();
  const { client, overlay } = workbench;
  const { runId } = state;
  return (
    <ActionMenu button={<BareIcon icon={IconDots} size={16} label="More actions" />}>
      {isDeployed(state) ? (
        <MenuAction
          icon={IconLayoutGrid}
          onClick={attempting(async () => {
            overlay.getState().vary(await client.call('spec.choice', { spec: state.source.spec }));
          })}
        >
          Vary two fields…
        </MenuAction>
      ) : null}
      {isDeployable(state) || isUnchecked(state) ? (
        <>
          <MenuAction icon={IconHourglass} onClick={() => overlay.getState().soak({ runId })}>
            Soak for hours…
          </MenuAction>
          <MenuAction icon={IconArrowUp} onClick={() => overlay.getState().tryRelease({ runId })}>
            Try another release…
          </MenuAction>
        </>
      ) : null}
      <MenuAction icon={IconPencil} onClick={() => overlay.getState().rename(runId)}>
        Rename…
      </MenuAction>
    </ActionMenu>
  );
}

/** Again on the same running Triton: measured, or soaked. */
function OnServerAgain({ load, budgetMs }: { load: ServerLoad; budgetMs: number | null }) {
  const { overlay } = useWorkbench();
  const { host, levels, protocol, settings } = load;
  const fits = fitsDialog(load);
  const listed = (of: 'batchSize' | 'concurrency') => [...new Set(levels.map((level) => level[of]))];
  const { generation } = settings;
  const asked = generation === undefined ? { batchSizes: listed('batchSize'), protocol } : { generation };
  return (
    <>
      <IconAction
        icon={IconGauge}
        label="Measure again"
        why={fits ? null : 'Measure it again with perf on the command line'}
        onClick={() =>
          overlay.getState().measure({
            ...addressOf(load),
            host: host ?? '',
            fields: { performance: { ...asked, concurrency: listed('concurrency') } },
            ...(budgetMs === null ? {} : { p99BudgetMs: budgetMs }),
          })
        }
      />
      <IconAction
        icon={IconHourglass}
        label={soakLabel}
        why={fits && host === undefined ? null : 'Soak it with soak --url on the command line'}
        onClick={() => overlay.getState().soak(addressOf(load))}
      />
    </>
  );
}

function kindsOf(state: RunState): readonly ReportFile['kind'][] {
  const { reports, status, scenarios } = state;
  const load = serverLoadOf(state);
  if (load === null || reports.length > 0) return reports.map(({ kind }) => kind);
  const scenario = scenarioOfLevels(load.levels);
  if (status === 'running' || scenarios[scenario].points.length === 0) return [];
  return ['pdf', 'html', 'markdown', 'json', `csv-${scenario}`];
}

function BundleItem({ state }: { state: RunState }) {
  const { client } = useWorkbench();
  const { runId } = state;
  const unchecked = isUnchecked(state);
  return (
    <MenuAction
      icon={IconPackageExport}
      onClick={attempting(async () => {
        const title = 'Empty folder for the deployment bundle';
        const chosen = await client.call('desktop.choosePath', { kind: 'folder', title });
        if (chosen === null) return;
        const { path } = await client.call('runs.bundle', {
          ...{ runId, out: chosen.path },
          ...(unchecked ? { allowUnverified: true } : {}),
        });
        noticeDone('Bundle written', path);
      })}
    >
      {unchecked ? 'Deployment bundle, accuracy not checked…' : 'Deployment bundle…'}
    </MenuAction>
  );
}

function ExportMenu({
  state,
  onSave,
}: {
  state: RunState;
  onSave: (kind: ReportFile['kind']) => Promise<void>;
}) {
  const { client } = useWorkbench();
  const { runId } = state;
  const written = (kind: ReportFile['kind']): boolean => kindsOf(state).includes(kind);
  const kinds = Object.entries(exportText) as [keyof typeof exportText, string][];
  const report = useReportDialog({ kind: 'run', runId }, () => onSave('pdf'));
  return (
    <>
      {report.dialog}
      <ActionMenu
        button={
          <SmallButton rightSection={<IconChevronDown size={14} aria-hidden="true" />}>Export</SmallButton>
        }
      >
        {kinds
          .filter(([kind]) => written(kind))
          .map(([kind, text]) => (
            <MenuAction key={kind} icon={IconDownload} onClick={attempting(() => onSave(kind))}>
              {text}
            </MenuAction>
          ))}
        {written('html') ? (
          <>
            <MenuAction
              icon={IconExternalLink}
              onClick={attempting(() => client.call('desktop.openReport', { runId, kind: 'html' }))}
            >
              Open report
            </MenuAction>
            {report.item}
          </>
        ) : null}
        {isDeployable(state) || isUnchecked(state) ? <BundleItem state={state} /> : null}
        <MenuAction
          icon={IconFolder}
          onClick={attempting(() => client.call('desktop.showRunFolder', { runId }))}
        >
          Show run folder
        </MenuAction>
      </ActionMenu>
    </>
  );
}

const isOfferedByError = (state: RunState): boolean =>
  hasFailed(state.status) && state.error !== null && remediesOf(state.error, state).includes('edit');

export function RunActions({ state }: { state: RunState }) {
  const workbench = useWorkbench();
  const { client } = workbench;
  const { runId, status } = state;
  const load = serverLoadOf(state);
  const save = async (kind: ReportFile['kind']): Promise<void> => {
    noticeSaved(client, await client.call('desktop.saveReport', { runId, kind }));
  };
  return (
    <>
      <WorkButtons state={state} />
      {isChangeable(state) && !isOfferedByError(state) ? (
        <SmallButton
          icon={IconAdjustments}
          title="Opens the wizard with the settings of this run; only what depends on your changes is done again"
          onClick={attempting(() => changeRun(workbench, runId))}
        >
          Change and continue…
        </SmallButton>
      ) : null}
      {isDeployed(state) && status !== 'running' ? (
        <IconAction
          icon={IconCopy}
          label="Run again with changes"
          onClick={attempting(() => runAgain(workbench, runId))}
        />
      ) : null}
      {isDeployable(state) || isUnchecked(state) ? (
        <IconAction
          icon={IconTargetArrow}
          label="Find the best configuration"
          onClick={() => workbench.overlay.getState().search({ runId })}
        />
      ) : null}
      {load === null || status === 'running' ? null : (
        <OnServerAgain load={load} budgetMs={budgetMsOf(state)} />
      )}
      <MoreActions state={state} />
      {kindsOf(state).includes('pdf') ? (
        <SmallButton
          icon={IconFileTypePdf}
          variant={status === 'done' ? 'filled' : 'default'}
          onClick={attempting(() => save('pdf'))}
        >
          Export PDF
        </SmallButton>
      ) : null}
      {isServable(state) ? <KeepServing state={state} /> : null}
      <ExportMenu state={state} onSave={save} />
    </>
  );
}
