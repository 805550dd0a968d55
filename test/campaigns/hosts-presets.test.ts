import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { imageIsThere } from '../../main/docker/images/prepare-image';
import { documentOf } from '../support/cli';
import { readTestEngine } from '../support/docker';
import { type HomeWithHosts, imagesOfRuns, startHomeWithHosts } from '../support/two-hosts';

const engine = await readTestEngine();
const images =
  engine === null
    ? []
    : await Promise.all((await imagesOfRuns(['tf'])).map((name) => imageIsThere(engine, name)));
/** The host builds nothing. */
const hasTensorflow = images.every(Boolean);

describe.skipIf(engine === null)('every preset on a host', () => {
  let hosts: HomeWithHosts;
  beforeAll(async () => {
    if (engine !== null) hosts = await startHomeWithHosts(engine, [{ name: 'f', number: 66 }], ['pyt', 'tf']);
  });
  afterAll(() => hosts.stop());

  it.for(['resnet50', 'tft', 'fastpitch', 'nnunet', 'wide-and-deep'])('%s', async (preset, { skip }) => {
    skip(preset === 'wide-and-deep' && !hasTensorflow, 'this engine has no images for TensorFlow');
    const quick = ['run', preset, '--profile', 'quick', '--host', 'f', '--json', '--verbose'];
    const result = await hosts.start(quick).result;
    expect(result.code, result.stderr.slice(-3000)).toBe(0);
    const { status, offline, online } = documentOf(result);
    expect(status).toBe('done');
    expect(offline.length).toBeGreaterThan(0);
    expect(online.length).toBeGreaterThan(0);
    const best = Math.max(...[...offline, ...online].map(({ inferencesPerSecond }) => inferencesPerSecond));
    process.stdout.write(`    ${preset}: up to ${best.toFixed(0)} inferences/s\n`);
    expect(await hosts.left('f')).toEqual([]);
  });
});
