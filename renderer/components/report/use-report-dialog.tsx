import { IconEdit } from '@tabler/icons-react';
import { type ReactNode, useState } from 'react';
import type { ReportSettings, ReportSubject } from '../../../main/contract/settings/report-settings';
import { useWorkbench } from '../../workbench';
import { MenuAction } from '../actions';
import { attempting } from '../notices';
import { ReportDialog } from './report-dialog';

/** The entry of an export menu that opens the dialog, and the dialog, which stays when the menu closes. */
export function useReportDialog(
  subject: ReportSubject,
  onSavePdf: () => Promise<void>,
): { readonly item: ReactNode; readonly dialog: ReactNode } {
  const { client } = useWorkbench();
  const [settings, setSettings] = useState<ReportSettings | null>(null);
  return {
    item: (
      <MenuAction
        icon={IconEdit}
        onClick={attempting(async () => {
          setSettings(await client.call('reports.settings', subject));
        })}
      >
        Title, customer and contents…
      </MenuAction>
    ),
    dialog:
      settings === null ? null : (
        <ReportDialog
          subject={subject}
          settings={settings}
          onSavePdf={onSavePdf}
          onClose={() => setSettings(null)}
        />
      ),
  };
}
