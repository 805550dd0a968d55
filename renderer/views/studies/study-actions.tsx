import {
  type Icon,
  IconArrowsLeftRight,
  IconChevronDown,
  IconDownload,
  IconPlayerPause,
  IconPlayerPlay,
  IconPlayerStop,
  IconTrash,
} from '@tabler/icons-react';
import { useState } from 'react';
import { formatBytes } from '../../../main/contract/numbers';
import type { StudyDetail, StudySize } from '../../../main/contract/study/study';
import { noticeSaved } from '../../components/action-message';
import { ActionMenu, CompactButton, MenuAction, TextAction } from '../../components/actions';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { attempt, attempting } from '../../components/notices';
import { useReportDialog } from '../../components/report/use-report-dialog';
import { counted } from '../../format/words';
import { mostCompared } from '../../stores/compared-runs';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

type Kind = 'pdf' | 'html' | 'csv' | 'json' | 'markdown';
type Offered = readonly (readonly [kind: Kind, text: string])[];
const kinds: Offered = [
  ['pdf', 'PDF report'],
  ['html', 'HTML report'],
  ['csv', 'CSV, one row each'],
  ['json', 'JSON'],
];
const searchKinds: Offered = [...kinds, ['markdown', 'Markdown']];

interface Asked {
  readonly withRuns: boolean;
  readonly size: StudySize;
}

/** It measures by itself, and has no runs of its own to compare. */
const isSearch = ({ search, joint, soak, upgrade }: StudyDetail): boolean =>
  search !== null || joint !== null || soak !== undefined || upgrade !== undefined;

const removeQuestion = (study: StudyDetail, { withRuns, size }: Asked): string => {
  const { runIds, runBytes } = size;
  const runs = `${counted(runIds.length, 'run')} (${formatBytes(runBytes)})`;
  const what = `Remove ${study.name} with its reports?`;
  return !isSearch(study)
    ? `${what} Its ${runs} ${withRuns ? 'go to the trash' : 'stay in the list'}.`
    : what;
};

function StudyWork({ study }: { study: StudyDetail }) {
  const { client, studies } = useWorkbench();
  const [busy, working] = useWork();
  const { name, state, isKept } = study;
  if (state === 'done' || state === 'damaged' || state === 'newer') return null;
  const button = (
    what: 'pause' | 'cancel' | 'resume',
    text: string,
    icon: Icon,
    why: string | null = null,
  ) => (
    <TextAction
      icon={icon}
      text={text}
      why={why}
      busy={busy}
      label={`${text} ${name}`}
      onClick={working(async () => {
        await client.call(`studies.${what}`, { name });
        await studies.getState().load();
      })}
    />
  );
  if (state !== 'running') {
    const why = isKept ? null : 'Of an earlier version: continue it with "run --matrix FILE --resume"';
    return button('resume', 'Resume', IconPlayerPlay, why);
  }
  return (
    <>
      {button('pause', 'Pause', IconPlayerPause)}
      {button('cancel', 'Cancel', IconPlayerStop)}
    </>
  );
}

const chevron = <IconChevronDown size={14} aria-hidden="true" />;

function ExportMenu({ name, kinds: offered }: { name: string; kinds: Offered }) {
  const { client } = useWorkbench();
  const save = async (kind: Kind): Promise<void> => {
    noticeSaved(client, await client.call('desktop.saveStudy', { name, kind }));
  };
  const report = useReportDialog({ kind: 'study', name }, () => save('pdf'));
  return (
    <>
      {report.dialog}
      <ActionMenu button={<CompactButton rightSection={chevron}>Export</CompactButton>}>
        {offered.map(([kind, text]) => (
          <MenuAction key={kind} icon={IconDownload} onClick={attempting(() => save(kind))}>
            {text}
          </MenuAction>
        ))}
        {report.item}
      </ActionMenu>
    </>
  );
}

export function StudyActions({ study, onRemoved }: { study: StudyDetail; onRemoved: () => void }) {
  const { client, route } = useWorkbench();
  const [asked, setAsked] = useState<Asked | null>(null);
  const { name, state, rows } = study;
  const searched = isSearch(study);
  const ask = (withRuns: boolean) =>
    attempting(async () => {
      setAsked({ withRuns, size: await client.call('studies.size', { name }) });
    });
  if (asked !== null) {
    const { withRuns } = asked;
    return (
      <ConfirmInPlace
        question={removeQuestion(study, asked)}
        action={withRuns ? 'Remove with runs' : 'Remove'}
        onConfirm={() => {
          setAsked(null);
          attempt(async () => {
            await client.call('studies.remove', { name, withRuns });
            onRemoved();
          });
        }}
        onCancel={() => setAsked(null)}
      />
    );
  }
  const measured = rows.flatMap(({ runId, offline, online }) =>
    runId !== null && (offline ?? online) !== null ? [runId] : [],
  );
  return (
    <span className="row-actions end">
      <StudyWork study={study} />
      {!searched ? (
        <TextAction
          icon={IconArrowsLeftRight}
          text="Compare"
          label={`Compare the first ${Math.min(mostCompared, measured.length)} measured runs of ${name}`}
          why={measured.length < 2 ? 'Fewer than two of its runs have measured anything' : null}
          onClick={() => route.getState().go({ page: 'compare', runIds: measured.slice(0, mostCompared) })}
        />
      ) : null}
      <ExportMenu name={name} kinds={searched ? searchKinds : kinds} />
      {!searched ? (
        <ActionMenu
          button={
            <CompactButton icon={IconTrash} rightSection={chevron} disabled={state === 'running'}>
              Remove
            </CompactButton>
          }
        >
          <MenuAction onClick={ask(false)}>Study only; its runs stay…</MenuAction>
          <MenuAction onClick={ask(true)}>Study and its runs…</MenuAction>
        </ActionMenu>
      ) : (
        <CompactButton icon={IconTrash} disabled={state === 'running'} onClick={ask(false)}>
          Remove…
        </CompactButton>
      )}
    </span>
  );
}
