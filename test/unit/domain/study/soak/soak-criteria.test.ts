import { describe, expect, it } from 'vitest';
import { parseSoakCriterion } from '../../../../../main/domain/study/soak/soak-criteria';

describe('parseSoakCriterion', () => {
  it.each([
    ['rss-slope>1MB/h', { figure: 'rss', limit: 1e6, per: 'h' }],
    [' shm-slope > 2.5MiB/1000 ', { figure: 'shm', limit: 2.5 * 2 ** 20, per: '1000' }],
    ['gpu-slope>1GB/reload', { figure: 'gpu', limit: 1e9, per: 'reload' }],
    ['handles-slope>10/h', { figure: 'handles', limit: 10, per: 'h' }],
  ])('reads %s', (text, expected) => {
    expect(parseSoakCriterion(text)).toEqual({ text: text.replaceAll(' ', ''), ...expected });
  });

  it.each([
    'rss>1MB',
    'rss-slope<1MB/h',
    'rss-slope>1/h',
    'handles-slope>1MB/h',
    'rss-slope>MB/h',
    'p99>1.1x',
    '',
  ])('refuses "%s"', (text) => {
    expect(() => parseSoakCriterion(text)).toThrow(/is not a criterion/);
  });
});
