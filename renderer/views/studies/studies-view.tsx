import { IconArrowUp, IconFileImport, IconHourglass, IconStack2 } from '@tabler/icons-react';
import { useEffect, useRef, useState } from 'react';
import { useStore } from 'zustand';
import type { StudySpec, StudySummary } from '../../../main/contract/study/study';
import { SmallButton } from '../../components/actions';
import { ErrorPanel } from '../../components/error-panel';
import { PageLink, useWayTo } from '../../components/links';
import { Loading } from '../../components/loading';
import { attempting } from '../../components/notices';
import { Page } from '../../components/page';
import { Status } from '../../components/status-text';
import { ScrollTable, TableHead } from '../../components/table';
import { useCurrentInSight } from '../../components/use/use-current-in-sight';
import { usePoll } from '../../components/use/use-time';
import { formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { StartDialog } from './start-study';
import { StudyPanel } from './study-panel';
import { studyStyle } from './study-state';

/** As high as leaves room for the study that is shown, whose row stays in sight. */
function StudyTable(props: { list: readonly StudySummary[]; shown: StudySummary | undefined }) {
  const wayTo = useWayTo();
  const place = useRef<HTMLDivElement>(null);
  const { list, shown } = props;
  useCurrentInSight(place, shown === undefined ? '' : `${shown.name} ${list.indexOf(shown)}`);
  return (
    <ScrollTable label="Studies" place={place} className="panel-table row-table fixed-table studies-table">
      <TableHead
        headings={[
          { title: 'Study', width: 220 },
          { title: 'State', width: 120 },
          'Result',
          { title: 'Updated', width: 130 },
        ]}
      />
      <tbody>
        {list.map((study) => (
          <tr
            key={study.name}
            data-study={study.name}
            className={study === shown ? 'selected' : undefined}
            onClick={wayTo({ page: 'studies', name: study.name })}
          >
            <td>
              <PageLink
                to={{ page: 'studies', name: study.name }}
                aria-current={study === shown ? 'true' : undefined}
              >
                {study.name}
              </PageLink>
            </td>
            <td>
              <Status {...studyStyle(study)} />
            </td>
            <td title={study.sentence}>{study.sentence}</td>
            <td>{formatWhen(study.updatedAt)}</td>
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

/** The studies that begin here, and what others are made from. */
function StartButtons({ onChoose }: { onChoose: () => void }) {
  const { overlay } = useWorkbench();
  return (
    <>
      <SmallButton
        icon={IconHourglass}
        title="Sends the same load for hours, to see which process grows and how fast"
        onClick={() => overlay.getState().soak({})}
      >
        Start a soak…
      </SmallButton>
      <SmallButton
        icon={IconArrowUp}
        title="Compares the same files in another serving environment, before you move"
        onClick={() => overlay.getState().tryRelease({})}
      >
        Try another release…
      </SmallButton>
      <SmallButton
        icon={IconStack2}
        title="The best configurations of models that share one machine"
        onClick={() => overlay.getState().searchTogether([])}
      >
        Search several models…
      </SmallButton>
      <SmallButton
        icon={IconFileImport}
        variant="filled"
        title="A matrix file, or a runner configuration with all its configurations"
        onClick={onChoose}
      >
        Start from a file…
      </SmallButton>
    </>
  );
}

export function StudiesView({ name }: { name: string | undefined }) {
  const { client, studies, runs, route } = useWorkbench();
  const { value, error, load } = useStore(studies);
  const [spec, setSpec] = useState<StudySpec | null>(null);
  const list = value ?? [];
  usePoll(
    load,
    list.some(({ state }) => state === 'running'),
    5000,
  );
  // Another process begins a study by creating runs, which the list of runs follows.
  const runList = useStore(runs, (state) => state.value);
  useEffect(() => void load(), [load, runList]);
  const shown = name === undefined ? list[0] : list.find((study) => study.name === name);
  const choose = attempting(async () => {
    const file = await client.call('desktop.openText');
    if (file !== null) setSpec(await client.call('studies.read', file));
  });
  const startButtons = <StartButtons onChoose={choose} />;
  return (
    <Page title="Studies" actions={list.length === 0 ? null : startButtons}>
      <StartDialog spec={spec} onClose={() => setSpec(null)} />
      {error === null ? null : <ErrorPanel error={error} />}
      {value === null && error === null ? <Loading label="Reading the studies" /> : null}
      {value?.length === 0 ? (
        <div className="empty tall">
          <h2>No studies yet</h2>
          <p>
            A study is several runs that are started, paused and reported together. Start one from a matrix
            file or a runner configuration, vary fields of a new deployment or of a run, search for the best
            configurations of several models, keep one under load for hours to see whether its memory grows,
            or try the next release before a model moves to it.
          </p>
          <div className="row">{startButtons}</div>
        </div>
      ) : null}
      {list.length === 0 ? null : (
        <div className="stack">
          <StudyTable list={list} shown={shown} />
          {shown === undefined ? (
            <p role="status">There is no study {name}. If it was removed, its runs are on the page Runs.</p>
          ) : (
            <StudyPanel
              key={shown.name}
              summary={shown}
              onRemoved={() => {
                route.getState().go({ page: 'studies' });
                void load();
              }}
            />
          )}
        </div>
      )}
    </Page>
  );
}
