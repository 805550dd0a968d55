import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { RunState } from '../../../main/contract/run/run-state';
import { useWorkbench } from '../../workbench';

export interface FoundServer {
  readonly name: string;
  readonly url: string;
  /** '' where it is not known. */
  readonly metricsUrl: string;
  readonly host?: string | undefined;
}

/** Where the Triton of a run listens, as its step says once it has started the server. Pure. */
function serverOfRun(run: RunState): FoundServer | null {
  const facts = run.steps.find((step) => step.id === 'deploy')?.facts ?? [];
  const valueOf = (name: string) => facts.find((fact) => fact.name === name)?.value;
  const http = valueOf('HTTP');
  if (http === undefined) return null;
  const metrics = valueOf('Metrics');
  return {
    name: `run of ${run.spec.model.preset}`,
    url: `http://${http}`,
    metricsUrl: metrics === undefined ? '' : `http://${metrics}/metrics`,
  };
}

/** The Tritons of the runs under way. */
export function useRunServers(): readonly FoundServer[] {
  const { client, runs } = useWorkbench();
  const list = useStore(runs, (state) => state.value);
  const [servers, setServers] = useState<readonly FoundServer[]>([]);
  useEffect(() => {
    let wanted = true;
    const running = (list ?? []).filter((run) => run.status === 'running');
    // A run that cannot be read is not offered; its own page says why.
    const asked = running.map(({ runId }) =>
      client.call('runs.get', { runId }).then(serverOfRun, () => null),
    );
    void Promise.all(asked).then((found) => {
      if (wanted) setServers(found.filter((server) => server !== null));
    });
    return () => {
      wanted = false;
    };
  }, [client, list]);
  return servers;
}
