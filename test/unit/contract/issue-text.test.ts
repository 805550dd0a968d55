import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { missingText } from '../../../main/contract/issue-text';
import { reasonAgainst } from '../../../main/contract/run/run-content';
import { runSpecSchema } from '../../../main/contract/run/run-spec';
import { setAt } from '../../../main/contract/trees';
import { specFixture } from '../../support/run-state';

const messageOf = (schema: z.ZodType, value: unknown): string | undefined =>
  schema.safeParse(value).error?.issues[0]?.message;
const ofSpec = (path: string, value: unknown): string | undefined =>
  messageOf(runSpecSchema, setAt(specFixture(), path.split('.'), value));

describe('what is wrong with a value', () => {
  it.each([
    ['format', 'xx', 'must be one of onnx, ts-trace, ts-script, pt2, tf-savedmodel, trt, repository'],
    ['performance.batchSizes', 'x', 'must be a list'],
    ['performance.batchSizes', [0], 'must be at least 1'],
    ['performance.batchSizes', [1.5], 'must be a whole number'],
    ['performance.requestRates', [0], 'must be more than 0'],
    ['engine.kind', 'foo', 'must be one of local, docker, remote, slurm, kubernetes'],
    ['engine', { kind: 'local', httpPort: 99_999 }, 'must be at most 65535'],
    ['engine', { kind: 'remote' }, missingText],
    ['engine', { kind: 'remote', url: 'http://' }, 'must be an address such as http://host:8000'],
    ['performance.nope', 1, 'unknown field nope'],
    [
      'format',
      'onx',
      'must be one of onnx, ts-trace, ts-script, pt2, tf-savedmodel, trt, repository (Did you mean onnx?)',
    ],
    [
      'engine',
      { kind: 'dokcer' },
      'must be one of local, docker, remote, slurm, kubernetes (Did you mean docker?)',
    ],
  ])('%s %j', (path, value, text) => {
    expect(ofSpec(path, value)).toBe(text);
  });

  it('is said of every way that a value could be read', () => {
    const either = z.union([z.literal('formula'), z.array(z.int())]);
    expect(messageOf(either, 3)).toBe('must be formula or a list');
    expect(messageOf(either, [1, 'a'])).toBe('value 2 must be a number');
  });

  it('counts characters and values', () => {
    expect(reasonAgainst('a'.repeat(81))).toBe('must have at most 80 characters');
    expect(messageOf(z.string().min(1), '')).toBe('must have at least 1 character');
    expect(messageOf(z.array(z.int()).min(2), [])).toBe('must have at least 2 values');
  });
});
