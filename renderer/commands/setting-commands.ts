import { definitionOf, settingKeys } from '../../main/contract/settings/settings';
import type { SoughtSetting } from '../stores/settings';
import type { Workbench } from '../workbench';
import type { Command } from './command';

/** Every setting by its name: opens the Settings page at it. */
export function settingCommands({
  route,
  settings,
}: Pick<Workbench, 'route' | 'settings'>): readonly Command[] {
  const open = (sought: SoughtSetting) => (): void => {
    settings.getState().seek(sought);
    route.getState().go({ page: 'settings' });
  };
  return [
    ...settingKeys.map((key): Command => {
      const { title, group, choices = {} } = definitionOf(key);
      return {
        id: `setting ${key}`,
        title: `Setting: ${title}`,
        note: [group, ...Object.values(choices)].join(', '),
        group: 'Actions',
        run: open(key),
      };
    }),
    {
      id: 'setting home',
      title: 'Setting: Workbench home',
      note: 'move, sizes, clean up',
      group: 'Actions',
      run: open('home'),
    },
  ];
}
