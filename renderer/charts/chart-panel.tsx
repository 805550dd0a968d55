import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import type { ReactNode } from 'react';
import { memo } from 'react';
import { attempt } from '../components/notices';
import { useChartTheme } from '../components/use-chart-theme';
import type { Chart } from './chart';
import { Plot } from './plot';
import { chartFormats, saveChart } from './save-chart';

const formatText = { svg: 'SVG picture', png: 'PNG picture', csv: 'CSV, every point' } as const;

/** A chart with its title and the ways to take it along. `fileName`: of what is saved, without its ending. */
export const ChartPanel = memo(function ChartPanel(props: {
  id: string;
  title: string;
  chart: Chart;
  height: number;
  fileName: string;
  wide?: boolean;
  /** Beside the title. */
  children?: ReactNode;
}) {
  const { id, title, chart, fileName } = props;
  const { panel } = useChartTheme();
  return (
    <section
      className={props.wide === true ? 'panel chart-panel wide' : 'panel chart-panel'}
      data-chart={id}
      aria-label={title}
    >
      <div className="chart-head">
        <h3>{title}</h3>
        {props.children}
        <Menu position="bottom-end" shadow="md" withinPortal>
          <Menu.Target>
            <Tooltip label="Save chart" openDelay={300}>
              <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Save chart: ${title}`}>
                <IconDownload size={15} aria-hidden="true" />
              </ActionIcon>
            </Tooltip>
          </Menu.Target>
          <Menu.Dropdown>
            {chartFormats.map((format) => (
              <Menu.Item
                key={format}
                onClick={() => {
                  attempt(() =>
                    saveChart({
                      chart: { ...chart, title },
                      format,
                      fileName: `${fileName}-${id}`,
                      background: panel,
                    }),
                  );
                }}
              >
                {formatText[format]}
              </Menu.Item>
            ))}
          </Menu.Dropdown>
        </Menu>
      </div>
      <Plot chart={chart} height={props.height} label={`Chart: ${title}. The table below has its numbers.`} />
    </section>
  );
});
