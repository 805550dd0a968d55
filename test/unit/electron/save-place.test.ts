import { expect, it } from 'vitest';
import { SavePlace } from '../../../electron/save-place';

it('offers the folder of the file that was saved last', () => {
  const place = new SavePlace('/home/ada/Documents');
  expect(place.pathOf('report.pdf')).toBe('/home/ada/Documents/report.pdf');
  place.saved('/srv/customers/acme/june.pdf');
  expect(place.pathOf('report.pdf')).toBe('/srv/customers/acme/report.pdf');
});
