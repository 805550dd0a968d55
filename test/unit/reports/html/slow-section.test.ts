// @vitest-environment jsdom
import { expect, it } from 'vitest';
import type { SlowRequests } from '../../../../main/contract/measured/slow-requests';
import { slowSection } from '../../../../main/reports/html/slow-section';

const slow: SlowRequests = {
  ...{ model: '<b>whole', protocol: 'http', requests: 100, incomplete: 0, medianCount: 20, slowCount: 5 },
  ...{ medianUs: 2000, slowUs: 8000, slowest: [] },
  parts: [
    { model: null, phase: 'queue', medianUs: 1000, slowUs: 1000 },
    { model: 'resize', phase: 'infer', medianUs: 1000, slowUs: 7000 },
  ],
};

it('draws the slow requests over those around the median, each part by its time', () => {
  const { text = '' } = slowSection({ slow: [{ title: 'Online', slow: [slow], problem: null }] }) ?? {};
  const page = new DOMParser().parseFromString(text, 'text/html');
  const widths = [...page.querySelectorAll('.charts rect')].map((bar) => Number(bar.getAttribute('width')));
  expect(widths).toHaveLength(4);
  const [median = 0, , queue = 0, infer = 0] = widths;
  expect(median).toBeCloseTo(queue, 1);
  expect(infer / queue).toBeCloseTo(7, 1);
  expect(page.querySelectorAll('table.slow tbody tr')).toHaveLength(3);
  expect(page.querySelector('b')).toBeNull();
});

it('says why a level has none, and is left out without any', () => {
  const part = slowSection({ slow: [{ title: 'Online', slow: [], problem: 'Triton wrote no trace' }] });
  expect(part?.text).toContain('Not traced: Triton wrote no trace');
  expect(slowSection({ slow: [] })).toBeNull();
});
