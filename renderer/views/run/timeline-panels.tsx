import { useMemo } from 'react';
import type { LoadPoint } from '../../../main/contract/measured/results';
import { levelText } from '../../../main/contract/words';
import { timelineTitles } from '../../../main/domain/measured/overload/timeline-lines';
import { shapeLines } from '../../../main/domain/measured/shape-text';
import { ChartPanel } from '../../charts/chart-panel';
import type { ChartTheme } from '../../charts/chart-theme';
import { timelineChart } from '../../charts/timeline-chart';
import { Panel } from '../../components/panel';

/** More levels are in the table of time slices. */
const mostLevels = 4;

interface TimelineProps {
  readonly theme: ChartTheme;
  readonly fileName: string;
}

function LevelTimeline(props: TimelineProps & { point: LoadPoint; name: string; index: number }) {
  const { point, theme, fileName, name, index } = props;
  const { timeline } = point;
  const charts = useMemo(
    () =>
      timeline === undefined
        ? []
        : (['requests', 'latency'] as const).map((what) => ({
            what,
            chart: timelineChart(what, timeline, theme),
          })),
    [timeline, theme],
  );
  return charts.map(({ what, chart }) => (
    <ChartPanel
      key={what}
      id={`timeline-${index}-${what}`}
      title={`${timelineTitles[what]}${name}`}
      chart={chart}
      height={204}
      fileName={fileName}
    />
  ));
}

/** Requests and latency over the time of levels with stages or time slices, with what the stages came to. */
export function TimelinePanels({ points, ...props }: TimelineProps & { points: readonly LoadPoint[] }) {
  const levels = points.filter(({ timeline }) => timeline !== undefined).slice(0, mostLevels);
  return levels.map((point, index) => (
    <LevelTimeline
      key={levelText(point)}
      point={point}
      index={index}
      name={levels.length === 1 ? '' : `, ${levelText(point)}`}
      {...props}
    />
  ));
}

/** The answer of stages in sentences; nothing without stages. */
export function StagesPanel({ points }: { points: readonly LoadPoint[] }) {
  const levels = points.filter(({ stages }) => stages !== undefined);
  if (levels.length === 0) return null;
  return (
    <Panel title="Stages">
      {levels.map((point) => (
        <p key={levelText(point)}>
          {levels.length === 1 ? '' : `${levelText(point)}: `}
          {shapeLines(point).join(' ')}
        </p>
      ))}
    </Panel>
  );
}
