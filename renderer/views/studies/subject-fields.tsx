import { Select } from '@mantine/core';
import { useEffect } from 'react';
import { useStore } from 'zustand';
import type { RunSummary } from '../../../main/contract/api';
import type { DeploymentInfo } from '../../../main/contract/deployment/deployment';
import { runTitle } from '../../format/run-title';
import { formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { isSearchable } from './joint/joint-request';

/** @param props.runId empty: none is chosen */
export function RunField({ runId, onChange }: { runId: string; onChange: (run: RunSummary | null) => void }) {
  const { runs, presets } = useWorkbench();
  const list = useStore(runs, ({ value }) => value) ?? [];
  const known = useStore(presets, ({ value }) => value) ?? [];
  const offered = list.filter((run) => isSearchable(run) || run.runId === runId);
  return (
    <Select
      label="Run"
      description={offered.length === 0 ? 'Finish a run with a verified model first.' : null}
      searchable
      placeholder="Choose a finished run"
      data={offered.map((run) => ({
        value: run.runId,
        label: `${runTitle(run, known)}, ${formatWhen(run.createdAt)}`,
      }))}
      value={runId === '' ? null : runId}
      onChange={(chosen) => onChange(offered.find((run) => run.runId === chosen) ?? null)}
    />
  );
}

/** null: not known yet. */
export function useDeployments(): readonly DeploymentInfo[] | null {
  const { deployments } = useWorkbench();
  const { value, load } = useStore(deployments);
  useEffect(() => void load(), [load]);
  return value;
}

/** @param props.deployment empty: none is chosen */
export function DeploymentField(props: {
  list: readonly DeploymentInfo[] | null;
  deployment: string;
  onChange: (deployment: string) => void;
}) {
  const { list, deployment, onChange } = props;
  return (
    <Select
      label="Deployment"
      flex={1}
      description={list?.length === 0 ? 'Nothing is deployed yet.' : null}
      searchable
      placeholder="Choose a deployment"
      data={(list ?? []).map(({ id }) => id)}
      value={deployment === '' ? null : deployment}
      onChange={(chosen) => onChange(chosen ?? '')}
    />
  );
}
