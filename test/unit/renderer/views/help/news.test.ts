import { expect, it } from 'vitest';
import { newsSince, releaseOf } from '../../../../../renderer/views/help/news';

const changelog = [
  '# Changelog',
  '',
  '## 0.3.0 (2026-12-24)',
  '### Added',
  '- Three',
  '',
  '## 0.2.0 (2026-12-01)',
  '- Two',
  '',
  '## 0.1.0',
  '- One',
  '',
].join('\n');

it.each([
  ['0.3.0', '## 0.3.0 (2026-12-24)\n### Added\n- Three'],
  ['0.2.0', '## 0.3.0 (2026-12-24)\n### Added\n- Three'],
  ['0.1.0', '## 0.3.0 (2026-12-24)\n### Added\n- Three\n\n## 0.2.0 (2026-12-01)\n- Two'],
  ['0.0.9', '## 0.3.0 (2026-12-24)\n### Added\n- Three'],
  [null, '## 0.3.0 (2026-12-24)\n### Added\n- Three'],
])('since %s', (since, text) => {
  expect(newsSince(changelog, since)).toBe(text);
});

it('a changelog without versions has no news', () => {
  expect(newsSince('# Changelog\n', '0.1.0')).toBe('');
});

it('a package for tests is of the version that it tests', () => {
  expect(releaseOf('0.2.0-test.electron.25.1.1')).toBe('0.2.0');
  expect(releaseOf('0.2.0')).toBe('0.2.0');
});
