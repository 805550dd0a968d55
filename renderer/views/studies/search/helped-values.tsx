import { formatMs, formatRate, missing } from '../../../../main/contract/numbers';
import { largestOf } from '../../../../main/domain/statistics';
import type { FieldEffect, ValueEffect } from '../../../../main/domain/study/search/search-values';
import { Panel } from '../../../components/panel';

function ValueRow({
  effect,
  longest,
  isLatency,
}: {
  effect: ValueEffect;
  longest: number;
  isLatency: boolean;
}) {
  const { value, isBound, isBest, isPresent } = effect;
  return (
    <tr className={isBest ? 'best' : undefined}>
      <th scope="row" title={value}>
        {isBest ? '★ ' : ''}
        {value}
      </th>
      <td className="helped-bar">
        <div
          data-bound={isBound}
          style={{ width: `${(100 * (effect.best ?? 0)) / Math.max(longest, 1e-9)}%` }}
        />
      </td>
      <td className="number">
        {isBound ? '≤ ' : ''}
        {effect.best === null ? missing : (isLatency ? formatMs : formatRate)(effect.best)}
      </td>
      <td className="dim small">{isPresent ? 'present' : ''}</td>
    </tr>
  );
}

/** A small chart per varied field: what the best configuration with each value gives. `latency`: "p99 (ms)", where that is the objective. */
export function HelpedValues({
  effects,
  latency,
}: {
  effects: readonly FieldEffect[];
  latency: string | null;
}) {
  if (effects.length === 0) return null;
  const all = effects.flatMap(({ values }) => values.flatMap(({ best }) => best ?? []));
  const longest = all.length === 0 ? 1 : largestOf(all);
  const measure = latency ?? 'Inferences/s';
  return (
    <Panel title="What helped" level={3} note={`${measure} of the best with each value; ≤ at full load`}>
      <div className="panel-body helped">
        {effects.map(({ field, label, values }) => (
          <table key={field} data-helped={field}>
            <caption>{label}</caption>
            <tbody>
              {values.map((effect) => (
                <ValueRow key={effect.value} effect={effect} longest={longest} isLatency={latency !== null} />
              ))}
            </tbody>
          </table>
        ))}
      </div>
    </Panel>
  );
}
