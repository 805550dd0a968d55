import { readFileSync } from 'node:fs';
import { describe, expect, it } from 'vitest';
import { analyzerRelease, analyzerReleases, glibcOf, hostGlibc } from '../../../main/setup/perf-analyzer';

describe('the release of perf_analyzer', () => {
  it.each([
    ['2.36', 'x64', '2.50.0'],
    ['2.37', 'x64', '2.50.0'],
    ['2.38', 'x64', '2.60.0'],
    ['2.41', 'x64', '2.60.0'],
    ['3.0', 'x64', '2.60.0'],
    ['2.41', 'arm64', '2.50.0'],
    [null, 'x64', '2.50.0'],
  ])('on glibc %s and %s is %s', (glibc, machine, version) => {
    expect(analyzerRelease(glibc, machine).version).toBe(version);
  });

  it('is pinned with a hash', () => {
    for (const { requirements, version } of analyzerReleases) {
      expect(readFileSync(`resources/requirements/${requirements}`, 'utf8')).toMatch(
        new RegExp(`==${version} --hash=sha256:[0-9a-f]{64}`),
      );
    }
  });

  it('is chosen by the glibc that Node reports', () => {
    expect(glibcOf({ header: { glibcVersionRuntime: '2.36' } })).toBe('2.36');
    expect(glibcOf({ header: {} })).toBeNull();
    expect(glibcOf(null)).toBeNull();
    expect(hostGlibc()).toMatch(/^\d+\.\d+/);
  });
});
