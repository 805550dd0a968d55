import { expect, it } from 'vitest';
import { createDraft } from '../../../../../renderer/stores/draft/draft';
import { createClientDouble } from '../../client-double';

it('another configuration of the same file takes the place of the first, and undo goes back to before both', async () => {
  const { client, calls } = createClientDouble({
    'drafts.list': () => [],
    'drafts.save': () => null,
    'drafts.remove': () => null,
    'spec.preview': () => ({ spec: null, specHash: null, defaults: null, problems: [], commands: [] }),
    'spec.import': (input) => {
      const { configuration = 1 } = input as { configuration?: number };
      const names = ['trt', 'onnx'];
      return {
        source: 'runner-yaml-1',
        choice: { preset: 'tft', overrides: { format: names[configuration - 1] } },
        notes: [],
        configurations: { names, taken: configuration },
      };
    },
  });
  const draft = createDraft(client);
  draft.getState().change(['format'], 'ts-trace');
  await draft.getState().importText('config.yaml', 'x');
  expect(draft.getState()).toMatchObject({
    overrides: { format: 'trt' },
    notice: { kind: 'imported', others: { names: ['trt', 'onnx'], taken: 1, text: 'x' } },
  });
  draft.getState().takeBack();
  await draft.getState().importText('config.yaml', 'x', { configuration: 2 });
  expect(draft.getState()).toMatchObject({ overrides: { format: 'onnx' }, notice: { others: { taken: 2 } } });
  const inputs = calls.filter(([name]) => name === 'spec.import').map(([, input]) => input);
  expect(inputs[0]).not.toHaveProperty('configuration');
  expect(inputs[1]).toMatchObject({ configuration: 2, overrides: { format: 'ts-trace' } });
  draft.getState().takeBack();
  expect(draft.getState().overrides).toEqual({ format: 'ts-trace' });
});
