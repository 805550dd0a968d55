import { WorkbenchError } from '../contract/errors';
import type { ServerLoad } from '../core';

/** `NAME` or `NAME:weight`, any number of them, each once. Throws input-invalid. */
export function readModelNames(texts: readonly string[]): ServerLoad['models'][number][] {
  const models = texts.map((text) => {
    const [, name = '', weight = '1'] = /^(.+?)(?::([\d.]+))?$/.exec(text) ?? [];
    return { name, weight: Number(weight) };
  });
  for (const [index, { name, weight }] of models.entries()) {
    if (name === '' || !(weight > 0) || !Number.isFinite(weight)) {
      throw new WorkbenchError(
        'input-invalid',
        `"${texts[index] ?? ''}" is not of the form NAME or NAME:weight`,
        {
          where: '--model',
          remedy: 'For example --model resnet50 --model bert:2.',
        },
      );
    }
    if (models.findIndex((other) => other.name === name) !== index) {
      throw new WorkbenchError('input-invalid', `Model ${name} is given twice`, {
        where: '--model',
        remedy: `Give it a weight: --model ${name}:2.`,
      });
    }
  }
  return models;
}
