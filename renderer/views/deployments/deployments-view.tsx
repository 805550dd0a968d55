import { useStore } from 'zustand';
import { SmallButton } from '../../components/actions';
import { Answer } from '../../components/answer';
import { ErrorPanel } from '../../components/error-panel';
import { useWayTo } from '../../components/links';
import { Loading } from '../../components/loading';
import { Page } from '../../components/page';
import { usePoll } from '../../components/use/use-time';
import { useWorkbench } from '../../workbench';
import { DeploymentPanel } from './deployment-panel';
import { servingText } from './serving-text';

/** Each poll sends every model a request: often enough to see a change, seldom enough to cost nothing. */
const pollEveryMs = 5000;

function NoDeployments() {
  const wayTo = useWayTo();
  return (
    <div className="empty tall">
      <h2>No deployments yet</h2>
      <p>
        A deployment keeps serving the verified model of a run, in a container that Docker restarts or in a
        separate process. Open a finished run and choose Keep serving.
      </p>
      <SmallButton variant="filled" onClick={wayTo({ page: 'runs' })}>
        Open runs
      </SmallButton>
    </div>
  );
}

export function DeploymentsView() {
  const { deployments } = useWorkbench();
  const { value, error, load } = useStore(deployments);
  usePoll(load, true, pollEveryMs);
  return (
    <Page title="Deployments">
      {error === null ? null : <ErrorPanel error={error} />}
      {value === null && error === null ? <Loading label="Loading the deployments" /> : null}
      {value?.length === 0 ? <NoDeployments /> : null}
      <div className="stack">
        {value === null || value.length === 0 ? null : <Answer {...servingText(value)} />}
        {(value ?? []).map((deployment) => (
          <DeploymentPanel key={deployment.id} deployment={deployment} />
        ))}
      </div>
    </Page>
  );
}
