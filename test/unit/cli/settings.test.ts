import { expect, it } from 'vitest';
import { problemLines, readSettingValue, settingLines } from '../../../main/cli/settings';
import { readSettings } from '../../../main/contract/settings/settings';

it('reads numbers, on and off, none, and texts as the setting takes them', () => {
  expect(readSettingValue('deployment.p99BudgetMs', '12.5')).toBe(12.5);
  expect(readSettingValue('deployment.release', '26.07')).toBe('26.07');
  expect(readSettingValue('deployment.release', 'none')).toBeNull();
  expect(readSettingValue('network.noProxy', 'none')).toBeNull();
  expect(readSettingValue('notifications.alerts', 'off')).toBe(false);
  expect(readSettingValue('notifications.runs', 'off')).toBe('off');
  expect(readSettingValue('window.theme', 'blue')).toBe('blue');
});

it('lists a line per setting, with the default where it differs', () => {
  const lines = settingLines(readSettings({ 'runs.keepDays': 90 }, '/settings.json'));
  expect(lines.find((line) => line.startsWith('runs.keepDays'))).toMatch(
    / {2}90 days {2}\(default: keep all runs\)$/,
  );
  expect(lines.find((line) => line.startsWith('window.theme'))).toMatch(/ {2}System$/);
});

it('says what of the file has no effect', () => {
  const state = readSettings({ 'runs.keepDays': -1, 'later.key': 1 }, '/settings.json');
  expect(problemLines({ ...state, broken: 'it is not JSON' })).toEqual([
    '/settings.json cannot be read: it is not JSON. The defaults are used.',
    'runs.keepDays must be a whole number of days from 1 to 3,650. The default is used.',
    'Unknown keys, which have no effect: later.key',
  ]);
});
