import { useMemo } from 'react';
import type { RunState } from '../../../main/contract/run/run-state';
import { limitsText } from '../../../main/domain/measured/limits';
import { Panel } from '../../components/panel';

/** What limits the level of the answer in one sentence; its numbers and what to try fold away. */
export function LimitsPanel({ state }: { state: RunState }) {
  const text = useMemo(() => limitsText(state), [state]);
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
                {suggestions.map((suggestion) => (
                  <li key={suggestion}>{suggestion}</li>
                ))}
              </ul>
            </>
          )}
        </details>
      </div>
    </Panel>
  );
}
