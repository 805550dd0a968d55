import { expect, it } from 'vitest';
import { formField } from '../../../../../../renderer/views/new-deployment/fields/form-field';

it('says what 0 means where it is not the number', () => {
  const help = (path: string): string => formField(path, { value: () => undefined }).help;
  expect(help('configure.threads')).toBe('CPU threads of one model instance. 0: the runtime’s choice.');
  expect(help('configure.maxBatchSize')).not.toContain('0:');
});
