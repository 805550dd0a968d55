import { Button, TextInput } from '@mantine/core';
import { IconPlayerPlay, IconPlus, IconSearch } from '@tabler/icons-react';
import { useState } from 'react';
import { useStore } from 'zustand';
import { ErrorPanel } from '../components/error-panel';
import { Loading } from '../components/loading';
import { attempt } from '../components/notices';
import { Page } from '../components/page';
import { formatCount } from '../format/numbers';
import { useWorkbench } from '../workbench';
import { filterRuns } from './filter-runs';
import { RunsTable } from './runs-table';

function EmptyRuns() {
  const { client, route } = useWorkbench();
  const [starting, setStarting] = useState(false);
  const start = async (): Promise<void> => {
    setStarting(true);
    try {
      const spec = await client.call('presets.resolve', { preset: 'resnet50', overrides: {} });
      const { runId } = await client.call('runs.start', { spec });
      route.getState().go({ page: 'run', runId });
    } finally {
      setStarting(false);
    }
  };
  return (
    <div className="empty tall">
      <h2>No runs yet</h2>
      <p>
        The demo trains a small ResNet50 for some seconds, exports it, serves it on a real Triton Inference
        Server on this machine, checks its accuracy, measures latency and throughput, and writes the report.
        It takes a few minutes.
      </p>
      <Button
        leftSection={<IconPlayerPlay size={16} aria-hidden="true" />}
        loading={starting}
        onClick={() => {
          attempt(start);
        }}
      >
        Start the ResNet50 demo
      </Button>
    </div>
  );
}

/** All runs, newest first. */
export function RunsView() {
  const { runs, route } = useWorkbench();
  const { value, error } = useStore(runs);
  const [search, setSearch] = useState('');
  const shown = filterRuns(value ?? [], search);
  return (
    <Page
      title="Runs"
      after={value === null ? null : <span className="dim">{formatCount(value.length)}</span>}
      actions={
        <>
          {value === null || value.length === 0 ? null : (
            <TextInput
              size="xs"
              w={260}
              aria-label="Filter runs"
              placeholder="Filter by model, format, state …"
              leftSection={<IconSearch size={14} aria-hidden="true" />}
              value={search}
              onChange={(event) => {
                setSearch(event.currentTarget.value);
              }}
            />
          )}
          <Button
            size="xs"
            leftSection={<IconPlus size={14} aria-hidden="true" />}
            onClick={() => {
              route.getState().go({ page: 'new' });
            }}
          >
            New deployment
          </Button>
        </>
      }
    >
      <div className="stack">
        {error === null ? null : <ErrorPanel error={error} />}
        {value === null && error === null ? <Loading label="Reading the runs" /> : null}
        {value?.length === 0 ? <EmptyRuns /> : null}
        {value !== null && value.length > 0 ? <RunsTable runs={shown} /> : null}
        {value !== null && value.length > 0 && shown.length === 0 ? (
          <p className="dim">No run fits “{search}”.</p>
        ) : null}
      </div>
    </Page>
  );
}
