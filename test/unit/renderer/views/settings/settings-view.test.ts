import { expect, it } from 'vitest';
import { settingKeys } from '../../../../../main/contract/settings/settings';
import { findSettings } from '../../../../../renderer/views/settings/settings-view';

it('finds settings by every word of title, help, group or key', () => {
  expect([...findSettings('')]).toEqual(settingKeys);
  expect([...findSettings('PROXY hosts')]).toEqual(['network.noProxy']);
  expect([...findSettings('runs.keepDays')]).toEqual(['runs.keepDays']);
  expect([...findSettings('dark')]).toEqual(['window.theme']);
  expect([...findSettings('no such thing')]).toEqual([]);
});
