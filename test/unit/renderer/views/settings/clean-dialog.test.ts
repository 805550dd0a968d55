import { expect, it } from 'vitest';
import { freedText } from '../../../../../renderer/views/settings/clean-dialog';

it.each([
  [2048, 0, 'Freed 2.0 KiB.'],
  [2048, 2 ** 30, 'Freed 2.0 KiB and up to 1.0 GiB of images.'],
  [0, 2 ** 30, 'Freed up to 1.0 GiB of images.'],
  [0, 0, 'No space was freed: runs still use the same files.'],
])('%d bytes of the home and %d of images: %s', (freed, images, text) => {
  expect(freedText(freed, images)).toBe(text);
});
