import { Modal, NumberInput, SegmentedControl } from '@mantine/core';
import { useState } from 'react';
import { useStore } from 'zustand';
import type { UpgradePlan } from '../../../../main/contract/study/study';
import type { UpgradeRequest } from '../../../../main/contract/study/upgrade';
import { durationText } from '../../../../main/domain/run/time-left';
import { duelLevelText } from '../../../../main/domain/study/duel/duel-answer';
import type { Client } from '../../../client';
import type { UpgradeFrom } from '../../../stores/overlay';
import { onSubmit } from '../../../use-form-work';
import { useWorkbench } from '../../../workbench';
import { PlannedEnd, usePlan } from '../search/plan-search';
import { DeploymentField, RunField, useDeployments } from '../subject-fields';
import {
  missingText,
  targetsOf,
  type UpgradeKind,
  upgradeRequestOf,
  type UpgradeText,
  upgradeTextOf,
} from './upgrade-request';
import { UpgradeTargetFields } from './upgrade-target';

const kinds: readonly { readonly value: UpgradeKind; readonly label: string }[] = [
  { value: 'run', label: 'Finished run' },
  { value: 'deployment', label: 'Deployment' },
];
const kindHelp: Readonly<Record<UpgradeKind, string>> = {
  run: 'Its files are served in its own and in the other serving environment.',
  deployment: 'It stays in service meanwhile. If it is ready to move, its page asks before moving it.',
};

interface PartProps {
  text: UpgradeText;
  onChange: (change: Partial<UpgradeText>) => void;
}

/** Engine that serves the subject now; null: not known. */
function useEngine({ kind, runId, deployment }: UpgradeText): string | null {
  const { runs, deployments } = useWorkbench();
  const run = useStore(runs, ({ value }) => value?.find((one) => one.runId === runId)?.engine);
  const deployed = useStore(deployments, ({ value }) => value?.find(({ id }) => id === deployment)?.engine);
  return (kind === 'run' ? run : deployed) ?? null;
}

function DeploymentSubject({ text, onChange }: PartProps) {
  return (
    <DeploymentField
      list={useDeployments()}
      deployment={text.deployment}
      onChange={(deployment) => onChange({ deployment })}
    />
  );
}

function Subject({ text, onChange }: PartProps) {
  return (
    <>
      <SegmentedControl
        aria-label="Subject"
        data={[...kinds]}
        value={text.kind}
        onChange={(value) => onChange({ kind: kinds.find((one) => one.value === value)?.value ?? 'run' })}
      />
      <p className="dim">{kindHelp[text.kind]}</p>
      {text.kind === 'run' ? (
        <RunField runId={text.runId} onChange={(run) => onChange({ runId: run?.runId ?? '' })} />
      ) : (
        <DeploymentSubject text={text} onChange={onChange} />
      )}
    </>
  );
}

function More({ text, onChange }: PartProps) {
  const whole = { min: 1, allowDecimal: false } as const;
  return (
    <details>
      <summary>Load, timed loads and limits</summary>
      <div className="fields measure-load">
        <NumberInput
          label="Batch size per request"
          {...whole}
          placeholder="from the run"
          value={text.batchSize}
          onChange={(batchSize) => onChange({ batchSize })}
        />
        <NumberInput
          label="Requests in flight"
          {...whole}
          placeholder="from the run"
          value={text.concurrency}
          onChange={(concurrency) => onChange({ concurrency })}
        />
        <NumberInput
          label="Timed loads per side"
          {...whole}
          placeholder="3"
          value={text.loads}
          onChange={(loads) => onChange({ loads })}
        />
        <NumberInput
          label="Maximum increase of p99 (%)"
          min={0}
          placeholder="10"
          value={text.slower}
          onChange={(slower) => onChange({ slower })}
        />
        <NumberInput
          label="Maximum decrease of throughput (%)"
          min={0}
          max={99}
          placeholder="10"
          value={text.less}
          onChange={(less) => onChange({ less })}
        />
      </div>
    </details>
  );
}

const planUpgrade = (client: Client, request: UpgradeRequest): Promise<UpgradePlan> =>
  client.call('upgrades.plan', request);

/** What keeps it from moving is known before anything starts. */
function summaryOf({ upgrade: { title, sides, level, budgetS, findings } }: UpgradePlan): string {
  const blocking = findings.filter(({ blocks }) => blocks).map(({ text }) => text);
  if (blocking.length > 0) return `Do not move: ${blocking.join('; ')}.`;
  const [from, to] = sides;
  return `${title}: ${from.title} and ${to.title} in turns, ${duelLevelText(level)}, at most ${durationText(budgetS)} of load.`;
}

const words = {
  ...{ of: 'comparison', notes: 'What is compared, and what is known beforehand' },
  ...{ start: 'Start comparison', action: 'Compare' },
};

function UpgradeForm({ from, onDone }: { from: UpgradeFrom; onDone: () => void }) {
  const [typed, setTyped] = useState(() => upgradeTextOf(from));
  const change = (more: Partial<UpgradeText>): void => setTyped({ ...typed, ...more });
  const offered = targetsOf(useEngine(typed));
  const text = { ...typed, target: offered.find((one) => one === typed.target) ?? offered[0] ?? 'release' };
  const planned = usePlan(planUpgrade, upgradeRequestOf(text), text.times);
  const missing = missingText(text);
  return (
    <form className="stack" onSubmit={onSubmit(() => undefined)}>
      <Subject text={text} onChange={change} />
      <UpgradeTargetFields text={text} offered={offered} isAsking={!planned.isCurrent} onChange={change} />
      <NumberInput
        label="Maximum time under load (minutes)"
        min={0.5}
        max={600}
        value={text.minutes}
        onChange={(minutes) => change({ minutes })}
      />
      <More text={text} onChange={change} />
      {missing === null ? null : <p role="status">{missing}</p>}
      <PlannedEnd {...{ planned, words }} summary={summaryOf} onStarted={onDone} />
    </form>
  );
}

/** The same files in another serving environment: from its subject and target to its page. */
export function UpgradeDialog() {
  const { overlay } = useWorkbench();
  const { upgraded, close } = useStore(overlay);
  return (
    <Modal opened={upgraded !== null} onClose={close} title="Try another release" size="lg">
      {upgraded === null ? null : <UpgradeForm from={upgraded} onDone={close} />}
    </Modal>
  );
}
