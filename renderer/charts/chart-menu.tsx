import { ActionIcon, Menu, Tooltip } from '@mantine/core';
import { IconDownload } from '@tabler/icons-react';
import { memo } from 'react';
import { attempt } from '../components/notices';
import { chartFormats } from './save-chart';

const formatText = { svg: 'SVG picture', png: 'PNG picture', csv: 'CSV, every point' } as const;

/** Ways to take a chart along. Drawn once: the chart changes often, its menu never. */
export const ChartMenu = memo(function ChartMenu(props: {
  title: string;
  /** The same function for the life of the chart. */
  onSave: (format: (typeof chartFormats)[number]) => Promise<void>;
}) {
  return (
    <Menu position="bottom-end" shadow="md" withinPortal>
      <Menu.Target>
        <Tooltip label="Save chart" openDelay={300}>
          <ActionIcon variant="subtle" color="gray" size="sm" aria-label={`Save chart: ${props.title}`}>
            <IconDownload size={15} aria-hidden="true" />
          </ActionIcon>
        </Tooltip>
      </Menu.Target>
      <Menu.Dropdown>
        {chartFormats.map((format) => (
          <Menu.Item
            key={format}
            onClick={() => {
              attempt(() => props.onSave(format));
            }}
          >
            {formatText[format]}
          </Menu.Item>
        ))}
      </Menu.Dropdown>
    </Menu>
  );
});
