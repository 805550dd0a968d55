import { labelOf } from '../../../main/contract/fields/fields';
import type { StudyLevel, StudyRow } from '../../../main/contract/study/study';
import { baseLayout, type Chart } from '../../charts/chart';
import type { ChartTheme } from '../../charts/chart-theme';
import { wrapped } from '../../charts/hover-text';
import { axisStyle, valueAxis } from '../../charts/sweep-axis';
import type { Trace } from '../../charts/trace';

/** "Precision fp16, Instances 2". */
export const choiceText = ({ axes }: Pick<StudyRow, 'axes'>): string =>
  axes.map(({ field, value }) => `${labelOf(field)} ${value}`).join(', ');

const scenarios = ['offline', 'online'] as const;

interface Figure {
  readonly axis: string;
  readonly of: (level: StudyLevel) => number | null;
}

const figures = {
  throughput: { axis: 'Inferences/s', of: ({ inferencesPerSecond }) => inferencesPerSecond },
  p99: { axis: 'p99 (ms)', of: ({ p99Us }) => (p99Us === null ? null : p99Us / 1000) },
} as const satisfies Readonly<Record<string, Figure>>;

/** More runs have no room for a name each. */
const mostTicks = 24;
/** So many characters of a value have room below its mark. */
const tickLength = 14;

/** The runs by their number; by their value where they differ in one field. */
function runAxis(rows: readonly StudyRow[]): { readonly title: string; readonly ticks: readonly string[] } {
  const [first] = rows;
  const [axis] = first?.axes ?? [];
  const values = rows.flatMap(({ axes }) =>
    axes.length === 1 && axes[0]?.field === axis?.field ? (axes[0]?.value ?? []) : [],
  );
  const isByValue = values.length === rows.length && values.every((value) => value.length <= tickLength);
  return axis !== undefined && isByValue
    ? { title: labelOf(axis.field), ticks: values }
    : { title: 'Run', ticks: rows.map(({ number }) => String(number)) };
}

/** One mark per run and scenario, hollow where no level of it is steady. */
export function studyChart(
  rows: readonly StudyRow[],
  figure: keyof typeof figures,
  theme: ChartTheme,
): Chart {
  const { axis, of }: Figure = figures[figure];
  const traces = scenarios.map((scenario, at): Trace => {
    const color = theme.runs[at] ?? theme.throughput;
    const symbol = at === 0 ? 'circle' : 'square';
    const found = rows.flatMap((row) => {
      const level = row[scenario];
      const value = level === null ? null : of(level);
      return level === null || value === null ? [] : [{ row, level, value }];
    });
    return {
      type: 'scatter',
      mode: 'markers',
      name: scenario === 'offline' ? 'Offline' : 'Online',
      x: found.map(({ row }) => row.number),
      y: found.map(({ value }) => value),
      hovertext: found.map(({ row, level }) =>
        [`Run ${row.number}: ${choiceText(row)}`, level.text, ...(level.steady ? [] : ['Not steady'])]
          .map(wrapped)
          .join('<br>'),
      ),
      hoverinfo: 'text',
      marker: {
        color,
        size: 9,
        line: { width: 1.5, color },
        symbol: found.map(({ level }) => (level.steady ? symbol : `${symbol}-open`)),
      },
    };
  });
  const isNamed = rows.length <= mostTicks;
  const { title, ticks } = runAxis(rows);
  return {
    data: traces,
    layout: {
      ...baseLayout(theme),
      xaxis: {
        ...axisStyle(theme, isNamed ? title : 'Run'),
        range: [0.5, rows.length + 0.5],
        ...(isNamed ? { tickvals: rows.map(({ number }) => number), ticktext: ticks } : {}),
      },
      yaxis: valueAxis({ theme }, axis),
    },
  };
}
