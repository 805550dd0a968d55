import { NativeSelect } from '@mantine/core';
import { memo, useMemo, useState } from 'react';
import type { SlowRequests } from '../../../main/contract/measured/slow-requests';
import { formatMs, missing } from '../../../main/contract/numbers';
import type { RunState } from '../../../main/contract/run/run-state';
import { partColors } from '../../../main/domain/measured/slow/part-colors';
import {
  longestOf,
  partText,
  slowHeader,
  slowLevels,
  slowNotes,
  slowRows,
  slowText,
} from '../../../main/domain/measured/slow/slow-text';
import { Panel } from '../../components/panel';
import { numeric, ScrollTable, TableHead } from '../../components/table';
import { onText } from '../../handlers';

const groups = [
  ['medianUs', 'Around the median'],
  ['slowUs', 'Slowest'],
] as const;

/** A stacked bar per group over the same axis; the table below has the same numbers. */
function Bars({ slow }: { slow: SlowRequests }) {
  const colors = partColors(slow.parts);
  const longestUs = Math.max(slow.medianUs, slow.slowUs, 1);
  return groups.map(([group, name]) => (
    <div key={group} className="slow-row">
      <span className="dim small">{name}</span>
      <div className="slow-bar" role="img" aria-label={`${name}: ${formatMs(slow[group])} ms`}>
        {slow.parts.map((part, at) => (
          <span
            key={partText(part)}
            title={`${partText(part)}: ${formatMs(part[group])} ms`}
            style={{ width: `${(100 * part[group]) / longestUs}%`, background: colors[at] }}
          />
        ))}
      </div>
      <span className="number small">{formatMs(slow[group])} ms</span>
    </div>
  ));
}

const headings = [slowHeader[0], ...slowHeader.slice(1).map((title) => numeric(title))];

function PartsTable({ slow }: { slow: SlowRequests }) {
  const colors = partColors(slow.parts);
  const longest = longestOf(slow);
  return (
    <ScrollTable label={`Parts of traced requests to ${slow.model}`}>
      <TableHead headings={headings} />
      <tbody>
        {slowRows(slow).map(([name = missing, ...cells], at) => (
          <tr key={name}>
            <td>
              <span className="slow-swatch" style={{ background: colors[at] ?? 'transparent' }} />
              {name}
              {longest !== null && slow.parts[at] === longest ? <strong> longest</strong> : null}
            </td>
            {cells.map((cell, column) => (
              <td key={column} className="number">
                {cell}
              </td>
            ))}
          </tr>
        ))}
      </tbody>
    </ScrollTable>
  );
}

function OfModel({ slow }: { slow: SlowRequests }) {
  return (
    <>
      <p>
        {slow.model}: {slowText(slow)}
      </p>
      <div className="slow-bars">
        <Bars slow={slow} />
      </div>
      <PartsTable slow={slow} />
      {slowNotes(slow).map((note) => (
        <div key={note} className="dim small">
          {note}
        </div>
      ))}
    </>
  );
}

/** Traced requests of a measured level; nothing without any. */
export const SlowPanel = memo(function SlowPanel({
  state,
}: {
  state: Pick<RunState, 'scenarios' | 'traces'>;
}) {
  const { scenarios, traces } = state;
  const levels = useMemo(() => slowLevels({ scenarios, traces }), [scenarios, traces]);
  const [picked, setPicked] = useState<string | null>(null);
  const level = levels.find(({ title }) => title === picked) ?? levels.at(-1);
  if (level === undefined) return null;
  const { title, slow, problem } = level;
  return (
    <Panel
      title="Where slow requests spend their time"
      note="Requests sent once more with tracing on, not among the results"
      head={
        levels.length < 2 ? null : (
          <NativeSelect
            size="xs"
            aria-label="Level of the traced requests"
            value={title}
            data={levels.map((one) => one.title)}
            onChange={onText(setPicked)}
          />
        )
      }
    >
      <div className="panel-body stack">
        {levels.length < 2 ? <p className="dim">{title}</p> : null}
        {problem === null ? null : <p>Not traced: {problem}</p>}
        {slow.map((one) => (
          <OfModel key={one.model} slow={one} />
        ))}
      </div>
    </Panel>
  );
});
