import { Menu } from '@mantine/core';
import {
  IconArrowsLeftRight,
  IconBookmark,
  IconChevronDown,
  IconCopy,
  IconDownload,
  IconFileTypePdf,
  IconScale,
  IconTrash,
} from '@tabler/icons-react';
import { useStore } from 'zustand';
import type { ComparisonFile } from '../../../main/contract/run/saved-comparison';
import { ActionMenu, MenuAction, SmallButton } from '../../components/actions';
import { attempting } from '../../components/notices';
import { useReportDialog } from '../../components/report/use-report-dialog';
import { useWorkbench } from '../../workbench';
import { copyComparison, exportComparison, openComparison, removeComparison, savedOf } from './compare-tools';

const files: readonly (readonly [Exclude<ComparisonFile, 'pdf'>, string])[] = [
  ['html', 'HTML report'],
  ['csv', 'CSV, one row per level and run'],
  ['markdown', 'Markdown'],
];

const chevron = <IconChevronDown size={14} aria-hidden="true" />;

export function SavedMenu({ runIds }: { runIds: readonly string[] }) {
  const workbench = useWorkbench();
  const saved = useStore(workbench.comparisons, ({ value }) => value) ?? [];
  const own = savedOf(saved, runIds);
  if (saved.length === 0 && runIds.length < 2) return null;
  return (
    <ActionMenu
      button={
        <SmallButton icon={IconBookmark} rightSection={chevron}>
          Saved
        </SmallButton>
      }
    >
      {runIds.length < 2 || own !== undefined ? null : (
        <MenuAction icon={IconBookmark} onClick={() => workbench.overlay.getState().show('save-comparison')}>
          Save this comparison…
        </MenuAction>
      )}
      {saved.length === 0 ? null : <Menu.Label>Open</Menu.Label>}
      {saved.map((one) => (
        <MenuAction
          key={one.name}
          icon={IconArrowsLeftRight}
          aria-current={one === own}
          onClick={() => openComparison(workbench, one)}
        >
          {one.name} <span className="dim">{one.runIds.length} runs</span>
        </MenuAction>
      ))}
      {own === undefined ? null : (
        <>
          <Menu.Divider />
          <MenuAction icon={IconTrash} onClick={attempting(() => removeComparison(workbench, own))}>
            Remove {own.name} from the list
          </MenuAction>
        </>
      )}
    </ActionMenu>
  );
}

export function CompareActions({ runIds }: { runIds: readonly string[] }) {
  const workbench = useWorkbench();
  const save = (kind: ComparisonFile) => attempting(() => exportComparison(workbench, kind));
  const report = useReportDialog({ kind: 'comparison', runIds }, () => exportComparison(workbench, 'pdf'));
  const [first, second, third] = runIds;
  const isPair = first !== undefined && second !== undefined && third === undefined;
  return (
    <>
      {report.dialog}
      {isPair ? (
        <SmallButton
          icon={IconScale}
          title="Serves both again side by side and measures them in turns"
          onClick={() => workbench.overlay.getState().measureInTurns({ first, second })}
        >
          Measure both until it is clear
        </SmallButton>
      ) : null}
      <SavedMenu runIds={runIds} />
      <ActionMenu button={<SmallButton rightSection={chevron}>Export</SmallButton>}>
        {files.map(([kind, text]) => (
          <MenuAction key={kind} icon={IconDownload} onClick={save(kind)}>
            {text}
          </MenuAction>
        ))}
        {report.item}
        <Menu.Divider />
        <MenuAction icon={IconCopy} onClick={attempting(() => copyComparison(workbench))}>
          Copy as Markdown
        </MenuAction>
      </ActionMenu>
      <SmallButton icon={IconFileTypePdf} variant="filled" onClick={save('pdf')}>
        Export PDF
      </SmallButton>
    </>
  );
}
