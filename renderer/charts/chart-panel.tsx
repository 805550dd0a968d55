import { IconDownload } from '@tabler/icons-react';
import { memo, type ReactNode, useCallback, useLayoutEffect, useMemo, useRef, useState } from 'react';
import { ActionMenu, IconButton, MenuAction } from '../components/actions';
import { attempting, noticeDone } from '../components/notices';
import { useChartTheme } from '../components/use/use-chart-theme';
import { type Chart, hasValues, withMeasuredScale } from './chart';
import { ChartLegend } from './chart-legend';
import { legendEntries } from './legend-entries';
import { Plot } from './plot/plot';
import { chartFormats, copyChart, saveChart } from './plot/save-chart';
import type { SharedCursor } from './plot/shared-cursor';

const formatText = { svg: 'SVG picture', png: 'PNG picture', csv: 'CSV, every point' } as const;

/** Memoized: the chart changes often, its menu never. */
const ChartMenu = memo(function ChartMenu(props: {
  title: string;
  /** The same function for the life of the chart. */
  onSave: (format: (typeof chartFormats)[number]) => Promise<void>;
  onCopy: () => Promise<void>;
}) {
  return (
    <ActionMenu
      button={<IconButton icon={IconDownload} label="Save chart" name={`Save chart: ${props.title}`} />}
    >
      {chartFormats.map((format) => (
        <MenuAction key={format} onClick={attempting(() => props.onSave(format))}>
          {formatText[format]}
        </MenuAction>
      ))}
      <MenuAction onClick={attempting(props.onCopy)}>Copy as picture</MenuAction>
    </ActionMenu>
  );
});

/** `fileName`: of saved files, without extension. */
export const ChartPanel = memo(function ChartPanel(props: {
  id: string;
  title: string;
  chart: Chart;
  height: number;
  fileName: string;
  wide?: boolean;
  cursor?: SharedCursor;
  /** In the place of a chart without a value. */
  empty?: ReactNode;
  /** Under the chart: what a reader would ask about it. */
  note?: string | null;
  children?: ReactNode;
}) {
  const { id, title } = props;
  const chart = useMemo(() => withMeasuredScale(props.chart), [props.chart]);
  const isEmpty = props.empty !== undefined && !hasValues(chart);
  const { panel, text } = useChartTheme();
  const [only, setOnly] = useState<string | null>(null);
  const entries = useMemo(() => legendEntries(chart, text), [chart, text]);
  const latest = useRef({ ...props, background: panel });
  useLayoutEffect(() => {
    latest.current = { ...props, background: panel };
  });
  const save = useCallback((format: (typeof chartFormats)[number]) => {
    const { chart: shown, title: name, fileName, id: part, background } = latest.current;
    return saveChart({
      chart: { ...shown, title: name },
      format,
      fileName: `${fileName}-${part}`,
      background,
    });
  }, []);
  const copy = useCallback(async () => {
    const { chart: shown, title: name, background } = latest.current;
    await copyChart({ ...shown, title: name }, background);
    noticeDone('Copied', `The picture of “${name}” is in the clipboard.`);
  }, []);
  return (
    <section
      className={`panel column chart-panel ${props.wide === true ? 'wide' : ''}`.trimEnd()}
      data-chart={id}
      aria-label={title}
    >
      <div className="row chart-head">
        <h3 className="cut" title={title}>
          {title}
        </h3>
        {props.children}
        <ChartMenu title={title} onSave={save} onCopy={copy} />
      </div>
      <ChartLegend title={title} entries={entries} only={only} onOnly={setOnly} />
      {isEmpty ? (
        <div className="column chart-empty" style={{ height: props.height }}>
          {props.empty}
        </div>
      ) : (
        <Plot
          chart={chart}
          only={only}
          height={props.height}
          label={`Chart: ${title}. The table below has its numbers.`}
          {...(props.cursor === undefined ? {} : { cursor: props.cursor })}
        />
      )}
      {props.note === undefined || props.note === null ? null : (
        <p className="panel-body dim small">{props.note}</p>
      )}
    </section>
  );
});
