import { NativeSelect } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import { formatMeasured, missing } from '../../../main/contract/numbers';
import type { Scenario } from '../../../main/contract/run/run-events';
import type { RunState } from '../../../main/contract/run/run-state';
import {
  crossCheckOf,
  type CrossColumn,
  type CrossSide,
  crossSummary,
  crossValue,
  crossWords,
  verdictText,
} from '../../../main/domain/measured/cross-check';
import { Panel } from '../../components/panel';
import { numeric, ScrollTable, TableHead } from '../../components/table';
import { onText } from '../../handlers';

function Side({ column, side }: { column: CrossColumn; side: CrossSide | null }) {
  if (side === null) return <td className="number dim">{missing}</td>;
  return (
    <td className="number">
      {crossValue(column, side.median)}
      {side.values.length < 2 ? null : (
        <span className="range">
          {crossValue(column, side.min)}–{crossValue(column, side.max)}
        </span>
      )}
    </td>
  );
}

const headings = [
  'inferences/s; times in ms',
  numeric('native'),
  numeric('perf_analyzer'),
  numeric('Ratio'),
  'Verdict',
];

export const CrossCheckPanel = memo(function CrossCheckPanel(props: { state: RunState; scenario: Scenario }) {
  const { state, scenario } = props;
  const levels = useMemo(() => crossCheckOf(state, scenario), [state, scenario]);
  const [picked, setPicked] = useState<string | null>(null);
  if (levels === null || levels.length === 0) return null;
  const level = levels.find(({ text }) => text === picked) ?? levels[0];
  if (level === undefined) return null;
  return (
    <Panel title="Cross-check" note={crossSummary(levels)}>
      <NativeSelect
        size="xs"
        aria-label="Level of the cross-check"
        value={level.text}
        data={levels.map(({ text }) => text)}
        onChange={onText(setPicked)}
      />
      <ul>
        {crossWords(level).map((words) => (
          <li key={words}>{words}</li>
        ))}
      </ul>
      <ScrollTable label="Table of the cross-check" className="cross-table">
        <TableHead headings={headings} />
        <tbody>
          {level.columns.map((column) => (
            <tr key={column.id}>
              <td>{column.title}</td>
              <Side column={column} side={column.native} />
              <Side column={column} side={column.perf_analyzer} />
              <td className="number">{formatMeasured(column.ratio)}</td>
              <td className={column.verdict === 'differs' ? 'tone-warn' : 'dim'}>
                {verdictText[column.verdict]}
              </td>
            </tr>
          ))}
        </tbody>
      </ScrollTable>
    </Panel>
  );
});
