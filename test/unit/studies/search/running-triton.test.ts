import { expect, it } from 'vitest';
import { WorkbenchError } from '../../../../main/contract/errors';
import { markedName, unloadMarked } from '../../../../main/studies/search/running-triton';
import { rejection } from '../../../support/rejection';

/** A Triton whose models are gone one question after they were unloaded. */
function tritonWith(ready: readonly string[], refusal: WorkbenchError | null = null) {
  const left = new Map(ready.map((name) => [name, Infinity]));
  return {
    left,
    client: {
      address: 'localhost:8000',
      unloadModel: (name: string) => {
        if (refusal !== null) return Promise.reject(refusal);
        if (left.has(name)) left.set(name, 1);
        return Promise.resolve();
      },
      modelReady: (name: string) => {
        const questions = left.get(name) ?? 0;
        if (questions > 0) left.set(name, questions - 1);
        else left.delete(name);
        return Promise.resolve(questions > 0);
      },
    },
  };
}

const mark = 'ab12cd34';

it('unloads what has the mark of the search, and waits until it is gone', async () => {
  const others = ['resnet50', markedName('ffffffff', 1)];
  const { client, left } = tritonWith([...others, markedName(mark, 0), markedName(mark, 2)]);
  await unloadMarked(client, mark, 2);
  expect([...left.keys()]).toEqual(others);
});

it('says how the server has to be started where it does not allow it, also where nothing is left', async () => {
  const details = 'explicit model load / unload is not allowed if polling is enabled';
  const refusal = new WorkbenchError('model-load-failed', 'Triton could not unload', { details });
  const error = await rejection(unloadMarked(tritonWith([], refusal).client, mark, 0));
  expect(error).toMatchObject({ code: 'combination-unsupported', details });
  expect(error.remedy).toContain('--model-control-mode=explicit');
  const other = new WorkbenchError('model-load-failed', 'Triton could not unload', { details: 'no answer' });
  expect(await rejection(unloadMarked(tritonWith([], other).client, mark, 0))).toBe(other);
});
