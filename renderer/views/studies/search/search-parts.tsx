import { Progress } from '@mantine/core';
import type { StudyDetail } from '../../../../main/contract/study/study';
import { durationText } from '../../../../main/domain/run/time-left';
import { Panel } from '../../../components/panel';

/** The answer so far, with the load that is left. */
export function answerText(study: StudyDetail, hasLooks: boolean): string {
  const { state, sentence, secondsLeft, interrupted } = study;
  const best = state === 'running' && hasLooks ? 'Best so far: ' : '';
  const left = secondsLeft === null ? '' : `, at most ${durationText(secondsLeft)} of load left`;
  const end = interrupted ? ' The process that ran it has ended; Resume continues it.' : '';
  return `${best}${sentence}${left}.${end}`;
}

/** Of its budget, and what is measured. */
export function LoadProgress({ study, share }: { study: StudyDetail; share: number }) {
  if (study.state !== 'running') return null;
  return (
    <div className="stack-small">
      <Progress value={100 * share} aria-label={`Load used by ${study.name}`} />
      <div className="dim">{study.underWay.join('. ')}.</div>
    </div>
  );
}

export function Untried({ lines }: { lines: readonly string[] }) {
  return (
    <Panel title="What was not tried" level={3}>
      <ul className="panel-body doubts-list">
        {lines.map((line) => (
          <li key={line}>{line}.</li>
        ))}
      </ul>
    </Panel>
  );
}
