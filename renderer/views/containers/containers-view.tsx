import { SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../../components/error-panel';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { useWorkbench } from '../../workbench';
import { ImagesSection } from '../images/images-section';
import { ConnectionBanner } from './connection-banner';
import { ContainersSection } from './containers-section';

const tabs = ['Containers', 'Images'] as const;
type Tab = (typeof tabs)[number];

/** Triton and client containers of this workbench, and the images that they are made of. */
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
          onChange={(next) => {
            setTab(next);
          }}
        />
      }
    >
      <div className="containers-page">
        <div className="containers-banner">
          {error === null ? null : <ErrorPanel error={error} />}
          {state === null ? (
            error === null ? (
              <Loading label="Contacting Docker" />
            ) : null
          ) : (
            <ConnectionBanner state={state} />
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
