import { labelOf } from '../../../main/contract/fields/fields';
import type { SpecDifference } from '../../../main/domain/comparison/diff-specs';
import { Panel } from '../../components/panel';
import { ScrollTable } from '../../components/table';

export function DifferenceTable({
  differences,
  names,
  known,
}: {
  differences: readonly SpecDifference[];
  names: readonly string[];
  /** Runs whose whole specification is known. */
  known: number;
}) {
  return (
    <Panel title="Parameters that differ" label="Differences in parameters" note={differences.length}>
      {differences.length === 0 ? (
        <p className="panel-body dim">
          {known < names.length
            ? 'The parameters of imported runs, and of models served elsewhere, are unknown.'
            : 'The specifications are identical. Differences below come from the machine or from noise.'}
        </p>
      ) : (
        <ScrollTable label="Table of parameters" className="difference-table">
          <thead>
            <tr>
              <th scope="col">Parameter</th>
              {names.map((name, index) => (
                <th key={name} scope="col" title={name}>
                  {name}
                  {index === 0 ? <span className="dim"> (baseline)</span> : null}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {differences.map(({ field, label, values }) => (
              <tr key={field}>
                <td>
                  {label ?? labelOf(field)} <span className="mono dim">{field}</span>
                </td>
                {values.map((value, index) => (
                  <td key={index} className={value === values[0] && index > 0 ? 'dim' : undefined}>
                    {value ?? '–'}
                  </td>
                ))}
              </tr>
            ))}
          </tbody>
        </ScrollTable>
      )}
    </Panel>
  );
}
