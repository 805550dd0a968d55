import {
  IconAlertTriangle,
  IconArrowBackUp,
  IconCircleCheck,
  IconCircleMinus,
  IconCircleX,
  IconLoader2,
  IconPlugConnectedX,
} from '@tabler/icons-react';
import { useStore } from 'zustand';
import {
  deployedCheckText,
  deployedKindText,
  type DeploymentInfo,
  type DeploymentModelInfo,
  type DeploymentState,
  type ServedModelState,
} from '../../../main/contract/deployment/deployment';
import { promisedText } from '../../../main/contract/measured/promised-load';
import { missing } from '../../../main/contract/numbers';
import { coldColumns, coldLines, coldRows } from '../../../main/domain/measured/cold/cold-start';
import { modelRecordRows } from '../../../main/domain/run/model-record-text';
import { TextAction } from '../../components/actions';
import { AskFirst } from '../../components/confirm-in-place';
import { CopyButton } from '../../components/copy-button';
import { LineList } from '../../components/line-list';
import { PageLink } from '../../components/links';
import { attempting, noticeDone } from '../../components/notices';
import { Panel } from '../../components/panel';
import { Status, type StatusWord } from '../../components/status-text';
import { ColumnTable, TableHead } from '../../components/table';
import { formatWhen } from '../../format/times';
import { useWorkbench } from '../../workbench';
import { gpuText } from '../containers/container-text';
import { ClientCode } from './client-code';
import { DeploymentActions } from './deployment-actions';
import { DeploymentLog } from './deployment-log';

const styles: Readonly<Record<DeploymentState, StatusWord>> = {
  starting: { icon: IconLoader2, tone: 'info', text: 'Starting' },
  ready: { icon: IconCircleCheck, tone: 'good', text: 'Ready' },
  degraded: { icon: IconAlertTriangle, tone: 'warn', text: 'Degraded' },
  stopped: { icon: IconCircleMinus, tone: 'dim', text: 'Stopped' },
  failed: { icon: IconCircleX, tone: 'bad', text: 'Failed' },
  unknown: { icon: IconPlugConnectedX, tone: 'warn', text: 'Unknown' },
};

const modelStyles: Readonly<Record<ServedModelState, StatusWord>> = {
  ready: { icon: IconCircleCheck, tone: 'good', text: 'Ready' },
  'not-answering': { icon: IconCircleX, tone: 'bad', text: 'Does not answer' },
  'not-loaded': { icon: IconAlertTriangle, tone: 'warn', text: 'Not loaded' },
  unknown: { icon: IconCircleMinus, tone: 'dim', text: 'Unknown' },
};

function Addresses({ deployment }: { deployment: DeploymentInfo }) {
  const { machine } = useWorkbench();
  const known = useStore(machine, (state) => state.value?.gpus.gpus) ?? [];
  const { httpUrl, grpcUrl, metricsUrl, engine, host, image, environment, gpus, createdAt } = deployment;
  const addresses = [
    ['HTTP', httpUrl],
    ['gRPC', grpcUrl],
    ['Metrics', metricsUrl],
  ] as const;
  return (
    <dl className="facts">
      {addresses.map(([name, value]) => [
        <dt key={`${name} name`}>{name}</dt>,
        <dd key={name} className="row deployment-address">
          <code>{value}</code>
          <CopyButton text={value} label={`Copy ${name} address of ${deployment.id}`} />
        </dd>,
      ])}
      {host === null ? null : (
        <>
          <dt>Host</dt>
          <dd>{host}; the addresses are as seen from it</dd>
        </>
      )}
      <dt>Engine</dt>
      <dd>
        {engine === null
          ? missing
          : image === null
            ? `Local Triton (for evaluation)${environment === undefined ? '' : `, ${environment}`}`
            : `Docker, ${image}`}
      </dd>
      {gpus.length > 0 ? (
        <>
          <dt>GPUs</dt>
          <dd>{gpuText(gpus, host === null ? known : [])}</dd>
        </>
      ) : null}
      <dt>Deployed</dt>
      <dd>{createdAt === '' ? missing : formatWhen(createdAt)}</dd>
    </dl>
  );
}

function RollbackAction({
  deployment,
  model,
  to,
}: {
  deployment: DeploymentInfo;
  model: DeploymentModelInfo;
  to: number;
}) {
  const { client } = useWorkbench();
  const { id, work, state } = deployment;
  const serves = state === 'ready' || state === 'degraded';
  return (
    <AskFirst
      question={`Return ${model.name} to version ${to}? Version ${model.version} is removed.`}
      action="Roll back"
      onConfirm={attempting(async () => {
        await client.call('deployments.rollback', { id, model: model.name });
        noticeDone('Rolled back', `${model.name} serves version ${to} again.`);
      })}
    >
      {(ask) => (
        <TextAction
          icon={IconArrowBackUp}
          text="Roll back"
          label={`Roll back ${model.name} of ${id} to version ${to}`}
          why={work ?? (serves ? null : 'The deployment is not serving')}
          onClick={ask}
        />
      )}
    </AskFirst>
  );
}

/** The models of a stopped deployment are meant not to be loaded. */
const stoppedModel: StatusWord = { icon: IconCircleMinus, tone: 'dim', text: 'Not loaded' };

const sentenceOf = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1);

const headings = ['Model', 'Version', 'State', 'Run', 'Checked by', 'Previous version'];

function Models({ deployment }: { deployment: DeploymentInfo }) {
  const { runs } = useWorkbench();
  const known = useStore(runs, (state) => state.value) ?? [];
  const isStopped = deployment.state === 'stopped';
  if (deployment.models.length === 0) return <p className="dim">It has no models.</p>;
  const nameOf = (runId: string): string => known.find((run) => run.runId === runId)?.name ?? runId;
  const runLink = (runId: string, text = nameOf(runId)) => (
    <PageLink to={{ page: 'run', runId }} className="cut" title={runId}>
      {text}
    </PageLink>
  );
  return (
    <table className="table deployment-models">
      <TableHead headings={headings} />
      <tbody>
        {deployment.models.map((model) => (
          <tr key={model.name}>
            <td>
              {model.name}
              <div className="second-line">{deployedKindText(model)}</div>
            </td>
            <td>{model.version}</td>
            <td title={model.reason ?? undefined}>
              <Status
                {...(isStopped ? stoppedModel : modelStyles[model.state])}
                data-state={isStopped ? 'not-loaded' : model.state}
              />
            </td>
            <td>{runLink(model.runId)}</td>
            <td>{sentenceOf(deployedCheckText(model))}</td>
            <td>
              {model.previous === null ? (
                <span className="dim">None</span>
              ) : (
                <span className="row deployment-previous">
                  {runLink(model.previous.runId, String(model.previous.version))}
                  <RollbackAction deployment={deployment} model={model} to={model.previous.version} />
                </span>
              )}
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  );
}

/** What a replica of each model holds, where a search found its configuration. */
function Promised({ models }: Pick<DeploymentInfo, 'models'>) {
  const found = models.flatMap(({ name, promised }) => (promised === undefined ? [] : [{ name, promised }]));
  return found.map(({ name, promised }) => (
    <p key={name}>
      {models.length === 1 ? 'One replica' : `${name}: one replica`} holds {promisedText(promised)}.
    </p>
  ));
}

/** What the first load of each model took here. */
function ColdStarts({ models }: Pick<DeploymentInfo, 'models'>) {
  const found = models.flatMap(({ name, coldStart }) =>
    coldStart === undefined ? [] : [{ name, coldStart }],
  );
  return found.map(({ name, coldStart }) => {
    const rows = coldRows(coldStart, []);
    return (
      <details key={name} className="deployment-code">
        <summary>Cold start{models.length === 1 ? '' : ` of ${name}`}</summary>
        <LineList lines={coldLines(coldStart, rows)} />
        {rows.length === 0 ? null : (
          <ColumnTable label={`First requests to ${name}`} columns={coldColumns(rows)} rows={rows} />
        )}
      </details>
    );
  });
}

/** Origin, license and hashes of each Hugging Face folder. */
function Records({ models }: Pick<DeploymentInfo, 'models'>) {
  const found = models.flatMap(({ name, record }) => (record === undefined ? [] : [{ name, record }]));
  return found.map(({ name, record }) => (
    <details key={name} className="deployment-code">
      <summary>Origin and license{models.length === 1 ? '' : ` of ${name}`}</summary>
      <LineList lines={modelRecordRows(record).map((row) => `${row.name}: ${row.value}`)} />
    </details>
  ));
}

export function DeploymentPanel({ deployment }: { deployment: DeploymentInfo }) {
  const { id, state, reason, interrupted, warning, work } = deployment;
  const style = work === null ? styles[state] : { ...styles.starting, text: work };
  return (
    <Panel
      title={id}
      className="deployment"
      note={<Status {...style} data-state={state} />}
      head={<DeploymentActions deployment={deployment} />}
    >
      <div className="column panel-body">
        {[reason, interrupted, warning ?? null].map((text) =>
          text === null || work !== null ? null : (
            <p key={text} className="tone-warn">
              {text}
            </p>
          ),
        )}
        <Addresses deployment={deployment} />
        <Models deployment={deployment} />
        <Promised models={deployment.models} />
        <Records models={deployment.models} />
        <ColdStarts models={deployment.models} />
        <ClientCode deployment={deployment} />
        <DeploymentLog id={id} />
      </div>
    </Panel>
  );
}
