import { SegmentedControl } from '@mantine/core';
import { IconArrowBarToDown, IconTextWrap } from '@tabler/icons-react';
import { useStore } from 'zustand';
import { formatCount } from '../../../../main/contract/numbers';
import type { StepState, StepStatus } from '../../../../main/contract/run/run-state';
import { IconToggle } from '../../../components/actions';
import { CopyButton } from '../../../components/copy-button';
import { ErrorPanel } from '../../../components/error-panel';
import { SearchInput } from '../../../components/input/search-input';
import { LogView } from '../../../components/log-view';
import type { LogWish } from '../../../stores/logs/log-filter';
import { useWorkbench } from '../../../workbench';

const isLevel = (value: string): value is LogWish['level'] =>
  value === 'all' || value === 'warning' || value === 'error';

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
  // Numbers, so that lines without news for these buttons do not redraw them.
  const errors = useStore(log, (state) => state.counts.error);
  const warnings = useStore(log, (state) => state.counts.warning);
  const label = (text: string, count: number): string =>
    count === 0 ? text : `${text} (${formatCount(count)})`;
  return (
    <div className="row end">
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
        onSearch={(search) => setWish({ ...wish, search })}
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

export const emptyLogText = (status: StepStatus): string => emptyTexts[status] ?? 'This step wrote no log.';

const emptyTexts: Readonly<Partial<Record<StepStatus, string>>> = {
  running: 'No lines yet.',
  waiting: 'This step has not started.',
  skipped: 'This step was not run, so it wrote no log.',
};

export function LogLines(props: {
  step: StepState;
  wrap: boolean;
  follow: boolean;
  onFollow: (follow: boolean) => void;
}) {
  const { step, ...view } = props;
  const { log } = useWorkbench();
  const { lines, version, error, wish } = useStore(log);
  if (error !== null) return <ErrorPanel error={error} />;
  const isEmpty = lines.length === 0 && wish.search === '' && wish.level === 'all';
  // Runs of earlier versions did not log why a step failed.
  if (isEmpty && step.error !== null) return <ErrorPanel error={step.error} />;
  const which = wish.level === 'all' ? 'line' : wish.level;
  return (
    <LogView
      {...view}
      lines={lines}
      version={version}
      search={wish.search}
      marked={null}
      empty={
        wish.search === ''
          ? which === 'line'
            ? emptyLogText(step.status)
            : `No ${which} so far.`
          : `No ${which} contains “${wish.search}”.`
      }
    />
  );
}
