import { IconArrowUp } from '@tabler/icons-react';
import { useMemo, useState } from 'react';
import type { StudyDetail } from '../../../../main/contract/study/study';
import type { UpgradeDetail } from '../../../../main/contract/study/upgrade';
import { duelLevelText } from '../../../../main/domain/study/duel/duel-answer';
import { questionColumns } from '../../../../main/domain/study/duel/duel-columns';
import { placeLines } from '../../../../main/domain/study/place-text';
import { upgradeAnswer, type UpgradeVerdict } from '../../../../main/domain/study/upgrade/upgrade-answer';
import { upgradeColumns, upgradeOutputColumns } from '../../../../main/domain/study/upgrade/upgrade-columns';
import { CompactButton } from '../../../components/actions';
import { Answer } from '../../../components/answer';
import { ConfirmInPlace } from '../../../components/confirm-in-place';
import { ErrorPanel } from '../../../components/error-panel';
import type { Tone } from '../../../components/status-text';
import { useWork } from '../../../use-work';
import { useWorkbench } from '../../../workbench';
import { answerText, KnownTable, LoadProgress } from '../search/search-parts';

const tones: Readonly<Record<UpgradeVerdict, Tone>> = {
  ...{ 'may-move': 'good', 'do-not-move': 'bad', unclear: 'warn', unknown: 'info' },
};

/** The update of a deployment, after a question. */
function Move({ name, id, to }: { name: string; id: string; to: string }) {
  const { client, route } = useWorkbench();
  const [isAsked, setAsked] = useState(false);
  const [busy, working] = useWork();
  if (isAsked) {
    return (
      <ConfirmInPlace
        question={`Switch ${id} to ${to}? It does not respond while it restarts.`}
        action="Move"
        onConfirm={() => {
          setAsked(false);
          working(async () => {
            await client.call('upgrades.move', { name });
            route.getState().go({ page: 'deployments' });
          })();
        }}
        onCancel={() => setAsked(false)}
      />
    );
  }
  return (
    <CompactButton icon={IconArrowUp} disabled={busy} onClick={() => setAsked(true)}>
      Move {id}…
    </CompactButton>
  );
}

/** An upgrade: whether it may move, then what it rests on. */
export function UpgradeBody({ study, upgrade, upgraded, searched }: { study: StudyDetail } & UpgradeDetail) {
  const { name, error, state } = study;
  const answer = useMemo(() => upgradeAnswer(upgrade, upgraded, searched), [upgrade, upgraded, searched]);
  const { verdict, notes, rows, outputs, judged, differences, seconds, places } = answer;
  const { subject, sides, title, level, budgetS } = upgrade;
  const isMeasured = rows.some(({ looks }) => looks > 0);
  return (
    <>
      <Answer
        text={answerText(study, false)}
        tone={tones[verdict]}
        notes={notes.map((line) => (
          <p key={line}>{line}.</p>
        ))}
      />
      {error === null ? null : <ErrorPanel error={error} />}
      {verdict === 'may-move' && state === 'done' && subject.kind === 'deployment' ? (
        <div>
          <Move name={name} id={subject.id} to={sides[1].title} />
        </div>
      ) : null}
      <LoadProgress study={study} share={seconds / budgetS} />
      <KnownTable label={`Serving environments of ${name}`} columns={upgradeColumns} rows={rows} />
      <KnownTable
        label={`Outputs of ${name}`}
        columns={upgradeOutputColumns}
        rows={outputs}
        rowClass={({ passed, varies }) => (passed || varies ? undefined : 'tone-bad')}
      />
      {isMeasured ? (
        <KnownTable
          label={`Conditions of ${name}`}
          columns={questionColumns}
          rows={[...judged, ...differences]}
        />
      ) : null}
      <p className="dim">
        {title}, {duelLevelText(level)}, in turns; intervals of 95 %, valid whenever it ends.
      </p>
      {places
        .flatMap((place) => placeLines({ place }))
        .map((line) => (
          <p key={line} className="dim">
            {line}.
          </p>
        ))}
    </>
  );
}
