import { expect, it } from 'vitest';
import { readableFolder } from '../../../main/platform/layout';

it.each([
  ['/usr/lib/triton-workbench/resources/app.asar', '/usr/lib/triton-workbench/resources/app.asar.unpacked'],
  ['/home/me/triton-workbench', '/home/me/triton-workbench'],
])('what others read of %s is in %s', (app, readable) => {
  expect(readableFolder(app)).toBe(readable);
});
