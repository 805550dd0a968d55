import { IconChevronDown, IconServer2 } from '@tabler/icons-react';
import { useEffect, useState } from 'react';
import { useStore } from 'zustand';
import { isJobEngine } from '../../../main/contract/job/run-job';
import { inContainers, isElsewhere } from '../../../main/contract/run/engine-kinds';
import { accuracyOf } from '../../../main/contract/run/run-outcome';
import { type Deployed, isDeployed } from '../../../main/contract/run/run-source';
import { repositoryOf, type RunSpec } from '../../../main/contract/run/run-spec';
import type { DeployedRun, RunState } from '../../../main/contract/run/run-state';
import { ActionMenu, MenuAction, SmallButton } from '../../components/actions';
import { ConfirmInPlace } from '../../components/confirm-in-place';
import { noticeDone } from '../../components/notices';
import { useWork } from '../../use-work';
import { useWorkbench } from '../../workbench';

type Run = Pick<RunState, 'status' | 'source' | 'origin'>;

/** A finished run of this workbench, whose model can be served here; see {@link isDeployable}. */
export const isServable = <Of extends Run>(run: Of): run is Deployed<Of> =>
  run.status === 'done' &&
  isDeployed(run) &&
  run.origin === 'own' &&
  !isElsewhere(run.source.spec.engine) &&
  // The server of a job was on a node of the cluster.
  !isJobEngine(run.source.spec.engine);

/** The same, and its accuracy is verified. */
export const isDeployable = <Of extends Run & Pick<RunState, 'accuracy'>>(run: Of): run is Deployed<Of> =>
  isServable(run) && run.accuracy?.result.passed === true;

/** A repository that is served as it is, without a golden file: nobody checked its outputs. */
export const isUnchecked = <Of extends Run & Pick<RunState, 'accuracy'>>(run: Of): run is Deployed<Of> =>
  isServable(run) && run.accuracy === null && repositoryOf(run.source.spec.model) !== null;

const hostOf = ({ engine }: RunSpec): string | null => (inContainers(engine) ? (engine.host ?? null) : null);

export function KeepServing({ state }: { state: DeployedRun }) {
  const { client, deployments, route } = useWorkbench();
  const found = useStore(deployments, (list) => list.value);
  useEffect(() => void deployments.getState().load(), [deployments]);
  const [busy, working] = useWork();
  const [asked, setAsked] = useState<{ readonly to: string | null } | null>(null);
  const { runId } = state;
  const { spec } = state.source;
  const { word } = accuracyOf(state.accuracy?.result);
  const verified = word === 'verified';
  const serve = (to: string | null) =>
    working(async () => {
      const { id, httpUrl, host } = await client.call('deployments.deploy', {
        runId,
        ...(to === null ? {} : { to }),
        ...(verified ? {} : { allowUnverified: true }),
      });
      noticeDone(
        to === null ? 'Serving' : 'Updated',
        `${id} serves at ${httpUrl}${host === null ? '' : ` on ${host}`}`,
      );
      await deployments.getState().load();
      route.getState().go({ page: 'deployments' });
    });
  const ask = (to: string | null) => () => {
    setAsked({ to });
  };
  const deploy = (to: string | null) => (verified ? serve(to) : ask(to));
  if (asked !== null) {
    return (
      <ConfirmInPlace
        question={`Accuracy ${word}. Serve this model anyway?`}
        action="Serve anyway"
        cancel="Cancel"
        onConfirm={() => {
          setAsked(null);
          serve(asked.to)();
        }}
        onCancel={() => setAsked(null)}
      />
    );
  }
  const model = spec.configure.modelName;
  const others = found?.filter(({ engine, host }) => engine === spec.engine.kind && host === hostOf(spec));
  const button = {
    icon: IconServer2,
    loading: busy,
    title: 'Keeps the model serving after the workbench is closed',
  };
  // A menu of one entry would be a click more.
  if (others?.length === 0) {
    return (
      <SmallButton {...button} onClick={deploy(null)}>
        Keep serving
      </SmallButton>
    );
  }
  return (
    <ActionMenu
      onOpen={() => {
        void deployments.getState().load();
      }}
      button={
        <SmallButton {...button} rightSection={<IconChevronDown size={14} aria-hidden="true" />}>
          Keep serving
        </SmallButton>
      }
    >
      <MenuAction onClick={deploy(null)}>As a new deployment</MenuAction>
      {(others ?? []).map(({ id, models }) => (
        <MenuAction key={id} onClick={deploy(id)}>
          {models.some(({ name }) => name === model)
            ? `As the next version in ${id}`
            : `As another model in ${id}`}
        </MenuAction>
      ))}
    </ActionMenu>
  );
}
