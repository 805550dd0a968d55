import { attempting } from '../components/notices';
import type { OverlayPage } from '../stores/overlay';
import type { Workbench } from '../workbench';
import type { Command } from './command';

/** What the Help menu has, by the ids of its commands. */
export function helpCommands({ client, overlay }: Pick<Workbench, 'client' | 'overlay'>): readonly Command[] {
  const shown = (id: string, page: OverlayPage, title: string, more: Partial<Command> = {}): Command => ({
    id,
    title,
    group: 'Actions',
    ...more,
    run: () => {
      overlay.getState().show(page);
    },
  });
  return [
    shown('shortcuts', 'shortcuts', 'Show all shortcuts', { shortcut: '?' }),
    shown('documentation', 'documentation', 'Documentation', {
      note: 'help, guide, reference',
      shortcut: 'F1',
    }),
    shown('changelog', 'changelog', 'Changelog', { note: 'help, release notes' }),
    shown('report-problem', 'report', 'Report a problem …', { note: 'help, text without secrets to copy' }),
    {
      id: 'open-logs',
      title: 'Open logs folder',
      note: 'help, log of the application',
      group: 'Actions',
      run: attempting(() => client.call('desktop.openFolder', { folder: 'logs' })),
    },
    {
      id: 'check-for-updates',
      title: 'Check for updates …',
      note: 'help, newer version from the update feed',
      group: 'Actions',
      run: attempting(() => client.call('desktop.checkForUpdates')),
    },
    shown('about', 'about', 'About Triton Workbench', { note: 'help, version and license' }),
  ];
}
