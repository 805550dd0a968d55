import { SegmentedControl } from '@mantine/core';
import { IconCircleCheck, IconLoader2 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { DockerState } from '../../../main/contract/docker';
import { remedyOf } from '../../../main/contract/remedy';
import { Answer } from '../../components/answer';
import { Remedy } from '../../components/copy-button';
import { ErrorPanel } from '../../components/error-panel';
import { PageLink } from '../../components/links';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { Status, type Tone } from '../../components/status-text';
import { usePoll } from '../../components/use/use-time';
import { formatClock } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { imagesText } from '../images/image-text';
import { ImagesSection } from '../images/images-section';
import { ContainerTable } from './container-table';
import { containersText, sortContainers } from './container-text';
import { LogPanel } from './log-panel';

function NoContainers({ connected }: { connected: boolean }) {
  return (
    <div className="empty">
      <h2>{connected ? 'No containers' : 'No containers known'}</h2>
      <p>
        With the Docker engine, a deployment runs Triton and every long client step in its own container.
        Containers appear here while they run, with ports, load and log. Containers of other programs are
        never listed or touched.
      </p>
      <PageLink to={{ page: 'new' }}>New deployment</PageLink>
    </div>
  );
}

function ContainersSection({ state }: { state: DockerState }) {
  const { containerLog, containerStats } = useWorkbench();
  const shownId = useStore(containerLog, (log) => log.id);
  const { containers } = state;
  const connected = state.connection === 'connected';
  const first = sortContainers(containers)[0];

  usePoll(
    containerStats.getState().load,
    connected && containers.some((container) => container.state === 'running'),
  );
  useEffect(() => {
    if (shownId === null && first !== undefined && connected) containerLog.getState().open(first);
  }, [containerLog, shownId, first, connected]);
  useEffect(() => () => containerLog.getState().close(), [containerLog]);

  if (containers.length === 0 && shownId === null) return <NoContainers connected={connected} />;
  return (
    <div className="containers">
      <div className="containers-list" role="region" aria-label="List of containers" tabIndex={0}>
        {containers.length === 0 ? (
          <NoContainers connected={connected} />
        ) : (
          <ContainerTable containers={containers} connected={connected} />
        )}
      </div>
      {shownId === null ? null : (
        <LogPanel container={containers.find((container) => container.id === shownId) ?? null} />
      )}
    </div>
  );
}

const tabs = ['Containers', 'Images'] as const;
type Tab = (typeof tabs)[number];

const connectedStyle = { icon: IconCircleCheck, tone: 'good', text: 'Connected' } as const;
const connectingStyle = { icon: IconLoader2, tone: 'info', text: 'Connecting' } as const;

/** What the page says of the tab that is shown. */
function useAnswer(state: DockerState, tab: Tab): { readonly text: string; readonly tone: Tone } {
  const { images } = useWorkbench();
  const known = useStore(images, ({ value }) => value);
  if (state.connection !== 'connected') return { text: 'Connecting to Docker', tone: 'info' };
  if (tab === 'Containers') return containersText(state.containers);
  return known === null ? { text: 'Reading the images', tone: 'info' } : imagesText(known);
}

function ConnectionBanner({ state, tab }: { state: DockerState; tab: Tab }) {
  const answer = useAnswer(state, tab);
  const { connection, host, error, listedAt } = state;
  const listed = listedAt === null ? '' : ` · last updated ${formatClock(listedAt)}`;
  if (error !== null) {
    return (
      <div data-connection={connection}>
        <ErrorPanel error={error} withRemedy={false}>
          <Remedy text={remedyOf(error)} />
          <p className="dim" role="status">
            {connection === 'connecting' ? 'Reconnecting' : 'Retrying automatically'} · {host}
            {listed}
          </p>
        </ErrorPanel>
      </div>
    );
  }
  const connected = connection === 'connected';
  return (
    <div data-connection={connection}>
      <Answer
        {...answer}
        notes={
          <p className="row dim">
            <Status {...(connected ? connectedStyle : connectingStyle)} />
            <span className="mono">{host}</span>
            {connected ? (
              <span title={listedAt === null ? undefined : `Last change ${formatClock(listedAt)}`}>
                · updated live
              </span>
            ) : (
              <span>{listed}</span>
            )}
          </p>
        }
      />
    </div>
  );
}

export function ContainersView() {
  const { docker } = useWorkbench();
  const { state, error } = useStore(docker);
  const [tab, setTab] = useState<Tab>('Containers');
  return (
    <Page
      title="Containers"
      bare
      after={
        <SegmentedControl
          size="xs"
          aria-label="View"
          data={[...tabs]}
          value={tab}
          onChange={(next) => setTab(next)}
        />
      }
    >
      <div className="column containers-page">
        <div className="containers-banner">
          {error === null ? null : <ErrorPanel error={error} />}
          {state === null ? (
            error === null ? (
              <Loading label="Contacting Docker" />
            ) : null
          ) : (
            <ConnectionBanner state={state} tab={tab} />
          )}
        </div>
        {state === null ? null : tab === 'Containers' ? (
          <ContainersSection state={state} />
        ) : (
          <ImagesSection state={state} />
        )}
      </div>
    </Page>
  );
}
