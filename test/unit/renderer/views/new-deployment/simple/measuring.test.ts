import { describe, expect, it } from 'vitest';
import { getAt, type Keys, mergeTrees, type Tree } from '../../../../../../main/contract/trees';
import { resolveSpec } from '../../../../../../main/presets/resolve-spec';
import {
  chosenMeasuring,
  measuringOptions,
} from '../../../../../../renderer/views/new-deployment/simple/measuring';
import { resnet50 } from '../../../wizard/preset';

const spec = resolveSpec(resnet50, {});
const defaultOf = (keys: Keys): unknown => getAt(spec, keys);
const withLoad = (performance: Tree) => (keys: Keys) => getAt(mergeTrees({ ...spec }, { performance }), keys);

describe('how long a level is measured', () => {
  const options = measuringOptions(resnet50, defaultOf, false);

  it('is quick, as the defaults, or as published', () => {
    expect(options).toMatchObject([
      { value: 'quick', measurementIntervalMs: 500, maxTrials: 4 },
      { value: 'standard', measurementIntervalMs: 1000, maxTrials: 6 },
      { value: 'published', measurementIntervalMs: 10_000, maxTrials: 10 },
    ]);
    expect(options[0]?.note).toBe('Windows of 0.5 s, at most 4 per level. For a first look.');
  });

  it('is as perf_analyzer measures where nothing is published', () => {
    const { byGpu, ...own } = resnet50;
    expect(byGpu).toBeDefined();
    expect(measuringOptions(own, defaultOf, false).at(-1)).toMatchObject({
      value: 'long',
      measurementIntervalMs: 5000,
    });
  });

  it('is found among the values, and is none of them where they were set one by one', () => {
    expect(chosenMeasuring(options, defaultOf)?.value).toBe('standard');
    const quick = withLoad({ measurementIntervalMs: 500, maxTrials: 4 });
    expect(chosenMeasuring(options, quick)?.value).toBe('quick');
    expect(chosenMeasuring(options, withLoad({ maxTrials: 5 }))).toBeUndefined();
  });

  it('cannot be chosen where windows end by requests', () => {
    const refused = measuringOptions(resnet50, defaultOf, true).filter(({ why }) => why !== undefined);
    expect(refused.map(({ value }) => value)).toEqual(['quick', 'published']);
  });
});
