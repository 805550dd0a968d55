import { SegmentedControl } from '@mantine/core';
import { IconArrowBarToDown, IconTextWrap } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { formatCount } from '../../../main/contract/numbers';
import { IconToggle } from '../../components/actions';
import { CopyButton } from '../../components/copy-button';
import { SearchInput } from '../../components/search-input';
import type { LogWish } from '../../stores/logs/log-filter';
import { useWorkbench } from '../../workbench';

const isLevel = (value: string): value is LogWish['level'] =>
  value === 'all' || value === 'warning' || value === 'error';

/** Which lines of the log are shown, and how. */
export function LogTools(props: {
  wrap: boolean;
  onWrap: (wrap: boolean) => void;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const { log } = useWorkbench();
  const lines = useStore(log, (state) => state.lines);
  const wish = useStore(log, (state) => state.wish);
  const setWish = useStore(log, (state) => state.setWish);
  // Numbers, so that lines without news for these buttons do not draw them again.
  const errors = useStore(log, (state) => state.counts.error);
  const warnings = useStore(log, (state) => state.counts.warning);
  const label = (text: string, count: number): string =>
    count === 0 ? text : `${text} (${formatCount(count)})`;
  return (
    <div className="row dock-tools">
      <SegmentedControl
        size="xs"
        aria-label="Level of the lines"
        value={wish.level}
        onChange={(level) => {
          if (isLevel(level)) setWish({ ...wish, level });
        }}
        data={[
          { value: 'all', label: 'All' },
          { value: 'warning', label: label('Warnings', warnings) },
          { value: 'error', label: label('Errors', errors) },
        ]}
      />
      <IconToggle icon={IconTextWrap} label="Wrap long lines" on={props.wrap} onChange={props.onWrap} />
      <IconToggle icon={IconArrowBarToDown} label="Follow" on={props.follow} onChange={props.onFollow} />
      <SearchInput
        w={150}
        label="Search the log"
        value={wish.search}
        onSearch={(search) => {
          setWish({ ...wish, search });
        }}
        onKeyDown={(event) => {
          if (event.key === 'Escape') setWish({ ...wish, search: '' });
        }}
      />
      <CopyButton
        label="Copy the lines shown"
        text={() =>
          Array.from({ length: lines.length }, (_unused, index) => lines.at(index) ?? '').join('\n')
        }
      />
    </div>
  );
}
