import { useMemo } from 'react';
import type { RunState } from '../../../main/contract/run/run-state';
import { limitsText, tryableNumbers } from '../../../main/domain/measured/limits/limits';
import { CompactButton } from '../../components/actions';
import { attempting } from '../../components/notices';
import { Panel } from '../../components/panel';
import { useWorkbench } from '../../workbench';
import { startDuel } from '../studies/start-duel';

function TryIt({ runId, suggestion, text }: { runId: string; suggestion: number; text: string }) {
  const workbench = useWorkbench();
  return (
    <CompactButton
      aria-label={`Try it: ${text}`}
      title="Measures it in turns with the run as it is: at most 5 minutes of load"
      onClick={attempting(() => startDuel(workbench, { between: { runId, suggestion } }))}
    >
      Try it
    </CompactButton>
  );
}

/** What limits the level of the answer in one sentence; its numbers and what to try fold away. */
export function LimitsPanel({ state }: { state: RunState }) {
  const text = useMemo(() => limitsText(state), [state]);
  const tryable = useMemo(() => tryableNumbers(state), [state]);
  if (text === null) return null;
  const { level, sentence, limits, suggestions } = text;
  return (
    <Panel title="What limits it">
      <div className="panel-body">
        {sentence}
        <details>
          <summary>{suggestions.length === 0 ? 'Evidence' : 'Evidence, and what to try'}</summary>
          <div className="dim small">{level}</div>
          <ul className="doubts-list">
            {limits.map((limit) => (
              <li key={limit.sentence}>
                {limit.sentence} <span className="dim">{limit.evidence}</span>
              </li>
            ))}
          </ul>
          {suggestions.length === 0 ? null : (
            <>
              <div>What to try</div>
              <ul className="doubts-list">
                {suggestions.map((text, at) => (
                  <li key={text}>
                    {text}{' '}
                    {tryable.includes(at + 1) ? (
                      <TryIt runId={state.runId} suggestion={at + 1} text={text} />
                    ) : null}
                  </li>
                ))}
              </ul>
            </>
          )}
        </details>
      </div>
    </Panel>
  );
}
