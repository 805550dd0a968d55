import { expect, it } from 'vitest';
import { editedText } from '../../../../../renderer/views/new-deployment/named-changes';

it('names the fields that were edited by hand as config.pbtxt does', () => {
  expect(editedText({ instanceGroup: [{ count: 2 }], version_policy: {} })).toBe(
    'instance_group, version_policy',
  );
  expect(editedText(undefined)).toBe('none');
});
