import { TextInput } from '@mantine/core';
import { IconActivity } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import type { ContainerInfo } from '../../../main/contract/docker';
import type { MonitorTarget } from '../../../main/contract/monitor/monitor';
import { modelOf } from '../../../main/contract/run/run-source';
import type { RunState } from '../../../main/contract/run/run-state';
import { present } from '../../../main/contract/trees';
import { SmallButton } from '../../components/actions';
import { onText } from '../../handlers';
import { onSubmit } from '../../use-form-work';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';
import { HostChoice } from '../hosts/host-choice';
import { withScheme } from './monitor-text';

interface FoundServer {
  readonly name: string;
  readonly url: string;
  /** '': unknown. */
  readonly metricsUrl: string;
  readonly host?: string | undefined;
}

function serverOfRun(run: RunState): FoundServer | null {
  const facts = run.steps.find((step) => step.id === 'deploy')?.facts ?? [];
  const valueOf = (name: string) => facts.find((fact) => fact.name === name)?.value;
  const http = valueOf('HTTP');
  if (http === undefined) return null;
  const metrics = valueOf('Metrics');
  return {
    name: `run of ${modelOf(run)}`,
    url: `http://${http}`,
    metricsUrl: metrics === undefined ? '' : `http://${metrics}/metrics`,
  };
}

function useRunServers(): readonly FoundServer[] {
  const { client, runs } = useWorkbench();
  const list = useStore(runs, (state) => state.value);
  const [servers, setServers] = useState<readonly FoundServer[]>([]);
  useEffect(() => {
    let wanted = true;
    const running = (list ?? []).filter((run) => run.status === 'running');
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

function tritonOf(container: ContainerInfo): readonly FoundServer[] {
  if (container.role !== 'triton' || container.state !== 'running') return [];
  const at = (port: number) => container.ports.find((one) => one.containerPort === port)?.hostAddress ?? null;
  const http = at(8000);
  const metrics = at(8002);
  return http === null
    ? []
    : [
        {
          name: container.name,
          url: `http://${http}`,
          metricsUrl: metrics === null ? '' : `http://${metrics}/metrics`,
        },
      ];
}

function useKnownServers(recent: readonly MonitorTarget[]): readonly FoundServer[] {
  const { docker } = useWorkbench();
  const containers = useStore(docker, (state) => state.state?.containers) ?? [];
  const known: FoundServer[] = [];
  const add = (servers: readonly FoundServer[]): void => {
    known.push(
      ...servers.filter(({ url, host }) => !known.some((one) => one.url === url && one.host === host)),
    );
  };
  known.push(...containers.flatMap(tritonOf));
  add(useRunServers());
  add(recent.map(({ url, metricsUrl, host }) => ({ name: '', url, metricsUrl, ...present({ host }) })));
  return known;
}

function KnownServers(props: {
  recent: readonly MonitorTarget[];
  onWatch: (server: MonitorTarget) => () => void;
}) {
  const known = useKnownServers(props.recent);
  if (known.length === 0) return null;
  return (
    <ul className="monitor-servers" aria-label="Known servers">
      {known.map(({ name, url, metricsUrl, host }) => (
        <li key={`${name} ${host ?? ''} ${url}`}>
          <button
            type="button"
            className="chip plain-button"
            onClick={props.onWatch({ url, metricsUrl, ...present({ host }) })}
          >
            {url}
            {host === undefined ? '' : ` on ${host}`}
            {name === '' ? '' : ` · ${name}`}
          </button>
        </li>
      ))}
    </ul>
  );
}

export function ServerPicker({ onWatch }: { onWatch?: () => void }) {
  const { client, monitor } = useWorkbench();
  const recent = useStore(monitor, (state) => state.state?.recent) ?? [];
  const source = useStore(monitor, (state) => state.state?.source ?? null);
  // The watched server is the one to correct.
  const start = source?.kind === 'live' ? source : recent[0];
  const [url, setUrl] = useState(start?.url ?? 'http://localhost:8000');
  const [metricsUrl, setMetricsUrl] = useState(start?.metricsUrl ?? '');
  const [host, setHost] = useState(start?.host ?? '');
  const [asking, working] = useWork();
  const watch = ({ url: at, metricsUrl: metricsAt, host: seenFrom }: MonitorTarget): (() => void) =>
    working(async () => {
      // Certificates given for the address before still apply.
      const tls = recent.find((one) => one.url === at && one.host === seenFrom)?.tls;
      await client.call('monitor.start', {
        url: at,
        metricsUrl: metricsAt,
        ...present({ tls, host: seenFrom }),
      });
      onWatch?.();
    });
  return (
    <section className="panel column monitor-picker" aria-label="Server to watch">
      <form
        className="monitor-form"
        onSubmit={onSubmit(
          watch({
            url: withScheme(url.trim()),
            metricsUrl: withScheme(metricsUrl.trim()),
            ...present({ host: host === '' ? null : host }),
          }),
        )}
      >
        <HostChoice size="xs" value={host} onChange={setHost} />
        <TextInput
          size="xs"
          label="Triton HTTP address"
          placeholder="http://localhost:8000"
          required
          withAsterisk={false}
          value={url}
          onChange={onText(setUrl)}
        />
        <TextInput
          size="xs"
          label="Metrics address (default: port 8002 of the same host)"
          placeholder="http://localhost:8002/metrics"
          value={metricsUrl}
          onChange={onText(setMetricsUrl)}
        />
        <SmallButton
          variant="filled"
          icon={IconActivity}
          type="submit"
          loading={asking}
          disabled={url.trim() === ''}
        >
          Watch
        </SmallButton>
      </form>
      <KnownServers recent={recent} onWatch={watch} />
    </section>
  );
}
